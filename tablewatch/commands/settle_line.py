"""One line of ``tablewatch settle``: what is asked, and the answer."""

import json
import re
from collections.abc import Callable, Hashable, Mapping
from functools import cache, lru_cache
from operator import itemgetter
from typing import Final, NamedTuple

import orjson

from games.cards import RANK
from games.money import decimal_text, finite_decimal
from games.rulebook import GAMES, Game
from games.settlement import Result, settle_hands

LONGEST_STAKE: Final = 1000
"""More characters than any amount of money has."""

RoundId = str | int | None

_PLAIN_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_NEXT_CARD = '","'


class BadLineError(ValueError):
    """A line that cannot be answered: why, and the round's id where it can be read."""

    def __init__(self, reason: str, round_id: RoundId = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.round_id = round_id


def answer(line: bytes, games: Mapping[str, Game] = GAMES) -> str:
    """The answer to one line, as JSON without a newline; raises ``BadLineError``."""
    try:
        asked = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BadLineError(f"not JSON, at column {error.colno}: {error.msg}") from None
    if type(asked) is not dict:
        raise BadLineError(f"a round must be a JSON object, not {_shown(asked)}")
    round_id, decks = asked.get("id"), asked.get("decks")
    if type(round_id) is float or type(decks) is float:
        round_id, decks = _exact_numbers(line, round_id, decks)
    if type(round_id) is not str and type(round_id) is not int:
        raise BadLineError(_wrong(asked, "id", "a string or a whole number"))
    name = asked.get("game")
    game = games.get(name) if type(name) is str else None
    if game is None:
        raise BadLineError(_wrong(asked, "game", "one of the games that --games lists"), round_id)
    if type(decks) is not int or decks < 1:
        raise BadLineError(_wrong(asked, "decks", "a whole number of 1 or more"), round_id)
    cards = asked.get("cards")
    if type(cards) is not list:
        raise BadLineError(_wrong(asked, "cards", "a list of card codes in the order of the draws"), round_id)
    try:
        status, hands, result = settle_hands(game, decks, cards)
    except TypeError:  # a list or an object in place of a card
        status, hands, result = "foreign-card", None, None
    # Cards that make a round are of the game's deck; where they do not, they may be of no deck at all.
    if result is None:
        for card in cards:
            if type(card) is not str or card not in RANK:
                raise BadLineError(f'"cards": {_shown(card)} is of neither deck; a card is e.g. "10H"', round_id)
    stake = asked.get("stake")
    start = f'{{"id":{_printed_id(round_id)},"status":"{status}","outcome":'
    try:
        if hands is None or result is None:
            _amount(stake)
            return f'{start}null,"net":null}}'
        before, between, after = _around_the_hands(result, stake)
    except (TypeError, ValueError):
        raise BadLineError(_wrong(asked, "stake", 'a plain decimal string such as "100" or "0.5"'), round_id) from None
    first, second = hands
    # Card codes are letters and digits: nothing in them needs escaping.
    return f"{start}{before}{_NEXT_CARD.join(first)}{between}{_NEXT_CARD.join(second)}{after}"


def refusal(error: BadLineError, number: int, name: str | None) -> str:
    """The answer to a line that has no other, as JSON without a newline; ``name`` is its file's, if that has one."""
    where = f"line {number}" if name is None else f"{name}, line {number}"
    reason = orjson.dumps(f"{where}: {error.reason}").decode()
    return f'{{"id":{_printed_id(error.round_id)},"status":"invalid","error":{reason}}}'


def _printed_id(round_id: RoundId) -> str:
    return str(round_id) if type(round_id) is int else orjson.dumps(round_id).decode()


def _amount(stake: object) -> tuple[int, int]:
    """A stake as a whole number of its decimal places, and how many places; ``ValueError`` if it is not one."""
    if type(stake) is not str or len(stake) > LONGEST_STAKE or _PLAIN_DECIMAL.fullmatch(stake) is None:
        raise ValueError
    whole, _, fraction = stake.partition(".")
    return int(whole + fraction), len(fraction)


@lru_cache(maxsize=65_536)
def _around_the_hands(result: Result, stake: Hashable) -> tuple[str, str, str]:
    """What is printed before, between and after the hands: it depends on the result and the stake alone."""
    form = _form(result)
    digits, places = _amount(stake)
    nets = [decimal_text(digits * net_digits, places + net_places) for net_digits, net_places in form.nets]
    return form.before, form.between, form.after % form.by_wager(nets)


class _Form(NamedTuple):
    """A printed result with hands and amounts left open."""

    before: str
    between: str
    after: str
    """With a place for the amount of each wager."""
    nets: list[tuple[int, int]]
    """The different nets per unit staked: digits and decimal places."""
    by_wager: Callable[[list[str]], tuple[str, ...]]
    """From the amounts of the different nets to those of the wagers."""


@cache
def _form(result: Result) -> _Form:
    totals = orjson.dumps(result.totals).decode()
    first, second = result.totals
    places = ",".join(f'"{wager}":"%s"' for wager in result.nets)
    nets = list(dict.fromkeys(result.nets.values()))
    return _Form(
        f'{{"winner":"{result.winner}","totals":{totals},"hands":{{"{first}":["',
        f'"],"{second}":["',
        f'"]}}}},"net":{{{places}}}}}',
        [finite_decimal(net) for net in nets],
        itemgetter(*(nets.index(net) for net in result.nets.values())),
    )


def _exact_numbers(line: bytes, round_id: object, decks: object) -> tuple[object, object]:
    """The two numbers read once more: the fast decoder makes a float of an integer beyond 64 bits."""
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError):
        return round_id, decks
    return asked.get("id"), asked.get("decks")


def _wrong(asked: dict[str, object], field: str, wanted: str) -> str:
    if field not in asked:
        return f'"{field}" is missing: it must be {wanted}'
    return f'"{field}" must be {wanted}, not {_shown(asked[field])}'


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = orjson.dumps(value).decode()
    return text if len(text) <= 60 else f"{text[:57]}..."
