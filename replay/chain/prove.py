"""Proofs for one round: all its rows are under a signed checkpoint, and nothing of that was rewritten since."""

import base64
import time
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import orjson

from audit.merkle import check_consistency, check_inclusion, consistency_proof, inclusion_proof
from audit.table import facts_behind
from replay.chain.compare import subject_of, superseded
from replay.chain.lateness import open_since
from replay.chain.note import (
    NAME_THE_KEY,
    PUT_BACK,
    TREE,
    CheckpointInvalid,
    PreviousMissing,
    belief_words,
    by_name,
    check_note,
    oldest_first,
    vouched_keys,
)
from replay.chain.round_records import lost_of_round
from replay.chain.rows import BY_KIND, RECORD, ChainedRow, key_of, rows_of
from replay.chain.seal import GRACE_MS
from replay.chain.tree import StoredTree, TreeIncomplete
from replay.chain.verify import expired_by, sealed_tombstones
from replay.verify import settings_in
from replay.windows import shoe_windows
from store.connect import Store
from store.read.checkpoints import first_checkpoint, last_checkpoints, last_times, signed_size
from store.read.findings import last_versions, rounds_that_name
from store.read.proof import first_missing_leaf, leaves_about, leaves_count, leaves_of_rows, signing_keys
from store.read.rounds import revisions
from store.rows.proof import Checkpoint, Leaf, SigningKey
from store.rows.raw import RecordKey
from store.rows.verdicts import RoundKey, StoredVerdict

SEAL_FIRST = "run: tablewatch chain checkpoint (where `chain run` is at work: ask again after its next checkpoint)"
"""What to do about it."""


LOOK = "run: tablewatch replay verify --chain"


class NotSealed(Exception):
    """The round is not under a checkpoint yet: seal it."""


class NotInChain(NotSealed):
    """A row is older than what is still to be sealed: it came late, or was put in; `replay verify --chain` tells."""


class NotAsSealed(Exception):
    """A row is not what was sealed: look with `replay verify --chain`."""


@dataclass(frozen=True, slots=True)
class ProvedRow:
    """A row of a round, its leaf, and the way from there to the root."""

    row: ChainedRow
    leaf: Leaf
    path: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class RoundProof:
    """All rows of a round under the first checkpoint that covers them."""

    key: RoundKey
    rows: tuple[ProvedRow, ...]
    checkpoint: Checkpoint
    keys: tuple[SigningKey, ...]
    """The public keys from the first to the one that signed."""

    @property
    def words(self) -> str:
        """What is proved."""
        return f"All {len(self.rows)} rows of the round are under checkpoint {self.checkpoint.size}, unchanged."


def rows_of_round(store: Store, key: RoundKey, records: Sequence[RecordKey]) -> Iterator[ChainedRow]:
    """What is stored of a round: these records, as links of its table, its verdicts and its findings."""
    named = {"table": key.table, "shoe": key.shoe, "round": key.round}
    places = tuple({(each.log, each.topic, each.partition, each.offset) for each in records})
    if places:
        found = rows_of(store, RECORD, "(log, topic, partition, offset) IN %(places)s", {"places": places})
        yield from (row for row in found if row.table == key.table)
    for kind in ("verdict", "round", "finding"):
        yield from rows_of(
            store, BY_KIND[kind], "table = %(table)s AND shoe = %(shoe)s AND round = %(round)s", named
        )  # fmt: skip


def prove_round(store: Store, key: RoundKey, records: Sequence[RecordKey]) -> RoundProof:
    """The proof of a round whose events stand in these records."""
    rows = sorted(rows_of_round(store, key, records), key=lambda row: row.order)
    _check_that_all_are_there(store, key, rows)
    _check_that_no_finding_is_gone(store, key, rows)
    for lost in lost_of_round(store, key, rows):
        if lost.of_round or not _gives_its_digest(store, key):
            raise NotAsSealed(f"{lost.words}; {LOOK}")
    leaves = _leaves_of(store, key.table, rows)
    sealed = [(row, _leaf_of(store, leaves, row)) for row in rows]
    last = max((leaf.position for _, leaf in sealed), default=-1)
    checkpoint, keys = first_checkpoint(store, TREE, last + 1), signing_keys(store)
    if not sealed or checkpoint is None:
        raise NotSealed(f"round {key} is not under a checkpoint yet; {SEAL_FIRST}")
    _check_signature(checkpoint, keys)
    tree = StoredTree(store, TREE)
    tree.expect(*(leaf.position for _, leaf in sealed), checkpoint.size - 1)
    proved = []
    for row, leaf in sealed:
        path = tuple(inclusion_proof(leaf.position, checkpoint.size, tree))
        check_inclusion(leaf.leaf, leaf.position, checkpoint.size, path, checkpoint.root)
        proved.append(ProvedRow(row, leaf, path))
    return RoundProof(key, tuple(proved), checkpoint, tuple(_up_to(keys, checkpoint)))


def _leaves_of(store: Store, table: str, rows: Sequence[ChainedRow]) -> list[Leaf]:
    """The leaves of these rows. A leaf has the time of its row, and others are looked through only for a row that has
    none there: it is not sealed yet, or its time was changed."""
    if not rows:
        return []
    times = [row.at for row in rows]
    found = leaves_of_rows(store, table, [(row.kind, row.key) for row in rows], (min(times), max(times)))
    there = {(leaf.kind, leaf.key) for leaf in found}
    return found + leaves_of_rows(
        store, table, [(row.kind, row.key) for row in rows if (row.kind, row.key) not in there]
    )


def _check_signature(checkpoint: Checkpoint, keys: Iterable[SigningKey]) -> None:
    """Whose key it is, and whether one before it is gone, is asked of the whole chain."""
    about = f"checkpoint {checkpoint.size}, under which the round is,"
    there = by_name(keys)
    _check_that_key_is_there(checkpoint, there, about)
    try:
        check_note(checkpoint, there, None)
    except PreviousMissing:
        return
    except CheckpointInvalid as error:
        raise NotAsSealed(f"{about} is not to be believed: {error}; {LOOK}") from error


def _check_that_key_is_there(checkpoint: Checkpoint, there: Container[str], about: str) -> None:
    if checkpoint.key_id not in there:
        raise NotAsSealed(
            f"{about} is not to be believed: the store does not have key {checkpoint.key_id}, with which it is signed;"
            f" {PUT_BACK}; {LOOK}"
        )


_EARLIER_MS = 3_600_000
"""A row is of a time a little before others of its round at most."""


_MONTH_MS = 31 * 86_400_000
"""A finding that was put in by hand may be dated as its author liked."""


def _check_that_all_are_there(store: Store, key: RoundKey, rows: Sequence[ChainedRow]) -> None:
    """What was sealed of a round last (its verdict, its compact form, each finding that its verdicts name) must be
    there."""
    if not rows:
        return
    judged = revisions(store, key)
    findings = {name for each in judged for name in _findings_named(each)}
    about = [key_of(key.table, key.shoe, key.round), *(key_of(each) for each in findings)]
    stored = {(row.kind, row.key) for row in rows}
    versions: dict[tuple[str, str], int] = {}
    for row in rows:
        versions[row.kind, row.subject] = max(versions.get((row.kind, row.subject), 0), row.version)
    last = max((each.revision for each in judged), default=0)
    since = min(row.at for row in rows) - _EARLIER_MS
    for leaf in leaves_about(store, key.table, since, ("verdict", "round", "finding"), about):
        if (leaf.kind, leaf.key) in stored or superseded(leaf, versions):
            continue
        # An earlier revision may be past its time.
        if leaf.kind != "verdict" or int(leaf.key.split("/")[-2]) >= last:
            raise NotAsSealed(f"{leaf.kind} {leaf.key} was sealed and is gone; {LOOK}")


def _findings_named(stored: StoredVerdict) -> list[str]:
    """The ids of the findings in a verdict; none where it cannot be read, since its leaf tells that it was changed."""
    try:
        return [str(finding["id"]) for finding in orjson.loads(stored.json)["findings"]]
    except (ValueError, KeyError, TypeError):
        return []


def _gives_its_digest(store: Store, key: RoundKey) -> bool:
    """Whether the records that are there hold all that the last verdict rests on: then what another one held was not of
    this round."""
    last = max(revisions(store, key), key=lambda each: (each.revision, -each.judged), default=None)
    settings = None if last is None else settings_in(last)
    if last is None or settings is None:
        return False
    for window in shoe_windows(store, key.table, [key.shoe], from_records=True):
        written = facts_behind(
            window.facts, settings, (key.shoe, key.round), used=window.used, over=window.facts.rounds
        )
        if written is not None:
            return sha256(written).hexdigest() == last.digest
    return False


def _check_that_no_finding_is_gone(store: Store, key: RoundKey, rows: Sequence[ChainedRow]) -> None:
    """A finding that no verdict names is of an unknown round once its row is gone: its leaf has its table alone."""
    since = min((row.at for row in rows if row.kind != "record"), default=None)
    if since is None:
        return
    stored = last_versions(store, key.table)
    gone = {}
    for leaf in leaves_about(store, key.table, since - _MONTH_MS, ("finding",), [key.table]):
        name, version = subject_of(leaf)
        if stored.get(name, -1) < (version or 0):
            gone[name] = leaf
    if not gone:
        return
    expired = expired_by(sealed_tombstones(store))
    known = rounds_that_name(store, key.table, gone)
    for name, leaf in gone.items():
        # What alerts alone say of it is as good.
        if (key.shoe, key.round) in known.get(name, {(key.shoe, key.round)}) and not expired(leaf):
            raise NotAsSealed(
                f"finding {leaf.key} of table {key.table} was sealed and is gone; no verdict names it, so it may be of"
                f" this round; {LOOK}"
            )


def proof_json(proof: RoundProof) -> dict[str, Any]:
    """A proof as JSON; hashes in hex, signatures in base64."""
    return {
        "round": str(proof.key),
        "hashing": "RFC 6962 with SHA-256",
        "checkpoint": checkpoint_json(proof.checkpoint),
        "keys": [key_json(key) for key in proof.keys],
        "rows": [
            {
                "position": each.leaf.position,
                "content": each.row.content.decode(),
                "leaf": each.leaf.leaf.hex(),
                "path": [step.hex() for step in each.path],
            }
            for each in proof.rows
        ],
    }


def consistency_json(
    store: Store, old: Checkpoint, named: Iterable[str] = (), own: Iterable[SigningKey] = ()
) -> dict[str, Any]:
    """The proof that the last checkpoint continues an older one; whose signature is believed, `vouched_keys` says."""
    (last,), stored = last_checkpoints(store, TREE), signing_keys(store)
    about = f"checkpoint {last.size}, the last one,"
    _check_that_key_is_there(last, by_name(stored), about)
    try:
        check_note(last, vouched_keys(stored, named, own), _before(store, last))
    except CheckpointInvalid as error:
        raise NotAsSealed(f"{about} is not to be believed: {error}; {LOOK}") from error
    tree = StoredTree(store, TREE)
    tree.expect(old.size - 1, old.size, last.size - 1)
    path = consistency_proof(old.size, last.size, tree)
    check_consistency(old.size, old.root, last.size, last.root, path)
    return {"checkpoint": checkpoint_json(last), "path": [step.hex() for step in path]}


def belief(
    store: Store,
    named: Sequence[str],
    own: Sequence[SigningKey],
    name_it: str = NAME_THE_KEY,
) -> str:
    """Whose signatures a proof goes by, and why."""
    return belief_words(oldest_first(vouched_keys(signing_keys(store), named, own)), named, own, name_it)


def checkpoint_json(checkpoint: Checkpoint) -> dict[str, Any]:
    """A checkpoint as JSON."""
    return {
        "size": checkpoint.size,
        "root": checkpoint.root.hex(),
        "key_id": checkpoint.key_id,
        "note": checkpoint.note,
        "signature": base64.b64encode(checkpoint.signature).decode(),
    }


def key_json(key: SigningKey) -> dict[str, Any]:
    """A public key as JSON."""
    return {
        "key_id": key.key_id,
        "public_key": base64.b64encode(key.public_key).decode(),
        "made": key.made,
        "previous": key.previous,
        "voucher": base64.b64encode(key.voucher).decode(),
    }


def _before(store: Store, checkpoint: Checkpoint) -> Checkpoint | None:
    earlier = last_checkpoints(store, TREE, before=checkpoint.at)
    return earlier[0] if earlier else None


def _leaf_of(store: Store, leaves: Sequence[Leaf], row: ChainedRow) -> Leaf:
    """The leaf of a row, which must be as it was sealed."""
    of_row = [leaf for leaf in leaves if (leaf.kind, leaf.key) == (row.kind, row.key)]
    if not of_row and (missing := _missing_leaf(store, row.at)) is not None:
        raise TreeIncomplete(
            f"{row.kind} {row.key} has no leaf, and leaf {missing} is not in the store, whosever it is;"
            " `tablewatch replay verify --chain` tells"
        )
    if not of_row and _is_late(store, row):
        raise NotInChain(
            f"{row.kind} {row.key} is older than the last checkpoint and not in the chain; run: tablewatch replay"
            " verify --chain, which tells whether it came late or was put in"
        )
    if not of_row:
        raise NotSealed(f"{row.kind} {row.key} is not sealed yet; {SEAL_FIRST}")
    for leaf in of_row:
        if leaf.leaf == row.leaf:
            return leaf
    raise NotAsSealed(f"{row.kind} {row.key} is not what was sealed; {LOOK}")


def _missing_leaf(store: Store, at: int) -> int | None:
    """A position that no leaf has among those that are signed: looked for where a row of this time was sealed, and
    among all where there are too few. Who has others stand for it is told of by the check of the whole chain."""
    size = signed_size(store, TREE)
    before = last_checkpoints(store, TREE, before=at - _EARLIER_MS)
    missing = first_missing_leaf(store, TREE, before[0].size if before else 0, size)
    if missing is None and leaves_count(store, TREE, size) < size:
        return first_missing_leaf(store, TREE, 0, size)
    return missing


def _is_late(store: Store, row: ChainedRow) -> bool:
    """Whether a row is of a time before what is still to be sealed."""
    signed = last_times(store, TREE, GRACE_MS)
    return bool(signed) and row.at < open_since(signed, time.time_ns() // 1_000_000, GRACE_MS)


def _up_to(keys: Sequence[SigningKey], checkpoint: Checkpoint) -> Iterator[SigningKey]:
    """The keys that lead to the one that signed."""
    for key in keys:
        yield key
        if key.key_id == checkpoint.key_id:
            return
