"""Section 6, Incidents, Void and Roles: what makes a round void, what founds a void, and who may rule."""

from __future__ import annotations

from tests.oracle.cards import Cards
from tests.oracle.record import Round
from tests.oracle.rules import DT, DTB, EB, FF4, SE, outcome_established
from tests.oracle.stakes import under_clause
from tests.oracle.timeline import Finding, finding
from tests.oracle.validate import ROLES, Event


def requires_void(r: Round, cards: Cards) -> bool:
    """Do the rules themselves make this round void? Of a shoe that was never loaded nobody can tell."""
    if r.decks is None:
        return False
    document = r.document
    reconstructed = bool(r.rulings("reconstructed"))  # "The order is known exactly if …"
    if cards.foreign or cards.insufficient:
        return True
    if r.incidents("foreign-card"):  # 5.1 of every document
        return True
    if document in (DTB, FF4, EB):  # SE and DT 5.1 speak of foreign cards alone
        if r.incidents("unshuffled-cards"):
            return True
        # where a Player left with cards, DTB and FF4 5.11 is the special rule
        if r.incidents("missing-card") and not (document != EB and r.incidents("player-left-with-cards")):
            return True
    if r.incidents("order-altered") and not reconstructed:  # DTB, FF4, EB 5.2; SE, DT 5.4
        return True
    for incident in r.incidents("cards-drawn-together"):
        if not reconstructed and drawn_together_voids(document, incident):
            return True
    failures = [ruling for ruling in r.rulings("power-failure") if ruling["data"]["scope"] == "table"]
    return document == EB and not cards.unclear and any(not established(r, cards, ruling) for ruling in failures)


def drawn_together_voids(document: str, incident: Event) -> bool:
    """A-23, order unknown: in the initial deal void everywhere; later void in DT and EB only."""
    draws = incident["data"]["draws"]
    initial = not draws or min(draws) <= (2 if document == DT else 4)
    return initial or document in (DT, EB)


def established(r: Round, cards: Cards, ruling: Event) -> bool:
    """EB 5.9: had any wager on offer conclusively won or lost with the cards drawn by then?"""
    drawn = {e["data"]["draw"] for e in r.of("card.drawn.v1") if e["key"] <= ruling["key"]}
    if cards.unclear:
        return False
    known = [card for draw, card in zip(cards.order, cards.sequence, strict=True) if draw in drawn]
    return outcome_established(r.game, known, list(r.limits))


def founded(r: Round, cards: Cards) -> bool:
    """Is there anything on record that makes a declared void right?"""
    if r.decks is None:
        return False
    if requires_void(r, cards):
        return True
    if r.document in (SE, DT) and cards.wrong_count:  # SE, DT 5.2: founds a void and does not require one
        return True
    if r.document == EB and any(not established(r, cards, ruling) for ruling in r.rulings("power-failure")):
        return True
    return r.document in (DTB, FF4, EB) and any(
        under_clause(ruling["data"]["clause"], "6.1") and authorised(r, ruling) for ruling in r.rulings("void")
    )


def needed_role(r: Round, ruling: Event) -> str:
    if ruling["data"]["ruling"] == "bets-refused":
        return "dealer"
    clause = ruling["data"]["clause"]
    by_role: dict[str, list[str]] = {"gaming_shift_manager": ["5.11", "6.1"]}
    if r.is_dtb_or_ff4:
        by_role["dealer"] = ["3.17.1", "5.18.1"]
        by_role["pit_manager"] = ["3.7.1" if r.document == DTB else "3.6.1", "5.8.2.2", "5.18.3"]
    for role, clauses in by_role.items():
        if any(under_clause(clause, known) for known in clauses):
            return role
    return "pit_supervisor"


def authorised(r: Round, ruling: Event) -> bool:
    return ROLES.index(ruling["data"]["by"]) >= ROLES.index(needed_role(r, ruling))


def role_findings(r: Round) -> list[Finding]:
    found = []
    for ruling in r.of("ruling.made.v1"):
        if not authorised(r, ruling):
            roles = {"expected": needed_role(r, ruling), "actual": ruling["data"]["by"]}
            found.append(finding("ruling-not-authorised", r.table, **r.about(), **roles))
    for correction in r.of("bet.corrected.v1"):
        if correction["data"]["by"] == "dealer":
            roles = {"expected": "pit_supervisor", "actual": "dealer"}
            where = {**r.about(), "bet": correction["data"]["bet"]}
            found.append(finding("ruling-not-authorised", r.table, **where, **roles))
    return found
