"""Signing in and out, and one's own password."""

from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import Field

from console import measures
from console.api.models import Given, Told
from console.auth.passwords import LONGEST, WeakPassword
from console.auth.people import Refusal
from console.auth.roles import ABOUT, SEES_PLAYERS, Role
from console.auth.sessions import Session
from console.server.gate import SignedIn, address_of, cookie_name, let_try
from console.server.parts import Console, Parts
from console.server.problems import Refused
from console.server.rights import PAGES

router = APIRouter(prefix="/api/v1", tags=["session"])

Password = Annotated[str, Field(min_length=1, max_length=LONGEST)]


class SignIn(Given):
    """A name and its password."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    password: Password


class NewPassword(Given):
    """The password so far, and the one from now on."""

    current: Password
    new: Password


class Who(Told):
    """Who is signed in."""

    name: str
    role: Role
    about: str
    """What the role is for."""
    sees_players: bool
    """Whether player ids are shown, not masked."""
    own_password: bool
    """Whether the person has a password here to change; the provider lets others in."""
    zone: str
    """The site's time zone, in which pages tell times."""
    pages: list[str]
    """The screens that are open to the role."""
    csrf: str
    """To be sent as X-CSRF-Token with everything that changes something."""
    expires: int
    """Seconds since 1970."""


@router.post("/session", summary="Sign in")
async def sign_in(given: SignIn, request: Request, response: Response, parts: Console) -> Who:
    """Sets the cookie of a new session. Every refusal reads the same: neither names nor locks are told."""
    address = address_of(request)
    let_try(parts, address)
    name = given.name.strip().lower()
    person = await parts.people.sign_in(name, given.password)
    if parts.outsiders.is_one(name):
        # Whoever has lost the group there would come in by a password that was given here.
        person = Refusal("the provider lets this person in, and no password")
    if isinstance(person, Refusal):
        measures.SIGN_INS.labels("refused").inc()
        parts.access.note(None, "sign-in refused", who=name, address=address, detail={"reason": person.reason})
        raise Refused(401, "name or password is wrong, or the name is locked for a while")
    return _who(begin_session(parts, person.name, address, response), parts)


def begin_session(parts: Parts, name: str, address: str, response: Response, by: str = "") -> Session:
    """A new session of this person, its cookie on the answer; ``by``: the provider that vouches for the person."""
    measures.SIGN_INS.labels("signed in").inc()
    token = parts.sessions.begin(name, address)
    session = parts.sessions.find(token)
    assert session is not None
    parts.access.note(session, "signed in", address=address, detail={"by": by} if by else None)
    response.set_cookie(
        cookie_name(parts.secure), token, httponly=True, secure=parts.secure, samesite="strict", path="/"
    )
    return session


@router.get("/session", summary="Who is signed in")
async def who(session: SignedIn, parts: Console) -> Who:
    """Name, role and the token that changes need."""
    return _who(session, parts)


@router.delete("/session", status_code=204, summary="Sign out")
async def sign_out(session: SignedIn, request: Request, parts: Console) -> Response:
    """Ends the session; its cookie is worth nothing any more."""
    parts.sessions.end(session)
    parts.access.note(session, "signed out", address=address_of(request))
    answer = Response(status_code=204)
    answer.delete_cookie(cookie_name(parts.secure), path="/", secure=parts.secure, httponly=True, samesite="strict")
    return answer


@router.put("/session/password", status_code=204, summary="Change one's own password")
async def change_password(given: NewPassword, session: SignedIn, request: Request, parts: Console) -> Response:
    """Ends all sessions of the person, this one included."""
    address = address_of(request)
    let_try(parts, address)
    person = await parts.people.sign_in(session.name, given.current)
    if isinstance(person, Refusal):
        # Whoever sits at a page that was left open may be guessing.
        parts.access.note(session, "change of own password refused", address=address, detail={"reason": person.reason})
        raise Refused(403, "the current password is wrong")
    if given.new == given.current:
        raise Refused(422, "the new password is the one you have")
    try:
        parts.people.change_password(session.name, given.new)
    except WeakPassword as error:
        raise Refused(422, str(error)) from error
    parts.access.note(session, "changed own password", address=address)
    return Response(status_code=204)


def _who(session: Session, parts: Parts) -> Who:
    return Who(
        name=session.name,
        role=session.role,
        about=ABOUT[session.role],
        sees_players=session.role in SEES_PLAYERS,
        own_password=not parts.outsiders.is_one(session.name),
        zone=parts.zone.key,
        pages=[path for path, roles in PAGES.items() if session.role in roles],
        csrf=session.csrf,
        expires=session.expires,
    )
