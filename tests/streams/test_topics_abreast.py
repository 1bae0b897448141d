"""Minutes published at once: what rests on a part of a round waits for a topic that is behind, for a moment at most."""

import math
from collections import Counter
from collections.abc import Iterable

import pytest

from audit.settings import JudgeSettings
from schemas.findings import Finding
from simulator.floor import simulate
from streams.intake import read_record
from streams.news import News
from streams.packing import PackedRecord, Packer
from streams.partition import LONGEST_HOLD, UNEVEN_WAITS, PartitionJudge
from streams.routing import Router
from streams.topic_layout import INPUTS
from tests.audit.case import CLOSING, Case

NOW = 1_900_000_000_000_000
MOMENT = 10_000
"""Between two looks, in microseconds."""


class Reading:
    """A partition of which records lie on the broker, and a judge that reads them."""

    def __init__(self, records: Iterable[PackedRecord]) -> None:
        self.lying = list(records)
        self.judge = PartitionJudge(0, JudgeSettings(), (), Counter(record.topic for record in self.lying))
        self.now = NOW

    def read(self, record: PackedRecord) -> None:
        self.lying.remove(record)
        offset = self.judge.positions.get(record.topic, 0)
        self.judge.take(read_record(record.topic, 0, offset, NOW // 1_000, record.value, 1), offset, 0.0)

    def look(self, microseconds: int = MOMENT) -> News:
        self.now += microseconds
        for topic in INPUTS:
            self.judge.watermark.left_to_read(topic, self.judge.left(topic, None), self.now)
        return self.judge.look(self.now)


def _packed(lines: Iterable[bytes], max_events: int) -> list[PackedRecord]:
    """As they are published: a record goes out when it is full, and what is left at the end."""
    packer, router = Packer(max_events), Router(1)
    full = [record for line in lines for parcel in router.route(line) for record in packer.add(parcel)]
    return [*full, *packer.drain()]


def _void_round(paid: int = 0) -> Reading:
    """The cards and bets of a round that was declared void have been read, and of the table's floor all up to the cards
    alone; of the round after it nothing has."""
    case = Case().round(bets={"b1": ("player", 100)}, settled={"b1": (paid, 0)})
    case.incident("foreign-card", 2).rule(CLOSING + 15_000, "void", "5.1.1")
    case.round(bets={"b2": ("player", 100)}, settled={"b2": (100, 0)})
    reading = Reading(_packed(case.lines(), max_events=1))
    behind = b"incident.reported", b"ruling.made", b"round.closed", b'"round":2'
    for record in [each for each in reading.lying if not any(name in each.value for name in behind)]:
        reading.read(record)
    return reading


def _codes(news: News) -> list[str]:
    return [each.finding.code for each in news.findings]


def test_a_payout_waits_for_the_ruling_behind_it_that_another_topic_brings() -> None:
    reading = _void_round()
    told = reading.look()
    assert reading.judge.is_overdue(math.inf)
    for record in list(reading.lying):
        reading.read(record)
        told.add(reading.look())
    for _ in range(20):
        told.add(reading.look(UNEVEN_WAITS // 4))
    assert not told.findings
    assert [each.concluded.verdict.status for each in told.verdicts] == ["void", "verified"]


def test_a_payout_does_not_wait_longer_than_a_moment() -> None:
    """The other topic may be held up for minutes: a wrong payout is to be told within a second or two."""
    reading = _void_round()
    assert not reading.look().findings
    assert not reading.look(UNEVEN_WAITS // 2).findings
    assert _codes(reading.look(UNEVEN_WAITS // 2)) == ["payout-wrong"]


def test_a_topic_that_comes_nearer_is_waited_for_longer_and_not_for_ever() -> None:
    """On a busy machine it takes a while to read minutes of a floor."""
    case = Case()
    for _ in range(10):
        case.round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
    reading = Reading(_packed(case.round(bets={"b1": ("player", 100)}, settled={"b1": (99, 0)}).lines(), max_events=1))
    floor = [record for record in reading.lying if record.topic == "table.floor"]
    for record in [record for record in reading.lying if record not in floor]:
        reading.read(record)
    told_after = None
    for record in floor:
        reading.read(record)
        if reading.look(UNEVEN_WAITS // 4).findings:
            told_after = reading.now - NOW
            break
    assert told_after == LONGEST_HOLD + UNEVEN_WAITS // 4


def test_what_is_wrong_with_a_payout_is_told_as_soon_as_the_other_topic_is_abreast() -> None:
    reading = _void_round(paid=100)
    assert not reading.look().findings
    for record in list(reading.lying):
        reading.read(record)
    assert _codes(reading.look()) == ["void-not-returned"]


def test_a_topic_with_nothing_left_makes_nobody_wait_however_old_its_last_word_is() -> None:
    case = Case().round(bets={"b1": ("player", 100)}, settled={"b1": (99, 0)})
    records = _packed(case.lines(), max_events=1)
    reading = Reading(records)
    wrong = next(record for record in records if b"bet.settled" in record.value)
    for record in records[: records.index(wrong)]:
        reading.read(record)
    reading.lying = [wrong]
    for topic in INPUTS:
        reading.judge.positions[topic] = 100
    for _ in range(5):
        assert not reading.look(UNEVEN_WAITS).findings
    reading.read(wrong)
    assert _codes(reading.look()) == ["payout-wrong"]


@pytest.mark.parametrize("seed", [1, 4, 9])
def test_a_floor_that_is_published_at_once_raises_nothing_that_is_cleared_again(seed: int) -> None:
    reading = Reading(_packed(simulate(8, 20, seed, faults=0.05), max_events=256))
    told: list[Finding] = []
    for record in list(reading.lying):
        reading.read(record)
        told += [each.finding for each in reading.look().findings]
    for _ in range(20):
        told += [each.finding for each in reading.look(UNEVEN_WAITS // 4).findings]
    assert told
    assert not [finding for finding in told if finding.cleared]
