"""quixstreams: an application with one stream per topic into a sink, which is flushed at each checkpoint."""

import sys
import tempfile
from typing import Any

from quixstreams import Application
from quixstreams.sinks.base import BaseSink

from bench.peers.work import POLL_SECONDS, Work
from streams.sink import LINGER_SECONDS
from streams.topic_layout import INPUTS


class WorkSink(BaseSink):  # type: ignore[misc]  # the library is not seen by the type checker
    """Works on each record; a checkpoint inserts."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self._work = work

    def add(
        self, value: bytes, key: Any, timestamp: int, headers: Any, topic: str, partition: int, offset: int
    ) -> None:
        """Take a record."""
        self._work.add(topic, partition, offset, timestamp, value)

    def flush(self) -> None:
        """Insert; the library commits afterwards."""
        self._work.flush()


def main(records: int) -> None:
    """Work until ended; a checkpoint after so many records."""
    work = Work()
    with tempfile.TemporaryDirectory() as state:
        app = Application(
            work.servers, consumer_group=work.group, auto_offset_reset="earliest", auto_create_topics=False,
            commit_interval=LINGER_SECONDS, commit_every=records, consumer_poll_timeout=POLL_SECONDS, state_dir=state,
            loglevel="WARNING",
        )  # fmt: skip
        sink = WorkSink(work)
        for name in INPUTS:
            app.dataframe(app.topic(name, key_deserializer="bytes", value_deserializer="bytes")).sink(sink)
        app.run()


if __name__ == "__main__":
    main(int(sys.argv[1]))
