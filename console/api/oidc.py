"""Signing in with the provider of the house: there by a link, back with a code, and in if it is good."""

import asyncio
import logging
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from console import measures
from console.api.models import Told
from console.api.session import begin_session
from console.auth.oidc import BEGUN_SECONDS, OidcRefused, Provider, ProviderAway
from console.auth.oidc_settings import RETURN_PATH
from console.auth.sessions import same
from console.server.gate import address_of, cookie_name, let_try
from console.server.parts import Console, Parts
from console.server.problems import Refused, plain_page

router = APIRouter(tags=["session"])

logger = logging.getLogger(__name__)

Given = Annotated[str, Query(max_length=4096)]

# One answer to whoever is refused, whatever the reason; the access log has it.
_REFUSED: Final = (
    "you were not signed in: try once more from the sign-in page; if that does not help, ask an administrator, who"
    " finds the reason in the access log"
)


class WaysTold(Told):
    """How people may sign in, besides name and password."""

    provider: str | None
    """What the provider is called; null: there is none."""


@router.get("/api/v1/sign-in", summary="How people may sign in")
async def ways(parts: Console) -> WaysTold:
    """For the sign-in page."""
    return WaysTold(provider=parts.oidc.settings.title if parts.oidc else None)


@router.get("/sign-in/oidc", include_in_schema=False)
async def begin(request: Request, parts: Console) -> Response:
    """Sends the browser to the provider, with a state that it has to bring back."""
    provider = _provider(parts)
    let_try(parts, address_of(request))
    try:
        address, state = await asyncio.to_thread(provider.begin)
    except ProviderAway as error:
        raise _away(error) from error
    answer = RedirectResponse(address, 303)
    # Lax, as the browser comes back from another site; it opens nothing and is worth one sign-in.
    answer.set_cookie(
        _state_cookie(parts), state, max_age=BEGUN_SECONDS, httponly=True, secure=parts.secure, samesite="lax", path="/"
    )
    return answer


@router.get(RETURN_PATH, include_in_schema=False)
async def finish(request: Request, parts: Console, state: Given = "", code: Given = "", error: Given = "") -> Response:
    """Signs in whoever the provider vouches for."""
    provider = _provider(parts)
    address = address_of(request)
    try:
        if not state or not same(request.cookies.get(_state_cookie(parts), ""), state):
            raise OidcRefused("this browser has not begun this sign-in")
        if error or not code:
            raise OidcRefused(f"the provider says: {error[:200] or 'no code'}")
        outsider = await asyncio.to_thread(provider.finish, state, code)
        person = await asyncio.to_thread(parts.outsiders.welcome, outsider)
    except ProviderAway as problem:
        raise _away(problem) from problem
    except OidcRefused as refusal:
        measures.SIGN_INS.labels("refused").inc()
        parts.access.note(None, "sign-in refused", who="", address=address, detail={"reason": str(refusal)[:500]})
        raise Refused(403, _REFUSED) from refusal
    # The session's cookie is not sent where another site has led; from a page of ours it is.
    answer = plain_page("Signed in", f"Signed in as {person.name}.")
    answer.headers["Refresh"] = "0; url=/"
    begin_session(parts, person.name, address, answer, by=outsider.issuer)
    answer.delete_cookie(_state_cookie(parts), path="/", secure=parts.secure, httponly=True, samesite="lax")
    return answer


def _provider(parts: Parts) -> Provider:
    if parts.oidc is None:
        raise Refused(404, "people sign in with name and password here")
    return parts.oidc


def _away(error: ProviderAway) -> Refused:
    logger.warning("nobody can sign in with the provider: %s", error)
    return Refused(503, "the provider does not answer: name and password still work", {"Retry-After": "30"})


def _state_cookie(parts: Parts) -> str:
    return f"{cookie_name(parts.secure)}-sign-in"
