"""Writes verdicts and the compact form of their rounds; the presence of a verdict is the mark that both are stored."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from games.cards import STANDARD
from games.money import plain_decimal
from games.rulebook import GAMES
from schemas.verdicts import Bet, Settled, Verdict, verdict_json
from schemas.verdicts_again import BetAgain, SettledAgain, VerdictAgain
from store.card_numbers import card_numbers
from store.connect import Store
from store.rows.verdicts import JudgedRound, JudgedRoundAgain
from store.ticks import arrival_ticks, device_ticks
from store.write.token import batch_token

_LEFT_OUT = 255
"""In place of the total of a hand that a display does not name."""
_NO_DATE = date(1970, 1, 1)
_RANKING = {rank: place for place, rank in enumerate(STANDARD.ranks, start=1)}


def write_verdicts(store: Store, rounds: Sequence[JudgedRound | JudgedRoundAgain]) -> None:
    """Stores verdicts. They may come again: of a revision the row judged first counts, of a round its last revision."""
    if not rounds:
        return
    published = [_published(each) for each in rounds]
    token = batch_token(
        "verdicts",
        (f"{each.judge}/{each.judged}/".encode() + json for each, json in zip(rounds, published, strict=True)),
    )
    store.insert("rounds", _round_columns(rounds), token)
    store.insert("verdicts", _verdict_columns(rounds, published), token)


def _published(judged: JudgedRound | JudgedRoundAgain) -> bytes:
    if isinstance(judged, JudgedRoundAgain):
        return judged.json
    return judged.json or verdict_json(judged.verdict)


def _verdict_columns(rounds: Sequence[JudgedRound | JudgedRoundAgain], published: list[bytes]) -> dict[str, list[Any]]:
    return {
        "table": [each.verdict.table for each in rounds],
        "shoe": [each.verdict.shoe for each in rounds],
        "round": [each.verdict.round for each in rounds],
        "revision": [each.verdict.revision for each in rounds],
        "digest": [bytes.fromhex(each.verdict.digest) for each in rounds],
        "judge": [each.judge for each in rounds],
        "judged": [arrival_ticks(each.judged) for each in rounds],
        "verdict": published,
    }


def _round_columns(rounds: Sequence[JudgedRound | JudgedRoundAgain]) -> dict[str, list[Any]]:
    verdicts = [each.verdict for each in rounds]
    columns: dict[str, list[Any]] = {
        "table": [verdict.table for verdict in verdicts],
        "shoe": [verdict.shoe for verdict in verdicts],
        "round": [verdict.round for verdict in verdicts],
        "revision": [verdict.revision for verdict in verdicts],
        "digest": [bytes.fromhex(verdict.digest) for verdict in verdicts],
        "judged": [arrival_ticks(each.judged) for each in rounds],
        "opened": [device_ticks(each.opened) for each in rounds],
        "ended": [device_ticks(each.ended) for each in rounds],
        "document": [verdict.rules.document if verdict.rules else "" for verdict in verdicts],
        "in_force": [date.fromisoformat(v.rules.in_force) if v.rules else _NO_DATE for v in verdicts],
        "decks": [each.decks or 0 for each in rounds],
        "pit": [each.pit or "" for each in rounds],
        "currency": [each.currency or "" for each in rounds],
        "dealer": [each.dealer or "" for each in rounds],
        "cards": [card_numbers(each.verdict.game, each.cards) for each in rounds],
    }
    bets = [verdict.bets for verdict in verdicts]
    return columns | outcome_columns(verdicts) | _bet_columns(bets)


def outcome_columns(verdicts: Sequence[Verdict | VerdictAgain]) -> dict[str, list[Any]]:
    """What the compact rows of rounds have of their game, status, findings and outcome."""
    return {
        "game": [verdict.game or "" for verdict in verdicts],
        "status": [verdict.status for verdict in verdicts],
        "codes": [[finding.code for finding in verdict.findings] for verdict in verdicts],
        "severities": [[finding.severity for finding in verdict.findings] for verdict in verdicts],
        "winner": [verdict.outcome.winner if verdict.outcome else "" for verdict in verdicts],
        "totals": [_totals(v.game, v.outcome.totals) if v.outcome else [] for v in verdicts],
        "naturals": [_bits(v.game, v.outcome.naturals) if v.outcome else 0 for v in verdicts],
        "pairs": [_bits(v.game, v.outcome.pairs) if v.outcome else 0 for v in verdicts],
        "displayed_winner": [verdict.displayed.winner if verdict.displayed else "" for verdict in verdicts],
        "displayed_totals": [
            _totals(v.game, v.displayed.totals) if v.displayed and v.displayed.totals is not None else []
            for v in verdicts
        ],
    }


def _bet_columns(bets: Sequence[Sequence[Bet | BetAgain]]) -> dict[str, list[Any]]:
    return {
        "bets.bet": [[bet.bet for bet in each] for each in bets],
        "bets.position": [[bet.position for bet in each] for each in bets],
        "bets.player": [[bet.player or "" for bet in each] for each in bets],
        "bets.wager": [[bet.wager for bet in each] for each in bets],
        "bets.stake": [[_whole(bet.stake) for bet in each] for each in bets],
        "bets.expected_paid": [[_exact(bet.expected, "paid") for bet in each] for each in bets],
        "bets.expected_collected": [[_exact(bet.expected, "collected") for bet in each] for each in bets],
        "bets.paid": [[_whole(bet.actual.paid) if bet.actual else None for bet in each] for each in bets],
        "bets.collected": [[_whole(bet.actual.collected) if bet.actual else None for bet in each] for each in bets],
    }


def _hands(game: str | None) -> tuple[str, str]:
    return GAMES[game].hands if game is not None and game in GAMES else ("player", "banker")


def _totals(game: str | None, totals: Mapping[str, int | str]) -> list[int]:
    """By hand in the order of the game; a rank as its place from Ace, 1, to King, 13 (DT 3.5)."""
    said = (totals.get(hand) for hand in _hands(game))
    return [_LEFT_OUT if total is None else _RANKING[total] if isinstance(total, str) else total for total in said]


def _bits(game: str | None, named: Sequence[str]) -> int:
    return sum(1 << place for place, hand in enumerate(_hands(game)) if hand in named)


def _whole(amount: int | Fraction | str) -> int:
    """Chips are whole; what is not, as JSON has it in a string, was never staked, paid or collected."""
    if isinstance(amount, str) or amount != int(amount):
        raise ValueError(f"{amount} is no whole amount")
    return int(amount)


def _exact(settled: Settled | SettledAgain | None, part: str) -> Decimal | None:
    if settled is None:
        return None
    amount = settled.paid if part == "paid" else settled.collected
    return Decimal(amount) if isinstance(amount, int | str) else Decimal(plain_decimal(amount))
