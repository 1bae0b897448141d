"""What comes after a restart about rounds, ids and players of before: the store knows them; nothing is told twice."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest

from audit.intake import CONFLICT
from schemas.rejections import parse_rejection
from store.read.rejections import rejections
from store.read.rounds import revisions
from store.rows.verdicts import RoundKey
from streams.publish import publish
from tests.audit.case import TABLE, Case
from tests.streams.pipeline import Pipeline, StoreProcess, alerts, sent_to, stop
from tests.streams.test_agents import check_against_audit, embedded_pipeline

pytestmark = pytest.mark.xdist_group("after a restart")

LONG = 12
"""So many rounds of a minute make a shoe that is read again alone, without the shoe before it."""
ONE_TIME, CORRECTED, LOST_CARD, ID_AGAIN, ID_TWICE = "OT1", "CO1", "LC1", "IA1", "IT1"
OTHER_BYTES, OTHER_BYTES_LATER = "OB1", "OB2"
"""An id with two contents of which one comes again in other bytes: before the restart, and after it."""
BET: dict[str, Any] = {"bets": {"b1": ("player", 100)}, "settled": {"b1": (100, 0)}}
UNDER: dict[str, Any] = {"bets": {"b1": ("player", 50)}, "settled": {"b1": (50, 0)}}


@dataclass
class Story:
    """A table's events before and after the restart."""

    before: list[bytes]
    after: list[bytes]

    @classmethod
    def of(cls, table: str, events: Sequence[dict[str, Any]], later: Sequence[dict[str, Any]]) -> "Story":
        """All events but those that come later, under the name of a table of its own."""
        first = [event for event in events if event not in later]
        return cls(*([_line(event, table) for event in part] for part in (first, later)))

    def at(self, table: str, other: str) -> "Story":
        """The same story of a table at another one."""
        return Story(
            *([line.replace(table.encode(), other.encode()) for line in part] for part in (self.before, self.after))
        )


def _in_other_bytes(lines: Sequence[bytes], bet: int) -> bytes:
    """What was said of a bet when it was placed, once more."""
    return [line for line in lines if b'"bet.placed.v1"' in line][bet].replace(b'":', b'": ')


def _line(event: dict[str, Any], table: str) -> bytes:
    return orjson.dumps(event).replace(TABLE.encode(), table.encode())


def _identity(line: bytes) -> tuple[str, str]:
    event = orjson.loads(line)
    return event["source"], event["id"]


def _two_shoes(first: dict[str, Any] | None = None) -> Case:
    """A shoe of one round, and a long one."""
    case = Case().round(**(first or BET)).end_shoe(None).load("S2")
    for _ in range(LONG):
        case.round(**BET)
    return case


def _stories() -> dict[str, Story]:
    stories = {}
    events = _two_shoes(UNDER).round(**UNDER).events()
    last_round = [event for event in events if event["data"].get("round") == LONG + 1]
    stories[ONE_TIME] = Story.of(ONE_TIME, events, last_round)

    case = _two_shoes({**BET, "settled": {"b1": (99, 0)}})
    at = case.opened + 50_000
    case.shoe, case.number, case.opened = "S1", 1, 1_000
    events = case.correct("b1", 100, 0, at=at).events()
    stories[CORRECTED] = Story.of(CORRECTED, events, [e for e in events if e["type"] == "bet.corrected.v1"])

    events = _two_shoes().events()
    stories[LOST_CARD] = Story.of(LOST_CARD, events, [next(e for e in events if e["type"] == "card.drawn.v1")])

    events = _two_shoes().round(**BET).events()
    later = [event for event in events if event["data"].get("round") == LONG + 1]
    first = next(event for event in events if event["type"] == "bet.placed.v1")
    again = next(event for event in later if event["type"] == "bet.placed.v1")
    again["id"] = first["id"]
    stories[ID_AGAIN] = Story.of(ID_AGAIN, events, later)

    events = _two_shoes().round(**BET).events()
    placed = [event for event in events if event["type"] == "bet.placed.v1"]
    placed[3]["id"] = placed[2]["id"]
    later = [event for event in events if event["data"].get("round") == LONG + 1]
    stories[ID_TWICE] = Story.of(ID_TWICE, events, later)

    bytes_again = _in_other_bytes(stories[ID_AGAIN].before, 0)
    told = Story([*stories[ID_AGAIN].before, bytes_again], stories[ID_AGAIN].after)
    stories[OTHER_BYTES] = told.at(ID_AGAIN, OTHER_BYTES)
    bytes_again = _in_other_bytes(stories[ID_TWICE].before, 2)
    told = Story(stories[ID_TWICE].before, [*stories[ID_TWICE].after, bytes_again])
    stories[OTHER_BYTES_LATER] = told.at(ID_TWICE, OTHER_BYTES_LATER)
    return stories


@dataclass
class Restarted:
    """A pipeline whose worker was stopped and started in the middle of its stories."""

    running: Pipeline
    lines: list[bytes]
    stories: dict[str, Story]


@pytest.fixture(scope="module")
def restarted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Restarted]:
    folder: Path = tmp_path_factory.mktemp("restarted")
    stories = _stories()
    with embedded_pipeline(folder, StoreProcess(folder / "clickhouse")) as running:
        lines: list[bytes] = []
        for part in ("before", "after"):
            worker = running.start_worker()
            said = [line for story in stories.values() for line in getattr(story, part)]
            publish(said, running.broker)
            lines += said
            running.await_done()
            assert stop(worker) == 0
        yield Restarted(running, lines, stories)


def _last(restarted: Restarted, table: str, shoe: str, number: int) -> tuple[list[int], dict[str, Any]]:
    """The revisions of a round, and its last verdict."""
    told = revisions(restarted.running.store, RoundKey(table, shoe, number))
    last = max(told, key=lambda each: each.revision)
    return sorted(each.revision for each in told), orjson.loads(last.json)


def test_all_of_it_is_stored_and_judged_as_an_audit_judges_it(restarted: Restarted) -> None:
    check_against_audit(restarted.running, restarted.lines)


def test_dtb_5_14_the_one_time_under_the_minimum_is_remembered_across_shoes_and_a_restart(
    restarted: Restarted,
) -> None:
    numbers, verdict = _last(restarted, ONE_TIME, "S2", LONG + 1)
    assert numbers == [1]
    assert verdict["bets"][0]["expected"] == {"paid": 0, "collected": 0}


def test_a_correction_after_a_restart_brings_a_round_back_and_revises_it(restarted: Restarted) -> None:
    numbers, verdict = _last(restarted, CORRECTED, "S1", 1)
    assert numbers == [1, 2]
    assert [finding["corrected"] for finding in verdict["findings"]] == [True]


def test_a_card_that_comes_after_a_restart_fills_its_hole_and_revises_its_round(restarted: Restarted) -> None:
    numbers, verdict = _last(restarted, LOST_CARD, "S1", 1)
    assert numbers == [1, 2]
    assert verdict["status"] == "verified"
    told = [finding for finding in alerts(restarted.running) if finding.table == LOST_CARD]
    cleared = {finding.id: finding.code for finding in told if finding.cleared}
    assert sorted(cleared.values()) == ["device-gap", "round-incomplete"]


@pytest.mark.parametrize(("table", "count"), [(ID_AGAIN, 2), (ID_TWICE, 2), (OTHER_BYTES, 3), (OTHER_BYTES_LATER, 3)])
def test_an_id_used_again_refuses_all_its_events_and_tells_of_each_once(
    restarted: Restarted, table: str, count: int
) -> None:
    lines = [line for part in ("before", "after") for line in getattr(restarted.stories[table], part)]
    ids = Counter(_identity(line) for line in lines)
    both = {line for line in lines if ids[_identity(line)] > 1}
    assert len(both) == count
    stored = [each for each in rejections(restarted.running.store, table=table) if each.reason == CONFLICT]
    assert Counter(each.raw for each in stored) == Counter(both)
    published = [parse_rejection(raw) for raw in sent_to(restarted.running, "audit.rejected")]
    assert Counter(each.raw for each in published if each.subject == table) == Counter(both)
    told = [each.id for each in alerts(restarted.running) if each.table == table and each.code == "event-rejected"]
    assert len(told) == len(set(told)) == count
