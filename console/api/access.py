"""Who looked at what, and who did what."""

import asyncio
import time
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from console.api.models import Told
from console.auth.roles import SEES_PLAYERS
from console.masking import detail_for
from console.server.gate import SignedIn, address_of
from console.server.parts import Console
from store.read.proof import access_entries

router = APIRouter(prefix="/api/v1", tags=["access log"])

MOST = 1_000


class EntryTold(Told):
    """An entry of the access log."""

    id: str
    at: int
    """Milliseconds since 1970."""
    who: str
    role: str
    action: str
    table: str
    shoe: str
    round: int
    address: str
    detail: dict[str, Any]


class EntriesTold(Told):
    """The latest entries."""

    total: int
    """How many there are in the time asked for."""
    entries: list[EntryTold]


@router.get("/access-log", summary="The access log")
async def access_log(
    session: SignedIn,
    parts: Console,
    request: Request,
    hours: Annotated[int, Query(ge=1, le=24 * 366)] = 24,
    who: Annotated[str | None, Query(max_length=64)] = None,
    table: Annotated[str | None, Query(max_length=200)] = None,
) -> EntriesTold:
    """The latest first; reading it is an entry too."""
    start = time.time_ns() // 1_000 - hours * 3_600_000_000
    found = await asyncio.to_thread(access_entries, parts.store, start=start, table=table or None, who=who or None)
    parts.access.note(session, "read the access log", address=address_of(request), detail={"hours": hours})
    masking = session.role not in SEES_PLAYERS
    latest = [
        EntryTold(
            id=each.id, at=each.at // 1000, who=each.who, role=each.role, action=each.action, table=each.table,
            shoe=each.shoe, round=each.round, address=each.address,
            detail=detail_for(each.detail, masking=masking),
        )
        for each in reversed(found[-MOST:])
    ]  # fmt: skip
    return EntriesTold(total=len(found), entries=latest)
