"""What the pipeline sends: for ever, but for what the broker will never take."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka.errors import KafkaTimeoutError, MessageSizeTooLargeError

from schemas.decoding import MAX_RECORD_BYTES
from schemas.topics import REJECTED, VERDICTS
from streams import outputs
from streams.intake import read_record
from streams.outputs import Message
from streams.topic_layout import Layout, plans


def _most_bytes(topic: str) -> int:
    [plan] = [plan for plan in plans(Layout()) if plan.name == topic]
    return int(plan.settings(Layout(), 3)["max.message.bytes"])


def test_the_rejection_of_the_largest_record_fits_its_topic() -> None:
    record = read_record("table.floor", 0, 0, 1, b"x" * MAX_RECORD_BYTES, 12)
    [message] = outputs.rejections((), [record])
    assert message.topic == REJECTED.name
    assert MAX_RECORD_BYTES < len(message.value) < _most_bytes(REJECTED.name)


def test_what_is_too_large_for_the_broker_keeps_nothing_back(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "FIRST_PAUSE", 0.01)
    taken: list[bytes] = []
    tries: list[bytes] = []

    async def send(_topic: str, _key: bytes, value: bytes, *_: Any) -> asyncio.Future[bool]:
        answer = asyncio.get_running_loop().create_future()
        tries.append(value)
        if value == b"large":
            answer.set_exception(MessageSizeTooLargeError())
        elif value == b"once more" and tries.count(value) == 1:
            answer.set_exception(KafkaTimeoutError())
        else:
            taken.append(value)
            answer.set_result(True)
        return answer

    async def play() -> None:
        app: Any = SimpleNamespace(producer=SimpleNamespace(send=send))
        values = (b"first", b"large", b"once more", b"last")
        async with asyncio.timeout(20):
            await outputs.send(app, [Message(VERDICTS.name, b"BT1", value) for value in values])

    asyncio.run(play())
    assert taken == [b"first", b"last", b"once more"]
    assert tries.count(b"large") == 1
    assert "5 bytes are more than the broker takes on audit.verdicts" in caplog.text
