"""The refund sheet: what has to go back to whom if a round, or the rounds from it on, are void."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request

from console.api.models import Told
from console.api.rounds import Number, Shoe, Table, note_round, stored_round
from console.server.gate import SignedIn
from console.server.parts import Console
from console.server.problems import Refused
from replay.refund import GROUNDS, Ground, Refund, refund, refund_json
from replay.unplaced import unplaced_money
from replay.void_ruling import ruled_ground
from schemas.money import decimals_of
from store.connect import Store
from store.read.rounds import RoundFilter, read_verdict, verdicts
from store.rows.verdicts import RoundKey

router = APIRouter(prefix="/api/v1/rounds", tags=["evidence"])


class BasisTold(Told):
    """By what the rounds of one document are void."""

    document: str
    in_force: str
    clause: str | None
    words: str
    rounds: int


class PlayerRefundTold(Told):
    """What one player gets and gives back; amounts in minor units."""

    who: str
    known: bool
    bets: int
    rounds: int
    to_player: int
    from_player: int
    on_layout: int
    net: int


class BetRefundTold(Told):
    """One bet of a round that is void."""

    round: int
    bet: str
    position: int | None
    player: str | None
    wager: str | None
    stake: int
    to_player: int
    from_player: int
    on_layout: int
    net: int


class RefundTold(Told):
    """What has to go back."""

    ground: str
    grounds: dict[str, str]
    """The grounds that can be chosen."""
    currency: str | None
    decimals: int
    rounds: list[str]
    already_void: list[str]
    unknown: list[str]
    without_events: list[str]
    """Rounds whose events are gone: money on a bet that their verdict does not have cannot be told."""
    to_players: int
    from_players: int
    basis: list[BasisTold]
    players: list[PlayerRefundTold]
    bets: list[BetRefundTold]


@router.get("/{table}/{shoe:path}/{round:int}/refund", summary="The refund sheet")
async def refund_sheet(
    table: Table, shoe: Shoe, round: Number, session: SignedIn, parts: Console, request: Request,
    ground: Ground | None = None, until: Annotated[int | None, Query(ge=1, le=2**53)] = None,
) -> RefundTold:  # fmt: skip
    """If this round is void, or the rounds of its shoe from it `until` a later one: money and clauses. Without a
    `ground` it is that of the ruling by which they are void, else the decision of the Gaming Shift Manager."""
    key = RoundKey(table, shoe, round)
    last = round if until is None else until
    if last < round:
        raise Refused(422, f"the last round must not be before round {round}")
    stored = await asyncio.to_thread(stored_round, parts.store, key)
    currency = None if stored.configuration is None else stored.configuration.data.currency
    found = await asyncio.to_thread(_refund, parts.store, key, last, ground, currency)
    if not found.rounds:
        raise Refused(409, "the round is still open: what moved is told once it is judged")
    note_round(
        parts, session, "drew a refund sheet", key, request, {"ground": found.ground, "rounds": len(found.rounds)}
    )
    told = {**refund_json(found), "grounds": GROUNDS, "decimals": decimals_of(currency)}
    return RefundTold.model_validate(told)


def _refund(store: Store, first: RoundKey, last: int, ground: Ground | None, currency: str | None) -> Refund:
    of_shoe = list(verdicts(store, RoundFilter(tables=(first.table,), shoe=first.shoe)))
    there = max((each.key.round for each in of_shoe), default=last)
    if last > max(there, first.round):
        raise Refused(422, f"there is no round {last} that is judged: the last one of this shoe is round {there}")
    found = [read_verdict(each) for each in of_shoe if first.round <= each.key.round <= last]
    return refund(found, ground or ruled_ground(store, found), currency, unplaced_money(store, found))
