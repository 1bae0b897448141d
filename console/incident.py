"""The incident report for the regulator: one finding with its round, its rule, and who did what when."""

from dataclasses import dataclass
from typing import Any, Literal

from console.advice import advice_for
from console.clauses import clause_subjects
from console.findings import told_finding
from console.story import story_told
from replay.rounds import EventsGone, RoundNotFound, load_round
from schemas.findings import as_json
from store.connect import Store
from store.errors import StoreContradicts
from store.read.alerts import alert
from store.read.findings import finding
from store.read.proof import access_entries
from store.rows.alerts import AlertHistory
from store.rows.verdicts import FindingState, RoundKey
from streams.alerting.life import life_of, told_to


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that somebody, or the system, did about the incident."""

    at: int
    """Microseconds since 1970."""
    kind: Literal["table", "alert", "access"]
    """At the table itself, with the alert, or with the records."""
    who: str
    role: str
    what: str
    note: str


@dataclass(frozen=True, slots=True)
class Incident:
    """All that is on record about one finding."""

    state: FindingState
    found: dict[str, Any]
    """The finding as JSON."""
    subjects: dict[str, str]
    """What the clause behind it is about."""
    advice: str
    alert: AlertHistory | None
    outcome: str
    """What the alert is now, and what it was resolved as."""
    story: dict[str, Any] | None
    """None where the finding belongs to no round, or the round's events are gone."""
    no_story: str
    """Why there is none; empty where there is one."""
    currency: str | None
    """Of the amounts of the finding; None: not known."""
    cameras: list[str]
    """Where to look."""
    deeds: list[Deed]
    """In the order of time."""

    @property
    def raised(self) -> int:
        """When people were to hear of it: the store has the finding a little later than the alert went out."""
        return self.state.raised if self.alert is None else self.alert.alert.raised


_AT_THE_TABLE = frozenset({"ruling", "incident", "correction"})


def incident(store: Store, finding_id: str, *, masking: bool) -> Incident | None:
    """The report on one finding; None: there is no such finding."""
    state = finding(store, finding_id)
    if state is None:
        return None
    history = alert(store, finding_id)
    story, why = _story(store, state, masking=masking)
    currency = _currency(story, history)
    deeds = [*_at_the_table(story), *_of_alert(history), *_of_records(store, state)]
    return Incident(
        state,
        told_finding(as_json(state.finding), currency, masking=masking),
        clause_subjects([state.finding.rule]),
        advice_for(state.finding.code),
        history,
        _outcome(history),
        story,
        why,
        currency,
        _cameras(story, history),
        sorted(deeds, key=lambda deed: deed.at),
    )


def _cameras(story: dict[str, Any] | None, history: AlertHistory | None) -> list[str]:
    if story is not None:
        return list(story["cameras"])
    return [] if history is None else [str(each) for each in history.alert.detail.get("cameras", ())]


def _currency(story: dict[str, Any] | None, history: AlertHistory | None) -> str | None:
    told = None if story is None else story["currency"]
    return told or (None if history is None else history.alert.detail.get("currency"))


def _outcome(history: AlertHistory | None) -> str:
    if history is None:
        return "no alert was raised"
    life = life_of(history.steps)
    told = life.state or "never raised"
    return f"{told} as {life.disposition}" if life.disposition else told


def _story(store: Store, state: FindingState, *, masking: bool) -> tuple[dict[str, Any] | None, str]:
    about = state.finding
    if about.table is None or about.shoe is None or about.round is None:
        return None, "The finding belongs to no single round."
    try:
        stored = load_round(store, RoundKey(about.table, about.shoe, about.round))
        return story_told(stored, masking=masking), ""
    except (RoundNotFound, EventsGone) as error:
        return None, str(error)
    except StoreContradicts as error:
        return None, error.sentences


def _at_the_table(story: dict[str, Any] | None) -> list[Deed]:
    moments = [] if story is None else story["moments"]
    return [
        Deed(moment["at"], "table", moment["source"], "", moment["words"], "")
        for moment in moments
        if moment["kind"] in _AT_THE_TABLE
    ]


def _of_alert(history: AlertHistory | None) -> list[Deed]:
    if history is None:
        return []
    return [
        Deed(
            step.at, "alert", step.by, "" if step.action == "escalated" else step.role,
            " ".join(filter(None, (step.action, f"as {step.disposition}" if step.disposition else "",
                                   f"to {to}" if (to := told_to(step)) else ""))),
            step.note,
        )
        for step in life_of(history.steps).standing
    ]  # fmt: skip


def _of_records(store: Store, state: FindingState) -> list[Deed]:
    """Who looked at the round, or at this alert of it, since."""
    about = state.finding
    if about.table is None or about.round is None:
        return []
    entries = access_entries(store, start=state.raised * 1_000, table=about.table)
    return [
        Deed(entry.at, "access", entry.who, entry.role, entry.action, "")
        for entry in entries
        if entry.shoe == about.shoe
        and entry.round == about.round
        and not entry.action.startswith("alert:")
        and entry.detail.get("alert", about.id) == about.id
    ]
