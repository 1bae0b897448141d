"""The rows that came after their time and may be sealed all the same, read from the store."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson

from replay.chain.lateness import named_by
from replay.chain.rows import BY_KIND, ChainedRow, record_place, rows_of
from store.connect import Store
from store.rows.proof import STORED_LATE

NOTES = f"action = '{STORED_LATE}'"
"""Which entries of the access log name rows as stored late."""
_AT_ONCE = 1_000


def refused_of(store: Store, records: Iterable[ChainedRow]) -> list[ChainedRow]:
    """What was refused of records. A refusal has the time of its record, and is written before it."""
    marks = (record_place(row.key) for row in records if orjson.loads(row.body)["rejected"])
    places = {(*place, offset) for place, offset in marks}
    found: list[ChainedRow] = []
    for some in _pieces(sorted(places)):
        found += rows_of(store, BY_KIND["rejected"], "(log, topic, partition, offset) IN %(places)s", {"places": some})
    return found


def rows_named(store: Store, entries: Iterable[ChainedRow]) -> list[ChainedRow]:
    """The rows that entries of the access log name as stored late, as far as they are there."""
    named: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for entry in entries:
        for kind, those in named_by(entry).items():
            named[kind] |= set(those)
    found: list[ChainedRow] = []
    for kind, keys in sorted(named.items()):
        chained = BY_KIND[kind]
        columns = ", ".join(f"toString({sql})" for sql in chained.key.values())
        # One value in brackets is no tuple to the store.
        alone = len(chained.key) == 1
        for some in _pieces(sorted(keys)):
            wanted = tuple(parts[0] for parts in some) if alone else some
            found += rows_of(store, chained, f"({columns}) IN %(keys)s", {"keys": wanted})
    return found


def _pieces(items: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    for start in range(0, len(items), _AT_ONCE):
        yield tuple(items[start : start + _AT_ONCE])
