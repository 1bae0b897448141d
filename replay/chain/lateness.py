"""What may still be sealed although its time is before the last checkpoint, and why it is no forgery."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import orjson

from replay.chain.rows import BY_KIND, RECORD, ChainedRow, key_of, record_place
from store.rows.proof import STORED_LATE

Place = tuple[str, str, int]
"""Log, topic and partition."""
Named = dict[str, list[tuple[str, ...]]]
"""By kind: the parts of the keys of rows that an entry of the access log names as stored late."""


def open_since(signed: Sequence[int], now: int, grace: int) -> int:
    """Rows of this time and later may not be sealed yet, by the times of the last checkpoints, the first one first:
    those of the grace before the last one, and one more.

    Where nothing was sealed for longer than the grace, there may have been no store to go to: all writers come back
    with what they held, and have the grace for it from the first checkpoint after.
    """
    since = last = signed[-1]
    if now > last + grace:
        return last - grace
    for later, earlier in pairwise(reversed(signed)):
        if later < last - grace:
            break
        if later - earlier > grace:
            since = earlier
    return since - grace


def named_by(entry: ChainedRow) -> Named:
    """What an entry of the access log names as stored late; nothing, where it is no such entry."""
    if entry.kind != "access" or STORED_LATE.encode() not in entry.body:
        return {}
    try:
        said = orjson.loads(entry.body)
        named = orjson.loads(said["detail"])["rows"] if said["action"] == STORED_LATE else {}
        return {
            kind: [tuple(map(str, parts)) for parts in keys if len(parts) == len(BY_KIND[kind].key)]
            for kind, keys in named.items()
            if kind in BY_KIND
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        # Nobody of ours wrote such an entry.
        return {}


def keys_named(entries: Iterable[ChainedRow]) -> set[tuple[str, str]]:
    """Kind and key of the rows that these entries name."""
    return {(kind, key_of(*parts)) for entry in entries for kind, keys in named_by(entry).items() for parts in keys}


def next_in_log(extra: Iterable[ChainedRow], marks: Mapping[Place, int]) -> dict[Place, int]:
    """By place in the log: how far records that are not sealed follow those that are without a gap. A worker that is
    hours behind stores old records, one after another; who puts one in puts it anywhere."""
    found: dict[Place, set[int]] = {}
    for row in extra:
        if row.kind == RECORD.kind:
            place, offset = record_place(row.key)
            found.setdefault(place, set()).add(offset)
    reach: dict[Place, int] = {}
    for place, offsets in found.items():
        offset = marks.get(place, -1)
        while offset + 1 in offsets:
            offset += 1
            reach[place] = offset
    return reach
