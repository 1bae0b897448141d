"""Tables are read from the store many at once, and each is what it would be alone, and what it was before."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson
import pytest

from audit.settings import JudgeSettings
from games.readings import Readings
from schemas.decoding import decode_lines
from schemas.records import AnyEvent
from schemas.time import micros
from simulator.floor import simulate
from store.connect import Store
from store.migrate import migrate
from store.read.progress import known_tables, table_modes
from store.render import SchemaSettings
from streams import folding
from streams.folding import Folded, Wanted, fold
from streams.news import News
from streams.writing import write
from tests.audit.case import CLOSED, DEALER, RFID, TABLE, Case
from tests.oracle.script import clock, number, say
from tests.services.store import database_of_its_own
from tests.streams.stored import (
    BET,
    LONG,
    NOW_MS,
    PARTITION,
    SHORT_PAID,
    UNDER,
    Floor,
    as_table,
    look,
    two_shoes,
)

pytestmark = pytest.mark.xdist_group("folding")

RELEASED, ONE_TIME, LATE, TWICE, REFUSED, AGAIN, UNHEARD = "RE1", "ON1", "LA1", "TW1", "RF1", "AG1", "UN1"
SETTINGS = JudgeSettings()
LEFT = 3
"""So many events of the last round come later."""


@dataclass
class Stored:
    """A store with tables of all kinds, and what is wanted of them."""

    store: Store
    floor: Floor
    tables: list[str]
    wanted: list[Wanted]


@pytest.fixture(scope="module")
def stored(server_url: str) -> Iterator[Stored]:
    for store in database_of_its_own(server_url):
        migrate(store, SchemaSettings(years=50))
        floor = Floor()
        lines, late, name = _lines()
        # In two parts: verdicts are revised, and rounds begin in the one and end in the other.
        for part in (lines[: len(lines) // 2], lines[len(lines) // 2 :]):
            floor.store(store, part)
        tables = known_tables(store)
        wanted = {table: Wanted(table, PARTITION) for table in [*tables, UNHEARD]}
        wanted[LATE] = replace(wanted[LATE], late=[late])
        wanted[AGAIN] = replace(wanted[AGAIN], arriving={name})
        wanted[RELEASED] = replace(wanted[RELEASED], shoes={"S1"})
        yield Stored(store, floor, tables, list(wanted.values()))


def _with_one_more(first: dict[str, Any]) -> Case:
    """Two shoes and a round, the end of which is not stored."""
    return two_shoes(first).beat(70_000, "/tables/BT1/reader").round(**BET)


def _lines() -> tuple[list[bytes], AnyEvent, tuple[str, str]]:
    """What tables say; a card of the first shoe of one of them that is not stored; a name from the first shoe of
    another."""
    simulated = list(simulate(4, 14, 11, faults=0.5))
    lines = simulated[: len(simulated) * 9 // 10]
    for table, first in ((RELEASED, SHORT_PAID), (ONE_TIME, UNDER), (AGAIN, BET)):
        lines += as_table(_with_one_more(first).events()[:-LEFT], table)
    events = two_shoes().events()
    card = next(event for event in events if event["type"] == "card.drawn.v1")
    lines += as_table([event for event in events if event is not card], LATE)
    events = two_shoes().events()
    placed = [event for event in events if event["type"] == "bet.placed.v1"]
    placed[LONG]["id"] = placed[LONG - 1]["id"]
    lines += as_table(events, TWICE)
    events = two_shoes().events()
    next(event for event in reversed(events) if event["type"] == "card.drawn.v1")["data"]["card"] = "1X"
    lines += as_table(events, REFUSED)
    name = next(
        event for event in decode_lines(lines).events if event.subject == AGAIN and event.type == "bet.placed.v1"
    )
    [late] = decode_lines(as_table([card], LATE)).events
    return lines, late, (name.source, name.id)


def _plain(value: Any, known: dict[int, Any]) -> Any:
    """All that an object holds, so that two can be held against each other; ``known`` is what was met, by its identity,
    and the object itself, which must last as long."""
    if value is None or isinstance(value, (str, bytes, int, float)):
        return value
    if id(value) not in known:
        known[id(value)] = "itself", value
        known[id(value)] = _opened(value, known), value
    return known[id(value)][0]


def _opened(value: Any, known: dict[int, Any]) -> Any:
    if isinstance(value, Mapping):
        return {repr(key): _plain(each, known) for key, each in value.items()}
    if isinstance(value, (list, tuple, deque)):
        return [_plain(each, known) for each in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, value))
    held = dict(getattr(value, "__dict__", {}))
    for kind in type(value).__mro__:
        held |= {name: getattr(value, name) for name in getattr(kind, "__slots__", ()) if hasattr(value, name)}
    # Kept by where they are in memory, which tells nothing.
    held |= {name: len(held[name]) for name in held.keys() & {"_forgotten"}}
    held |= {name: list((held[name] or {}).values()) for name in held.keys() & {"_pieces"}}
    return [type(value).__name__, {name: _plain(each, known) for name, each in held.items()} or repr(value)]


def _same(one: Folded, other: Folded) -> bool:
    return bool(_plain(one, {}) == _plain(other, {}))


def test_tables_that_are_read_together_are_what_each_is_alone(stored: Stored) -> None:
    together = fold(stored.store, stored.wanted, SETTINGS)
    assert together.keys() == {*stored.tables, UNHEARD}
    for wanted in stored.wanted:
        alone = fold(stored.store, [wanted], SETTINGS)
        assert alone.keys() == {wanted.table}
        assert _same(together[wanted.table], alone[wanted.table]), wanted.table
    assert not _same(together[RELEASED], fold(stored.store, [Wanted(RELEASED, PARTITION)], SETTINGS)[RELEASED])


def test_what_is_read_of_tables_is_what_was_stored_of_them(stored: Stored) -> None:
    folded = fold(stored.store, stored.wanted, SETTINGS)
    assert ("S1", 1) in folded[RELEASED].live.rounds and ("S2", LONG + 1) in folded[RELEASED].live.rounds
    assert folded[AGAIN].partly == {"S1"} and ("S1", 1) not in folded[AGAIN].live.rounds
    assert ("S1", 1) in folded[LATE].live.rounds
    assert len(folded[TWICE].refused) == 2
    assert len(folded[REFUSED].refused) == 1
    assert {mark.round for mark in folded[RELEASED].findings.values()} >= {("S1", 1)}
    assert not folded[UNHEARD].live.rounds
    simulated = [folded[table] for table in stored.tables if table not in {RELEASED, ONE_TIME, LATE, TWICE, REFUSED}]
    assert any(each.findings for each in simulated)
    assert any(set(each.live.rounds) - set(each.verdicts) for each in simulated)


def test_a_worker_that_begins_again_has_nothing_to_tell(stored: Stored) -> None:
    judge = stored.floor.new_judge(stored.tables)
    folded = fold(stored.store, [Wanted(table, PARTITION) for table in stored.tables], SETTINGS)
    for table in stored.tables:
        desk = judge.desk(table)
        desk.resume(folded[table], ())
        judge.resumed(desk)
    news = look(judge)
    assert judge.desks.keys() == set(stored.tables)
    assert not news, (news.findings, [each.json for each in news.verdicts], news.refused)


def test_judged_rounds_keep_the_settings_of_their_verdicts_and_the_next_ones_have_the_new(stored: Stored) -> None:
    other = JudgeSettings(tolerance_ms=0, readings=Readings(pair="literal", tiger_pair="cumulative"))
    judge = stored.floor.new_judge(stored.tables, other)
    folded = fold(stored.store, [Wanted(table, PARTITION) for table in stored.tables], other)
    assert all(each.verdicts for each in folded.values())
    for table in stored.tables:
        desk = judge.desk(table)
        desk.resume(folded[table], ())
        judge.resumed(desk)
    news = look(judge)
    assert not news, (news.findings, [each.json for each in news.verdicts], news.refused)
    last = _with_one_more(SHORT_PAID).correct("b1", 90, 0, at=CLOSED + 50_000).events()[-LEFT - 1 :]
    last[-1]["data"]["round"] = LONG
    for record in stored.floor.records(as_table(last, RELEASED)):
        judge.take(record, 1, 0.0)
    verdicts = {each.concluded.verdict.round: each.concluded.verdict for each in look(judge).verdicts}
    assert verdicts.keys() == {LONG, LONG + 1}
    assert (verdicts[LONG].revision, verdicts[LONG].settings) == (2, SETTINGS.as_json())
    assert (verdicts[LONG + 1].revision, verdicts[LONG + 1].settings) == (1, other.as_json())


def test_no_more_events_are_read_together_than_may_be_held_and_the_others_later(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = fold(stored.store, stored.wanted, SETTINGS)
    monkeypatch.setattr(folding, "EVENTS_TOGETHER", 600)
    wanted, parts = list(stored.wanted), list[dict[str, Folded]]()
    while wanted:
        parts.append(fold(stored.store, wanted, SETTINGS))
        first = [each.table for each in wanted[: len(parts[-1])]]
        assert {table for table in parts[-1] if table != UNHEARD} <= set(first)
        wanted = [each for each in wanted if each.table not in parts[-1]]
    assert 1 < len(parts) < len(stored.wanted)
    for part in parts:
        for table, each in part.items():
            assert _same(each, together[table]), table


def test_a_name_of_before_is_known_whether_the_event_that_uses_it_again_is_stored_or_not(stored: Stored) -> None:
    [wanted] = [each for each in stored.wanted if each.table == AGAIN]
    [(source, name)] = wanted.arriving
    [again] = [
        line
        for line in as_table(two_shoes().round(**BET).events(), AGAIN)
        if orjson.loads(line)["type"] == "bet.placed.v1" and orjson.loads(line)["data"]["round"] == LONG + 1
    ]
    again = orjson.dumps({**orjson.loads(again), "id": name, "sequence": 10_000})
    [event] = decode_lines([again]).events
    arriving = fold(stored.store, [wanted], SETTINGS)[AGAIN].live
    arriving.take(event)
    assert [each.id for each, _ in arriving.refused] == [name, name]
    stored.floor.store(stored.store, [again])
    plain = fold(stored.store, [Wanted(AGAIN, PARTITION)], SETTINGS)[AGAIN].live
    assert plain.refused == []
    arrived = fold(stored.store, [Wanted(AGAIN, PARTITION, arrived={(source, name)})], SETTINGS)[AGAIN].live
    assert [each.id for each, _ in arrived.refused] == [name, name]


@pytest.mark.parametrize(("mode", "told"), [("live", True), ("test", False)])
def test_a_worker_that_begins_again_clears_what_was_told_though_the_table_is_closed(
    stored: Stored, mode: str, told: bool
) -> None:
    table, case = f"MO-{mode}", Case(mode=mode)
    for minute in range(4):
        case.beat(minute * 50_000, RFID).beat(minute * 50_000 + 1_000, DEALER)
    case.said.append(say(TABLE, 160_000, "table.configured", **{**case.config, "mode": "closed"}))
    *events, closed = case.events()
    late = [event for event in events if event["source"] == RFID and event["sequence"]]
    stored.floor.store(stored.store, as_table([event for event in events if event not in late], table))
    stored.floor.store(stored.store, as_table([closed], table))
    judge = stored.floor.new_judge([table])
    judge.desk(table).resume(fold(stored.store, [Wanted(table, PARTITION)], SETTINGS)[table], ())
    assert judge.desk(table).mode == table_modes(stored.store, JudgeSettings().ahead_ms)[table] == "closed"
    for record in stored.floor.records(as_table(late, table)):
        judge.take(record, 1, 0.0)
    [cleared] = look(judge).findings
    assert (cleared.finding.code, cleared.finding.cleared, cleared.for_people) == ("device-silent", True, told)


@pytest.mark.parametrize("at", [30_000, 10 * 365 * 86_400_000])
def test_a_worker_that_begins_again_goes_by_no_configuration_that_was_dated_ahead(stored: Stored, at: int) -> None:
    """Whether it is read for its own sake, long past by now, or among what is folded, its time still to come."""
    table, case = f"AH{at}", two_shoes()
    wrong = say(TABLE, at, "table.configured", "/pits/P-BT1/spare", **{**case.config, "mode": "test"})
    [record] = stored.floor.records(as_table(number([wrong]), table))
    write(stored.store, News(), [replace(record, arrival=micros(clock(at)) // 1_000 - 600_000)], NOW_MS)
    stored.floor.store(stored.store, as_table(case.events(), table))
    folded = fold(stored.store, [Wanted(table, PARTITION)], SETTINGS)[table]
    assert [fact.data.mode for fact in folded.live.configurations] == ["live", "test"]
    judge = stored.floor.new_judge([table])
    judge.desk(table).resume(folded, ())
    assert judge.desk(table).mode == table_modes(stored.store, JudgeSettings().ahead_ms)[table] == "live"
