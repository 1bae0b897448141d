"""Evidence about a stored round: judged anew, and proved to be as it was sealed."""

import asyncio
from collections.abc import Sequence
from typing import Any, Literal

from fastapi import APIRouter, Request

from audit.merkle import ProofInvalid
from console.api.models import Told
from console.api.rounds import Number, Shoe, Table, note_round, stored_round
from console.server.gate import SignedIn
from console.server.parts import Console
from replay.chain.prove import NotAsSealed, NotSealed, RoundProof, belief, consistency_json, prove_round
from replay.chain.tree import TreeIncomplete
from replay.rounds import StoredRound
from replay.verify import Deviation, verify
from store.connect import Store
from store.read.rounds import RoundFilter
from store.rows.proof import SigningKey
from store.rows.verdicts import RoundKey

router = APIRouter(prefix="/api/v1/rounds", tags=["evidence"])


class DeviationTold(Told):
    """In what a round is not as it is stored."""

    kind: str
    judge: str | None
    differences: list[dict[str, Any]]
    """Part, stored and judged."""


class VerifiedTold(Told):
    """The round judged anew from its raw events, held against its verdict byte for byte."""

    same: bool
    deviations: list[DeviationTold]


class ProofTold(Told):
    """Whether every row of the round is under a signed checkpoint, unchanged."""

    state: Literal["proved", "not sealed", "not as sealed"]
    words: str
    rows: int
    size: int | None
    """Leaves under the checkpoint."""
    sealed: int | None
    """When the checkpoint was signed, in milliseconds since 1970."""
    root: str | None
    key: str | None
    """Id of the key that signed."""


@router.get("/{table}/{shoe:path}/{round:int}/verify", summary="The round judged anew")
async def verify_round(
    table: Table, shoe: Shoe, round: Number, session: SignedIn, parts: Console, request: Request
) -> VerifiedTold:
    """From the stored raw events, under the rules then in force, held against the stored verdict byte for byte."""
    key = RoundKey(table, shoe, round)
    await asyncio.to_thread(stored_round, parts.store, key)
    wanted = RoundFilter(tables=(table,), shoe=shoe, round=round)
    found = await asyncio.to_thread(verify, parts.store, wanted)
    note_round(parts, session, "verified a round", key, request, {"deviations": len(found.deviations)})
    return VerifiedTold(same=not found.deviations, deviations=[_deviation(each) for each in found.deviations])


@router.get("/{table}/{shoe:path}/{round:int}/proof", summary="Whether the round is as it was sealed")
async def proof(
    table: Table, shoe: Shoe, round: Number, session: SignedIn, parts: Console, request: Request
) -> ProofTold:
    """Every row of the round against its leaf under the first signed checkpoint that covers it."""
    key = RoundKey(table, shoe, round)
    stored = await asyncio.to_thread(stored_round, parts.store, key)
    told = await asyncio.to_thread(_proof, parts.store, stored, parts.own_keys())
    note_round(parts, session, "asked for the proof of a round", key, request, {"state": told.state})
    return told


def _proof(store: Store, stored: StoredRound, own: Sequence[SigningKey]) -> ProofTold:
    try:
        proved = prove_round(store, stored.key, [each.key for each in stored.events])
        consistency_json(store, proved.checkpoint, own=own)
    except NotSealed as error:
        return _unproved("not sealed", str(error))
    except (NotAsSealed, ProofInvalid, TreeIncomplete) as error:
        return _unproved("not as sealed", str(error))
    name_it = f"Name the key that its owner told you: `tablewatch replay prove {stored.key} --trust KEY`."
    return _proved(proved, belief(store, (), own, name_it))


def _unproved(state: Literal["not sealed", "not as sealed"], words: str) -> ProofTold:
    return ProofTold(state=state, words=words, rows=0, size=None, sealed=None, root=None, key=None)


def _proved(proved: RoundProof, believed: str) -> ProofTold:
    signed = proved.checkpoint
    return ProofTold(
        state="proved",
        words=f"{proved.words} {believed}",
        rows=len(proved.rows),
        size=signed.size,
        sealed=signed.at,
        root=signed.root.hex(),
        key=signed.key_id,
    )


def _deviation(each: Deviation) -> DeviationTold:
    return DeviationTold(
        kind=each.kind,
        judge=each.stored_judge,
        differences=[{"part": part.path, "stored": part.stored, "judged": part.judged} for part in each.differences],
    )
