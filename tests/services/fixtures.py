"""Fixtures for the real services; a test module takes what it needs by importing it."""

import os
from collections.abc import Iterator

import pytest

from tests.services.kafka import KafkaBroker, KafkaUnavailable


def absent(what: str, reason: str) -> None:
    """Skip for want of a service, or fail where the surroundings promise it."""
    if what in os.environ.get("TABLEWATCH_TEST_REQUIRE", "").replace(",", " ").split():
        pytest.fail(f"TABLEWATCH_TEST_REQUIRE asks for {what}: {reason}")
    pytest.skip(reason)


def _broker(factory: pytest.TempPathFactory, *, secure: bool) -> Iterator[KafkaBroker]:
    try:
        broker = KafkaBroker(factory.mktemp("kafka"), secure=secure)
    except KafkaUnavailable as error:
        absent("java", str(error))
        raise
    with broker:
        yield broker


@pytest.fixture(scope="session")
def kafka_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    """A real broker without rights, shared by the session: tests use topics and groups of their own."""
    yield from _broker(tmp_path_factory, secure=False)


@pytest.fixture(scope="session")
def secure_kafka_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    """A real broker with SASL/SCRAM and the authorizer."""
    yield from _broker(tmp_path_factory, secure=True)
