"""Section 6, Order and Display, and the dealing methods: what the floor announced and what the display showed."""

from __future__ import annotations

from typing import Any

from tests.oracle.cards import Cards
from tests.oracle.record import Holes, Round
from tests.oracle.rules import hand_names
from tests.oracle.timeline import Finding, after, before, finding
from tests.oracle.validate import Event

REOPENING = ("bet.placed.v1", "bet.changed.v1", "bet.withdrawn.v1", "card.drawn.v1", "bet.settled.v1")


def order_findings(r: Round, holes: Holes) -> tuple[list[Finding], list[str]]:
    """round-out-of-order, one per kind: missing, doubled, wrong order, reopened; and what a hole may have taken."""
    opened, shut, closed = r.of("round.opened.v1"), r.of("bets.closed.v1"), r.of("round.closed.v1")
    missing, doubled, disorder = [], False, False
    resets = r.rulings("device-reset")
    opened_again: list[Event] = []
    shut_again: list[Event] = []
    if resets:  # "a second closing is required and a second opening allowed", after each reset
        opened_again = [e for e in opened[1:] if not before(e, resets[0])][: len(resets)]
        shut_again = [e for e in shut[1:] if not before(e, resets[0])][: len(resets)]
        if shut and (not shut_again or before(shut[-1], resets[-1])):
            missing.append("bets.closed after the device reset")
    first_opened = [e for e in opened if e not in opened_again]
    first_shut = [e for e in shut if e not in shut_again]
    for name, events in (("round.opened", first_opened), ("bets.closed", first_shut), ("round.closed", closed)):
        if not events:
            missing.append(name)
        if len(events) > 1:
            doubled = True
    steps = [first_opened[:1], first_shut[:1], opened_again[-1:], shut_again[-1:], closed[:1]]
    line = [event for step in steps for event in step]
    disorder = any(before(line[j], line[i]) for i in range(len(line)) for j in range(i + 1, len(line)))
    reopened = any(
        (closed and after(event, closed[0])) or (r.next_opening is not None and after(event, r.next_opening))
        for event in r.of(*REOPENING)
    )
    found, hidden = [], []
    if missing and holes.could_be(r, "announcement"):
        hidden = missing
    elif missing:
        found.append("missing")
    found += [kind for kind, there in (("doubled", doubled), ("order", disorder), ("reopened", reopened)) if there]
    return [finding("round-out-of-order", r.table, **r.about(), kind=kind) for kind in found], hidden


def method_findings(r: Round) -> list[Finding]:
    """DTB 3.9, FF4 3.8: Methods A, B, C, the last in the HLGA alone; other games have none. One finding per kind."""
    assert r.config is not None
    methods = {e["data"]["method"] for e in r.of("round.opened.v1")} - {None}
    kinds = []
    if methods and not r.is_dtb_or_ff4:
        kinds.append("the game has none")
    else:
        if "C" in methods and r.config["area"] != "hlga":
            kinds.append("outside the HLGA")
        if len(methods) > 1:
            kinds.append("changed")
    return [finding("method-not-allowed", r.table, **r.about(), actual=sorted(methods), kind=kind) for kind in kinds]


def shown_right(display: Event, game: str, outcome: dict[str, Any]) -> bool:
    winner, totals = display["data"]["winner"], display["data"]["totals"]
    if winner != outcome["winner"]:
        return False
    if totals is None:
        return True
    if set(totals) != set(hand_names(game)):
        return False
    return all(type(totals[h]) is type(outcome["totals"][h]) and totals[h] == outcome["totals"][h] for h in totals)


def display_findings(r: Round, cards: Cards, void_ruling: Event | None) -> list[Finding]:
    """Every display is checked; before a void ruling by the cards, later ones must say void."""
    found = []
    for display in r.of("result.displayed.v1"):
        says_void = display["data"]["winner"] == "void"
        by_cards = cards.outcome is None or shown_right(display, r.game, cards.outcome)
        if void_ruling is None or before(display, void_ruling):
            right = by_cards
        elif after(display, void_ruling):
            right = says_void
        else:  # within the tolerance of the ruling: either may be meant
            right = by_cards or says_void
        if not right:
            actual = {key: display["data"][key] for key in ("winner", "totals")}
            expected = None
            if cards.outcome:
                expected = {key: cards.outcome[key] for key in ("winner", "totals")}
            if void_ruling is not None and after(display, void_ruling):
                expected = {"winner": "void", "totals": None}
            found.append(
                finding("display-mismatch", r.table, **r.about(), expected=expected, actual=actual, event=display["id"])
            )
    return found
