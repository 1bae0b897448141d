"""What proves the rest: leaves and checkpoints of Merkle trees, keys, the access log, legal holds and tombstones."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One leaf of a Merkle tree: it stands for one row of the store."""

    tree: str
    position: int
    """In the tree, from 0."""
    leaf: bytes
    """RFC 6962 leaf hash, 32 bytes."""
    kind: str
    """record, verdict, access, tombstone, …"""
    key: str
    """The row that it stands for."""
    at: int
    """The time that the row's retention counts from, in milliseconds since 1970."""
    table: str = ""
    """Whose hash chain it is a link of; empty: of none."""
    chain: bytes = bytes(32)
    """Head of that chain after this link, 32 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A signed statement of what a tree held."""

    tree: str
    size: int
    """How many leaves it covers."""
    root: bytes
    """32 bytes."""
    at: int
    """Milliseconds since 1970."""
    key_id: str
    signature: bytes
    note: str
    """The text that was signed, as published."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """The root of a whole subtree of 2^level leaves."""

    level: int
    place: int
    """Among the subtrees of its level, from 0."""
    hash: bytes
    """32 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKey:
    """A public key that checkpoints are signed with."""

    key_id: str
    """First 16 hex digits of the SHA-256 of the public key."""
    public_key: bytes
    """Ed25519, 32 bytes."""
    made: int
    """Milliseconds since 1970."""
    by: str
    previous: str = ""
    """Id of the key before it; empty: the first, or one made after a loss."""
    voucher: bytes = b""
    """Signature of the key before it over the public key; empty: that key was not there any more."""


STORED_LATE: Final = "stored late"
"""What an entry of the access log does that names rows which are stored after their time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessEntry:
    """Someone looked at something, or did something."""

    id: str
    at: int
    """Microseconds since 1970."""
    who: str
    role: str
    action: str
    table: str = ""
    shoe: str = ""
    round: int = 0
    address: str = ""
    """Where from."""
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """A round, or a whole shoe, that may not be deleted while the hold is in force."""

    hold: str
    """Name of the hold, e.g. the case number."""
    table: str
    shoe: str
    round: int | None
    """None: the whole shoe. A round is held with its shoe, without which it cannot be judged again."""
    reason: str
    placed_by: str
    placed: int
    """Milliseconds since 1970."""
    lifted_by: str | None = None
    """None: in force."""
    lifted: int | None = None
    """Milliseconds since 1970."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """Says that rows were past their retention, before the engine deletes them."""

    store_table: str
    scope: str
    """records: log/topic/partition; elsewhere the gaming table."""
    month: str
    """Of the rows' arrival or judgement, as 2026-01-01."""
    before: int
    """Rows of this month and scope older than this may be gone, milliseconds since 1970."""
    rows: int
    """How many there were when this was written, those held not counted."""
    first: str
    """Key of the first of them."""
    last: str
    """Key of the last."""
    digest: bytes
    """SHA-256 over the sorted row hashes, 32 bytes."""
    years: int
    """The retention then in force."""
    written: int
    """Milliseconds since 1970."""
    by: str
