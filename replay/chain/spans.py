"""The spans of time in which the rows of a kind are held against their leaves, one after another: in each there are as
many as memory holds."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from replay.chain.rows import Chained
from store.connect import Store
from store.read.proof import leaves_by_hour

HOUR_MS: Final = 3_600_000
AT_ONCE: Final = 50_000
"""Leaves or rows; an hour that has more is taken as a whole."""


class Span(NamedTuple):
    """Milliseconds since 1970, the end excluded."""

    start: int
    end: int

    @property
    def began(self) -> str:
        """Its first hour, as people read it."""
        return datetime.fromtimestamp(self.start // 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")

    def of(self, column: str) -> str:
        """The condition on a column with a time."""
        start, end = (f"fromUnixTimestamp64Milli(toInt64({at}), 'UTC')" for at in self)
        return f"`{column}` >= {start} AND `{column}` < {end}"


def spans_of(store: Store, tree: str, kinds: Sequence[Chained]) -> Iterator[Span]:
    """All hours that have rows of these kinds or leaves of such rows. A leaf has the time of its row."""
    rows, leaves = Counter[int](), Counter[int]()
    for chained in kinds:
        rows += _rows_by_hour(store, chained)
        leaves += leaves_by_hour(store, tree, chained.kind)
    start, end, held = 0, 0, 0
    for hour in sorted(rows.keys() | leaves.keys()):
        many = max(rows[hour], leaves[hour])
        if held and held + many > AT_ONCE:
            yield Span(start, end)
            held = 0
        if not held:
            start = hour * HOUR_MS
        held += many
        end = (hour + 1) * HOUR_MS
    if held:
        yield Span(start, end)


def _rows_by_hour(store: Store, chained: Chained) -> Counter[int]:
    """By the hour since 1970: how many rows there are."""
    rows = store.query(
        f"SELECT intDiv(toUnixTimestamp64Milli(toDateTime64(`{chained.time}`, 3, 'UTC')), {HOUR_MS}) AS hour, count()"
        f" FROM {chained.store_table} GROUP BY hour"
    )
    return Counter(dict(rows))
