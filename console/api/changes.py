"""Changes of what the house is watched by: proposed by one administrator, made by another, kept with both names."""

import asyncio
import hashlib
from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request
from pydantic import Field

from console.api.models import Given, Told
from console.auth.people import Person
from console.auth.sessions import Session
from console.changes.difference import difference
from console.changes.ledger import Change, Ledger, NoSuchChange, NotNow, was_here
from console.changes.settings_file import FileUnusable
from console.changes.subjects import InvalidValue, Subject
from console.server.gate import SignedIn, address_of
from console.server.parts import Console, Parts
from console.server.problems import Refused

router = APIRouter(prefix="/api/v1/changes", tags=["changes"])

ChangeId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
Words = Annotated[str, Field(min_length=1, max_length=2_000)]


class SubjectTold(Told):
    """Something that can be changed."""

    name: str
    title: str
    kind: str
    """setting, text or act."""
    effect: str
    """When a change takes effect."""
    current: str
    """For auditors, of a value that holds addresses or passwords: its SHA-256."""
    locked: str
    """Why it cannot be changed here; empty: it can."""


class LineTold(Told):
    """A line of a text that is to be changed."""

    fate: Literal["stays", "goes", "comes", "left out"]
    """left out: some lines that stay and are not shown."""
    text: str


class ChangeTold(Told):
    """One proposal and what became of it."""

    id: str
    subject: str
    before: str
    after: str
    lines: list[LineTold] | None
    """Of a text, what goes and comes, in its order; null for a single value, and where the text is withheld."""
    approvable: bool
    """Whether whoever asks may approve it."""
    reason: str
    proposed_by: str
    proposed_at: int
    """Milliseconds since 1970."""
    decision: str | None
    """approved, rejected or withdrawn; null: it waits for a second person."""
    decided_by: str | None
    decided_at: int | None
    note: str | None


class ChangesTold(Told):
    """What can be changed, and what was."""

    subjects: list[SubjectTold]
    changes: list[ChangeTold]


class Proposal(Given):
    """What is to be otherwise, and why."""

    subject: Annotated[str, Field(min_length=1, max_length=64)]
    value: Annotated[str, Field(min_length=1, max_length=60_000)]
    reason: Words


class Approval(Given):
    """A word to it, if there is one."""

    note: Annotated[str, Field(max_length=2_000)] = ""


class Rejection(Given):
    """Why not."""

    note: Words


@router.get("", summary="What can be changed, and what was")
async def changes(session: SignedIn, parts: Console) -> ChangesTold:
    """What waits for a second person comes first, then the latest."""
    return await asyncio.to_thread(_told, parts.changes, session, parts.people.get(session.name))


@router.post("", status_code=201, summary="Propose a change")
async def propose(given: Proposal, session: SignedIn, parts: Console, request: Request) -> ChangeTold:
    """Nothing happens until another administrator approves it."""
    ledger, person = parts.changes, parts.people.get(session.name)
    change = await _done(lambda: ledger.propose(given.subject, given.value, given.reason, person))
    return _kept(parts, session, request, "proposed a change", change)


@router.post("/{change}/approve", summary="Approve a change")
async def approve(change: ChangeId, given: Approval, session: SignedIn, parts: Console, request: Request) -> ChangeTold:
    """Makes it; nobody approves an own proposal."""
    ledger, person = parts.changes, parts.people.get(session.name)
    made = await _done(lambda: ledger.approve(change, person, given.note))
    return _kept(parts, session, request, "approved a change", made)


@router.post("/{change}/reject", summary="Reject a change")
async def reject(change: ChangeId, given: Rejection, session: SignedIn, parts: Console, request: Request) -> ChangeTold:
    """With the reason; all stays as it is."""
    ledger, person = parts.changes, parts.people.get(session.name)
    rejected = await _done(lambda: ledger.reject(change, person, given.note))
    return _kept(parts, session, request, "rejected a change", rejected)


@router.post("/{change}/withdraw", summary="Withdraw an own proposal")
async def withdraw(change: ChangeId, session: SignedIn, parts: Console, request: Request) -> ChangeTold:
    """Before somebody has decided it."""
    ledger, person = parts.changes, parts.people.get(session.name)
    withdrawn = await _done(lambda: ledger.withdraw(change, person))
    return _kept(parts, session, request, "withdrew a change", withdrawn)


async def _done(deed: Callable[[], Change]) -> Change:
    try:
        return await asyncio.to_thread(deed)
    except NoSuchChange as error:
        raise Refused(404, str(error)) from error
    except InvalidValue as error:
        raise Refused(422, str(error)) from error
    except (NotNow, FileUnusable) as error:
        raise Refused(409, str(error)) from error


def _kept(parts: Parts, session: Session, request: Request, action: str, change: Change) -> ChangeTold:
    """Write down who did it; the access log is in the chain, so that the ledger here can be held against it."""
    secret = _is_secret(parts.changes.subjects.get(change.subject))
    detail = {
        "change": change.id,
        "subject": change.subject,
        "before": _shown(change.before, secret),
        "after": _shown(change.after, secret),
        "proposed_by": change.proposed_by,
        "reason": change.reason,
        **({"note": change.note} if change.note else {}),
    }
    parts.access.note(session, action, address=address_of(request), detail=detail)
    return _change(change, parts.people.get(session.name), hidden=False)


def _told(ledger: Ledger, session: Session, person: Person) -> ChangesTold:
    hiding = session.role != "administrator"
    subjects = []
    for each in ledger.subjects.values():
        try:
            current, locked = each.current(), each.locked()
        except (FileUnusable, ValueError) as error:
            current, locked = "", str(error)
        subjects.append(
            SubjectTold(
                name=each.name, title=each.title, kind=each.kind, effect=each.effect,
                current=_shown(current, hiding and each.secret), locked=locked,
            )
        )  # fmt: skip
    changes = [
        _change(each, person, hidden=hiding and _is_secret(ledger.subjects.get(each.subject))) for each in ledger.all()
    ]
    return ChangesTold(subjects=subjects, changes=changes)


def _is_secret(subject: Subject | None) -> bool:
    """What is not known any more is taken for secret."""
    return subject is None or subject.secret


def _shown(value: str, hidden: bool) -> str:
    return f"SHA-256 {hashlib.sha256(value.encode()).hexdigest()}" if hidden else value


def _change(change: Change, person: Person, *, hidden: bool) -> ChangeTold:
    is_text = "\n" in change.before + change.after
    return ChangeTold(
        id=change.id,
        subject=change.subject,
        before=_shown(change.before, hidden),
        after=_shown(change.after, hidden),
        lines=[LineTold(fate=each.fate, text=each.text) for each in difference(change.before, change.after)]
        if is_text and not hidden
        else None,
        approvable=change.decision is None
        and person.role == "administrator"
        and person.name != change.proposed_by
        and was_here(person, change),
        reason=change.reason,
        proposed_by=change.proposed_by,
        proposed_at=change.proposed_at,
        decision=change.decision,
        decided_by=change.decided_by,
        decided_at=change.decided_at,
        note=change.note,
    )
