"""Section 6, Money: what each bet should have been paid, and what was."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.oracle.cards import Cards
from tests.oracle.record import Holes, Round
from tests.oracle.rules import WAGERS, settle
from tests.oracle.stakes import Standing, closing_may_be_lost, placings
from tests.oracle.timeline import Finding, after, finding
from tests.oracle.validate import Event

Amounts = tuple[Fraction, Fraction]
NOTHING: Amounts = (Fraction(0), Fraction(0))


def plain(value: Fraction) -> int | str:
    """An integer, or an exact decimal string where an amount is not whole."""
    if value.denominator == 1:
        return int(value)
    return decimal(value)


def decimal(value: Fraction) -> str:
    """Plain decimals, no exponent, no trailing zeros."""
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    sign = "-" if value < 0 else ""
    text = str(abs(int(value * 10**digits))).rjust(digits + 1, "0")
    return sign + (f"{text[:-digits]}.{text[-digits:]}" if digits else text)


def shown(amounts: Amounts | None) -> dict[str, int | str] | None:
    return None if amounts is None else {"paid": plain(amounts[0]), "collected": plain(amounts[1])}


def settlements(r: Round, bet: str) -> list[Event]:
    """Settlements and corrections of a bet, in order; the first settlement comes first unless it is beyond doubt later
    than a correction."""
    events = [e for e in r.of("bet.settled.v1", "bet.corrected.v1") if e["data"]["bet"] == bet]
    settled = [e for e in events if e["type"] == "bet.settled.v1"]
    corrected = [e for e in events if e["type"] == "bet.corrected.v1"]
    if settled and corrected and not after(settled[0], corrected[0]):
        events = [settled[0], *(e for e in events if e is not settled[0])]
    return events


def moved(event: Event) -> Amounts:
    return Fraction(event["data"]["paid"]), Fraction(event["data"]["collected"])


def settled_bets(r: Round) -> list[str]:
    return sorted({e["data"]["bet"] for e in r.of("bet.settled.v1", "bet.corrected.v1")})


def actual(r: Round, bet: str) -> Amounts | None:
    """The last correction counts; without one, the first settlement (a second one is a finding)."""
    events = settlements(r, bet)
    if not events:
        return None
    corrections = [e for e in events if e["type"] == "bet.corrected.v1"]
    return moved(corrections[-1] if corrections else events[0])


def player_key(placing: Event) -> tuple[str, Any]:
    """5.14: players not known are told apart by position."""
    player = placing["data"]["player"]
    return ("position", placing["data"]["position"]) if player is None else ("player", player)


def uses_5_14(r: Round, standings: dict[str, Standing]) -> set[tuple[str, Any]]:
    """Players of whom a bet under the minimum was paid or collected in this round."""
    found = set()
    for bet, placing in placings(r).items():
        limit = r.limits.get(placing["data"]["wager"])
        if limit and 0 < standings[bet].stake < limit["min"] and actual(r, bet) not in (None, NOTHING):
            found.add(player_key(placing))
    return found


def due(r: Round, placing: Event, standing: Standing, cards: Cards) -> Amounts | None:
    """(paid, collected) by the rules, for a round that is not void; None when the outcome is not known."""
    wager, stake = placing["data"]["wager"], standing.stake
    if stake and cards.dealt is None:
        return None
    if stake == 0 or wager not in WAGERS[r.game]:  # "one on a wager that the game has not is returned"
        return NOTHING
    limit = r.limits.get(wager)
    if r.is_dtb_or_ff4 and limit:
        if stake < limit["min"] and player_key(placing) in r.used_5_14:
            return NOTHING
        stake = min(stake, limit["max"])  # 5.15
    assert cards.dealt is not None
    return settle(r.game, wager, stake, cards.dealt[0])


def is_right(given: Amounts, expected: Amounts) -> bool:
    """Where the exact amount is not whole, the whole amounts on either side are both right."""
    return all(abs(mine - exact) < 1 for mine, exact in zip(given, expected, strict=True))


def payout_findings(
    r: Round, standings: dict[str, Standing], cards: Cards, judge_amounts: bool, holes: Holes
) -> tuple[list[Finding], list[str]]:
    """payout-* of a round that is not void, and the facts that a hole may have taken."""
    found: list[Finding] = []
    missing: list[str] = []
    placed = placings(r)
    for bet in sorted({*placed, *settled_bets(r)}):
        where = {**r.about(), "bet": bet}
        events = settlements(r, bet)
        if bet not in placed and holes.could_be(r, "placing"):
            missing.append(f"the placing of bet {bet}")
            continue
        stands = bet in placed and standings[bet].stake > 0
        if not events:
            if stands and holes.could_be(r, "settlement"):
                missing.append(f"the settlement of bet {bet}")
            elif stands and not closing_may_be_lost(r, holes, bet):
                found.append(finding("payout-missing", r.table, **where))
            continue
        open_question = bet in placed and closing_may_be_lost(r, holes, bet)
        expected = due(r, placed[bet], standings[bet], cards) if bet in placed else NOTHING
        last = actual(r, bet)
        corrections = [place for place, e in enumerate(events) if e["type"] == "bet.corrected.v1"]
        put_right = bool(corrections) and expected is not None and last is not None and is_right(last, expected)
        for place, event in enumerate(events):
            twice = place > 0 and event["type"] == "bet.settled.v1"
            given = moved(event)
            if twice or not stands:
                if given == NOTHING:
                    continue  # "A settlement of 0 and 0 is never payout-unexpected"
                code = "payout-unexpected"
                if open_question and not twice:
                    continue
            elif open_question:
                continue
            elif expected is not None and judge_amounts and not is_right(given, expected):
                code = "payout-wrong"
            else:
                continue
            amounts = {"expected": shown(NOTHING if twice else expected), "actual": shown(given)}
            settles_it = put_right and not open_question
            corrected = {"corrected": True} if settles_it and place < corrections[-1] else {}
            found.append(finding(code, r.table, **where, **amounts, **corrected))
    return found, missing


def void_findings(r: Round) -> list[Finding]:
    """A rightly void round: void-not-returned for each bet that money moved on."""
    found = []
    for bet in settled_bets(r):
        events = settlements(r, bet)
        if any(moved(event) != NOTHING for event in events):
            amounts = next(moved(event) for event in events if moved(event) != NOTHING)
            corrections = [place for place, e in enumerate(events) if e["type"] == "bet.corrected.v1"]
            later = events[corrections[-1] :] if corrections else []
            put_right = bool(corrections) and all(moved(event) == NOTHING for event in later)
            corrected = {"corrected": True} if put_right else {}
            found.append(
                finding(
                    "void-not-returned",
                    r.table,
                    **r.about(),
                    bet=bet,
                    expected=shown(NOTHING),
                    actual=shown(amounts),
                    **corrected,
                )
            )
    return found
