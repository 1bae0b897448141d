"""Who may rule what: the role that each clause asks for, and the roles in rising order."""

from games.documents import RuleDocument
from schemas.words import ROLES

RANK_OF_ROLE: dict[str, int] = {role: rank for rank, role in enumerate(ROLES)}


def within(clause: str, parent: str) -> bool:
    """Whether a clause is the named one or one of its sub-clauses."""
    return clause == parent or clause.startswith(parent + ".")


def role_needed(document: RuleDocument, ruling: str, clause: str) -> str:
    """The lowest role that may make this ruling; the role goes with the clause, whatever the ruling."""
    if ruling == "bets-refused" or any(within(clause, parent) for parent in document.dealer_clauses):
        return "dealer"
    if within(clause, "5.11") or within(clause, "6.1"):
        return "gaming_shift_manager"
    if any(within(clause, parent) for parent in document.pit_manager_clauses):
        return "pit_manager"
    return "pit_supervisor"


def may_act(role: str, needed: str) -> bool:
    """Whether a role is the one needed or a higher one (6.2)."""
    return RANK_OF_ROLE[role] >= RANK_OF_ROLE[needed]
