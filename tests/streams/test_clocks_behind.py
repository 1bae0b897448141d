"""A table whose clocks are all behind is waited for as any other: nothing is raised that is cleared a moment later."""

from collections import deque
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.settings import MILLISECOND, JudgeSettings
from schemas.decoding import decode_lines
from schemas.time import micros
from simulator.floor import simulate
from streams.intake import read_record
from streams.news import News
from streams.partition import PartitionJudge
from streams.routing import Parcel, Router
from streams.table_clock import TableClock
from streams.topic_layout import INPUTS
from streams.watermark import ALWAYS, NEVER, Reach, Watermark
from tests.audit.case import READER, Case

SECOND = 1_000_000
TICK = SECOND // 4
PATIENCE = JudgeSettings().patience_ms * MILLISECOND
LATE_TOPIC = 1_200_000
"""So much later the bets come than the cards: less than the patience."""
BEHIND = [0, 700_000, 10 * SECOND, 3_600 * SECOND]


def _parcels(lines: list[bytes]) -> list[tuple[int, Parcel]]:
    router = Router(1)
    events = decode_lines(lines).events
    return [
        (micros(event.time), parcel)
        for line, event in zip(lines, events, strict=True)
        for parcel in router.route(line)
    ]  # fmt: skip


def _arrivals(lines: list[bytes], behind: int) -> deque[tuple[int, Parcel]]:
    """What is said, by when it arrives at the broker."""
    late = {topic: LATE_TOPIC if topic == "table.bets" else 0 for topic in INPUTS}
    return deque(sorted(((at + behind + late[p.topic], p) for at, p in _parcels(lines)), key=lambda each: each[0]))


class _Worker:
    """Reads one partition as it comes, and looks every quarter of a second."""

    def __init__(self, broker_ahead: int = 0) -> None:
        self._broker_ahead = broker_ahead
        """So much the broker's clock is ahead of the worker's and the devices'."""
        self.judge = PartitionJudge(0, JudgeSettings(), (), {})
        self.news = News()
        self.told_at: dict[str, int] = {}
        """By finding: when it was told, by the worker's clock."""
        self._needed: list[tuple[Reach, tuple[str, str, int]]] = []
        """Of what was read about rounds: how far must be judged until it is acknowledged."""
        self._first_heard: dict[str, int] = {}
        self._offset = 0

    def play(self, arrivals: deque[tuple[int, Parcel]]) -> None:
        now, until = arrivals[0][0] - 10 * SECOND, arrivals[-1][0] + 10 * SECOND
        while now < until:
            now += TICK
            while arrivals and arrivals[0][0] <= now:
                self._read(*arrivals.popleft())
            self._look(now)

    def _read(self, arrival: int, parcel: Parcel) -> None:
        arrived = (arrival + self._broker_ahead) // 1_000
        record = read_record(parcel.topic, 0, self._offset, arrived, parcel.raw, 1)
        self._offset += 1
        self.judge.take(record, self._offset, 0.0)
        for event in record.decoded.events:
            self._first_heard.setdefault(event.subject, arrival)
            if event.type == "round.closed.v1":
                key = event.subject, event.data.shoe, event.data.round
                self._needed.append((self.judge.read_to.later(PATIENCE), key))

    def _look(self, now: int) -> None:
        for topic in INPUTS:
            self.judge.watermark.left_to_read(topic, 0, now)
        news = self.judge.look(now)
        self.news.add(news)
        for each in news.findings:
            self.told_at.setdefault(each.finding.code, now)
        if self.judge.is_holding(now):
            assert now <= max(self._first_heard.values()) + SECOND + TICK, "only the first may be arrears"
            return
        verdicts = [each.concluded.verdict for each in self.news.verdicts]
        judged = {(verdict.table, verdict.shoe, verdict.round) for verdict in verdicts}
        looked_to = self.judge.looked_to
        acknowledged = {key for needed, key in self._needed if looked_to.covers(needed)}
        assert acknowledged <= judged, "a worker that is killed now would leave a round to nobody"


@pytest.mark.parametrize("behind", BEHIND)
def test_nothing_is_raised_that_is_cleared_again(behind: int) -> None:
    worker = _Worker()
    worker.play(_arrivals(list(simulate(1, 6, 2)), behind))
    assert [each.finding.code for each in worker.news.findings] == []
    assert [each.concluded.verdict.revision for each in worker.news.verdicts] == [1] * 6


@pytest.mark.parametrize("behind", BEHIND)
def test_what_rests_on_what_is_there_is_told_when_it_comes_and_what_lacks_a_little_later(behind: int) -> None:
    case = Case().round(bets={"b1": ("player", 100)}, settled={"b1": (99, 0)})
    case.round(bets={"b1": ("player", 100)}, settled={})
    closed = [micros(event["time"]) for event in case.events() if event["type"] == "round.closed.v1"]
    [paid] = [micros(event["time"]) for event in case.events() if event["type"] == "bet.settled.v1"]
    worker = _Worker()
    worker.play(_arrivals(case.lines(), behind))
    assert set(worker.told_at) == {"payout-wrong", "payout-missing"}
    assert 0 <= worker.told_at["payout-wrong"] - (paid + behind + LATE_TOPIC) <= TICK
    waited = worker.told_at["payout-missing"] - (closed[1] + behind)
    assert PATIENCE <= waited <= PATIENCE + SECOND + LATE_TOPIC + TICK


def test_a_table_that_is_behind_does_not_hold_up_one_that_is_not() -> None:
    case = Case().round(bets={"b1": ("player", 100)}, settled={})
    lines = case.lines()
    other = [line.replace(b"BT1", b"BT2") for line in lines]
    closed = next(micros(event["time"]) for event in case.events() if event["type"] == "round.closed.v1")
    worker = _Worker()
    both = sorted([*_arrivals(lines, 0), *_arrivals(other, 20 * SECOND)], key=lambda each: each[0])
    worker.play(deque(both))
    assert PATIENCE <= worker.told_at["payout-missing"] - closed <= PATIENCE + SECOND + LATE_TOPIC + TICK
    assert {each.finding.table for each in worker.news.findings} == {"BT1", "BT2"}
    assert not any(each.finding.cleared for each in worker.news.findings)


def test_what_is_an_hour_ahead_is_no_brokers_time() -> None:
    """A topic may be set up so that its producers say when a record came."""
    watermark = Watermark(INPUTS)
    for now in (100 * SECOND, 101 * SECOND):
        for topic in INPUTS:
            watermark.read(topic, Reach(100 * SECOND, 3_700 * SECOND))
            watermark.left_to_read(topic, 0, now)
    assert watermark.reach(101 * SECOND) == Reach(ALWAYS, 100 * SECOND)


@pytest.mark.parametrize("ahead", [SECOND, 20 * SECOND])
@pytest.mark.parametrize("behind", [0, 10 * SECOND])
def test_a_broker_whose_clock_is_ahead_of_the_workers_makes_nobody_wait_longer(ahead: int, behind: int) -> None:
    case = Case().round(bets={"b1": ("player", 100)}, settled={})
    closed = next(micros(event["time"]) for event in case.events() if event["type"] == "round.closed.v1")
    worker = _Worker(ahead)
    worker.play(_arrivals(case.lines(), behind))
    waited = worker.told_at["payout-missing"] - (closed + behind)
    assert PATIENCE <= waited <= PATIENCE + SECOND + LATE_TOPIC + TICK
    right = _Worker(ahead)
    right.play(_arrivals(list(simulate(1, 3, 2)), behind))
    assert not right.news.findings


def test_of_a_backlog_a_table_is_known_as_far_as_the_slowest_topic_was_read_by_its_own_time() -> None:
    """Tables that are on time say how far a topic was read; of one that is behind, less has come by then."""
    watermark = Watermark(INPUTS)
    for topic in INPUTS:
        watermark.left_to_read(topic, 5, 0)
        watermark.read(topic, Reach(100 * SECOND, 100 * SECOND))
    clock = TableClock(PATIENCE)
    clock.heard(100 * SECOND, 80 * SECOND, 80 * SECOND)
    assert clock.known_to(watermark.reach(900 * SECOND)) == 80 * SECOND


def test_of_a_floor_that_is_played_quicker_than_time_the_slowest_topic_counts() -> None:
    """Its hours were sent within a second: by arrival, all of it is of now."""
    watermark = Watermark(INPUTS)
    for topic, read_to in zip(INPUTS, (7_200 * SECOND, 3_600 * SECOND, 7_200 * SECOND), strict=True):
        watermark.left_to_read(topic, 5, 0)
        watermark.read(topic, Reach(read_to, 10_000 * SECOND))
    clock = TableClock(PATIENCE)
    clock.heard(10_000 * SECOND, 7_200 * SECOND, 7_200 * SECOND)
    assert clock.known_to(watermark.reach(10_001 * SECOND)) == 3_600 * SECOND


def test_what_was_sent_at_once_is_waited_for_by_its_last_arrival_in_whatever_order_the_topics_are_read() -> None:
    clock = TableClock(PATIENCE)
    clock.heard(1_000_900_000, SECOND, 60 * SECOND)
    clock.heard(1_000_100_000, SECOND, 62 * SECOND)
    assert clock.known_to(Reach(ALWAYS, 1_001_500_000)) == SECOND + PATIENCE
    assert clock.known_to(Reach(ALWAYS, 1_001_900_000)) > 60 * SECOND


def test_a_record_with_nothing_but_what_was_refused_does_not_make_its_table_wait() -> None:
    case = Case().round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
    worker = _Worker()
    worker.play(_arrivals(case.lines(), 0))
    refused = case.lines()[-1].replace(b'"specversion":"1.0"', b'"specversion":"0"')
    arrival = _arrivals(case.lines(), 0)[-1][0] + 20 * SECOND
    record = read_record("table.floor", 0, 10_000, arrival // 1_000, refused, 1)
    assert record.decoded.rejected
    assert not record.decoded.events
    worker.judge.take(record, 10_000, 0.0)
    worker.judge.look(arrival)
    assert not worker.judge.is_holding(arrival)


def test_a_table_that_comes_to_be_on_time_is_not_waited_for_as_long_as_before() -> None:
    """What it said was kept back for a moment; then a heartbeat comes at once, of which nothing can be found."""
    case = Case().round(bets={"b1": ("player", 100)}, settled={})
    kept_back = _arrivals(case.lines(), SECOND * 3 // 2)
    closed, beat_at = kept_back[-1][0] - SECOND * 3 // 2, kept_back[-1][0] + SECOND // 10
    case.beat((beat_at - micros(case.events()[0]["time"])) // MILLISECOND, READER)
    [beat] = [parcel for _, parcel in _parcels(case.lines()) if b"heartbeat" in parcel.raw]
    worker = _Worker()
    worker.play(deque([*kept_back, (beat_at, beat)]))
    assert PATIENCE + SECOND <= worker.told_at["payout-missing"] - closed <= PATIENCE + SECOND + TICK


def test_a_floor_that_stood_still_while_no_worker_ran_is_waited_for_from_the_first_that_comes() -> None:
    """It goes on a minute late: what the store has says that it was on time."""
    stopped, went_on = 1_000 * SECOND, 1_060 * SECOND
    clock = TableClock(PATIENCE)
    clock.recall(stopped, 0)
    clock.heard(went_on, stopped + SECOND, stopped + SECOND)
    looked = Reach(ALWAYS, went_on + SECOND)
    assert clock.arrives_by(stopped) == stopped
    assert clock.complete_to(looked, stopped + SECOND) == stopped + PATIENCE, "what came before is known, and no more"
    assert clock.known_to(looked) == stopped + PATIENCE
    clock.heard(went_on + 5 * SECOND, stopped + 6 * SECOND, stopped + 6 * SECOND)
    assert clock.complete_to(Reach(ALWAYS, went_on + 6 * SECOND), stopped + 6 * SECOND) == stopped + 7 * SECOND
    assert clock.arrives_by(stopped + 7 * SECOND) == went_on + 6 * SECOND


@st.composite
def _histories(draw: st.DrawFn) -> list[tuple[int, int, int, bool]]:
    """What a table sends: when it arrives, how far behind its time is, over how much of it, and whether it is looked at
    before."""
    arrival, found = 1_000 * SECOND, []
    for _ in range(draw(st.integers(1, 40))):
        arrival += draw(st.integers(0, SECOND) | st.integers(0, 15 * SECOND))
        behind, over = draw(st.integers(-SECOND, 60 * SECOND)), draw(st.sampled_from((0, SECOND, 60 * SECOND)))
        found.append((arrival, behind, over, draw(st.booleans())))
    return found


def _looks(
    history: list[tuple[int, int, int, bool]], stored: int | None, heard_before: int, clock: TableClock
) -> Iterator[tuple[Reach, list[Reach]]]:
    """How far the topics have been read at each look, and of what had come by then; ``stored`` came so far behind, was
    read by a worker before this one, and is told when so many have been heard."""
    needed: list[Reach] = []
    if stored is not None:
        needed.append(Reach(900 * SECOND, 900 * SECOND + stored))
    for number, (arrival, behind, over, is_looked_at) in enumerate(history):
        if stored is not None and number == heard_before:
            clock.recall(900 * SECOND, stored)
        if is_looked_at and (stored is None or number >= heard_before):
            yield Reach(ALWAYS, arrival - SECOND), needed
        needed.append(Reach(min(arrival, arrival - behind), arrival))
        clock.heard(arrival, arrival - behind - over, arrival - behind)
    if stored is not None and len(history) <= heard_before:
        clock.recall(900 * SECOND, stored)
    yield Reach(ALWAYS, history[-1][0] + PATIENCE), needed


@given(_histories(), st.none() | st.integers(0, 99 * SECOND), st.integers(0, 3))
def test_what_is_acknowledged_is_known_for_certain(
    history: list[tuple[int, int, int, bool]], stored: int | None, heard_before: int
) -> None:
    clock = TableClock(PATIENCE)
    before = NEVER
    for reach, came in _looks(history, stored, heard_before, clock):
        known = clock.complete_to(reach, max((each.events for each in came), default=0))
        assert known >= before, "it never goes back"
        assert known <= reach.arrivals
        before = known
        for each in came:
            if reach.covers(each.later(PATIENCE)):
                assert known >= each.events + PATIENCE
