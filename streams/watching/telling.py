"""Telling people: findings of the watches on `audit.alerts`, as the workers send theirs, until the broker has them."""

import asyncio
import threading
from collections.abc import Sequence

from streams import outputs
from streams.app import make_app
from streams.broker_url import Broker, BrokerUnavailable

_GLANCE_SECONDS = 0.1


def tell(
    broker: Broker, messages: Sequence[outputs.Message], stop: threading.Event, patience_seconds: float | None
) -> None:
    """Send all and return when the broker has them. Raises BrokerUnavailable when that takes longer than its patience
    (None: as long as it takes), or five seconds after ``stop``."""
    if messages:
        asyncio.run(_tell(broker, messages, stop, patience_seconds))


FINISH_SECONDS = 5.0
"""How long what is on its way may take when the service is to end."""


async def _tell(
    broker: Broker, messages: Sequence[outputs.Message], stop: threading.Event, patience_seconds: float | None
) -> None:
    loop = asyncio.get_running_loop()
    begun = loop.time()
    stopped: float | None = None
    sending = asyncio.create_task(_send(broker, messages))
    while not sending.done():
        await asyncio.wait([sending], timeout=_GLANCE_SECONDS)
        if stop.is_set() and stopped is None:
            stopped = loop.time()
        given_up = stopped is not None and loop.time() - stopped > FINISH_SECONDS
        if given_up or (patience_seconds is not None and loop.time() - begun > patience_seconds):
            sending.cancel()
            await asyncio.wait([sending])
            raise BrokerUnavailable(f"{broker} did not take {len(messages)} findings")
    await sending


async def _send(broker: Broker, messages: Sequence[outputs.Message]) -> None:
    app = make_app(broker)
    pause = outputs.FIRST_PAUSE
    while True:
        try:
            await app.producer.start()
            break
        except Exception:  # whatever a client library says of a broker that is away
            await app.producer.crash(BrokerUnavailable(str(broker)))
            await asyncio.sleep(pause)
            pause = min(pause * 2, outputs.LONGEST_PAUSE)
            app = make_app(broker)
    try:
        await outputs.send(app, messages)
    finally:
        await app.producer.stop()
