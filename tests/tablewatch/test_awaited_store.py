"""A service that starts while the store is away."""

import logging

import pytest

from store.errors import StoreUnavailable
from tablewatch.commands import store_address


def test_what_is_waited_for_is_said_once_and_at_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("TABLEWATCH_CLICKHOUSE_URL", "clickhouse://u:secret@127.0.0.1:9/floor")
    monkeypatch.setattr(store_address, "AWAITED_SECONDS", 0.5)
    with caplog.at_level(logging.WARNING, store_address.__name__), pytest.raises(StoreUnavailable):
        store_address.awaited_store()
    said = [record.getMessage() for record in caplog.records if record.name == store_address.__name__]
    assert len(said) == 1
    assert "for the store" in said[0] and "127.0.0.1:9" in said[0]
    assert "secret" not in said[0]
