"""Streams: each frame encoded once, resumed where a page was, the whole picture for one that is too far behind."""

import asyncio
import re
from collections.abc import AsyncIterator

import pytest

from console.live import channel as channels
from console.live.channel import KEPT, Channel


def made() -> tuple[Channel, list[int]]:
    """A channel, and how often its whole picture was asked for."""
    asked: list[int] = []

    def snapshot() -> bytes:
        asked.append(1)
        return b'"whole"'

    return Channel(snapshot), asked


async def first(stream: AsyncIterator[bytes], count: int) -> list[bytes]:
    return [await anext(stream) for _ in range(count)]


def last_id(chunk: bytes) -> str:
    found: list[bytes] = re.findall(rb"id: (\S+)", chunk)
    return found[-1].decode()


def test_a_new_page_gets_the_whole_picture_and_then_what_is_new() -> None:
    async def play() -> None:
        channel, _ = made()
        page = channel.follow(None)
        _, whole = await first(page, 2)
        assert b"event: snapshot" in whole
        channel.publish("delta", b"1")
        assert b"event: delta\ndata: 1\n\n" in await anext(page)

    asyncio.run(play())


def test_a_page_that_comes_back_gets_only_what_it_missed() -> None:
    async def play() -> None:
        channel, asked = made()
        _, whole = await first(channel.follow(None), 2)
        for number in range(3):
            channel.publish("delta", str(number).encode())
        page = channel.follow(last_id(whole))
        _, missed = await first(page, 2)
        assert re.findall(rb"data: (.*)", missed) == [b"0", b"1", b"2"]
        assert len(asked) == 1

    asyncio.run(play())


@pytest.mark.parametrize("last", ["", "x", "0.0", "abcdef12.3", "abcdef12.99999999999999999999", "é.1"])
def test_an_id_of_another_start_or_made_up_gets_the_whole_picture(last: str) -> None:
    async def play() -> None:
        channel, _ = made()
        channel.publish("delta", b"1")
        _, whole = await first(channel.follow(last), 2)
        assert b"event: snapshot" in whole

    asyncio.run(play())


def test_an_id_from_the_future_gets_the_whole_picture() -> None:
    async def play() -> None:
        channel, _ = made()
        _, whole = await first(channel.follow(None), 2)
        ahead = last_id(whole).replace(".0", ".7")
        _, again = await first(channel.follow(ahead), 2)
        assert b"event: snapshot" in again

    asyncio.run(play())


def test_a_page_too_slow_gets_one_picture_in_place_of_all_frames() -> None:
    async def play() -> None:
        channel, _ = made()
        page = channel.follow(None)
        await first(page, 2)
        for number in range(KEPT + 5):
            channel.publish("delta", str(number).encode())
        chunk = await anext(page)
        assert chunk.count(b"event:") == 1
        assert b"event: snapshot" in chunk

    asyncio.run(play())


def test_pages_share_the_bytes_of_a_frame_and_of_a_picture() -> None:
    async def play() -> None:
        channel, asked = made()
        pages = [channel.follow(None) for _ in range(50)]
        wholes = [(await first(page, 2))[1] for page in pages]
        assert len(asked) == 1
        assert all(whole is wholes[0] for whole in wholes)
        assert channel.listeners == 50
        for page in pages:
            await page.aclose()  # type: ignore[attr-defined]  # it is a generator
        assert channel.listeners == 0

    asyncio.run(play())


def test_a_quiet_channel_says_that_it_is_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "BEAT_SECONDS", 0.01)

    async def play() -> None:
        channel, _ = made()
        page = channel.follow(None)
        *_, beat = await first(page, 3)
        assert beat.startswith(b":")

    asyncio.run(play())


def test_at_the_end_every_page_is_let_go() -> None:
    async def play() -> None:
        channel, _ = made()
        page = channel.follow(None)
        await first(page, 2)
        channel.end()
        with pytest.raises(StopAsyncIteration):
            await anext(page)

    asyncio.run(play())


def test_what_nobody_was_told_of_is_in_the_next_picture() -> None:
    async def play() -> None:
        pictures = iter([b"1", b"2"])
        channel = Channel(lambda: next(pictures))
        _, whole = await first(channel.follow(None), 2)
        channel.skip()
        for last in (None, last_id(whole)):
            _, again = await first(channel.follow(last), 2)
            assert b"event: snapshot\ndata: 2" in again

    asyncio.run(play())
