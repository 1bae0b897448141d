"""Verdicts: what a round came to, one per round and revision."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal

import msgspec
from pydantic import ConfigDict, Field, GetCoreSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema, core_schema

from schemas.findings import Finding, as_json, plain
from schemas.words import Card, Count, GameName, Money, PointTotal, Rank, Text, WagerName, Winner

Status = Literal["verified", "flagged", "void", "unverifiable"]
STATUSES: tuple[Status, ...] = ("verified", "flagged", "void", "unverifiable")

_CONFIG = ConfigDict(strict=True, extra="forbid", use_attribute_docstrings=True)


class _ExactAmount:
    """Reads an amount from JSON: an integer, or a decimal string where it is not whole."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        not_whole = core_schema.str_schema(pattern=r"^(?:0|[1-9][0-9]*)\.[0-9]*[1-9]$", strict=True)
        return core_schema.union_schema(
            [
                core_schema.int_schema(ge=0, strict=True),
                core_schema.no_info_after_validator_function(Fraction, not_whole),
            ]
        )


Amount = Annotated[int | Fraction, _ExactAmount()]
"""Exact money; half a minor unit is a fraction."""


@dataclass(frozen=True, slots=True)
class RulesInForce:
    """The rule document that a round was judged by."""

    __pydantic_config__ = _CONFIG

    document: Text
    in_force: Annotated[str, Field(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    """The date from which it applies, at 00:00 Singapore time."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the cards come to."""

    __pydantic_config__ = _CONFIG

    winner: Winner
    totals: dict[Text, PointTotal | Rank]
    hands: dict[Text, tuple[Card, ...]]
    naturals: tuple[Text, ...]
    """The hands with a natural."""
    pairs: tuple[Text, ...]
    """The hands whose first two cards are a pair."""


@dataclass(frozen=True, slots=True)
class Displayed:
    """What the table's display showed last."""

    __pydantic_config__ = _CONFIG

    winner: Winner
    totals: dict[Text, PointTotal | Rank] | None


@dataclass(frozen=True, slots=True)
class Settled:
    """Money that moves, or moved, on one bet."""

    __pydantic_config__ = _CONFIG

    paid: Amount
    """Winnings, the stake not counted."""
    collected: Amount
    """The part of the stake that is taken."""


@dataclass(frozen=True, slots=True)
class Bet:
    """A bet that was ever placed in the round."""

    __pydantic_config__ = _CONFIG

    bet: Text
    position: Count
    player: Text | None
    wager: WagerName
    stake: Amount
    """What stands, 0 if nothing does; not capped by the maximum."""
    expected: Settled | None
    """By the rules; null where it cannot be said."""
    actual: Settled | None
    """As settled, or corrected last; null where it was not."""


@dataclass(frozen=True, slots=True)
class Differential:
    """The difference of all player and all banker stakes (DTB and FF4 5.18)."""

    __pydantic_config__ = _CONFIG

    closing: Money | None
    first_card: Money | None
    """It is judged here, once."""
    limit: Money | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a round came to, on the facts and settings alone."""

    __pydantic_config__ = _CONFIG

    table: Text
    shoe: Text
    round: Count
    revision: Count
    """From 1; a late fact that changes anything makes the next one."""
    game: GameName | None
    """Null where no configuration is known."""
    rules: RulesInForce | None
    status: Status
    outcome: Outcome | None
    """Null where the facts do not suffice."""
    displayed: Displayed | None
    bets: tuple[Bet, ...]
    """In the order of their ids."""
    differential: Differential | None
    findings: tuple[Finding, ...]
    settings: dict[str, Any]
    """Tolerances used and readings chosen."""
    digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """SHA-256 over the canonical facts."""


def verdict_json(verdict: Verdict) -> bytes:
    """A verdict as one line of JSON, its fields in the order of the contract."""
    fields = {
        "table": verdict.table,
        "shoe": verdict.shoe,
        "round": verdict.round,
        "revision": verdict.revision,
        "game": verdict.game,
        "rules": verdict.rules,
        "status": verdict.status,
        "outcome": verdict.outcome,
        "displayed": verdict.displayed,
        "bets": verdict.bets,
        "differential": verdict.differential,
        "findings": [as_json(finding) for finding in verdict.findings],
        "settings": verdict.settings,
        "digest": verdict.digest,
    }
    return _write(fields)


# The bets of a round are many small records, which msgspec writes in less than half of the time that orjson takes; the
# bytes are the same.
_write = msgspec.json.Encoder(enc_hook=plain).encode


VERDICT: TypeAdapter[Verdict] = TypeAdapter(Verdict)


def parse_verdict(raw: bytes) -> Verdict:
    """A verdict read back from its JSON."""
    return VERDICT.validate_json(raw)
