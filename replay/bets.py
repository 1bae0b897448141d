"""The bets of a round from stake to money: what is due on each, why, and whether that is what moved."""

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from games.paytable import printed_odds
from games.rulebook import WAGERS, Game
from games.settlement import features_of, outcome_of
from replay.cards import Reason, shapes_of
from schemas.findings import plain
from schemas.money import amount_words
from schemas.records import Configuration
from schemas.verdicts import Bet, Settled, Verdict


@dataclass(frozen=True, slots=True)
class BetLine:
    """A bet from its stake to its money."""

    bet: Bet
    title: str
    """The wager as the layout prints it."""
    reason: Reason | None
    """What is due and why; None where it cannot be said."""
    right: bool | None
    """Whether what was paid and collected is due; None where it cannot be said."""


def bet_line(bet: Bet, game: Game | None, verdict: Verdict | None, configuration: Configuration | None) -> BetLine:
    """A bet of a verdict with the reason for what is due on it."""
    right = None if bet.expected is None else _is_right(bet)
    reason = None
    if game is not None and verdict is not None and bet.expected is not None:
        reason = _due(bet, game, verdict, configuration)
    return BetLine(bet, WAGERS[bet.wager], reason, right)


def _is_right(bet: Bet) -> bool | None:
    """Where what is due is not whole, the whole amounts on either side are both right."""
    if bet.expected is None:
        return None
    if bet.actual is None:
        return not bet.stake or None
    pairs = ((bet.actual.paid, bet.expected.paid), (bet.actual.collected, bet.expected.collected))
    return all(-1 < Fraction(moved) - due < 1 for moved, due in pairs)


def _due(bet: Bet, game: Game, verdict: Verdict, configuration: Configuration | None) -> Reason:
    """What is due on a bet and why, in plain words."""
    document = game.document
    if verdict.status == "void":
        return Reason("void: the stake is returned", document.name, None)
    required = next((finding for finding in verdict.findings if finding.code == "void-required"), None)
    if required is not None:
        clause = (required.rule or "").rpartition(" ")[2] or None
        return Reason("void by the rules: the stake is returned", document.name, clause)
    if not bet.stake:
        return Reason("nothing stands, nothing is due", document.name, None)
    wager = game.wagers.get(bet.wager)
    if wager is None:
        return Reason("not a wager of this game: returned", document.name, document.clauses.get("wagers-offered"))
    if verdict.outcome is None:
        return Reason("nothing is due", document.name, None)
    limit = None if configuration is None else configuration.limits.get(bet.wager)
    if document.limits_settle and limit is not None and bet.stake < limit.min and bet.expected == Settled(0, 0):
        return Reason(
            "under the minimum once before: returned", document.name, document.clauses.get("under-minimum")
        )  # fmt: skip
    outcome = outcome_of(game, _cards_of(game, verdict))
    if outcome is None:
        return Reason("nothing is due", document.name, None)
    lines = wager.deciding_lines(features_of(game, *shapes_of(game, outcome)))
    words = " and ".join(f"{line.label}: {printed_odds(line.net)}" for line in lines) or f"{wager.title} loses"
    clause = ", ".join(dict.fromkeys(line.clause for line in lines)) or wager.clause
    if document.limits_settle and limit is not None and bet.stake > limit.max:
        currency = None if configuration is None else configuration.currency
        words += f", settled as the maximum of {amount_words(limit.max, currency)}"
        clause += f", {document.clauses['over-maximum']}"
    return Reason(words, document.name, clause)


def _cards_of(game: Game, verdict: Verdict) -> list[str]:
    """The cards of a verdict's outcome in the order of the draws."""
    assert verdict.outcome is not None
    first, second = (verdict.outcome.hands[hand] for hand in game.hands)
    initial = [card for pair in zip(first[:2], second[:2], strict=True) for card in pair]
    return [*initial, *first[2:], *second[2:]]


def bet_json(line: BetLine) -> dict[str, Any]:
    """A bet as JSON has it."""
    bet = line.bet
    return {
        "bet": bet.bet,
        "position": bet.position,
        "player": bet.player,
        "wager": bet.wager,
        "title": line.title,
        "stake": plain(bet.stake),
        "expected": None if bet.expected is None else plain(asdict(bet.expected)),
        "actual": None if bet.actual is None else plain(asdict(bet.actual)),
        "reason": None if line.reason is None else asdict(line.reason),
        "right": line.right,
    }
