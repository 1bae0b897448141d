"""One table in full: live, and what it held against what its wagers make likely."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request

from console.api.floor import Last
from console.api.models import Told
from console.api.streaming import EventStream, stream
from console.auth.roles import SEES_PLAYERS
from console.hold import Hold, hold_of
from console.live.room import now_ms
from console.server.gate import SignedIn, address_of
from console.server.parts import Console
from console.server.problems import Refused

router = APIRouter(prefix="/api/v1", tags=["tables"])

Table = Annotated[str, Path(min_length=1, max_length=200)]


class TableTold(Told):
    """A table in full, in sections."""

    at: int
    """The console's clock, in milliseconds since 1970."""
    sections: dict[str, Any]
    """table, round, shoe, history, roads, devices, alerts."""


@router.get("/tables/{table}", summary="A table in full")
async def table(table: Table, session: SignedIn, parts: Console) -> TableTold:
    """Set-up, round, shoe, last rounds, devices and open alerts."""
    if table not in parts.live.floor.tables:
        raise Refused(404, "nobody has heard of this table")
    masking = session.role not in SEES_PLAYERS
    return TableTold(at=now_ms(), sections=parts.live.sections(table, masking=masking))


@router.get("/tables/{table}/stream", summary="A table as it changes", response_class=EventStream)
async def table_stream(
    table: Table, request: Request, session: SignedIn, parts: Console, last: Last = None
) -> EventStream:
    """Server-sent events: `snapshot` with all sections, then `delta` with those that are new."""
    channel = parts.live.table_channel(table, masking=session.role not in SEES_PLAYERS)
    if channel is None:
        raise Refused(404, "nobody has heard of this table")
    parts.access.note(session, "watched a table", table=table, address=address_of(request))
    return stream(request, parts, session, channel, last)


@router.get("/tables/{table}/hold", summary="Hold against expectation")
async def hold(table: Table, session: SignedIn, parts: Console) -> Hold:
    """What the house won over the last day, what the wagers placed give on average, and the 95 % band around it."""
    if table not in parts.live.floor.tables:
        raise Refused(404, "nobody has heard of this table")
    return await asyncio.to_thread(hold_of, parts.store, table, parts.readings)
