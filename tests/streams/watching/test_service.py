"""The watch service over what is stored: the findings of an audit, each told once, whatever comes late or twice."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from audit.settings import JudgeSettings
from audit.watches.settings import WatchSettings
from schemas.findings import Finding, finding_json, parse_finding
from schemas.topics import ALERTS
from store.connect import Store
from store.read.findings import FindingFilter, findings
from store.read.shoes import ShoeKey, stored_shoes
from store.write.verdicts import write_verdicts
from streams.broker_url import Broker, EmbeddedLog
from streams.feed import Feed
from streams.topics import Layout, create
from streams.watching.service import Done, WatchService
from tests.audit.watches.told_shoes import lines_of
from tests.replay.stored import ARRIVAL, fill
from tests.streams.watching.shoes import audited, of_lucky_player, with_false_shuffle


@pytest.fixture
def broker(tmp_path: Path) -> Broker:
    log = EmbeddedLog(tmp_path / "log")
    create(log, Layout(partitions=2))
    return log


def service(store: Store, broker: Broker) -> WatchService:
    return WatchService(broker, store, JudgeSettings(), WatchSettings(), grace_seconds=0.0, patience_seconds=30.0)


def stored(store: Store, *, cleared: bool | None = False) -> dict[str, dict[str, Any]]:
    """The statistical findings of the store, by their ids."""
    found = [state.finding for state in findings(store, FindingFilter(cleared=cleared))]
    assert {each.basis for each in found} <= {"statistics"}
    return {each.id: orjson.loads(finding_json(each)) for each in found}


def told(broker: Broker) -> list[Finding]:
    """All that was sent to people."""
    with Feed(broker, (ALERTS.name,), start="beginning") as feed:
        return [parse_finding(record.value) for record in feed.poll(0.1, max_records=1_000)]


def test_what_is_found_is_that_of_an_audit_and_is_told_once(store: Store, broker: Broker) -> None:
    lucky = of_lucky_player()
    lines = [*lines_of(with_false_shuffle()), *lines_of(lucky[:2], "BT2"), *lines_of(lucky[2:], "BT3")]
    expected = audited(lines)
    assert {each["code"] for each in expected.values()} == {"shuffle-repeat", "player-over-expectation"}
    fill(store, lines)
    watching = service(store, broker)
    assert watching.look(whole=True) == Done(shoes=8, again=0, findings=2)
    assert stored(store) == expected
    assert {finding.id for finding in told(broker)} == expected.keys()
    assert watching.look(whole=False) == Done()
    assert service(store, broker).look(whole=True) == Done()
    assert len(told(broker)) == 2


def test_a_service_that_was_killed_before_its_summaries_were_written_tells_nothing_again(
    store: Store, broker: Broker
) -> None:
    fill(store, lines_of(with_false_shuffle()))
    service(store, broker).look(whole=True)
    (before,) = findings(store, FindingFilter(cleared=None))
    store.command("TRUNCATE TABLE shoes SYNC")
    assert service(store, broker).look(whole=True) == Done(shoes=4, again=0, findings=0)
    assert findings(store, FindingFilter(cleared=None)) == [before]
    assert len(told(broker)) == 1


def test_a_record_of_an_alert_has_the_form_of_the_workers_own(store: Store, broker: Broker) -> None:
    fill(store, lines_of(with_false_shuffle()))
    service(store, broker).look(whole=True)
    with Feed(broker, (ALERTS.name,), start="beginning") as feed:
        (record,) = feed.poll(0.1)
    assert record.key == b"BT1"
    assert record.value == finding_json(parse_finding(record.value))


def test_two_services_at_once_store_each_finding_once_and_agree(store: Store, broker: Broker) -> None:
    lines = lines_of(with_false_shuffle())
    fill(store, lines)
    both = [threading.Thread(target=service(store, broker).look, kwargs={"whole": True}) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    states = findings(store, FindingFilter(cleared=None))
    assert {state.finding.id for state in states} == audited(lines).keys()
    assert len(states) == 1
    assert {finding.id for finding in told(broker)} == {state.finding.id for state in states}
    assert service(store, broker).look(whole=True) == Done()


def test_a_table_that_is_not_live_raises_no_alert_to_people(store: Store, broker: Broker) -> None:
    lines = [
        line.replace(b'"positions"', b'"mode":"test","positions"') for line in lines_of(with_false_shuffle())
    ]  # fmt: skip
    fill(store, lines)
    assert service(store, broker).look(whole=True).findings == 1
    assert stored(store) == audited(lines)
    assert told(broker) == []


def test_a_shoe_waits_until_its_last_round_is_judged(store: Store, broker: Broker) -> None:
    lines = lines_of(with_false_shuffle())
    rounds = fill(store, lines)
    last = max(each.key for each in rounds if each.key.shoe == "A3")
    condition = {"shoe": last.shoe, "round": last.round}
    for table in ("verdicts", "rounds"):
        store.command(
            f"ALTER TABLE {table} DELETE WHERE shoe = %(shoe)s AND round = %(round)s", condition,
            settings={"mutations_sync": 2},
        )  # fmt: skip
    watching = service(store, broker)
    assert watching.look(whole=True) == Done(shoes=3)
    write_verdicts(store, [each for each in rounds if each.key == last])
    assert watching.look(whole=False) == Done(shoes=1, findings=1)
    assert stored(store) == audited(lines)


def test_an_earlier_shoe_that_comes_late_has_the_later_ones_watched_again(store: Store, broker: Broker) -> None:
    lines = lines_of(with_false_shuffle())
    first = [line for line in lines if b'"shoe":"A0"' in line]
    others = [line for line in lines if b'"shoe":"A0"' not in line]
    fill(store, others, per_record=1)
    watching = service(store, broker)
    assert watching.look(whole=True) == Done(shoes=3)
    fill(store, [*others, *first], per_record=1)
    assert watching.look(whole=False) == Done(shoes=1, again=3, findings=1)
    assert stored(store) == audited(lines)


def test_a_late_fact_makes_the_summary_anew_and_clears_what_no_longer_stands(store: Store, broker: Broker) -> None:
    lucky = of_lucky_player()
    rounds = fill(store, [*lines_of(lucky[:2], "BT2"), *lines_of(lucky[2:], "BT3")])
    watching = service(store, broker)
    assert watching.look(whole=True) == Done(shoes=4, findings=1)
    (raised,) = told(broker)
    # The rounds of the first shoe turn out to be void: nothing was won or lost in them.
    revised = [
        replace(each, verdict=replace(each.verdict, status="void", revision=2), judged=ARRIVAL + 60_000)
        for each in rounds
        if each.key.shoe == "B0"
    ]
    write_verdicts(store, revised)
    keys = [ShoeKey("BT2", "B0"), ShoeKey("BT2", "B1"), ShoeKey("BT3", "B2"), ShoeKey("BT3", "B3")]
    ended = {key.shoe: row.ended for key, row in stored_shoes(store, keys).items()}
    later = sum(at > ended["B0"] for at in ended.values())
    assert watching.look(whole=False) == Done(shoes=1, again=later, findings=1)
    assert stored(store) == {}
    assert [finding.cleared for finding in told(broker)] == [False, True]
    assert told(broker)[1] == replace(raised, cleared=True)
    row = stored_shoes(store, keys)[keys[0]]
    assert row.version == 2
    assert not any(bets for _, _, bets in row.summary["shoe"]["rounds"])


def test_a_shoe_that_was_never_loaded_is_kept_without_a_game_and_looked_at_once(store: Store, broker: Broker) -> None:
    lines = [line for line in lines_of(with_false_shuffle()[:1]) if b"shoe.loaded.v1" not in line]
    fill(store, lines)
    watching = service(store, broker)
    assert watching.look(whole=True) == Done(shoes=1)
    assert watching.look(whole=False) == Done()
    key = ShoeKey("BT1", "A0")
    assert stored_shoes(store, [key])[key].game is None
