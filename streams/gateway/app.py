"""The HTTP side of the gateway: who asks, what came, and the answer when the broker has it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from http import HTTPStatus
from typing import Any, Final

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from streams.broker_url import BrokerUnavailable
from streams.gateway import metrics
from streams.gateway.checking import Mode, Problem, Refused, check
from streams.gateway.description import ABOUT, MAX_BODY, OPERATION, RESPONSES, components
from streams.gateway.pressure import Lease, Pressure
from streams.gateway.sender import Sender, TooLarge
from streams.gateway.tokens import Device, Devices, TokensUnreadable

MODES: Final[Mapping[str, Mode]] = {
    "application/cloudevents+json": Mode.ONE,
    "application/cloudevents-batch+json": Mode.BATCH,
    "application/json": Mode.EITHER,
}

SMALL_BODY: Final = 32 * 1024
"""A larger one is checked in a thread, so that others do not wait for it."""

# Where things are and what is wrong with them is for the log, not for whoever asks.
_NO_TOKENS: Final = "the gateway cannot read its tokens: see its log"
_AWAY: Final = "the broker is away, or takes nothing from the gateway: see its log"

_RETRY_PRESSURE: Final = {"Retry-After": "1"}
_RETRY_AWAY: Final = {"Retry-After": "5"}
_HEADERS: Final = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}

logger = logging.getLogger(__name__)


class _Refusal(Exception):
    """The answer is no."""

    def __init__(
        self,
        status: int,
        detail: str,
        problems: Sequence[Problem] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.problems = problems
        self.headers = headers or {}


class Gateway:
    """Takes the events of a request and answers for them."""

    def __init__(
        self, devices: Devices, sender: Sender, pressure: Pressure, *, answer_seconds: float, body_seconds: float
    ) -> None:
        self._devices = devices
        self._sender = sender
        self._pressure = pressure
        self._answer_seconds = answer_seconds
        self._body_seconds = body_seconds

    async def take(self, request: Request) -> Response:
        """The answer to POST /v1/events."""
        device: Device | None = None
        try:
            device = self._device(request)
            accepted = await self._take(request, device)
        except _Refusal as refusal:
            metrics.REQUESTS.labels(str(refusal.status)).inc()
            level = logging.WARNING if refusal.problems else logging.INFO
            logger.log(level, "%s: %d, %s", device.name if device else "nobody", refusal.status, refusal)
            return _problem(refusal.status, refusal.detail, refusal.problems, refusal.headers)
        metrics.REQUESTS.labels("202").inc()
        return _json(202, {"accepted": accepted})

    def fault(self) -> str | None:
        """Why no event can be taken now; null if it can."""
        try:
            self._devices.check()
        except TokensUnreadable:
            return _NO_TOKENS
        return None if self._sender.away is None else _AWAY

    def _device(self, request: Request) -> Device:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        challenge = {"WWW-Authenticate": 'Bearer realm="tablewatch"'}
        if scheme.lower() != "bearer" or not token.strip():
            raise _Refusal(401, "send the token of the device: Authorization: Bearer …", headers=challenge)
        try:
            device = self._devices.find(token.strip())
        except TokensUnreadable as error:
            raise _Refusal(503, _NO_TOKENS, headers=_RETRY_AWAY) from error
        if device is None:
            raise _Refusal(401, "the token is not known, or was revoked", headers=challenge)
        return device

    async def _take(self, request: Request, device: Device) -> int:
        mode = _mode(request)
        size = _announced(request)
        if self._sender.away is not None:
            raise _Refusal(503, _AWAY, headers=_RETRY_AWAY)
        lease = self._pressure.take(device.id, size)
        if lease is None:
            raise _Refusal(429, "too much waits for the broker", headers=_RETRY_PRESSURE)
        try:
            body = await self._body(request)
            lease.shrink(len(body))
            small = len(body) <= SMALL_BODY
            checked = check(body, mode, device) if small else await asyncio.to_thread(check, body, mode, device)
            if isinstance(checked, Refused):
                raise _Refusal(checked.status, checked.detail, checked.problems)
            try:
                answer = self._sender.submit(checked)
            except BrokerUnavailable as error:
                raise _Refusal(503, _AWAY, headers=_RETRY_AWAY) from error
        except BaseException:
            lease.end()
            raise
        # The bytes take room until the sender is done with them, even if nobody waits for the answer any more.
        answer.add_done_callback(_ends(lease))
        try:
            async with asyncio.timeout(self._answer_seconds):
                await asyncio.shield(asyncio.wrap_future(answer))
        except TooLarge as error:
            raise _Refusal(413, str(error)) from error
        except (BrokerUnavailable, TimeoutError) as error:
            raise _Refusal(503, "the broker did not acknowledge", headers=_RETRY_AWAY) from error
        return len(checked)

    async def _body(self, request: Request) -> bytes:
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._body_seconds):
                async for part in request.stream():
                    size += len(part)
                    if size > MAX_BODY:
                        raise _too_large()
                    parts.append(part)
        except TimeoutError as error:
            raise _Refusal(408, "the body did not come in time", headers={"Connection": "close"}) from error
        except ClientDisconnect as error:
            raise _Refusal(408, "the device hung up before the end of the body") from error
        return b"".join(parts)


def make_app(
    devices: Devices,
    sender: Sender,
    pressure: Pressure,
    *,
    answer_seconds: float = 15.0,
    body_seconds: float = 30.0,
) -> FastAPI:
    """The gateway as an ASGI application; it starts the sender and ends it when all is sent.

    `answer_seconds`: how long a request waits for the broker, `body_seconds`: for its own body.
    """
    gateway = Gateway(devices, sender, pressure, answer_seconds=answer_seconds, body_seconds=body_seconds)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        sender.start()
        yield
        await asyncio.to_thread(sender.close)

    # No pages that load scripts from elsewhere: the description is enough.
    app = _Described(
        title="Tablewatch gateway", version="1", description=ABOUT, docs_url=None, redoc_url=None, lifespan=life
    )

    @app.post(
        "/v1/events",
        status_code=202,
        summary="Send events",
        responses=RESPONSES,
        openapi_extra=OPERATION,
        tags=["events"],
    )
    async def events(request: Request) -> Response:
        return await gateway.take(request)

    @app.get("/healthz", summary="Whether the gateway lives", tags=["operation"])
    async def healthz() -> Response:
        return _json(200, {"status": "ok"})

    @app.get(
        "/readyz",
        summary="Whether it can take events now, or why not",
        tags=["operation"],
        responses={503: {**RESPONSES[503], "description": "It cannot, and says why."}},
    )
    async def readyz() -> Response:
        fault = gateway.fault()
        if fault is None:
            return _json(200, {"status": "ready"})
        return _problem(503, fault, headers=_RETRY_AWAY)

    @app.get("/metrics", summary="Prometheus metrics", tags=["operation"])
    async def prometheus() -> Response:
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST, headers=_HEADERS)

    async def unusual(_: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            return _problem(error.status_code, str(error.detail), headers=error.headers)
        logger.error("a fault of the gateway", exc_info=error)
        return _problem(500, "a fault of the gateway: see its log", headers=_RETRY_AWAY)

    app.add_exception_handler(HTTPException, unusual)
    app.add_exception_handler(Exception, unusual)
    return app


class _Described(FastAPI):
    """Describes the events by the schemas of the contract."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            schema = get_openapi(
                title=self.title, version=self.version, description=self.description, routes=self.routes
            )
            schema["components"] = components()
            self.openapi_schema = schema
        return self.openapi_schema


def _mode(request: Request) -> Mode:
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    mode = MODES.get(kind.strip().lower())
    if mode is None:
        raise _Refusal(415, f"send {', '.join(MODES)}")
    charset = parameters.replace('"', "").replace(" ", "").lower()
    if charset not in ("", "charset=utf-8"):
        raise _Refusal(415, "events are UTF-8")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise _Refusal(415, "the body must not be compressed")
    if any(name.startswith("ce-") for name in request.headers):
        raise _Refusal(415, "binary mode (ce- headers) is not taken: send structured mode or a batch")
    return mode


def _announced(request: Request) -> int:
    """The bytes to expect: what the request says, or else the most that it may send."""
    text = request.headers.get("content-length")
    if text is None:
        return MAX_BODY
    if not text.isascii() or not text.isdigit():
        raise _Refusal(400, "Content-Length is no number")
    if len(text) > 12 or int(text) > MAX_BODY:
        raise _too_large()
    return int(text)


def _too_large() -> _Refusal:
    return _Refusal(413, f"a request has {MAX_BODY} bytes at most", headers={"Connection": "close"})


def _ends(lease: Lease) -> Any:
    def end(_: object) -> None:
        lease.end()

    return end


def _json(status: int, content: Any) -> Response:
    return Response(orjson.dumps(content), status, _HEADERS, "application/json")


def _problem(
    status: int, detail: str, problems: Sequence[Problem] = (), headers: Mapping[str, str] | None = None
) -> Response:
    """RFC 9457."""
    content: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if problems:
        content["problems"] = [asdict(problem) for problem in problems]
    return Response(orjson.dumps(content), status, {**_HEADERS, **(headers or {})}, "application/problem+json")
