"""What every answer carries and every request must bear: headers that keep scripts of others out, and small bodies.

Every answer passes here, so that they are counted here too.
"""

import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from starlette.exceptions import HTTPException

from console import measures

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY: Final = 64 * 1024

CONTENT_SECURITY_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)

_HEADERS: Final[tuple[tuple[bytes, bytes], ...]] = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=()"),
)
_TLS: Final = (b"strict-transport-security", b"max-age=31536000")


class TooLarge(HTTPException):
    """The body is larger than anything that the page sends."""

    def __init__(self) -> None:
        super().__init__(413, "the request is too large")


class Secured:
    """Puts the headers on every answer and bounds every body; streams pass through untouched."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        secure = scope.get("scheme") == "https"
        asked = time.perf_counter()

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                measures.REQUESTS.labels(str(message["status"])).inc()
                measures.ANSWER_SECONDS.observe(time.perf_counter() - asked)
                present = {name.lower() for name, _ in message.get("headers", ())}
                more = [pair for pair in (*_HEADERS, *((_TLS,) if secure else ())) if pair[0] not in present]
                if b"cache-control" not in present:
                    more.append((b"cache-control", b"no-store"))
                message["headers"] = [*message.get("headers", ()), *more]
            await send(message)

        taken = 0

        async def bounded() -> Message:
            nonlocal taken
            message = await receive()
            if message["type"] == "http.request":
                taken += len(message.get("body", b""))
                if taken > LARGEST_BODY:
                    raise TooLarge
            return message

        if _announced(scope) > LARGEST_BODY:
            await _refuse(marked)
            return
        try:
            await self._app(scope, bounded, marked)
        except TooLarge:
            await _refuse(marked)


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() and len(value) < 16 else LARGEST_BODY + 1
    return 0


async def _refuse(send: Send) -> None:
    body = b'{"type":"about:blank","title":"Content Too Large","status":413,"detail":"the request is too large"}'
    headers = [(b"content-type", b"application/problem+json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
