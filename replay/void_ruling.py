"""Why a round was declared void, as the ruling at the table has it: the clause that it names, and the ground of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from audit.facts import RoundFacts
from audit.roles import within
from games.documents import DOCUMENTS, RuleDocument
from replay.refund import Ground
from replay.rounds import EventsGone, RoundNotFound, load_round
from schemas.verdicts import Verdict
from store.connect import Store
from store.rows.verdicts import RoundKey

_DOCUMENTS = {document.name: document for document in DOCUMENTS}
_INCIDENTS = {"cards-drawn-together": "drawn-together"}
"""Incidents that are not called as the ground that they are."""


@dataclass(frozen=True, slots=True)
class VoidRuling:
    """What the first void ruling of a round says."""

    clause: str
    ground: Ground | None
    """None: the clause is of no ground that a refund sheet knows."""


def void_ruling(facts: RoundFacts, verdict: Verdict | None) -> VoidRuling | None:
    """The ruling by which a round is void; None where nobody declared it, or its verdict does not have it as void."""
    if verdict is None or verdict.rules is None or verdict.status != "void":
        return None
    voids = facts.rulings_of("void")
    document = _DOCUMENTS.get(verdict.rules.document)
    if not voids or document is None:
        return None
    clause = voids[0].data.clause
    return VoidRuling(clause, _ground(document, clause, facts))


def _ground(document: RuleDocument, clause: str, facts: RoundFacts) -> Ground | None:
    meant: list[Ground] = [
        ground for ground in get_args(Ground) if ground in document.clauses and within(clause, document.clauses[ground])
    ]
    # DTB 5.1 is of foreign, missing and unshuffled cards: what was reported tells which.
    reported = {_INCIDENTS.get(each.data.incident, each.data.incident) for each in facts.incidents}
    return next((ground for ground in meant if ground in reported), meant[0] if meant else None)


def ruled_ground(store: Store, verdicts: Iterable[Verdict]) -> Ground:
    """The one ground on which those of these rounds that are void were declared so; else the decision of the Gaming
    Shift Manager."""
    grounds = set[Ground]()
    for verdict in verdicts:
        if verdict.status != "void":
            continue
        try:
            facts = load_round(store, RoundKey(verdict.table, verdict.shoe, verdict.round)).facts
        except (EventsGone, RoundNotFound):
            continue
        ruling = void_ruling(facts, verdict)
        if ruling is not None and ruling.ground is not None:
            grounds.add(ruling.ground)
    return grounds.pop() if len(grounds) == 1 else "decision"
