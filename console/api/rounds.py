"""Stored rounds: found, told from their first moment to their last, and their verdicts held against each other."""

import asyncio
from dataclasses import asdict
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Path, Query, Request

from console.api.round_models import (
    ComparisonTold,
    DifferenceTold,
    Neighbours,
    RevisionTold,
    RoundFound,
    RoundsFound,
    RoundTold,
    StoryTold,
    VoidRulingTold,
)
from console.auth.roles import SEES_PLAYERS
from console.auth.sessions import Session
from console.comparison import differences
from console.findings import told_finding
from console.masking import masked
from console.server.gate import SignedIn, address_of
from console.server.parts import Console, Parts
from console.server.problems import Refused
from console.story import story_told
from replay.rounds import EventsGone, RoundNotFound, StoredRound, load_round
from replay.void_ruling import void_ruling
from schemas.money import decimals_of
from schemas.words import GameName, WagerName
from store.connect import Store
from store.read.rounds import RoundFilter, latest_summaries, nearby, read_verdict
from store.rows.verdicts import RoundKey, RoundSummary, StoredVerdict
from streams.alerting.raising import SELF_TEST_TABLE

router = APIRouter(prefix="/api/v1", tags=["rounds"])

Name = Annotated[str | None, Query(max_length=200)]
Millis = Annotated[int | None, Query(ge=0, le=32_503_680_000_000)]
Table = Annotated[str, Path(min_length=1, max_length=200)]
Shoe = Annotated[str, Path(min_length=1, max_length=200)]
Number = Annotated[int, Path(ge=1, le=2**53)]
Revision = Annotated[int, Query(ge=1, le=2**20)]


@router.get("/rounds", summary="Rounds that meet a filter")
async def rounds(
    session: SignedIn,
    parts: Console,
    request: Request,
    table: Name = None,
    shoe: Name = None,
    start: Millis = None,
    end: Millis = None,
    player: Name = None,
    code: Name = None,
    status: Literal["verified", "flagged", "void", "unverifiable"] | None = None,
    wager: WagerName | None = None,
    game: GameName | None = None,
    pit: Name = None,
    skip: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    count: Annotated[int, Query(ge=1, le=200)] = 50,
) -> RoundsFound:
    """The latest first; `start` and `end` are milliseconds since 1970, of the opening."""
    if player and session.role not in SEES_PLAYERS:
        raise Refused(403, "player ids are not for this role")
    wanted = RoundFilter(
        tables=(table,) if table else (),
        besides=() if table else (SELF_TEST_TABLE,),
        shoe=shoe or None,
        start=None if start is None else start * 1_000,
        end=None if end is None else end * 1_000,
        player=player or None,
        code=code or None,
        status=status,
        wager=wager,
        game=game,
        pit=pit or None,
    )
    total, found = await asyncio.to_thread(latest_summaries, parts.store, wanted, count, skip)
    asked = {name: value for name, value in asdict(wanted).items() if value and name != "besides"}
    parts.access.note(
        session, "searched rounds", table=table or "", shoe=shoe or "", address=address_of(request), detail=asked
    )
    return RoundsFound(total=total, rounds=[_found(each) for each in found])


@router.get("/rounds/{table}/{shoe:path}/{round:int}", summary="One round from its first moment to its last")
async def one_round(
    table: Table, shoe: Shoe, round: Number, session: SignedIn, parts: Console, request: Request
) -> RoundTold:
    """Facts, verdict, findings at their moments, clauses and revisions. Every look is written down."""
    key = RoundKey(table, shoe, round)
    stored = await asyncio.to_thread(stored_round, parts.store, key)
    note_round(parts, session, "looked at a round", key, request)
    neighbours = await asyncio.to_thread(_neighbours, parts.store, key)
    told = await asyncio.to_thread(story_told, stored, masking=session.role not in SEES_PLAYERS)
    ruling = void_ruling(stored.facts, stored.verdict)
    return RoundTold(
        story=StoryTold.model_validate(told),
        revisions=[_revision(each) for each in stored.revisions],
        neighbours=neighbours,
        lacks=stored.lacks,
        leaves_out=stored.leaves_out,
        void_by=None if ruling is None else VoidRulingTold(clause=ruling.clause, ground=ruling.ground),
    )


@router.get("/rounds/{table}/{shoe:path}/{round:int}/compare", summary="Two revisions held against each other")
async def compare(
    table: Table,
    shoe: Shoe,
    round: Number,
    first: Revision,
    second: Revision,
    session: SignedIn,
    parts: Console,
    request: Request,
) -> ComparisonTold:
    """What differs between two verdicts on one round, part by part."""
    key = RoundKey(table, shoe, round)
    stored = await asyncio.to_thread(stored_round, parts.store, key)
    one, other = _numbered(stored, first), _numbered(stored, second)
    told = _revision(one), _revision(other)
    note_round(parts, session, "compared revisions", key, request, {"first": first, "second": second})
    masking = session.role not in SEES_PLAYERS
    currency = None if stored.configuration is None else stored.configuration.data.currency
    found = differences(*(_published(each, currency, masking=masking) for each in (one, other)))
    return ComparisonTold(
        first=told[0],
        second=told[1],
        differences=[DifferenceTold.model_validate(asdict(each)) for each in found],
    )


def stored_round(store: Store, key: RoundKey) -> StoredRound:
    """The round, or a 404 that says which ones are near."""
    try:
        return load_round(store, key)
    except (RoundNotFound, EventsGone) as error:
        raise Refused(404, str(error)) from error


def note_round(
    parts: Parts, session: Session, action: str, key: RoundKey, request: Request, detail: dict[str, Any] | None = None
) -> None:
    """Write down who did what with a round."""
    parts.access.note(
        session, action, table=key.table, shoe=key.shoe, round=key.round, address=address_of(request), detail=detail
    )


def _neighbours(store: Store, key: RoundKey) -> Neighbours:
    numbers = nearby(store, key).rounds
    before = [number for number in numbers if number < key.round]
    after = [number for number in numbers if number > key.round]
    return Neighbours(before=before[-1] if before else None, after=after[0] if after else None)


def _numbered(stored: StoredRound, revision: int) -> StoredVerdict:
    found = [each for each in stored.revisions if each.revision == revision]
    if not found:
        raise Refused(404, f"there is no revision {revision} of this round")
    return min(found, key=lambda each: each.judged)


def _published(verdict: StoredVerdict, currency: str | None, *, masking: bool) -> dict[str, Any]:
    published: dict[str, Any] = orjson.loads(verdict.json)
    published["findings"] = [told_finding(each, currency, masking=masking) for each in published["findings"]]
    if masking:
        for bet in published["bets"]:
            bet["player"] = masked(bet["player"])
    return published


def _revision(verdict: StoredVerdict) -> RevisionTold:
    said = read_verdict(verdict)
    return RevisionTold(
        revision=verdict.revision,
        judged=verdict.judged,
        judge=verdict.judge,
        digest=verdict.digest,
        status=said.status,
        findings=len(said.findings),
        settings=said.settings,
    )


def _found(each: RoundSummary) -> RoundFound:
    return RoundFound(
        table=each.key.table, shoe=each.key.shoe, round=each.key.round, revision=each.revision,
        opened=each.opened // 1_000, game=each.game, pit=each.pit, dealer=each.dealer, status=each.status,
        codes=list(each.codes), cards=list(each.cards), winner=each.winner, displayed=each.displayed_winner,
        handle=each.handle, win=each.win, currency=each.currency, decimals=decimals_of(each.currency),
    )  # fmt: skip
