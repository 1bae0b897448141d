"""What the register says of a clause: its subject, whether events can show a breach, and the checks that do."""

from dataclasses import dataclass, replace
from typing import Literal

from games.documents import RuleDocument

Kind = Literal["checkable", "partly", "not checkable", "definition"]
"""Checkable: events alone decide. Partly: only when an incident or a ruling is itself reported, or only a part of the
clause. Not checkable: physical acts, discretion, permissions. Definition: no check of its own."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One numbered clause of one rule document."""

    number: str
    """As the document has it, e.g. ``3.10.4.1``; ``Appendix`` or ``Diagrams`` for the drawings of the layout."""
    subject: str
    """What it is about, in our own words."""
    kind: Kind
    checks: tuple[str, ...] = ()
    """The files of audit/checks that carry it; ``settlement`` and ``table_of_play`` where the rulebook itself does."""
    why_not: str = ""
    """What cannot be checked, and why."""
    document: str = ""
    """The name of the rule document."""


def checkable(number: str, subject: str, *checks: str) -> Clause:
    """A clause whose breach events alone can show."""
    return Clause(number, subject, "checkable", checks)


def partly(number: str, subject: str, *checks: str, but: str) -> Clause:
    """A clause of which a part can be checked; ``but`` says what cannot."""
    return Clause(number, subject, "partly", checks, but)


def not_checkable(number: str, subject: str, why: str) -> Clause:
    """A clause that no event can show a breach of."""
    return Clause(number, subject, "not checkable", (), why)


def definition(number: str, subject: str) -> Clause:
    """A definition or a heading that other clauses use."""
    return Clause(number, subject, "definition")


def of_document(document: RuleDocument, *clauses: Clause) -> tuple[Clause, ...]:
    """These clauses as those of a document."""
    return tuple(replace(clause, document=document.name) for clause in clauses)
