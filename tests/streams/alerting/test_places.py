"""Where a table stands: asked for at its first alert, which may come before its configuration is stored."""

from pathlib import Path

import pytest

from store.connect import Store
from streams import outputs
from streams.alerting import places
from streams.alerting.intake import Intake
from streams.alerting.journal import Journal
from streams.alerting.places import Places
from streams.alerting.raising import PLACE_HEADER, UNKNOWN_PLACE, TablePlace, place_in
from streams.alerting.rules import NOBODY
from streams.feed import FeedRecord
from streams.topic_layout import INPUTS
from tests.audit.case import TABLE, Case
from tests.streams.stored import NOW_MS, SHORT_PAID, Floor, as_table


def test_a_table_whose_configuration_is_stored_after_its_first_alert_is_known_at_the_next(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "WAIT", 60.0)
    monkeypatch.setattr(places, "NOT_YET", 0.0)
    journal = Journal(tmp_path / "alerts")
    asking = Places(store, journal)
    assert asking.of(TABLE) == UNKNOWN_PLACE
    Floor().store(store, as_table(Case().round().events(), TABLE))
    assert asking.of(TABLE).currency == "SGD"
    journal.close()


class _KnowsNone(Places):
    """Neither the store nor the journal knows any table yet."""

    def __init__(self) -> None: ...

    def of(self, table: str | None) -> TablePlace:
        return UNKNOWN_PLACE


def test_the_worker_says_where_the_table_stands_before_the_store_knows_it(tmp_path: Path) -> None:
    """The pit decides who is told, and the currency how amounts are said."""
    floor = Floor()
    case = Case(pit="P4", cameras=["C7"]).round(**SHORT_PAID)
    for number, record in enumerate(floor.records(case.lines())):
        floor.judge.take(record, number, 0.0)
    for topic in INPUTS:
        floor.judge.watermark.left_to_read(topic, 0, (NOW_MS - 2_000) * 1_000)
    [message] = outputs.alerts(floor.judge.look(NOW_MS * 1_000).findings)
    fed = FeedRecord(message.topic, 0, 0, NOW_MS, message.key, message.value, dict(message.headers))
    journal = Journal(tmp_path)
    Intake(journal, NOBODY, _KnowsNone()).take([fed], NOW_MS)
    [owed] = journal.owed(10)
    assert (owed.body["pit"], owed.body["detail"]["cameras"], owed.body["detail"]["currency"]) == ("P4", ["C7"], "SGD")
    journal.close()


@pytest.mark.parametrize("raw", [b"", b"{}", b"[]", b"3", b'{"cameras":[],"planet":"Mars"}', b"\xff"])
def test_what_is_no_place_is_passed_over(raw: bytes) -> None:
    assert place_in({PLACE_HEADER: raw}) is None
    assert place_in({}) is None
