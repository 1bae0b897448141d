"""`tablewatch settle` a second time: one round of cards in, the net of every wager out."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from typing import Any

from tests.oracle import rules
from tests.oracle.money import decimal
from tests.oracle.validate import decode, is_card, is_count, is_integer


def settle_line(line: bytes) -> dict[str, Any]:
    """The answer to one input line, as section 5 of the contract has it."""
    try:
        value = decode(line)
    except ValueError as error:
        return {"id": None, "status": "invalid", "error": str(error)}
    identity = value.get("id") if isinstance(value, dict) else None
    wrong = line_wrong(value)
    if wrong:
        return {"id": identity, "status": "invalid", "error": wrong}
    game, decks, cards, stake = value["game"], value["decks"], value["cards"], Fraction(value["stake"])
    answer: dict[str, Any] = {"id": identity, "status": "ok", "outcome": None, "net": None}
    if not rules.decks_allowed(game, decks):
        return {**answer, "status": "decks-not-allowed"}
    if any(card not in rules.deck(game) or count > decks for card, count in Counter(cards).items()):
        return {**answer, "status": "foreign-card"}
    dealt = rules.deal(game, cards)
    if dealt is None:
        return {**answer, "status": "card-missing"}
    hands, used = dealt
    outcome = rules.outcome(game, hands)
    return {
        **answer,
        "status": "card-extra" if len(cards) > used else "ok",
        "outcome": {key: outcome[key] for key in ("winner", "totals", "hands")},
        "net": {wager: decimal(rules.net(game, wager, hands) * stake) for wager in rules.WAGERS[game]},
    }


def line_wrong(value: Any) -> str | None:
    if not isinstance(value, dict):
        return "not a JSON object"
    if not value.keys() >= {"id", "game", "decks", "cards", "stake"}:
        return "fields missing"
    if not isinstance(value["id"], str) and not is_integer(value["id"]):
        return "id is wrong"
    if value["game"] not in rules.GAMES:
        return "unknown game"
    if not is_count(value["decks"]):
        return "decks is wrong"
    if not isinstance(value["cards"], list) or not all(is_card(card) for card in value["cards"]):
        return "cards is wrong"
    stake = value["stake"]
    if not isinstance(stake, str) or not re.fullmatch(r"[0-9]+(\.[0-9]+)?", stake):
        return "stake is wrong"
    return None
