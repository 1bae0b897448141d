"""The live table says in the end what the judge of a whole file says, however the events come."""

import random
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import permutations

import msgspec
import orjson
import pytest

from audit.intake import Intake
from audit.live.table import GRACE, LiveTable
from audit.settings import MILLISECOND
from games.cards import STANDARD
from schemas.decoding import Decoded, decode_lines
from schemas.time import micros
from simulator.floor import simulate
from tests.audit.case import PLAYER_WINS, SETTLED, TABLE, Case, settled_round, unsettled_round
from tests.audit.live_worker import (
    FOR_EVER,
    SETTINGS,
    LiveWorker,
    content,
    offline,
    play,
    told_of,
)

CAMERA = "/tables/BT1/camera"
PIT_CAMERA = "/tables/BT1/pit-camera"


@pytest.mark.parametrize("patient", [0.0, 0.7], ids=["at-once", "patient"])
@pytest.mark.parametrize("release", [False, True], ids=["all-held", "released"])
@pytest.mark.parametrize(("seed", "faults"), [(1, 0.0), (2, 0.3), (3, 0.3)])
def test_verdicts_and_findings_are_those_of_the_whole_file(
    seed: int, faults: float, release: bool, patient: float
) -> None:
    lines = list(simulate(4, 15, seed, faults=faults))
    verdicts, found = offline(lines)
    worker = play(lines, random.Random(seed), batch=200, release=release, patient=patient)
    assert {key: content(worker.verdicts[key]) for key in verdicts if key in worker.verdicts} == {
        key: content(verdict) for key, verdict in verdicts.items()
    }
    assert told_of(worker, verdicts) == found


def test_the_cards_beside_a_verdict_are_in_the_order_that_counts() -> None:
    lines = list(simulate(2, 6, 5))
    worker = LiveWorker()
    worker.take(decode_lines(lines))
    for table in worker.tables.values():
        for concluded in table.look(FOR_EVER).verdicts:
            outcome = concluded.verdict.outcome
            assert outcome is not None
            assert sorted(concluded.cards) == sorted(card for hand in outcome.hands.values() for card in hand)
            assert concluded.opened <= concluded.ended
            assert concluded.decks is not None


def test_an_id_used_twice_refuses_both_events_with_their_own_bytes() -> None:
    lines = list(simulate(1, 2, 5))
    first = next(event for event in decode_lines(lines).events if event.type == "bet.placed.v1")
    second = msgspec.structs.replace(first, time="2026-03-02T12:30:00Z")
    table = LiveTable(first.subject, SETTINGS)
    assert table.take(first, origin=lambda: b"the first")
    assert not table.take(first, origin=lambda: b"the first")
    assert table.take(second, origin=lambda: b"the second")
    found = table.look(0).findings
    assert {finding.actual for finding in found} == {"the first", "the second"}
    assert {finding.code for finding in found} == {"event-rejected"}


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_what_came_again_in_other_bytes_is_refused_by_itself_whenever_the_conflict_comes(order: Sequence[int]) -> None:
    """Contract, 1: identical bytes are one finding, and all bytes of an id with two contents are refused."""
    line = next(line for line in simulate(1, 2, 5) if b'"bet.placed.v1"' in line)
    first = decode_lines([line]).events[0]
    other = orjson.dumps(orjson.loads(line) | {"time": "2026-03-02T12:30:00Z"})
    came = [[line, line.replace(b'":', b'": '), line.replace(b",", b", "), other][index] for index in order]
    table = LiveTable(first.subject, SETTINGS)
    for raw in [*came, *came]:
        table.take(decode_lines([raw]).events[0], origin=partial(bytes, raw))
    intake = Intake()
    decoded = decode_lines(came)
    intake.take(decoded, lambda index: came[decoded.places[index]])
    found = table.look(0).findings
    assert {finding.id: finding for finding in found} == {finding.id: finding for finding in intake.rejections()}
    assert len(found) == len(set(came)) == 4


def test_a_silence_is_taken_back_when_what_the_device_said_comes_late() -> None:
    """A topic can be read to its end before a producer that was cut off sends what it still has."""
    case = Case().beat(0, CAMERA).round()
    case.beat(30_000, CAMERA).beat(60_000, CAMERA)
    case.rule(59_001, "stands", "5.6")
    events = decode_lines(case.lines()).events
    delayed = [event for event in events if event.source == CAMERA][1:]
    worker = LiveWorker()
    worker.take(Decoded([event for event in events if event not in delayed], (), []))
    worker.look(FOR_EVER)
    assert [finding.code for finding in worker.told.values()] == ["device-silent"]
    worker.take(Decoded(delayed, (), []))
    worker.look(FOR_EVER)
    assert worker.told == {}


def test_a_silence_that_lasts_stays_told_when_what_was_heard_in_it_is_let_go() -> None:
    case = Case().beat(0, CAMERA)
    for at in (0, 51_000, 101_000, 151_000, 203_000):
        case.beat(at, PIT_CAMERA)
    *before, last = decode_lines(case.lines()).events
    worker = LiveWorker()
    worker.take(Decoded(before, (), []))
    known_to = micros(before[-1].time)
    worker.look(known_to, release=True)
    told = dict(worker.told)
    assert [finding.code for finding in told.values()] == ["device-silent"]
    worker.take(Decoded([last], (), []))
    for more in range(0, 60_000_000, 10_000_000):
        worker.look(known_to + more)
        assert worker.told == told


def test_a_silence_is_none_of_a_device_that_went_on_or_spoke_again() -> None:
    case = Case().beat(0, CAMERA).round()
    for at in range(0, 400_001, 30_000):
        case.beat(at, PIT_CAMERA)
    for at in range(170_000, 400_001, 30_000):
        case.beat(at, CAMERA)
    lines = case.lines()
    _, found = offline(lines)
    worker = LiveWorker()
    worker.take(decode_lines(lines))
    worker.look(FOR_EVER)
    assert {name: finding.code for name, finding in worker.told.items()} == found
    assert [(finding.message.split()[0], finding.actual) for finding in worker.told.values()] == [(CAMERA, 170_000)]


@pytest.mark.parametrize("seed", range(4))
def test_whatever_device_is_cut_off_for_a_while_all_is_well_in_the_end(seed: int) -> None:
    rng = random.Random(seed)
    lines = list(simulate(2, 12, seed, faults=0.2))
    verdicts, found = offline(lines)
    sources = sorted({event.source for event in decode_lines(lines).events})
    cut_off = set(rng.sample(sources, len(sources) // 3))
    worker = LiveWorker()
    waiting: list[bytes] = []
    for start in range(0, len(lines), 40):
        some = lines[start : start + 40]
        if rng.random() < 0.1:
            some, waiting = [*waiting, *some], []
        else:
            waiting += [line for line in some if orjson.loads(line).get("source") in cut_off]
            some = [line for line in some if orjson.loads(line).get("source") not in cut_off]
        worker.take(decode_lines(some))
        worker.look(FOR_EVER)
    worker.take(decode_lines(waiting))
    worker.look(FOR_EVER)
    assert told_of(worker, verdicts) == found


def _told_in_turn(case: Case) -> list[tuple[str, list[str]]]:
    """By event, each looked at as it comes: its type and id, and the codes of what was told at it."""
    worker = LiveWorker()
    steps: list[tuple[str, list[str]]] = []
    for event in decode_lines(case.lines()).events:
        before = set(worker.told)
        worker.take(Decoded([event], (), []))
        worker.look(0)
        steps.append((event.type, [worker.told[name].code for name in worker.told if name not in before]))
    return steps


@pytest.mark.parametrize(
    ("case", "code"),
    [
        (unsettled_round().settle("b1", 99, 0), "payout-wrong"),
        (settled_round().settle("b1", 100, 0, at=SETTLED + 10), "payout-unexpected"),
    ],
    ids=["wrong", "again"],
)
def test_a_settlement_out_of_order_is_told_at_once_after_one_in_order(case: Case, code: str) -> None:
    steps = _told_in_turn(case)
    assert [found for kind, found in steps if kind == "bet.settled.v1"][-1] == [code]
    assert [found for kind, found in steps if kind != "bet.settled.v1" if found] == []


def test_dtb_5_1_2_a_round_that_goes_on_behind_the_next_one_stays_reopened_when_that_one_is_let_go_of() -> None:
    """The first round has no end and is settled once more after the second one was over; then a third one is played."""
    lines = unsettled_round().without("round.closed").settle("b1", 100, 0, at=115_000).round().round().lines()
    worker = LiveWorker()
    worker.take(decode_lines(lines))
    told: list[list[str]] = []
    opened = next(micros(event.time) for event in decode_lines(lines).events if event.type == "round.opened.v1")
    # All that is older than 105 seconds after the opening is let go of: the second round, and not the first.
    moment = opened + 105_000 * MILLISECOND + GRACE
    for complete_to in (moment, moment + 1, FOR_EVER):
        worker.look(complete_to, release=complete_to == moment)
        told.append(sorted(finding.code for finding in worker.told.values() if finding.round == 1))
    assert told[0] == told[1] == told[2]
    assert "round-out-of-order" in told[0]
    verdicts, _ = offline(lines)
    assert content(worker.verdicts[TABLE, "S1", 1]) == content(verdicts[TABLE, "S1", 1])


def test_dtb_5_1_2_a_settlement_after_the_next_opening_is_told_at_once() -> None:
    case = unsettled_round().without("round.closed").round()
    events = decode_lines(case.lines()).events
    [settled] = [event for event in decode_lines(settled_round().lines()).events if event.type == "bet.settled.v1"]
    worker = LiveWorker()
    for event in events:
        worker.take(Decoded([event], (), []))
        worker.look(0)
    assert worker.told == {}
    late = msgspec.structs.replace(settled, source="/tables/BT1/hand", sequence=1, time=events[-1].time)
    worker.take(Decoded([late], (), []))
    worker.look(0)
    assert [finding.code for finding in worker.told.values()] == ["round-out-of-order"]


@pytest.mark.parametrize("release", [False, True], ids=["held", "released"])
def test_a_draw_that_may_be_lost_in_a_void_round_is_none_that_the_shoe_is_short_of(release: bool) -> None:
    """The verdict on a round that was declared void names no missing draw; the shoe's account knows of it."""
    case = unsettled_round().rule(31_000, "void", "5.6")
    left = Counter(list(STANDARD.codes) * 8) - Counter(PLAYER_WINS)
    for _ in range(3):
        case.round()
        left -= Counter(PLAYER_WINS)
    lines = case.end_shoe(sorted(left.elements())).lines(lost="card.drawn", which=2)
    verdicts, found = offline(lines)
    assert not {"round-incomplete", "shoe-short"} & set(found.values())
    worker = play(lines, random.Random(1), batch=1, release=release)
    assert told_of(worker, verdicts) == found
