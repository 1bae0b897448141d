"""What if: a stored round with something otherwise; nothing of it is stored."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field

from console.api.models import Given, Told
from console.api.rounds import Number, Shoe, Table, note_round, stored_round
from console.findings import told_finding
from console.server.gate import SignedIn
from console.server.parts import Console
from console.server.problems import Refused
from replay.changes import Changes, InvalidChange
from replay.what_if import compared_json, what_if
from schemas.words import Card, WagerName
from store.rows.verdicts import RoundKey

router = APIRouter(prefix="/api/v1/rounds", tags=["rounds"])

Minor = Annotated[int, Field(ge=0, le=2**53 - 1)]
Milliseconds = Annotated[int, Field(ge=0, le=3_600_000)]
ReadingName = Annotated[str, Field(max_length=40)]


class Limit(Given):
    """Another minimum and maximum of a wager."""

    min: Minor
    max: Minor


class Otherwise(Given):
    """What is to be otherwise."""

    readings: Annotated[dict[ReadingName, str], Field(max_length=10)] = Field(default_factory=dict)
    """By name of the unclear rule, another reading."""
    limits: Annotated[dict[WagerName, Limit], Field(max_length=30)] = Field(default_factory=dict)
    differential_limit: Minor | None = None
    cards: Annotated[dict[str, Card], Field(max_length=10)] = Field(default_factory=dict)
    """By number of the draw, another card."""
    tolerance_ms: Milliseconds | None = None
    """With which events of two sources are compared."""


class SidesTold(Told):
    """As it is, and as it would be."""

    now: str | None
    then: str | None


class BetOtherwise(Told):
    """A bet on which something else would be due; amounts are what the player wins."""

    bet: str
    position: int
    player: str | None
    wager: str
    stake: int | str
    due: int | str | None
    due_then: int | str | None
    moved: int | str | None


class FindingNamed(Told):
    """A finding that would appear or go."""

    code: str
    severity: str
    message: str
    rule: str | None


class RoundOtherwise(Told):
    """A round that would come out otherwise."""

    table: str
    shoe: str
    round: int
    status: SidesTold
    outcome: SidesTold
    appeared: list[FindingNamed]
    gone: list[FindingNamed]
    bets: list[BetOtherwise]
    difference: int | str
    """What players would win more."""


class ComparedTold(Told):
    """What a what-if gave."""

    rounds: int
    """Looked at: later rounds of the shoe too, where a fact is otherwise."""
    changed: list[RoundOtherwise]
    difference: int | str


@router.post("/{table}/{shoe:path}/{round:int}/what-if", summary="The round with something otherwise")
async def ask_what_if(
    table: Table, shoe: Shoe, round: Number, given: Otherwise, session: SignedIn, parts: Console, request: Request
) -> ComparedTold:
    """Judged as it is and with the change: what differs in outcome, findings and money. Nothing is stored."""
    key = RoundKey(table, shoe, round)
    stored = await asyncio.to_thread(stored_round, parts.store, key)
    if stored.last is None:
        raise Refused(409, "the round is still open: it has no verdict to compare with")
    try:
        changes = _changes(given)
        if not changes.any:
            raise Refused(422, "nothing is to be otherwise: choose a reading, a limit or a card")
        found = await asyncio.to_thread(what_if, parts.store, [key], changes, meant=key)
    except InvalidChange as error:
        raise Refused(422, str(error)) from error
    note_round(parts, session, "asked what if", key, request, given.model_dump(exclude_defaults=True))
    told = compared_json(found)
    currency = None if stored.configuration is None else stored.configuration.data.currency
    for each in told["changed"]:
        for side in ("status", "outcome"):
            each[side] = {"now": each[side]["is"], "then": each[side]["then"]}
        for side in ("appeared", "gone"):
            each[side] = [told_finding(finding, currency, masking=False) for finding in each[side]]
    return ComparedTold.model_validate(told)


def _changes(given: Otherwise) -> Changes:
    try:
        cards = {int(draw): card for draw, card in given.cards.items()}
    except ValueError as error:
        raise Refused(422, "cards are named by the number of their draw") from error
    return Changes(
        readings=given.readings,
        tolerances={} if given.tolerance_ms is None else {"tolerance_ms": given.tolerance_ms},
        setup={} if given.differential_limit is None else {"differential_limit": given.differential_limit},
        limits={wager: (limit.min, limit.max) for wager, limit in given.limits.items()},
        cards=cards,
    )
