"""The alert desk: what is open, and what people do about it."""

import asyncio
import time
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from console.api.models import Given, Told
from console.api.uncertain import follow
from console.auth.people import InvalidPerson
from console.auth.roles import SEES_PLAYERS
from console.auth.sessions import Session
from console.live.alerts import AlertPicture
from console.live.desk import step_json
from console.server.gate import SignedIn, address_of
from console.server.parts import Console, Parts
from console.server.problems import Refused
from console.server.waiting import in_time
from schemas.findings import Severity
from store.rows.alerts import AlertHistory
from streams.alerting.acts import LONGEST_NOTE, Act
from streams.alerting.desk import Done, alert_with_steps, perform
from streams.alerting.life import DISPOSITIONS, Disposition, life_of

router = APIRouter(prefix="/api/v1", tags=["alerts"])

AlertId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
_SILENT = "the store does not answer; what is shown live goes on"
_SESSIONS = 10_000
"""Of so many it is remembered at most what they look at."""
_UNCERTAIN = "the store does not answer: whether this counts is told as soon as it is known"

Note = Annotated[str, Field(min_length=1, max_length=LONGEST_NOTE)]


class Acknowledged(Told):
    """Who said first that it was seen."""

    by: str
    at: int
    """Milliseconds since 1970."""


class Closed(Told):
    """How it was closed."""

    by: str
    """Who resolved it; empty: a later fact took the ground away."""
    at: int
    """Milliseconds since 1970."""


class Escalates(Told):
    """The next step of the escalation while nobody acknowledges."""

    at: int
    """Milliseconds since 1970."""
    to: list[str]
    """The roles and people who are called then."""


class AlertTold(Told):
    """An alert as the desk shows it."""

    id: str
    code: str
    severity: str
    table: str | None
    shoe: str | None
    round: int | None
    pit: str | None
    game: str | None
    message: str
    tables: list[str]
    """All tables of an alert that is about several at once; its message may name the first ones alone."""
    device: str | None
    """The source that an alert about a device names; empty: it names none; null: it is about none."""
    rule: str | None
    """Document and clause."""
    bet: str | None
    draw: int | None
    expected: Any
    actual: Any
    decimals: int | None
    """Of the table's currency, in whose minor units amounts are expected and actual; null: not known."""
    basis: str
    time: int
    """Device time of the fact that decided it, in milliseconds since 1970: where to look on the camera."""
    raised: int
    """Milliseconds since 1970."""
    steps_so_far: int
    """Never fewer: of two tellings of an alert, the one with fewer steps is the older."""
    state: str
    open: bool
    closed: Closed | None
    """Null: it is open."""
    holder: str
    """Who has taken it; empty: nobody."""
    acknowledged: Acknowledged | None
    escalations: int
    escalates: Escalates | None
    """Null: it does not, or somebody is at it."""
    disposition: str
    advice: str
    """What to do first."""
    cameras: list[str]


class StepTold(Told):
    """A step in the life of an alert."""

    at: int
    """Milliseconds since 1970."""
    action: str
    state: str | None
    by: str
    role: str
    recipient: str
    disposition: str
    note: str


class AlertInFull(AlertTold):
    """An alert with everything that happened to it."""

    steps: list[StepTold]


class AlertsTold(Told):
    """A page of alerts."""

    total: int
    """How many there are by this filter."""
    alerts: list[AlertTold]


class Noted(Given):
    """Words that belong to an act."""

    note: Note


class Resolution(Given):
    """What it was, and what was done about it."""

    disposition: Disposition
    note: Note

    @field_validator("disposition", mode="before")
    @classmethod
    def _said(cls, value: object) -> object:
        """In the words that the command line has for it."""
        if value not in DISPOSITIONS:
            raise PydanticCustomError("disposition", f"say what it was: {', '.join(DISPOSITIONS)}")
        return value


class HandOver(Given):
    """Who gets the alert."""

    to: Annotated[str, Field(min_length=1, max_length=64)]
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""
    holder: Annotated[str | None, Field(max_length=64)] = None
    """From whom it is believed to be taken; empty: nobody has taken it. Where somebody else has it by then: 409."""


@router.get("/alerts", summary="Alerts")
async def alerts(
    session: SignedIn,
    parts: Console,
    state: Literal["open", "closed", "all"] = "open",
    table: Annotated[str | None, Query(max_length=200)] = None,
    severity: Severity | None = None,
    start: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    count: Annotated[int, Query(ge=1, le=500)] = 100,
) -> AlertsTold:
    """The latest first: of the closed ones those that were closed last, else those that were raised last."""
    board = parts.live.floor.alerts
    found = [
        each
        for each in reversed(board.closed() if state == "closed" else board.all())
        if (state != "open" or each.open)
        and (table is None or each.alert.table == table)
        and (severity is None or each.alert.severity == severity)
    ]
    shown = [parts.live.alert(each, masking=_masking(session)) for each in found[start : start + count]]
    return AlertsTold(total=len(found), alerts=[AlertTold.model_validate(each) for each in shown])


@router.get("/alerts/{alert}", summary="One alert with everything that happened to it")
async def one_alert(
    alert: AlertId, session: SignedIn, parts: Console, request: Request, still: bool = False
) -> AlertInFull:
    """From the store, or from the topic while the store is away or does not have it yet. With `still`, the page that
    shows it asks how it stands now, which is no other look."""
    on_page = parts.live.floor.alerts.get(alert)
    is_look = not still or parts.on_screen.get(session.digest) != alert
    if on_page is not None and is_look:
        # The page shows what it knows of it already, also where the store does not answer.
        _note_look(parts, on_page, session, request)
    history = await in_time(asyncio.to_thread(alert_with_steps, parts.store, alert), _SILENT)
    if history is not None:
        parts.live.take_history(history)
    picture = _known(parts, alert)
    if on_page is None and is_look:
        _note_look(parts, picture, session, request)
    return _in_full(parts, picture, session)


@router.post("/alerts/{alert}/acknowledge", summary="Say that one has seen it")
async def acknowledge(alert: AlertId, session: SignedIn, parts: Console, request: Request) -> AlertInFull:
    """It stops calling. Whoever comes second is told who was first (409)."""
    return await _do(parts, alert, _act(session, "acknowledge"), session, request)


@router.post("/alerts/{alert}/take", summary="Take it on")
async def take(alert: AlertId, session: SignedIn, parts: Console, request: Request) -> AlertInFull:
    """One is responsible for it from now on."""
    return await _do(parts, alert, _act(session, "take"), session, request)


@router.post("/alerts/{alert}/resolve", summary="Resolve it")
async def resolve(
    alert: AlertId, given: Resolution, session: SignedIn, parts: Console, request: Request
) -> AlertInFull:
    """With what it was and a note; both go into the reports."""
    act = _act(session, "resolve", disposition=given.disposition, note=given.note)
    return await _do(parts, alert, act, session, request)


@router.post("/alerts/{alert}/reopen", summary="Open it again")
async def reopen(alert: AlertId, given: Noted, session: SignedIn, parts: Console, request: Request) -> AlertInFull:
    """With the reason."""
    return await _do(parts, alert, _act(session, "reopen", note=given.note), session, request)


@router.post("/alerts/{alert}/note", summary="Add a note")
async def note(alert: AlertId, given: Noted, session: SignedIn, parts: Console, request: Request) -> AlertInFull:
    """It stays with the alert."""
    return await _do(parts, alert, _act(session, "note", note=given.note), session, request)


@router.post("/alerts/{alert}/hand-over", summary="Hand it over")
async def hand_over(
    alert: AlertId, given: HandOver, session: SignedIn, parts: Console, request: Request
) -> AlertInFull:
    """To somebody who may take alerts, at the end of a shift or before."""
    try:
        person = parts.people.get(given.to)
    except InvalidPerson as error:
        raise Refused(422, str(error)) from error
    if person.disabled is not None:
        raise Refused(422, f"{person.name} is not here any more")
    act = _act(session, "hand over", note=given.note, to=person.name, to_role=person.role, holder=given.holder)
    return await _do(parts, alert, act, session, request)


def _act(session: Session, deed: Any, **more: Any) -> Act:
    return Act(deed=deed, by=session.name, role=session.role, at=time.time_ns() // 1_000, **more)


async def _do(parts: Parts, alert: str, act: Act, session: Session, request: Request) -> AlertInFull:
    await in_time(
        _done(parts, alert, act, session, address_of(request)), _UNCERTAIN,
        lambda task: follow(parts, session.name, alert, act, task),
    )  # fmt: skip
    return _in_full(parts, _known(parts, alert), session)


async def _done(parts: Parts, alert: str, act: Act, session: Session, address: str) -> None:
    """To its end, whoever waits for it: what counts is written down, and pages hear of it."""
    known = parts.live.floor.alerts.get(alert)
    done = await asyncio.to_thread(perform, parts.store, alert, act, known.alert if known else None)
    if not isinstance(done, Done):
        raise Refused(404 if "no such alert" in done.reason else 409, done.reason)
    history: AlertHistory = done.history
    parts.access.note(
        session, f"alert: {act.deed}", table=history.alert.table or "", shoe=history.alert.shoe or "",
        round=history.alert.round or 0, address=address, detail={"alert": alert},
    )  # fmt: skip
    parts.live.take_history(history)


def _note_look(parts: Parts, picture: AlertPicture, session: Session, request: Request) -> None:
    about, seen = picture.alert, parts.on_screen
    parts.access.note(
        session, "looked at an alert", table=about.table or "", shoe=about.shoe or "", round=about.round or 0,
        address=address_of(request), detail={"alert": about.id},
    )  # fmt: skip
    seen.pop(session.digest, None)
    seen[session.digest] = about.id
    if len(seen) > _SESSIONS:
        del seen[next(iter(seen))]


def _known(parts: Parts, alert: str) -> AlertPicture:
    picture = parts.live.floor.alerts.get(alert)
    if picture is None:
        raise Refused(404, "there is no such alert")
    return picture


def _in_full(parts: Parts, picture: AlertPicture, session: Session) -> AlertInFull:
    told = parts.live.alert(picture, masking=_masking(session))
    return AlertInFull.model_validate({**told, "steps": [step_json(step) for step in life_of(picture.steps).standing]})


def _masking(session: Session) -> bool:
    return session.role not in SEES_PLAYERS
