"""Checkpoints: the text that is signed, in the form of a signed note, and the check of its signature."""

import base64
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from store.rows.proof import Checkpoint, SigningKey

TREE = "main"
ORIGIN = "tablewatch/"
"""What the first line of a note begins with."""
_VOUCHER = b"tablewatch key\n"


PUT_BACK = "where it is yours, `tablewatch chain checkpoint` with its key folder puts it back"
"""What to do about a key that the store does not have any more."""


NAME_THE_KEY = "Name the key that its owner told you: --trust KEY"
"""What to do where a key is believed on the store's own word."""


class CheckpointInvalid(ValueError):
    """A checkpoint is not what was signed: do not believe it."""


def key_id_of(public_key: bytes) -> str:
    """The name of a key: the first 16 hex digits of the SHA-256 of its public half."""
    return sha256(public_key).hexdigest()[:16]


def heads_digest(heads: Mapping[str, bytes]) -> bytes:
    """One hash over the heads of all tables' chains."""
    lines = (table.encode() + b" " + head.hex().encode() + b"\n" for table, head in sorted(heads.items()))
    return sha256(b"".join(lines)).digest()


def note_of(
    tree: str, size: int, root: bytes, at: int, heads: bytes, public_key: bytes, previous: Checkpoint | None
) -> str:
    """The text of a checkpoint: origin, size and root as transparency logs write them, then lines of our own."""
    time = datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at % 1000:03d}Z"
    lines = [
        ORIGIN + tree,
        str(size),
        _base64(root),
        f"time {time}",
        f"heads {_base64(heads)}",
        f"key {_base64(public_key)}",
        f"previous {previous.size} {_base64(previous.root)}" if previous is not None else "previous 0",
    ]
    return "\n".join(lines) + "\n"


def sign(
    key: Ed25519PrivateKey, tree: str, size: int, root: bytes, at: int, heads: bytes, previous: Checkpoint | None
) -> Checkpoint:
    """A signed checkpoint."""
    public = key.public_key().public_bytes_raw()
    note = note_of(tree, size, root, at, heads, public, previous)
    return Checkpoint(
        tree=tree, size=size, root=root, at=at, key_id=key_id_of(public), signature=key.sign(note.encode()), note=note
    )


def heads_of(checkpoint: Checkpoint) -> bytes:
    """The hash over the heads of all chains that a checkpoint states."""
    return base64.b64decode(_lines(checkpoint)["heads"])


def check_note(checkpoint: Checkpoint, keys: Mapping[str, SigningKey], previous: Checkpoint | None) -> None:
    """Passes when the checkpoint was signed by one of these keys, says what its row says, and follows ``previous``."""
    key = keys.get(checkpoint.key_id)
    if key is None:
        raise CheckpointInvalid(f"it is signed with key {checkpoint.key_id}, which nobody vouches for")
    try:
        Ed25519PublicKey.from_public_bytes(key.public_key).verify(checkpoint.signature, checkpoint.note.encode())
    except InvalidSignature:
        raise CheckpointInvalid(f"its signature is not that of key {checkpoint.key_id}") from None
    expected = note_of(
        checkpoint.tree, checkpoint.size, checkpoint.root, checkpoint.at, heads_of(checkpoint), key.public_key, None
    )
    if expected.rpartition("previous")[0] != checkpoint.note.rpartition("previous")[0]:
        raise CheckpointInvalid("its row says something else than the note that was signed")
    said = _lines(checkpoint)["previous"]
    wanted = "0" if previous is None else f"{previous.size} {_base64(previous.root)}"
    if said != wanted:
        raise PreviousMissing(f"it follows one of {said.partition(' ')[0]} leaves, which is not the one before it here")


class PreviousMissing(CheckpointInvalid):
    """The checkpoint is signed, but the one before it is not there: somebody took it out."""


def voucher(old: Ed25519PrivateKey, public_key: bytes) -> bytes:
    """The old key's signature for the new one."""
    return old.sign(_VOUCHER + public_key)


def by_name(keys: Iterable[SigningKey]) -> dict[str, SigningKey]:
    """Keys by their names, those left out that are not what their names say."""
    return {key.key_id: key for key in keys if key.key_id == key_id_of(key.public_key)}


def known_keys(stored: Iterable[SigningKey], signed: Iterable[Checkpoint]) -> list[SigningKey]:
    """The keys of the store, and behind them those whose rows are gone, as checkpoints have them: without a voucher."""
    known = by_name(stored)
    for checkpoint in signed:
        if checkpoint.key_id in known:
            continue
        try:
            public_key = base64.b64decode(_lines(checkpoint)["key"], validate=True)
        except ValueError:
            continue
        if key_id_of(public_key) == checkpoint.key_id:
            known[checkpoint.key_id] = SigningKey(
                key_id=checkpoint.key_id, public_key=public_key, made=checkpoint.at, by=""
            )
    return list(known.values())


def vouched_keys(
    keys: Iterable[SigningKey], named: Iterable[str] = (), own: Iterable[SigningKey] = ()
) -> dict[str, SigningKey]:
    """The keys to believe: those named, or else those of the own key folder, or else the oldest; and those that a
    believed one vouches for. The oldest is believed on the word of whoever wrote ``keys``."""
    own = list(own)
    known = by_name((*keys, *own))
    roots = set(named) or {key.key_id for key in own} or set(list(known)[:1])
    believed = {name: key for name, key in known.items() if name in roots}
    grew = True
    while grew:
        grew = False
        for key in known.values():
            if key.key_id not in believed and key.previous in believed and _vouches(believed[key.previous], key):
                believed[key.key_id] = key
                grew = True
    return believed


def belief_words(
    keys: Sequence[str],
    named: Sequence[str],
    own: Sequence[SigningKey],
    name_it: str = NAME_THE_KEY,
) -> str:
    """Whose signatures are believed (``vouched_keys``), and why; ``name_it``: what to do where it is on the store's own
    word alone."""
    names = ", ".join(keys) or "none"
    if named:
        return f"Believed: {names}, as you named it or as vouched for."
    if own:
        return f"Believed: {names}, of the key folder here or as vouched for."
    return f"Believed: {names}, ON THE STORE'S OWN WORD: who can write to the store can have put it there. {name_it}"


def oldest_first(keys: Mapping[str, SigningKey]) -> tuple[str, ...]:
    """The names of keys, the one that was made first before the others."""
    return tuple(sorted(keys, key=lambda name: (keys[name].made, name)))


def _vouches(old: SigningKey, key: SigningKey) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(old.public_key).verify(key.voucher, _VOUCHER + key.public_key)
    except InvalidSignature:
        return False
    return True


def _lines(checkpoint: Checkpoint) -> dict[str, str]:
    fields = dict(line.split(" ", 1) for line in checkpoint.note.split("\n")[3:] if " " in line)
    if not {"time", "heads", "key", "previous"} <= fields.keys():
        raise CheckpointInvalid("its note is not complete")
    return fields


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
