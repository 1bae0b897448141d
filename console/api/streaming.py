"""Answers that last: a stream of server-sent events for as long as the session does."""

import time
from collections.abc import AsyncIterator

from fastapi import Request
from fastapi.responses import StreamingResponse

from console import measures
from console.auth.sessions import Session
from console.live.channel import Channel
from console.server.parts import Parts
from console.server.problems import Refused

CHECK_SECONDS = 15.0
"""How often a stream looks whether its session still goes on."""
MOST_STREAMS = 24
"""Of one session at a time: a wall of screens may have one, a script that only opens them is stopped."""


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"


def stream(request: Request, parts: Parts, session: Session, channel: Channel, last: str | None) -> EventStream:
    """The channel from where the page was, until the page goes, the session ends or the console does."""
    if parts.streams[session.digest] >= MOST_STREAMS:
        raise Refused(429, f"a session has {MOST_STREAMS} streams at most: close a page", {"Retry-After": "5"})
    return EventStream(
        _while_signed_in(parts, session, channel.follow(request.headers.get("last-event-id") or last)),
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _while_signed_in(parts: Parts, session: Session, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    checked = time.monotonic()
    parts.streams[session.digest] += 1
    measures.STREAMS.inc()
    try:
        async for chunk in chunks:
            if time.monotonic() - checked >= CHECK_SECONDS:
                checked = time.monotonic()
                if not parts.sessions.alive(session):
                    yield b"event: ended\ndata: {}\n\n"
                    return
            yield chunk
    finally:
        measures.STREAMS.dec()
        parts.streams[session.digest] -= 1
        if not parts.streams[session.digest]:
            del parts.streams[session.digest]
