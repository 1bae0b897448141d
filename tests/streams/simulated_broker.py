"""What stands in for a broker and Faust in simulated time: topics of one partition, and how a worker reads them."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from faust.types import TP

from streams.topic_layout import INPUTS

PARTITION = 0


@dataclass(eq=False, slots=True)
class Record:
    """A record as Faust hands it over, its message."""

    topic: str
    offset: int
    timestamp: float
    value: bytes | None
    time_in: float = 0.0
    partition: int = PARTITION

    def ack(self, consumer: "Consumer") -> None:
        consumer.topics.acknowledged.add((self.topic, self.offset))


@dataclass(slots=True)
class Topics:
    """The input topics of a broker, and what was acknowledged of them."""

    logs: dict[str, list[Record]] = field(default_factory=lambda: {topic: [] for topic in INPUTS})
    committed: dict[str, int] = field(default_factory=lambda: dict.fromkeys(INPUTS, 0))
    acknowledged: set[tuple[str, int]] = field(default_factory=set)

    def append(self, topic: str, value: bytes, now: float) -> None:
        log = self.logs[topic]
        log.append(Record(topic, len(log), now, value))

    def commit(self) -> None:
        for topic in INPUTS:
            while (topic, self.committed[topic]) in self.acknowledged:
                self.committed[topic] += 1

    @property
    def is_done(self) -> bool:
        self.commit()
        return all(self.committed[topic] == len(log) for topic, log in self.logs.items())


class Consumer:
    """What the worker asks of Faust's consumer."""

    def __init__(self, topics: Topics) -> None:
        self.topics = topics
        self.position = dict(topics.committed)
        self.known_ends: dict[str, int] = {}
        """Where the topics ended when something of them was last fetched."""
        self.unacked: set[Any] = set()
        self.in_hand = 0
        self.ours_until = math.inf

    def fetch(self, topic: str, most: int, now: float) -> list[Record]:
        log, first = self.topics.logs[topic], self.position[topic]
        self.known_ends[topic] = len(log)
        found = log[first : first + most]
        self.position[topic] += len(found)
        return [Record(each.topic, each.offset, each.timestamp, each.value, now) for each in found]

    def assignment(self) -> set[TP]:
        return {TP(topic, PARTITION) for topic in INPUTS}

    def highwater(self, tp: TP) -> int | None:
        return self.known_ends.get(tp.topic)

    async def highwaters(self, *tps: TP) -> dict[TP, int]:
        return {tp: len(self.topics.logs[tp.topic]) for tp in tps}

    async def earliest_offsets(self, *tps: TP) -> dict[TP, int]:
        return dict.fromkeys(tps, 0)

    def judged(self, size: int, seconds: float) -> None: ...

    def correct(self, *, idle: bool) -> None: ...


class App:
    """What the worker asks of a Faust app."""

    rebalancing = should_stop = False

    def __init__(self, topics: Topics) -> None:
        self.consumer = Consumer(topics)
        self.on_partitions_revoked = self

    def topic(self, *_: Any, **__: Any) -> None: ...

    def task(self, _: Any) -> None: ...

    def connect(self, _: Any) -> None: ...

    def agent(self, *_: Any, **__: Any) -> Callable[[Any], None]:
        return lambda _: None


@dataclass(frozen=True, slots=True)
class Taken:
    """Faust's event."""

    message: Record
