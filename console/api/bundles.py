"""The evidence of a round in one file that a stranger can check."""

import asyncio
import re
from typing import Any, Final

from fastapi import APIRouter, Request, Response

from console.api.rounds import Number, Shoe, Table, note_round, stored_round
from console.server.gate import SignedIn
from console.server.parts import Console
from console.server.problems import Refused
from replay.bundle.contents import bundle
from replay.chain.prove import NotAsSealed, NotSealed
from replay.chain.tree import TreeIncomplete
from store.rows.verdicts import RoundKey

router = APIRouter(prefix="/api/v1/rounds", tags=["evidence"])

ARCHIVE: Final = "application/zip"
_PACKED: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "The bundle.", "content": {ARCHIVE: {"schema": {"type": "string", "format": "binary"}}}}
}


@router.get(
    "/{table}/{shoe:path}/{round:int}/bundle",
    summary="The evidence bundle",
    response_class=Response,
    responses=_PACKED,
)
async def evidence_bundle(
    table: Table, shoe: Shoe, round: Number, session: SignedIn, parts: Console, request: Request
) -> Response:
    """Raw events, verdicts, rules, proofs and a program that checks them, as a zip file. 409: not sealed yet."""
    key = RoundKey(table, shoe, round)
    await asyncio.to_thread(stored_round, parts.store, key)
    try:
        content = await asyncio.to_thread(bundle, parts.store, [key], (), parts.own_keys())
    except (NotSealed, NotAsSealed, TreeIncomplete) as error:
        note_round(parts, session, "asked for the evidence of a round, which cannot be had yet", key, request)
        raise Refused(409, str(error)) from error
    # Written down before it is handed out: nobody has evidence that the log does not know of.
    note_round(parts, session, "took the evidence of a round", key, request)
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", f"{table}-{shoe}-{round}")
    return Response(content, media_type=ARCHIVE, headers={"Content-Disposition": f'attachment; filename="{name}.zip"'})
