"""Answers that last: a stream of server-sent events for as long as the session does."""

import time
from collections.abc import AsyncIterator

from fastapi import Request
from fastapi.responses import StreamingResponse

from console.auth.sessions import Session
from console.live.channel import Channel
from console.server.parts import Parts

CHECK_SECONDS = 15.0
"""How often a stream looks whether its session still goes on."""


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


def stream(request: Request, parts: Parts, session: Session, channel: Channel, last: str | None) -> EventStream:
    """The channel from where the page was, until the page goes, the session ends or the console does."""
    return EventStream(
        _while_signed_in(parts, session, channel.follow(request.headers.get("last-event-id") or last)),
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _while_signed_in(parts: Parts, session: Session, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    checked = time.monotonic()
    async for chunk in chunks:
        if time.monotonic() - checked >= CHECK_SECONDS:
            checked = time.monotonic()
            if not parts.sessions.alive(session):
                yield b"event: ended\ndata: {}\n\n"
                return
        yield chunk
