"""aiokafka: an event loop fetches, and hands over what has come."""

import asyncio

import uvloop
from aiokafka import AIOKafkaConsumer

from bench.peers.work import POLL_SECONDS, POLLED_TOGETHER, Work
from streams.topic_layout import INPUTS


async def consume() -> None:
    """Work until ended."""
    work = Work()
    consumer = AIOKafkaConsumer(
        *INPUTS, bootstrap_servers=work.servers, group_id=work.group, auto_offset_reset="earliest",
        enable_auto_commit=False,
    )  # fmt: skip
    await consumer.start()
    while True:
        came = await consumer.getmany(timeout_ms=int(POLL_SECONDS * 1_000), max_records=POLLED_TOGETHER)
        for place, messages in came.items():
            for message in messages:
                work.add(place.topic, place.partition, message.offset, message.timestamp, message.value or b"")
        if work.is_due():
            await asyncio.to_thread(work.flush)
            await consumer.commit()


if __name__ == "__main__":
    uvloop.run(consume())
