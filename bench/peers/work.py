"""The work itself, the same for every peer: decode a record, judge it, and insert what is gathered.

As much is inserted at once as the worker inserts, and a little waits as long for company; nobody is alerted, nothing is
kept for a store that is away, and after a crash nobody would know where to go on. Finds broker and store by the
environment, as the worker does.
"""

import os
import time

from audit.settings import JudgeSettings
from store.connect import connect
from store.rows.raw import Record
from streams.agent import BEHIND_SECONDS
from streams.broker_url import KafkaBroker, parse_broker
from streams.collecting import collect_seldom
from streams.intake import read_record
from streams.news import News
from streams.outlets import open_outlet
from streams.partition import PartitionJudge
from streams.sink import CATCHING_UP_SECONDS, LINGER_SECONDS, TOGETHER_EVENTS
from streams.writing import write

ENOUGH_EVENTS = TOGETHER_EVENTS
"""With so many gathered, a worker that catches up waits no longer for more."""
GROUP_SETTING = "PEER_GROUP"
"""The environment's name for the consumer group of the peer."""
POLL_SECONDS = 0.05
POLLED_TOGETHER = 200
"""Records of one poll, at most."""


class Work:
    """Records in; stored when enough have come, or when the first of them has waited long enough."""

    def __init__(self) -> None:
        broker = parse_broker(os.environ["TABLEWATCH_BROKER"])
        assert isinstance(broker, KafkaBroker)
        self.servers = ",".join(broker.servers)
        self.group = os.environ[GROUP_SETTING]
        with open_outlet(broker) as outlet:
            self.partitions = outlet.partitions
        self._store = connect(os.environ["TABLEWATCH_CLICKHOUSE_URL"])
        self._judges = [PartitionJudge(number, JudgeSettings(), (), {}) for number in range(self.partitions)]
        self._news, self._records = News(), list[Record]()
        self._events = self._batch = 0
        self._since = 0.0
        self._is_behind = False
        collect_seldom()

    def add(self, topic: str, partition: int, offset: int, arrival: int, value: bytes) -> None:
        """Decode a record and hand it to the judge of its partition; ``arrival`` in milliseconds."""
        now = time.monotonic()
        if not self._records:
            self._since = now
        record = read_record(topic, partition, offset, arrival, value, self.partitions)
        self._records.append(record)
        self._news.add(self._judges[partition].take(record, self._batch + 1, now))
        self._events += len(record.decoded.events)
        self._is_behind = time.time() - arrival / 1_000 > BEHIND_SECONDS

    def is_due(self) -> bool:
        """Whether it is time to insert; asked after every poll, which may have brought nothing."""
        patience = CATCHING_UP_SECONDS if self._is_behind else LINGER_SECONDS
        self._is_behind = False
        waited = time.monotonic() - self._since >= patience
        return self._events >= ENOUGH_EVENTS or (bool(self._records) and waited)

    def flush(self) -> None:
        """Look at the tables, and insert everything."""
        if not self._records:
            return
        self._batch += 1
        touched = [self._judges[number] for number in {record.partition for record in self._records}]
        for judge in touched:
            self._news.add(judge.look(time.time_ns() // 1_000))
        write(self._store, self._news, self._records, time.time_ns() // 1_000_000)
        for judge in touched:
            judge.stored(self._batch, self._news)
        self._news, self._records, self._events = News(), [], 0
