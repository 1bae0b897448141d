"""Catching up: topics that are read at different paces make no verdict that must be revised, and raise nothing that is
cleared again."""

import math
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pytest

from audit.live.table import LiveTable
from audit.settings import JudgeSettings
from schemas.decoding import decode_lines
from schemas.time import micros
from simulator.floor import simulate
from streams.folding import Folded
from streams.intake import read_record
from streams.news import News
from streams.partition import HELD_AGAIN_AFTER, PartitionJudge
from streams.publish import publish
from streams.routing import Parcel, Router
from streams.topic_layout import INPUTS
from streams.watermark import Reach
from tests.audit.case import Case
from tests.streams.pipeline import StoreProcess, alerts, stop
from tests.streams.test_agents import check_against_audit, embedded_pipeline

NOW = 1_900_000_000_000_000
SECOND = 1_000_000
ROUNDS = 6


def _by_topic(lines: Sequence[bytes]) -> dict[str, list[bytes]]:
    by_topic: dict[str, list[bytes]] = {topic: [] for topic in INPUTS}
    router = Router(1)
    for line in lines:
        for parcel in router.route(line):
            by_topic[parcel.topic].append(parcel.raw)
    return by_topic


def test_a_topic_that_was_not_fetched_yet_holds_the_judgement_of_absence_back() -> None:
    by_topic = _by_topic(list(simulate(1, ROUNDS, 2)))
    ends = {topic: len(lines) for topic, lines in by_topic.items()}
    judge = PartitionJudge(0, JudgeSettings(), (), ends)

    def read(topic: str) -> None:
        for offset, line in enumerate(by_topic[topic]):
            judge.take(read_record(topic, 0, offset, NOW // 1_000, line, 1), offset, 0.0)

    def look(seconds: range) -> int:
        verdicts = 0
        for now in (NOW + second * SECOND for second in seconds):
            for topic in INPUTS:
                # The client knows no end of a topic before its first fetch.
                judge.watermark.left_to_read(topic, judge.left(topic, None), now)
            news = judge.look(now)
            assert not news.findings
            verdicts += len(news.verdicts)
        return verdicts

    read("table.floor")
    read("table.cards")
    assert look(range(60)) == 0
    read("table.bets")
    assert look(range(60, 70)) == ROUNDS
    held = [each for desk in judge.desks.values() if desk.live for each in desk.live.rounds.values()]
    assert all(each.verdict is not None and each.verdict.revision == 1 for each in held)


def _idle_judge(now: int = NOW) -> PartitionJudge:
    """A judge whose topics have been read to their ends for a while by this time."""
    judge = PartitionJudge(0, JudgeSettings(), (), dict.fromkeys(INPUTS, 0))
    for second in range(-10, 0):
        assert not _look(judge, now + second * SECOND)
    return judge


def _look(judge: PartitionJudge, now: int) -> News:
    for topic in INPUTS:
        judge.watermark.left_to_read(topic, 0, now)
    return judge.look(now)


def _read(judge: PartitionJudge, topic: str, lines: Sequence[bytes], now: int, fetched: float = 0.0) -> None:
    first = judge.positions.get(topic, 0)
    for offset, line in enumerate(lines, start=first):
        judge.take(read_record(topic, 0, offset, now // 1_000, line, 1), offset, fetched)


def test_arrears_that_come_topic_by_topic_raise_nothing_that_is_cleared_again() -> None:
    """A broker was gone for a while: each topic brings what was kept back, and one is fetched after the other."""
    judge, by_topic = _idle_judge(), _by_topic(list(simulate(1, ROUNDS, 2)))
    for number, (topic, lines) in enumerate(by_topic.items()):
        _read(judge, topic, lines, NOW + number * SECOND // 2)
        assert not _look(judge, NOW + number * SECOND // 2)
        assert judge.is_holding(NOW + number * SECOND // 2)
    news = News()
    for second in range(2, 5):
        news.add(_look(judge, NOW + second * SECOND))
    assert not judge.is_holding(NOW + 4 * SECOND)
    assert not news.findings
    assert [each.concluded.verdict.revision for each in news.verdicts] == [1] * ROUNDS


def _sent_at_once(lines: Sequence[bytes], seconds: float, order: Sequence[str]) -> list[News]:
    """A table's minutes are sent within ``seconds``, in records of minutes each, where another table spoke of now; the
    topics are read a record each, and then in this order."""
    judge, told = PartitionJudge(0, JudgeSettings(), (), {}), list[News]()
    for topic in INPUTS:
        judge.watermark.read(topic, Reach(NOW - SECOND, NOW - SECOND))
    records = [
        (place > 0 and order.index(topic) + 1, topic, place, b"[" + b",".join(of_it[place * 64 :][:64]) + b"]")
        for topic, of_it in _by_topic(lines).items()
        for place in range(-(-len(of_it) // 64))
    ]
    for _, topic, place, record in sorted(records):
        arrival = NOW + int(place * seconds * SECOND / len(records))
        judge.take(read_record(topic, 0, place, arrival // 1_000, record, 1), place, 0.0)
        for each in INPUTS:
            judge.watermark.left_to_read(each, 1, NOW + 3 * SECOND)
        told.append(judge.look(NOW + 3 * SECOND))
    for second in range(3, 10):
        told.append(_look(judge, NOW + second * SECOND))
    return told


@pytest.mark.parametrize("order", list(permutations(INPUTS)))
@pytest.mark.parametrize("seconds", [0, 0.5])
def test_of_minutes_that_are_sent_at_once_nothing_is_missing_that_another_topic_brings(
    seconds: float, order: Sequence[str]
) -> None:
    """The first ten minutes of the demo, where the self-test's table has spoken before: every device seemed silent."""
    told = _sent_at_once(list(simulate(1, 20, 2)), seconds, order)
    assert not [finding for news in told for finding in news.findings]
    assert [each.concluded.verdict.revision for news in told for each in news.verdicts] == [1] * 20
    assert not told[-1].verdicts


def test_a_worker_that_stood_still_takes_nothing_for_missing_that_came_meanwhile() -> None:
    """Its machine was paused: until it has fetched again, it has not heard of what came, and seems to be caught up"""
    lines = list(simulate(1, 1, 2))
    events = decode_lines(lines).events
    began = min(micros(event.time) for event in events)
    ended = next(micros(event.time) for event in events if event.type == "round.closed.v1")
    told = [line for line, event in zip(lines, events, strict=True) if micros(event.time) <= ended]
    settled = [line for line in told if b"bet.settled.v1" in line]
    judge = _idle_judge(began)
    for now in range(began, ended, SECOND):
        assert not _look(judge, now)
    for topic, said in _by_topic([line for line in told if line not in settled]).items():
        _read(judge, topic, said, ended)
    assert not _look(judge, ended)
    awake = ended + 30 * SECOND
    assert not _look(judge, awake)
    assert not _look(judge, awake + SECOND // 2)
    _read(judge, "table.bets", settled, awake + SECOND // 2)
    news = News()
    for second in range(1, 6):
        news.add(_look(judge, awake + second * SECOND))
    assert settled
    assert not news.findings
    assert [each.concluded.verdict.revision for each in news.verdicts] == [1]


def test_a_table_that_was_taken_over_is_held_until_its_rounds_are_judged() -> None:
    """All that it said was stored, and not judged, when the worker before died; it says nothing more. Its desk is not
    let go before the topics are known to bring nothing else, however long the machine has been up."""
    lines = list(simulate(1, ROUNDS, 2))
    events = decode_lines(lines).events
    table = events[0].subject
    judge = PartitionJudge(0, JudgeSettings(), [table], dict.fromkeys(INPUTS, 0))
    live = LiveTable(table, JudgeSettings())
    for event in events:
        live.take(event)
    desk = judge.desk(table)
    desk.resume(Folded(live), ())
    judge.resumed(desk)
    news = News()
    for tenth in range(40):
        now = NOW + tenth * SECOND // 10
        news.add(_look(judge, now))
        judge.release(30 * 24 * 3_600.0, now)
    assert [each.concluded.verdict.revision for each in news.verdicts] == [1] * ROUNDS


def _standing(news: News) -> dict[str, str]:
    """What is found and was not taken back, by id."""
    last = {each.finding.id: each.finding for each in news.findings}
    return {name: finding.code for name, finding in last.items() if not finding.cleared}


def test_a_silence_that_was_none_is_taken_back_though_what_is_over_was_let_go_before_the_next_look() -> None:
    """A topic stood still for so long that a device seemed silent. When it goes on, its table is left alone for a
    moment, and in that moment comes the turn of the table to let go of what is over."""
    judge, by_topic = _idle_judge(), _by_topic(list(simulate(1, ROUNDS, 2)))
    bets = by_topic.pop("table.bets")
    news = News()
    for topic, lines in by_topic.items():
        _read(judge, topic, lines, NOW)
    _read(judge, "table.bets", bets[: len(bets) // 3], NOW)
    for second in range(5):
        news.add(_look(judge, NOW + second * SECOND))
    assert "device-silent" in _standing(news).values()
    goes_on = NOW + HELD_AGAIN_AFTER
    _read(judge, "table.bets", bets[len(bets) // 3 :], goes_on)
    assert not _look(judge, goes_on)
    assert judge.is_holding(goes_on)
    judge.release(0.0, goes_on)
    for second in range(1, 5):
        news.add(_look(judge, goes_on + second * SECOND))
    assert "device-silent" not in _standing(news).values()


def test_over_a_backlog_a_round_that_goes_on_is_left_to_the_next_batch_once() -> None:
    case = Case().round(bets={"b1": ("player", 5_000_000)}, settled={"b1": (0, 5_000_000)})
    router = Router(1)
    judge = PartitionJudge(0, JudgeSettings(), (), {})
    for topic in INPUTS:
        # Nothing has been left to read for a while: no topic is behind the others.
        judge.watermark.left_to_read(topic, 0, NOW - 2 * SECOND)
    parcels = [parcel for line in case.lines() for parcel in router.route(line)]
    closing = next(place for place, parcel in enumerate(parcels) if b"bets.closed.v1" in parcel.raw)

    def read(part: Sequence[Parcel]) -> None:
        for parcel in part:
            _read(judge, parcel.topic, [parcel.raw], NOW)

    read(parcels[: closing + 1])
    assert not judge.look(NOW, patient_after=-math.inf).findings
    # A tick is no batch: what was left waits on.
    assert not judge.look(NOW, patient_after=-math.inf, again=False).findings
    read(parcels[closing + 1 : closing + 2])
    assert {each.finding.code for each in judge.look(NOW, patient_after=-math.inf).findings} == {"above-maximum"}
    assert not judge.look(NOW).findings


def test_over_a_backlog_nothing_that_was_fetched_long_ago_is_left_to_the_next_batch() -> None:
    """Its partition may be read again only when all the others were."""
    case = Case().round(bets={"b1": ("player", 5_000_000)}, settled={"b1": (0, 5_000_000)})
    judge, router = PartitionJudge(0, JudgeSettings(), (), {}), Router(1)
    for topic in INPUTS:
        judge.watermark.left_to_read(topic, 0, NOW - 2 * SECOND)
    parcels = [parcel for line in case.lines() for parcel in router.route(line)]
    closing = next(place for place, parcel in enumerate(parcels) if b"bets.closed.v1" in parcel.raw)
    for fetched, parcel in enumerate(parcels[: closing + 1], start=100):
        _read(judge, parcel.topic, [parcel.raw], NOW, float(fetched))
    assert not judge.look(NOW, patient_after=99.0).findings
    assert (judge.is_overdue(100.0), judge.is_overdue(100.5)) == (False, True)
    [raised] = judge.look(NOW, patient_after=100.5).findings
    assert (raised.finding.code, raised.fetched) == ("above-maximum", 100.0)
    assert not judge.is_overdue(math.inf)
    _read(judge, parcels[closing + 1].topic, [parcels[closing + 1].raw], NOW, 200.0)
    assert not judge.look(NOW, patient_after=199.0).findings
    assert not judge.is_overdue(200.0)


def test_over_a_backlog_an_alert_names_the_moment_of_its_fact() -> None:
    """A camera is looked at for that moment; the table has gone on for minutes when the round is judged."""
    case = Case().round(bets={"b1": ("player", 100)}, settled={"b1": (99, 0)})
    for _ in range(5):
        case.round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
    judge, router = PartitionJudge(0, JudgeSettings(), (), {}), Router(1)
    for parcel in [parcel for line in case.lines() for parcel in router.route(line)]:
        _read(judge, parcel.topic, [parcel.raw], NOW)
    [raised] = judge.look(NOW).findings
    assert raised.finding.code == "payout-wrong"
    settled = next(event for event in case.events() if event["type"] == "bet.settled.v1")
    assert raised.time == micros(settled["time"])


def test_a_device_that_is_late_all_the_time_does_not_keep_its_table_from_being_judged() -> None:
    judge, lines = _idle_judge(), _by_topic(list(simulate(1, 30, 2, faults=0.3)))["table.cards"]
    [table] = {event.subject for event in decode_lines(lines).events}
    part = len(lines) // 40
    looked = []
    for number in range(40):
        now = NOW + number * SECOND // 2
        # Another of the table's devices is on time: else this one would say what its time is.
        judge.desk(table).clock.heard(now, now, now)
        _read(judge, "table.cards", lines[number * part : (number + 1) * part], now)
        news = _look(judge, now)
        looked.append(bool(news) or not judge.is_holding(now))
    assert looked == [False] * 6 + [True] * 34


def test_a_worker_that_catches_up_revises_nothing_and_clears_nothing(tmp_path: Path) -> None:
    lines = list(simulate(3, 12, 21, faults=0.1))
    by_topic = _by_topic(lines)
    with embedded_pipeline(tmp_path, StoreProcess(tmp_path / "clickhouse")) as running:
        # Records of many announcements and cards, and one for every bet: the bets are read last by far.
        publish([*by_topic["table.floor"], *by_topic["table.cards"]], running.broker)
        publish(by_topic["table.bets"], running.broker, max_events=1)
        worker = running.start_worker()
        running.await_done()
        check_against_audit(running, lines)
        judged = running.store.query("SELECT revision, count() FROM verdicts FINAL GROUP BY revision")
        assert [revision for revision, _ in judged] == [1]
        assert [raised for raised in alerts(running) if raised.cleared] == []
        assert stop(worker) == 0
