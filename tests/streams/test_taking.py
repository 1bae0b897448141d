"""An agent takes all that is there at once, and nothing that was read under an assignment that is over."""

import asyncio
from pathlib import Path
from typing import Any

import faust
from faust.types import TP
from faust.types.tuples import ConsumerMessage

from streams.app import make_app
from streams.broker_url import EmbeddedLog
from streams.reading import MOST_RECORDS
from streams.taking import take
from streams.topics import create

_PLACE = TP("table.cards", 0)


def _app(folder: Path) -> faust.App:
    broker = EmbeddedLog(folder / "log")
    create(broker)
    app = make_app(broker, datadir=str(folder))
    app.flow_control.resume()
    # As when it has subscribed.
    app.topics.acking_topics.add(_PLACE.topic)
    return app


def _message(offset: int, generation: int) -> ConsumerMessage:
    message = ConsumerMessage(*_PLACE, offset, 0.0, 0, None, None, b"{}", None, tp=_PLACE, generation_id=generation)
    message.incref()
    return message


async def _taken(app: faust.App, *messages: ConsumerMessage) -> list[list[int]]:
    """Batch by batch, the offsets that an agent is given of these, and of one more that comes last."""
    stream: Any = app.stream(app.topic(_PLACE.topic, key_type=bytes, value_type=bytes))
    channel = aiter(stream.channel)
    for message in (*messages, _message(10_000, app.consumer_generation_id)):
        channel.queue.put_nowait(await channel.decode(message))
    batches: list[list[int]] = []
    async for events in take(app, stream):
        batches.append([event.message.offset for event in events])
        if batches[-1][-1] == 10_000:
            break
    return batches


def test_all_that_is_there_is_taken_at_once_up_to_a_number(tmp_path: Path) -> None:
    async def run() -> list[list[int]]:
        app = _app(tmp_path)
        return await _taken(app, *(_message(offset, app.consumer_generation_id) for offset in range(MOST_RECORDS)))

    assert asyncio.run(run()) == [[*range(MOST_RECORDS)], [10_000]]


def test_what_was_read_before_a_rebalance_is_left_to_whoever_has_it_now(tmp_path: Path) -> None:
    async def run() -> list[list[int]]:
        app = _app(tmp_path)
        now = app.consumer_generation_id
        return await _taken(app, _message(1, now), _message(2, now - 1), _message(3, now))

    assert asyncio.run(run()) == [[1, 3, 10_000]]


def test_what_was_taken_is_waited_for_until_it_is_acknowledged(tmp_path: Path) -> None:
    async def run() -> tuple[set[int], set[int]]:
        app = _app(tmp_path)
        messages = [_message(offset, app.consumer_generation_id) for offset in (1, 2)]
        await _taken(app, *messages)
        before = {message.offset for message in app.consumer.unacked}
        messages[0].ack(app.consumer)
        return before, {message.offset for message in app.consumer.unacked if message in messages}

    before, after = asyncio.run(run())
    assert {1, 2} <= before
    assert after == {2}


def test_an_agent_that_is_told_that_it_is_over_ends_without_a_fault(tmp_path: Path) -> None:
    async def run() -> list[list[Any]]:
        app = _app(tmp_path)
        stream: Any = app.stream(app.topic(_PLACE.topic, key_type=bytes, value_type=bytes))
        # As Faust's actors are cancelled.
        aiter(stream.channel)._throw(StopAsyncIteration())
        return [events async for events in take(app, stream)]

    assert asyncio.run(run()) == []
