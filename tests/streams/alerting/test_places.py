"""Where a table stands: asked for at its first alert, which may come before its configuration is stored."""

from pathlib import Path

import pytest

from store.connect import connect
from store.embedded.process import EmbeddedClickHouse
from store.migrate import migrate
from store.render import SchemaSettings
from streams.alerting import places
from streams.alerting.journal import Journal
from streams.alerting.places import Places
from streams.alerting.raising import UNKNOWN_PLACE
from tests.audit.case import TABLE, Case
from tests.streams.stored import Floor, as_table


def test_a_table_whose_configuration_is_stored_after_its_first_alert_is_known_at_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "WAIT", 60.0)
    monkeypatch.setattr(places, "NOT_YET", 0.0)
    with EmbeddedClickHouse(tmp_path / "clickhouse") as server:
        store = connect(server.url)
        migrate(store, SchemaSettings(years=50))
        journal = Journal(tmp_path / "alerts")
        asking = Places(store, journal)
        assert asking.of(TABLE) == UNKNOWN_PLACE
        Floor().store(store, as_table(Case().round().events(), TABLE))
        assert asking.of(TABLE).currency == "SGD"
        journal.close()
        store.close()
