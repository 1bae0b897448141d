"""The gate that every request passes: who asks, may that role do this, and does the request come from our own page."""

from typing import Annotated, Final
from urllib.parse import urlsplit

from fastapi import Depends, Request

from console.auth.sessions import Session, same
from console.server.parts import Console, Parts
from console.server.problems import Refused
from console.server.rights import RIGHTS

_SAFE: Final = frozenset({"GET", "HEAD"})


def cookie_name(secure: bool) -> str:
    """With TLS the browser itself holds the cookie to this host and to TLS."""
    return "__Host-tablewatch" if secure else "tablewatch"


def route_name(request: Request) -> str:
    """The route as `RIGHTS` names it."""
    return f"{request.method} {request.scope['route'].path}"


async def pass_gate(request: Request, parts: Console) -> None:
    """Lets a request through, or refuses it: 401 nobody, 403 another role or another page, 429 too often."""
    allowed = RIGHTS.get(route_name(request), frozenset())
    if request.method not in _SAFE:
        _from_our_page(request)
    session = _session(request, parts)
    request.state.session = session
    if allowed is None:
        return
    if session is None:
        raise Refused(401, "nobody is signed in, or the session has ended")
    if not parts.asking.allows(session.digest):
        raise Refused(429, "too many requests: wait a moment", {"Retry-After": "1"})
    if session.role not in allowed:
        raise Refused(403, f"this is not for the role {session.role.replace('_', ' ')}")
    if request.method not in _SAFE and not same(request.headers.get("x-csrf-token", ""), session.csrf):
        raise Refused(403, "the request does not carry the token of this session: load the page again")


def let_try(parts: Parts, address: str) -> None:
    """Lets an attempt to sign in through, or says when the next one may come: 429."""
    if parts.signing_in.allows(address):
        return
    seconds = parts.signing_in.seconds_left(address)
    wait = f"{seconds} second{'' if seconds == 1 else 's'}"
    raise Refused(429, f"too many attempts from this address: wait {wait}", {"Retry-After": str(seconds)})


def address_of(request: Request) -> str:
    """Where a request comes from."""
    return request.client.host if request.client else ""


def _session(request: Request, parts: Parts) -> Session | None:
    return parts.sessions.find(request.cookies.get(cookie_name(parts.secure), ""))


def _from_our_page(request: Request) -> None:
    """Browsers say which page a request that changes something comes from; another page's is refused."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Refused(403, "the request comes from another page")
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise Refused(403, "the request comes from another page")


async def signed_in(request: Request) -> Session:
    """Who asks; the gate has made sure that there is somebody."""
    session: Session | None = request.state.session
    if session is None:
        raise Refused(401, "nobody is signed in, or the session has ended")
    return session


SignedIn = Annotated[Session, Depends(signed_in)]
