"""Server-sent events for many pages at once: every frame is encoded once, kept for a while, and sent as bytes."""

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Final, NamedTuple

KEPT: Final = 64
"""Frames that a page may be behind before it gets the whole picture again."""
BEAT_SECONDS: Final = 2.0
"""A page that hears nothing for longer knows that it is cut off."""
RETRY: Final = b"retry: 1000\n\n"


class Frame(NamedTuple):
    """One message of the stream."""

    number: int
    data: bytes


class Channel:
    """One stream that any number of pages follow. A slow page gets a fresh snapshot and delays nobody."""

    def __init__(self, snapshot: Callable[[], bytes]) -> None:
        self._snapshot = snapshot
        self._epoch = secrets.token_hex(4)
        self._number = 0
        self._frames: deque[Frame] = deque(maxlen=KEPT)
        self._news = asyncio.Event()
        self._whole: Frame | None = None
        self._ended = False
        self.listeners = 0

    def publish(self, event: str, payload: bytes) -> None:
        """Send a delta, JSON on one line, to every page."""
        self._number += 1
        self._frames.append(Frame(self._number, self._encoded(event, self._number, payload)))
        self._wake()

    def skip(self) -> None:
        """Something has changed that nobody was told of: who comes back, or comes anew, gets the whole picture."""
        self._number += 1
        self._frames.clear()

    def end(self) -> None:
        """Let every page go: it will ask again."""
        self._ended = True
        self._wake()

    async def follow(self, last: str | None) -> AsyncIterator[bytes]:
        """What a page gets that has seen everything up to ``last``: what it missed, or the whole picture, then all."""
        self.listeners += 1
        try:
            at = self._place(last)
            yield RETRY
            while not self._ended:
                news = self._news
                chunk, at = self._after(at)
                if chunk:
                    yield chunk
                    continue
                try:
                    async with asyncio.timeout(BEAT_SECONDS):
                        await news.wait()
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            self.listeners -= 1

    def _after(self, at: int | None) -> tuple[bytes, int]:
        if at == self._number:
            return b"", at
        if at is None or not self._frames or self._frames[0].number > at + 1:
            whole = self._whole_picture()
            return whole.data, whole.number
        # From the newest back: a page that keeps up is one frame behind.
        missed: list[bytes] = []
        for frame in reversed(self._frames):
            if frame.number <= at:
                break
            missed.append(frame.data)
        return b"".join(reversed(missed)), self._number

    def _whole_picture(self) -> Frame:
        if self._whole is None or self._whole.number != self._number:
            self._whole = Frame(self._number, self._encoded("snapshot", self._number, self._snapshot()))
        return self._whole

    def _place(self, last: str | None) -> int | None:
        epoch, _, number = (last or "").partition(".")
        if epoch != self._epoch or not number.isascii() or not number.isdigit() or len(number) > 15:
            return None
        return int(number) if int(number) <= self._number else None

    def _encoded(self, event: str, number: int, payload: bytes) -> bytes:
        return b"id: %b.%d\nevent: %b\ndata: %b\n\n" % (self._epoch.encode(), number, event.encode(), payload)

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()
