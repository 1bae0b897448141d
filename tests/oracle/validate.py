"""Contract sections 1 and 2: is a line an event, and if not, why not, and what can still be read of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from tests.oracle.rules import ALL_CARDS, ALL_WAGERS, GAMES, RANKS_52

Event = dict[str, Any]
Check = Callable[[Any], bool]

ROLES = ["dealer", "pit_supervisor", "pit_manager", "assistant_casino_manager", "gaming_shift_manager"]
INCIDENTS = [
    "foreign-card", "missing-card", "unshuffled-cards", "order-altered", "cards-drawn-together", "wrong-order",
    "wrong-delivery", "face-up-card", "exposed-card", "player-left-with-cards", "other",
]  # fmt: skip
WINNERS = ["player", "banker", "tie", "dragon", "tiger", "void"]
MAX_MONEY = 2**53 - 1
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z")


def microseconds(text: str) -> int:
    """A contract time as microseconds since 1970."""
    moment = datetime.fromisoformat(text[:-1]).replace(tzinfo=UTC)
    delta = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86400 + delta.seconds) * 1_000_000 + delta.microseconds


def is_time(value: Any) -> bool:
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value[:-1])
    except ValueError:
        return False
    return True


def is_string(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_count(value: Any) -> bool:
    return is_integer(value) and 1 <= value <= MAX_MONEY


def is_restriction(value: Any) -> bool:
    return is_integer(value) and 0 <= value <= MAX_MONEY


def is_money(value: Any) -> bool:
    return is_integer(value) and 0 <= value <= MAX_MONEY


def is_stake(value: Any) -> bool:
    return is_money(value) and value >= 1


def is_card(value: Any) -> bool:
    return isinstance(value, str) and value in ALL_CARDS


def one_of(*words: str) -> Check:
    return lambda value: isinstance(value, str) and value in words


def or_null(check: Check) -> Check:
    return lambda value: value is None or check(value)


def list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(check(item) for item in value)


def is_limits(value: Any) -> bool:
    return isinstance(value, dict) and all(
        wager in ALL_WAGERS
        and isinstance(limit, dict)
        and set(limit) == {"min", "max"}
        and is_money(limit["min"])
        and is_money(limit["max"])
        for wager, limit in value.items()
    )


def is_totals(value: Any) -> bool:
    """By any name, a point total from 0 to 9, or a rank as a string: whether a name is a hand, the game decides."""
    return isinstance(value, dict) and all(
        is_string(hand) and ((is_integer(shown) and 0 <= shown <= 9) or (isinstance(shown, str) and shown in RANKS_52))
        for hand, shown in value.items()
    )


def is_scope(value: Any) -> bool:
    return value == "table" or list_of(is_count)(value)


_ROUND: dict[str, Check] = {"shoe": is_string, "round": is_count}
REQUIRED: dict[str, dict[str, Check]] = {
    "table.configured.v1": {
        "game": one_of(*GAMES),
        "currency": is_string,
        "area": one_of("main", "hlga"),
        "positions": is_count,
        "max_wagers_per_area": or_null(is_restriction),
        "differential_limit": or_null(is_money),
        "limits": is_limits,
    },
    "shoe.loaded.v1": {"shoe": is_string, "decks": is_count},
    "shoe.cutting_card.v1": {**_ROUND, "before_draw": is_count},
    "shoe.ended.v1": {"shoe": is_string, "remaining": or_null(list_of(is_card))},
    "round.opened.v1": {**_ROUND, "method": or_null(one_of("A", "B", "C"))},
    "bet.placed.v1": {
        **_ROUND,
        "bet": is_string,
        "position": is_count,
        "player": or_null(is_string),
        "wager": one_of(*ALL_WAGERS),
        "amount": is_stake,
    },
    "bet.changed.v1": {**_ROUND, "bet": is_string, "amount": is_money},
    "bet.withdrawn.v1": {**_ROUND, "bet": is_string},
    "bets.closed.v1": _ROUND,
    "card.drawn.v1": {**_ROUND, "draw": is_count, "card": is_card},
    "result.displayed.v1": {**_ROUND, "winner": one_of(*WINNERS), "totals": or_null(is_totals)},
    "bet.settled.v1": {**_ROUND, "bet": is_string, "paid": is_money, "collected": is_money},
    "bet.corrected.v1": {
        **_ROUND,
        "bet": is_string,
        "paid": is_money,
        "collected": is_money,
        "by": one_of(*ROLES),
    },
    "incident.reported.v1": {
        **_ROUND,
        "incident": one_of(*INCIDENTS),
        "draws": list_of(is_count),
        "text": is_text,
    },
    "round.closed.v1": _ROUND,
    "device.heartbeat.v1": {"device_time": is_time},
}
OPTIONAL: dict[str, dict[str, Check]] = {
    "table.configured.v1": {
        "pit": is_string,
        "site": is_string,
        "time_zone": is_string,
        "cameras": list_of(is_string),
        "mode": one_of("live", "test", "closed"),
    },
    "round.opened.v1": {"dealer": is_string},
}
RULINGS: dict[str, dict[str, Check]] = {
    "void": {},
    "reconstructed": {"order": list_of(is_count)},
    "withdrawal-offered": {},
    "bets-refused": {"bets": list_of(is_string)},
    "bets-removed": {"bets": list_of(is_string)},
    "replacement-card": {"draw": is_count, "card": is_card},
    "wagers-restricted": {"max_wagers_per_area": is_restriction},
    "device-reset": {},
    "power-failure": {"scope": is_scope},
    "stands": {},
}
ENVELOPE: dict[str, Check] = {
    "specversion": lambda value: isinstance(value, str) and value == "1.0",
    "id": is_string,
    "source": is_string,
    "type": is_string,
    "subject": is_string,
    "time": is_time,
    "sequence": is_money,  # whole, and no larger than JSON can carry
    "data": lambda value: isinstance(value, dict),
}
ENVELOPE_OPTIONAL: dict[str, Check] = {"datacontenttype": is_string, "dataschema": is_string}


def fields_wrong(value: dict[str, Any], required: dict[str, Check], optional: dict[str, Check]) -> str | None:
    for name in sorted(value):
        if name not in required and name not in optional:
            return f"unknown field {name}"
    for name, check in required.items():
        if name not in value:
            return f"{name} is missing"
        if not check(value[name]):
            return f"{name} is wrong"
    for name, check in optional.items():
        if name in value and not check(value[name]):
            return f"{name} is wrong"
    return None


def event_wrong(event: Any) -> str | None:
    """The reason to reject a decoded line, or None."""
    if not isinstance(event, dict):
        return "not a JSON object"
    wrong = fields_wrong(event, ENVELOPE, ENVELOPE_OPTIONAL)
    if wrong:
        return wrong
    kind, data = event["type"], event["data"]
    if kind == "ruling.made.v1":
        common: dict[str, Check] = {**_ROUND, "ruling": one_of(*RULINGS), "clause": is_string, "by": one_of(*ROLES)}
        if not one_of(*RULINGS)(data.get("ruling")):
            return "ruling is wrong"
        return fields_wrong(data, {**common, **RULINGS[data["ruling"]]}, {})
    if kind not in REQUIRED:
        return "unknown type"
    return fields_wrong(data, REQUIRED[kind], OPTIONAL.get(kind, {}))


def decode(line: bytes) -> Any:
    """The JSON value of a line; ValueError when the bytes are not JSON. NaN and infinities are read, so that the rest
    of their event can be: no field allows a number that is not whole."""
    try:
        text = line.decode("utf-8")
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone surrogate is not text
    except (UnicodeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    return value


def read_line(
    line: bytes,
) -> tuple[Event | None, str | None, tuple[str, str, int, str | None] | None, str | None]:
    """(event, None, …) for a good line; (None, reason, its place in a sequence if readable, its table if readable)."""
    try:
        value = decode(line)
    except ValueError as error:
        return None, f"not JSON: {error}", None, None
    wrong = event_wrong(value)
    if wrong is None:
        return value, None, None, None
    place, table = None, None
    if isinstance(value, dict):
        source, subject, sequence = value.get("source"), value.get("subject"), value.get("sequence")
        table = subject if is_string(subject) else None
        if is_string(source) and is_string(subject) and isinstance(sequence, int) and is_money(sequence):
            kind = value.get("type")
            place = (str(source), str(subject), sequence, kind if isinstance(kind, str) else None)
    return None, wrong, place, table
