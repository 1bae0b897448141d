"""How an agent takes records: all that are there, at once, from the buffer of its topic."""

from collections.abc import AsyncIterator
from typing import Any

import faust

from streams.reading import MOST_RECORDS


async def take(app: faust.App, stream: Any) -> AsyncIterator[list[Any]]:
    """What comes for an agent, as Faust's events; whoever takes them acknowledges them.

    Faust's own ``noack_take`` passes every record through a task, a processor and its monitor, and lets it wait for
    company: for records of a few events that took longer than judging them. While a batch is judged, company comes.
    """
    queue = aiter(stream.channel).queue
    while True:
        try:
            events = [await queue.get()]
            while len(events) < MOST_RECORDS and not queue.empty():
                events.append(queue.get_nowait())
        except StopAsyncIteration:
            # So Faust tells an agent that it is over; what is in the buffer comes again to whoever has it then.
            return
        current = [event for event in events if _is_current(app, event.message)]
        for event in current:
            _track(app, event.message)
        if current:
            yield current


def _is_current(app: faust.App, message: Any) -> bool:
    """Whether it was read under the present assignment: after a rebalance it comes again to whoever has it then."""
    return app.flow_control.is_active() and bool(message.generation_id == app.consumer_generation_id)


def _track(app: faust.App, message: Any) -> None:
    """Before partitions are given away, and before it ends, Faust waits until what was taken is acknowledged."""
    if not message.tracked and app.topics.acks_enabled_for(message.topic):
        message.tracked = True
        app.consumer.unacked.add(message)
