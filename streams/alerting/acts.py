"""What may be done with an alert, and by whom: the act, and the steps that it adds or why it cannot be.

`decide` is the only way to a new step: the console, the command line and the alert service all go by it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from store.rows.alerts import AlertStep
from streams.alerting.life import (
    DISPOSITIONS,
    DONE,
    ROLES,
    SYSTEM,
    Disposition,
    Life,
    Role,
    Said,
    State,
    life_of,
    role_words,
    service_said,
)

Deed = Literal["acknowledge", "take", "resolve", "reopen", "hand over", "note"]
"""What a person may do."""
SystemDeed = Literal["escalate", "clear", "raise again"]
"""What the alert service does by itself."""

MAY: Final[Mapping[Deed, frozenset[Role]]] = {
    "acknowledge": frozenset({"operator", "shift_manager", "administrator"}),
    "take": frozenset({"operator", "shift_manager", "administrator"}),
    "hand over": frozenset({"operator", "shift_manager", "administrator"}),
    # A disposition goes into the reports for the regulator.
    "resolve": frozenset({"shift_manager", "administrator"}),
    "reopen": frozenset({"shift_manager", "auditor", "administrator"}),
    "note": frozenset(ROLES),
}
"""Which role may do what."""

LONGEST_NOTE: Final = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """What a person wants to do with an alert."""

    deed: Deed
    by: str
    """The person's name, as the console knows it."""
    role: Role
    at: int
    """Microseconds since 1970."""
    disposition: Disposition | None = None
    """Of a resolution."""
    note: str = ""
    """Required to resolve and to reopen."""
    to: str = ""
    """Who gets the alert when it is handed over."""
    to_role: Role | None = None
    holder: str | None = None
    """Who has it by then, as its author believes who hands it over; empty: nobody; None: whoever it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemAct:
    """What the alert service does with an alert."""

    deed: SystemDeed
    at: int
    """Microseconds since 1970."""
    note: str = ""
    role: str = ""
    """Of an escalation: the role that is told now."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """`opening`: how often the alert was opened again; `stage`: of an escalation, which one since then it is. By these
    the same act is known again, and two that come in one moment are two."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an act cannot be done, in words for the person who tried."""

    reason: str
    first: AlertStep | None = None
    """The step of somebody else that came before."""


def decide(steps: Sequence[AlertStep], act: Act | SystemAct, alert: str) -> tuple[AlertStep, ...] | Refusal:
    """The steps that the act adds (two where taking or resolving says at once that it was seen), or why there are none.
    Where the service did this act before, its step of then.

    Depends on its arguments alone: the same steps and the same act give the same answer.
    """
    life = life_of(steps)
    if life.state is None:
        return Refusal("There is no such alert, or it was never raised.")
    if isinstance(act, SystemAct) and (
        done := tuple(step for step in life.standing if service_said(step) == _says(act))
    ):
        return done
    made = _of_system(life, act) if isinstance(act, SystemAct) else _of_person(life, act)
    if isinstance(made, Refusal):
        return made
    latest = max((step.at for step in steps), default=0)
    # A clock that is behind must not put an act before what it was decided upon.
    first = max(act.at, latest + 1)
    place = life.place
    placed: list[AlertStep] = []
    for number, (action, state, more) in enumerate(made):
        at = first + number
        placed.append(_step(alert, act, action, state, place if state else None, at, more))
        place += 1 if state else 0
    return tuple(placed)


_Made = list[tuple[str, State | None, dict[str, Any]]]


def _of_person(life: Life, act: Act) -> _Made | Refusal:
    if not act.by:
        return Refusal("Nobody can act without a name.")
    allowed = MAY.get(act.deed)
    if allowed is None:
        return Refusal(f"There is no such act as {act.deed!r}: choose one of {', '.join(MAY)}.")
    if act.role not in allowed:
        who = ", ".join(role_words(role) for role in ROLES if role in allowed)
        return Refusal(f"This needs one of these roles: {who}. You act as {role_words(act.role)}.")
    if len(act.note) > LONGEST_NOTE:
        return Refusal(f"A note has at most {LONGEST_NOTE} characters; this one has {len(act.note)}.")
    match act.deed:
        case "note":
            return [("noted", None, {})] if act.note.strip() else Refusal("An empty note says nothing.")
        case "acknowledge":
            return [("acknowledged", "acknowledged", {})] if life.unattended else _too_late(life, act)
        case "take":
            return _take(life, act)
        case "resolve":
            return _resolve(life, act)
        case "reopen":
            return _reopen(life, act)
        case "hand over":
            return _hand_over(life, act)


def _take(life: Life, act: Act) -> _Made | Refusal:
    if life.unattended:
        return [("acknowledged", "acknowledged", {}), ("taken", "taken", {})]
    if life.state == "acknowledged":
        return [("taken", "taken", {})]
    return _too_late(life, act)


def _resolve(life: Life, act: Act) -> _Made | Refusal:
    if act.disposition not in DISPOSITIONS:
        return Refusal(f"Say what it was: {', '.join(DISPOSITIONS)}.")
    if not act.note.strip():
        return Refusal("Write a note: what was found, and what was done about it.")
    if not life.open:
        return _too_late(life, act)
    if life.state == "taken" and life.holder != act.by:
        # On the desk it is a button, with the command a hand-over.
        way = "press Take over, or hand it over to yourself"
        return Refusal(f"It is taken by {life.holder}. Take it over first: {way}.", life.last)
    resolved: tuple[str, State | None, dict[str, Any]] = ("resolved", "resolved", {"disposition": act.disposition})
    return [("acknowledged", "acknowledged", {}), resolved] if life.unattended else [resolved]


def _reopen(life: Life, act: Act) -> _Made | Refusal:
    if life.open:
        return Refusal(f"This alert is open: {_told(life)}", life.last)
    if not act.note.strip():
        return Refusal("Write a note: why it is opened again.")
    return [("reopened", "reopened", {})]


def _hand_over(life: Life, act: Act) -> _Made | Refusal:
    if not act.to or act.to_role is None:
        return Refusal("Say who gets the alert, and in which role.")
    if act.to_role not in MAY["take"]:
        return Refusal(f"{act.to} cannot have an alert in the role of {role_words(act.to_role)}.")
    if life.unattended:
        return Refusal("Nobody has acknowledged this alert yet; it goes on calling until somebody does.")
    if not life.open:
        return _too_late(life, act)
    if life.state == "taken" and life.holder == act.to:
        return Refusal(f"{act.to} has this alert already.", life.last)
    if act.role == "operator" and life.holder not in ("", act.by):
        return Refusal(f"{life.holder} has taken this alert: only {life.holder} or a shift manager can hand it over.")
    if act.holder is not None and life.holder != act.holder:
        return Refusal(f"It is with {life.holder or 'nobody'} now: {_told(life)}", life.last)
    if act.to == act.by:
        return [("taken over", "taken", {"detail": {"from": life.holder}}) if life.holder else ("taken", "taken", {})]
    return [("handed over", "taken", {"recipient": act.to, "detail": {"to_role": act.to_role}})]


def _too_late(life: Life, act: Act) -> Refusal:
    if life.last is not None and life.state == "taken" and life.holder == act.by:
        return Refusal("You have taken this alert already.", life.last)
    if life.last is not None and life.last.by == act.by and life.state == "acknowledged":
        return Refusal("You have acknowledged this alert already.", life.last)
    return Refusal(_told(life), life.last)


def _told(life: Life) -> str:
    last = life.last
    if last is None:
        return "it was never raised."
    who = f"{last.by} ({role_words(last.role)})" if last.role and last.by != SYSTEM else last.by
    match life.state:
        case "acknowledged":
            return f"{who} was first and acknowledged it."
        case "taken" if last.recipient:
            return f"{who} handed it over to {last.recipient}."
        case "taken" if last.action == "taken over":
            return f"{who} took it over."
        case "taken":
            return f"{who} was first and took it."
        case "resolved":
            return f"{who} resolved it as {last.disposition}."
        case "cleared":
            return "A later fact took the ground away: the finding is cleared."
        case state:
            return f"It was {state}."


def _says(act: SystemAct) -> Said:
    return DONE[act.deed], act.at, act.role, act.note, repr(sorted(act.detail.items()))


def _of_system(life: Life, act: SystemAct) -> _Made | Refusal:
    match act.deed:
        case "escalate":
            # Another service, or this one after a power cut, may have done it at another moment.
            if not life.unattended or act.detail.get("stage", life.escalations + 1) <= life.escalations:
                return Refusal(_told(life), life.last)
            return [("escalated", "escalated", {})]
        case "clear":
            # What a person has resolved stays as he said; that the ground is gone is kept beside it.
            return [("cleared", "cleared" if life.open else None, {})]
        case "raise again":
            if life.open:
                return Refusal(_told(life), life.last)
            return [("raised again", "reopened", {})]


def _step(
    alert: str, act: Act | SystemAct, action: str, state: State | None, place: int | None, at: int, more: dict[str, Any]
) -> AlertStep:
    by = SYSTEM if isinstance(act, SystemAct) else act.by
    # Over all that the step says: two that differ in anything have two ids.
    digest = hashlib.sha256(repr((alert, action, place, at, act)).encode()).hexdigest()[:12]
    detail = dict(act.detail) if isinstance(act, SystemAct) else {}
    if at != act.at:
        detail["said_at"] = act.at
    # Acknowledging by taking or resolving leaves the note to the step that it belongs to.
    note = "" if isinstance(act, Act) and action == "acknowledged" and act.deed != "acknowledge" else act.note
    return AlertStep(
        alert=alert,
        id=f"{place:04d}.{digest}" if place is not None else f"{action}.{digest}",
        at=at,
        action=action,
        state=state,
        by=by,
        role=act.role,
        recipient=more.get("recipient", ""),
        disposition=more.get("disposition", ""),
        note=note,
        detail={**detail, **more.get("detail", {})},
    )
