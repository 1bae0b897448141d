"""Tables that were judged and stored, in this process, for tests of what is read of them again."""

from collections.abc import Sequence
from typing import Any

import orjson

from audit.settings import JudgeSettings
from store.connect import Store
from store.rows.raw import Record
from streams.intake import read_record
from streams.news import News
from streams.packing import Packer
from streams.partition import PartitionJudge
from streams.routing import Router
from streams.topic_layout import INPUTS
from streams.writing import write
from tests.audit.case import TABLE, Case

NOW_MS = 1_900_000_000_000
PARTITION, PARTITIONS = 0, 1
LONG = 12
"""So many rounds of a minute make a shoe that is read again alone, without the shoe before it."""
BET: dict[str, Any] = {"bets": {"b1": ("player", 100)}, "settled": {"b1": (100, 0)}}
SHORT_PAID: dict[str, Any] = {"bets": {"b1": ("player", 100)}, "settled": {"b1": (99, 0)}}
UNDER: dict[str, Any] = {"bets": {"b1": ("player", 50)}, "settled": {"b1": (50, 0)}}


def two_shoes(first: dict[str, Any] | None = None) -> Case:
    """A shoe of one round, and a long one."""
    case = Case().round(**(first or BET)).end_shoe(None).load("S2")
    for _ in range(LONG):
        case.round(**BET)
    return case


def as_table(events: Sequence[dict[str, Any]], table: str) -> list[bytes]:
    """The lines of these events, under the name of another table."""
    return [orjson.dumps(event).replace(TABLE.encode(), table.encode()) for event in events]


class Floor:
    """One partition: what is said there is packed into records, which are numbered through."""

    def __init__(self) -> None:
        self._offsets = dict.fromkeys(INPUTS, 0)
        self.judge = self.new_judge()
        self._batch = 0

    def new_judge(self, known: Sequence[str] = (), settings: JudgeSettings | None = None) -> PartitionJudge:
        """A worker that begins with the partition; the store has heard of these tables."""
        return PartitionJudge(PARTITION, settings or JudgeSettings(), known, dict(self._offsets))

    def records(self, lines: Sequence[bytes], max_events: int = 20) -> list[Record]:
        """What is said, as it is read."""
        router, packer = Router(PARTITIONS), Packer(max_events)
        packed = [record for line in lines for parcel in router.route(line) for record in packer.add(parcel)]
        found = []
        for each in [*packed, *packer.drain()]:
            offset = self._offsets[each.topic]
            self._offsets[each.topic] += 1
            found.append(read_record(each.topic, PARTITION, offset, NOW_MS, each.value, PARTITIONS))
        return found

    def store(self, store: Store, lines: Sequence[bytes]) -> None:
        """Something is said, judged and stored."""
        self._batch += 1
        records = self.records(lines)
        news = News()
        for record in records:
            news.add(self.judge.take(record, self._batch, 0.0))
        news.add(look(self.judge))
        write(store, news, records, NOW_MS)
        self.judge.stored(self._batch, news)


def look(judge: PartitionJudge) -> News:
    """What is new where all that was sent has been read for a while."""
    news = News()
    for now in range(NOW_MS * 1_000, NOW_MS * 1_000 + 11_000_000, 1_000_000):
        for topic in INPUTS:
            judge.watermark.left_to_read(topic, 0, now)
        news.add(judge.look(now))
    return news
