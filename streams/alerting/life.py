"""The life of an alert, as a pure fold over its steps: what it is now, who has it, and which steps count.

    raised ──► acknowledged ──► taken ──► resolved ──► reopened ──► …
      │  └─► escalated ─┘  └───────────────┘
      └─► cleared (a later fact took the ground away; from every open state) ──► reopened

Steps are ordered by their moment and id. Each step that changes the state names the place that it takes among those
steps, and the first at a place counts. So two people who act at once make one history, whoever reads it and whenever;
the second is told who was first. What may be done is decided in `acts`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal, get_args

from store.rows.alerts import AlertStep

State = Literal["raised", "acknowledged", "taken", "resolved", "reopened", "cleared", "escalated"]
Role = Literal["operator", "shift_manager", "auditor", "administrator"]
Disposition = Literal["confirmed", "false alarm", "test", "training"]

ROLES: Final[tuple[Role, ...]] = ("operator", "shift_manager", "auditor", "administrator")
DISPOSITIONS: Final[tuple[Disposition, ...]] = ("confirmed", "false alarm", "test", "training")

UNATTENDED: Final = frozenset({"raised", "reopened", "escalated"})
"""Nobody has said yet that he has seen it: these escalate."""
ATTENDED: Final = frozenset({"acknowledged", "taken"})
OPEN: Final = UNATTENDED | ATTENDED
CLOSED: Final = frozenset({"resolved", "cleared"})

SYSTEM: Final = "tablewatch"
"""Who does what no person does."""
RAISED: Final = "0000.raised"
"""The id of the first step of every alert."""

_FROM: Final[Mapping[str, frozenset[str]]] = {
    "acknowledged": UNATTENDED,
    "taken": ATTENDED,
    "resolved": ATTENDED,
    "reopened": CLOSED,
    "escalated": UNATTENDED,
    "cleared": OPEN,
}
"""The states that a state may follow; `raised` follows none."""
DONE: Final[Mapping[str, str]] = {"escalate": "escalated", "clear": "cleared", "raise again": "raised again"}
"""What the step of each act of the service is called."""
_STATES: Final[Mapping[str, State]] = {state: state for state in get_args(State)}

_WORDS: Final[Mapping[str, str]] = {"shift_manager": "shift manager"}


@dataclass(frozen=True, slots=True)
class Life:
    """What an alert is after its steps."""

    state: State | None
    """None: it was never raised."""
    place: int
    """How many steps have changed the state so far: the place of the next one."""
    holder: str
    """Who has taken it, or was handed it; empty: nobody."""
    acknowledged: AlertStep | None
    """Of the present opening: who said first that he has seen it."""
    escalations: int
    """How often it went to the next role since it was raised or reopened."""
    disposition: str
    last: AlertStep | None
    """The step that made the present state."""
    standing: tuple[AlertStep, ...]
    """The steps that count, in their order: all that change nothing, and the first at each place. What the service did
    twice counts once."""

    @property
    def open(self) -> bool:
        return self.state in OPEN

    @property
    def unattended(self) -> bool:
        return self.state in UNATTENDED


def in_order(steps: Iterable[AlertStep]) -> list[AlertStep]:
    """Steps in the order that decides: by moment, then by id."""
    return sorted(steps, key=lambda step: (step.at, step.id))


def life_of(steps: Iterable[AlertStep]) -> Life:
    """Fold the steps; whatever their order and however often they are repeated, the same steps give the same life."""
    seen: set[str] = set()
    taken_places: set[int] = set()
    standing: list[AlertStep] = []
    told: set[Said] = set()
    state: State | None = None
    place = 0
    holder = disposition = ""
    acknowledged: AlertStep | None = None
    last: AlertStep | None = None
    escalations = 0
    for step in in_order(steps):
        if step.id in seen:
            continue
        seen.add(step.id)
        said = service_said(step)
        again = said is not None and said in told
        if not step.state:
            if not again:
                standing.append(step)
            if said is not None:
                told.add(said)
            continue
        wanted = place_of(step)
        if (wanted is not None and wanted in taken_places) or not _follows(state, step.state):
            continue
        if wanted is not None:
            taken_places.add(wanted)
        place = max(place, wanted or 0) + 1
        if again and step.state == state:
            continue
        if said is not None:
            told.add(said)
        standing.append(step)
        state, last = _STATES[step.state], step
        match step.state:
            case "raised" | "reopened":
                holder, acknowledged, escalations, disposition = "", None, 0, ""
            case "escalated":
                escalations += 1
            case "acknowledged":
                acknowledged = step
            case "taken":
                holder = step.recipient or step.by
            case "resolved":
                disposition = step.disposition
    return Life(state, place, holder, acknowledged, escalations, disposition, last, tuple(standing))


def raised_step(alert: str, at: int, detail: Mapping[str, Any] | None = None) -> AlertStep:
    """The first step of an alert: the same wherever it is made from the same record."""
    return AlertStep(alert=alert, id=RAISED, at=at, action="raised", state="raised", by=SYSTEM, detail=detail or {})


def place_of(step: AlertStep) -> int | None:
    """The place that a step takes among those that change the state."""
    number, dot, _ = step.id.partition(".")
    return int(number) if dot and number.isascii() and number.isdigit() else None


def role_words(role: str) -> str:
    """A role as people say it."""
    return _WORDS.get(role, role)


def told_to(step: AlertStep) -> str:
    """Who got the alert by this step, as people say it: of an escalation the roles and people that it calls."""
    if step.action != "escalated":
        return step.recipient
    called = (each for each in step.role.split(", ") if each)
    return " and ".join(f"the {role_words(each)}" if each in ROLES else each for each in called)


def moment(at: int) -> str:
    """Microseconds since 1970 as people read it."""
    return datetime.fromtimestamp(at // 1_000_000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


Said = tuple[str, int, str, str, str]


def service_said(step: AlertStep) -> Said | None:
    """What a step of the service says, wherever in the history it came to stand: an act done twice says it twice."""
    if step.by != SYSTEM or step.action not in DONE.values():
        return None
    detail = dict(step.detail)
    at = detail.pop("said_at", step.at)
    return step.action, at, step.role, step.note, repr(sorted(detail.items()))


def _follows(before: str | None, after: str) -> bool:
    if after == "raised":
        return before is None
    return before is not None and before in _FROM.get(after, frozenset())
