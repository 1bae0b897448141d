"""A small Faust worker for the contract suite: writes down every record that it has in hand, then acknowledges it.

python -m tests.streams.notebook BROKER_URL GROUP FILE [SECONDS_PER_BATCH]

Its file has one line per record (`read TOPIC PARTITION OFFSET VALUE`) and per assignment (`assigned TOPIC:NUMBER …`).
"""

import asyncio
import os
import sys
from pathlib import Path

import faust
from faust.types import TP

from streams.broker_url import parse_broker
from streams.faust_broker import faust_options

TOPICS = ("notes.a", "notes.b", "notes.c")


def build(broker_url: str, group: str, file: Path, seconds_per_batch: float) -> faust.App:
    """The app: one agent per topic, `noack_take` and an explicit acknowledgement after the line is on disk."""
    app = faust.App(
        group,
        **faust_options(parse_broker(broker_url)),
        processing_guarantee="at_least_once",
        stream_wait_empty=True,
        broker_commit_interval=0.2,
        broker_max_poll_records=500,
        broker_session_timeout=3.0,
        broker_heartbeat_interval=0.5,
        broker_request_timeout=10.0,
        producer_acks=-1,
        topic_allow_declare=False,
        topic_disable_leader=True,
        web_enabled=False,
        cython_optimizations=True,
        datadir=str(file.parent / f"faust-{os.getpid()}"),
    )
    out = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def note(lines: list[str]) -> None:
        os.write(out, "".join(f"{line}\n" for line in lines).encode())

    @app.on_partitions_assigned.connect
    async def assigned(_: faust.App, assigned: set[TP], **_more: object) -> None:
        note([" ".join(["assigned", *sorted(f"{tp.topic}:{tp.partition}" for tp in assigned)])])

    async def take_down(stream: faust.StreamT[bytes]) -> None:
        async for batch in stream.noack_take(50, within=0.02):
            if seconds_per_batch:
                await asyncio.sleep(seconds_per_batch)
            records = [(event.message, event.value.decode()) for event in batch]
            note([f"read {message.topic} {message.partition} {message.offset} {value}" for message, value in records])
            for event in batch:
                event.ack()

    for topic in TOPICS:
        channel = app.topic(topic, value_type=bytes, value_serializer="raw", key_type=bytes, key_serializer="raw")
        app.agent(channel, name=f"take-down-{topic}")(take_down)
    return app


def main() -> None:
    broker_url, group, file, *rest = sys.argv[1:]
    app = build(broker_url, group, Path(file), float(rest[0]) if rest else 0.0)
    faust.Worker(app, loglevel=os.environ.get("NOTEBOOK_LOG", "WARNING")).execute_from_commandline()


if __name__ == "__main__":
    main()
