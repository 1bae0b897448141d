"""The wall: every table in one line, all at once or as they change."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from console.api.alerts import AlertTold
from console.api.models import Told
from console.api.streaming import EventStream, stream
from console.auth.roles import SEES_PLAYERS
from console.server.gate import SignedIn
from console.server.parts import Console

router = APIRouter(prefix="/api/v1", tags=["floor"])

Last = Annotated[str | None, Query(max_length=64, description="The last event id that the page has seen.")]


class TableRow(Told):
    """A table as the wall shows it."""

    game: str | None
    pit: str | None
    area: str | None
    mode: str | None
    state: str
    """waiting, betting, no more bets, dealing, result, settling, closed, test."""
    shoe: str | None
    round: int | None
    cards: int
    """Drawn in the round so far."""
    winner: str | None
    """Of the last judged round, recomputed from its cards."""
    totals: list[int | str]
    status: str | None
    """Of the last judged round."""
    beads: str
    """The last results of the shoe, two signs each: the winner's letter, and ! where something was found."""
    findings: list[int]
    """Open alerts: critical, high, medium, low."""
    worst: str | None
    """The code of the open alert to look at first: the worst, and of those the last one."""
    heard: int
    """When the log last took an event of this table, in milliseconds since 1970."""
    judged_after: int | None
    """Milliseconds from the end of the last judged round to its verdict."""
    devices: list[int]
    """How many there are, and how many of them are silent."""


class FloorTold(Told):
    """The whole floor at one moment."""

    at: int
    """The console's clock, in milliseconds since 1970: ages are counted from it."""
    tables: dict[str, TableRow]
    alerts: list[AlertTold]
    open_alerts: int
    status: dict[str, Any]
    """Feed, workers and store: state, since when, and words; ``whole``: the store has told all tables and alerts."""


@router.get("/floor", summary="The whole floor")
async def floor(session: SignedIn, parts: Console) -> FloorTold:
    """Every table and every open alert."""
    return FloorTold.model_validate(parts.live.snapshot(masking=session.role not in SEES_PLAYERS))


@router.get("/floor/stream", summary="The floor as it changes", response_class=EventStream)
async def floor_stream(request: Request, session: SignedIn, parts: Console, last: Last = None) -> EventStream:
    """Server-sent events: `snapshot` with the whole floor, then `delta` with what is new, at least one a second."""
    channel = parts.live.floor_channel(masking=session.role not in SEES_PLAYERS)
    return stream(request, parts, session, channel, last)
