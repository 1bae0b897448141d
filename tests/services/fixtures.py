"""The real broker of a test run: one for all tests that leave it running, others for those that take it away."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.services.kafka import KafkaBroker, KafkaUnavailable


def absent(what: str, reason: str) -> None:
    """Skip for want of a service, or fail where the surroundings promise it."""
    if what in os.environ.get("TABLEWATCH_TEST_REQUIRE", "").replace(",", " ").split():
        pytest.fail(f"TABLEWATCH_TEST_REQUIRE asks for {what}: {reason}")
    pytest.skip(reason)


@contextmanager
def own_broker(folder: Path, *, secure: bool = False, tls: tuple[Path, Path] | None = None) -> Iterator[KafkaBroker]:
    """A broker that belongs to whoever asks: to kill, to start again, to fill with users and rights."""
    try:
        broker = KafkaBroker(folder, secure=secure, tls=tls)
    except KafkaUnavailable as error:
        absent("java", str(error))
        raise
    with broker:
        yield broker


@pytest.fixture(scope="session")
def kafka_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    """The broker without rights that all tests of the group "kafka" share: each makes the topics that it needs anew,
    and leaves the broker running."""
    with own_broker(tmp_path_factory.mktemp("kafka")) as broker:
        yield broker
