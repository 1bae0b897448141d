"""bytewax: a dataflow that collects records up to a number or a time, and works on each collection in its sink."""

import sys
from datetime import timedelta
from typing import Any

from bytewax import operators
from bytewax.connectors.kafka import KafkaSource
from bytewax.dataflow import Dataflow
from bytewax.outputs import DynamicSink, StatelessSinkPartition
from bytewax.testing import run_main
from confluent_kafka import OFFSET_BEGINNING

from bench.peers.work import POLLED_TOGETHER, Work
from streams.sink import LINGER_SECONDS
from streams.topic_layout import INPUTS


class WorkPartition(StatelessSinkPartition):  # type: ignore[misc]  # the library is not seen by the type checker
    """Works on collections of records."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def write_batch(self, items: list[Any]) -> None:
        """Take and insert."""
        for messages in items:
            for message in messages:
                place = message.topic, message.partition, message.offset
                self._work.add(*place, message.timestamp[1], message.value or b"")
            self._work.flush()


class WorkSink(DynamicSink):  # type: ignore[misc]  # as above
    """One worker, one part."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def build(self, step_id: str, worker_index: int, worker_count: int) -> WorkPartition:
        """The part of the one worker."""
        return WorkPartition(self._work)


def main(records: int) -> None:
    """Work until ended, on so many records at once."""
    work = Work()
    flow = Dataflow("peer")
    source = KafkaSource(
        work.servers.split(","), list(INPUTS), starting_offset=OFFSET_BEGINNING, batch_size=POLLED_TOGETHER
    )
    came = operators.key_on("all", operators.input("in", flow, source), lambda _: "all")
    collected = operators.collect("collected", came, timedelta(seconds=LINGER_SECONDS), records)
    operators.output("out", operators.key_rm("records", collected), WorkSink(work))
    run_main(flow)


if __name__ == "__main__":
    main(int(sys.argv[1]))
