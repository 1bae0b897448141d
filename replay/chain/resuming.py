"""What a sealer holds in its hand, kept in its own folder between two runs: without it, it reads all that was ever
sealed before it seals again."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from replay.chain.note import heads_digest, heads_of
from store.connect import Store
from store.read.checkpoints import checkpoints

Place = tuple[str, str, int]
"""Log, topic and partition."""


@dataclass(frozen=True, slots=True)
class InHand:
    """The state of a tree at one of its checkpoints."""

    tree: str
    size: int
    root: bytes
    heads: Mapping[str, bytes]
    """By gaming table: the head of its chain."""
    marks: Mapping[Place, int]
    """By place in the log: the last offset that is sealed."""

    def is_of(self, store: Store) -> bool:
        """Whether the store has this very checkpoint, signed over these heads: it may be of another, or of one that is
        gone."""
        digest = heads_digest(self.heads)
        signed = checkpoints(store, self.tree, self.size, self.size)
        return any(each.root == self.root and heads_of(each) == digest for each in signed)


def keep(file: Path, state: InHand) -> None:
    """Put it in the place of what was kept before, whole or not at all."""
    said = {
        "tree": state.tree,
        "size": state.size,
        "root": state.root.hex(),
        "heads": {table: head.hex() for table, head in state.heads.items()},
        "marks": [[*place, offset] for place, offset in state.marks.items()],
    }
    beside = file.with_name(f"{file.name}.new")
    beside.write_bytes(orjson.dumps(said))
    beside.replace(file)


def kept(file: Path) -> InHand | None:
    """What was kept; None where nothing was, or it cannot be read: it is made anew from the store."""
    try:
        said = orjson.loads(file.read_bytes())
        return InHand(
            tree=said["tree"],
            size=int(said["size"]),
            root=bytes.fromhex(said["root"]),
            heads={table: bytes.fromhex(head) for table, head in said["heads"].items()},
            marks={(log, topic, int(partition)): int(offset) for log, topic, partition, offset in said["marks"]},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
