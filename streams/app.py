"""The Faust app of the workers, with the settings that make it lose nothing."""

from typing import Any

import faust
from faust.tables import TableManager
from mode.utils.logging import get_logger

from streams.broker_url import Broker, KafkaBroker
from streams.faust_broker import faust_options
from streams.kafka_connection import use_such_connections
from streams.kafka_member import be_such_members
from streams.reading import POLLED_RECORDS, App
from streams.topic_layout import GROUP

logger = get_logger(__name__)

BUFFERED_RECORDS = 16_384
"""Records between the consumer and the agent. A full buffer makes Faust sleep for a second, so it is a larger one than
what is ever in hand."""

SENT_BYTES = 1 << 20
"""So much of a partition is sent at once. Ours are verdicts of some thousand bytes: with aiokafka's 16 KB, what a
worker that catches up has to say went out four at a time, each in several turns of a loop that is busy judging, and
storing waited for seconds."""


class _NoTables(TableManager):  # type: ignore[misc]  # faust has no types
    """Faust waits a second for tables to be declared. There are none, and after a kill people wait for that second."""

    async def on_start(self) -> None:
        if not self.should_stop:
            await self._update_channels()
            await self.recovery.start()


def make_app(
    broker: Broker, *, group: str = GROUP, session_seconds: float = 15.0, name: str | None = None, **settings: Any
) -> faust.App:
    """The app on a broker; it declares no topics and keeps no tables. ``session_seconds`` is how long a worker that was
    killed holds its partitions on Kafka, unless it comes back by the same ``name``, which no other worker may have."""
    if isinstance(broker, KafkaBroker):
        be_such_members()
        use_such_connections()
    options: dict[str, Any] = {
        # Agents acknowledge when the store has a record; what comes again is known by its id.
        "processing_guarantee": "at_least_once",
        "stream_wait_empty": True,
        "stream_buffer_maxsize": BUFFERED_RECORDS,
        "broker_commit_interval": 1.0,
        # The consumer beats in a thread of its own, however long judging takes.
        "broker_session_timeout": session_seconds,
        "broker_heartbeat_interval": session_seconds / 5,
        "broker_max_poll_records": POLLED_RECORDS,
        "producer_acks": -1,
        "producer_linger": 0.0,
        "producer_max_batch_size": SENT_BYTES,
        "producer_max_request_size": 32 << 20,
        "consumer_auto_offset_reset": "earliest",
        "consumer_max_fetch_size": 32 << 20,
        "consumer_group_instance_id": name,
        "topic_allow_declare": False,
        "topic_disable_leader": True,
        "web_enabled": False,
        "value_serializer": "raw",
        "key_serializer": "raw",
        "TableManager": _NoTables,
        **faust_options(broker),
        **settings,
    }
    return App(group, **{name: value for name, value in options.items() if value is not None})
