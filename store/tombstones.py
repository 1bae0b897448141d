"""Tombstones: what is past its retention is written down before the engine deletes it.

The tables' time to live leaves a month after the retention. Run ``bury`` daily within it: whoever misses a row later
finds here that its time was over, and that it was not taken out by hand.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from store.connect import Store
from store.retention import retention_years
from store.rows.proof import Tombstone


@dataclass(frozen=True, slots=True)
class _Buried:
    """A table whose rows are proved one by one, and how to name them."""

    table: str
    time: str
    """The column that the retention counts from."""
    scope: str
    key: str
    content: str
    """What the row's hash is taken of."""
    only: str = "1"
    """Which rows are meant; ``{due}`` stands for the moment before which they are past their retention."""


_PLACE = "log, '/', topic, '/', toString(partition)"

BURIED: tuple[_Buried, ...] = (
    _Buried("records", "arrival", f"concat({_PLACE})", "leftPad(toString(offset), 20, '0')", "raw"),
    # The rows of a record's events go with it, and need no stone of their own where it does not stay for one of them.
    _Buried(
        "events",
        "arrival",
        f"concat({_PLACE})",
        "concat(leftPad(toString(offset), 20, '0'), '/', toString(place))",
        "concat(type, '/', source, '/', toString(sequence))",
        "arrival < {due} AND (log, topic, partition, offset) GLOBAL IN"
        " (SELECT log, topic, partition, offset FROM records WHERE held = 1 AND arrival < {due})",
    ),
    _Buried("rejected", "arrival", f"concat({_PLACE})", "leftPad(toString(offset), 20, '0')", "raw"),
    _Buried("verdicts", "judged", "toString(table)", "concat(shoe, '/', toString(round))", "verdict"),
    _Buried("rounds", "judged", "toString(table)", "concat(shoe, '/', toString(round))", "hex(digest)"),
    _Buried("shoes", "summarised", "toString(table)", "shoe", "summary"),
    _Buried("alerts", "raised", "toString(table)", "alert", "concat(finding, '/', message, '/', detail)"),
    _Buried("findings", "raised", "toString(table)", "id", "finding"),
    _Buried("alert_steps", "at", "''", "concat(alert, '/', step)", "concat(action, '/', state, '/', by, '/', note)"),
    _Buried("access_log", "at", "''", "entry", "concat(who, '/', action, '/', table, '/', shoe, '/', detail)"),
)


def bury(store: Store, now: int, by: str, years: int | None = None) -> list[Tombstone]:
    """Writes down what is past its retention at this moment (milliseconds since 1970) and not yet written down.
    ``years``: of a shorter retention that is about to be put in force."""
    kept = years or retention_years(store)
    written = [] if kept is None else [stone for each in BURIED for stone in _due(store, each, kept, now, by)]
    _write(store, written)
    return written


def tombstones(store: Store) -> list[Tombstone]:
    """Every tombstone, by table, scope and time."""
    columns = store.columns(
        "SELECT store_table, scope, toString(month), toUnixTimestamp64Milli(before), rows, first, last, digest, years,"
        " toUnixTimestamp64Milli(written), by FROM tombstones FINAL ORDER BY store_table, scope, month, before",
        as_bytes=True,
    )
    return [
        Tombstone(
            store_table=table.decode(),
            scope=scope.decode(),
            month=month.decode(),
            before=before,
            rows=rows,
            first=first.decode(),
            last=last.decode(),
            digest=digest,
            years=years,
            written=when,
            by=by.decode(),
        )
        for table, scope, month, before, rows, first, last, digest, years, when, by in zip(*columns, strict=True)
    ]


def explains(stones: Iterable[Tombstone], store_table: str, scope: str, at: int) -> bool:
    """Whether a row that is missing was past its retention: ``at`` is the time that its retention counts from."""
    return any(stone.store_table == store_table and stone.scope == scope and at < stone.before for stone in stones)


def event_rows_over(stones: Iterable[Tombstone], place: tuple[str, str, int]) -> int:
    """Event rows of a partition (log, topic, number) that arrived before this moment (milliseconds since 1970) may be
    gone, also of a record that is still there: it is kept for the sake of one event."""
    scope = "/".join(map(str, place))
    of_place = (stone for stone in stones if stone.scope == scope and stone.store_table in ("records", "events"))
    return max((stone.before for stone in of_place), default=0)


def _due(store: Store, buried: _Buried, years: int, now: int, by: str) -> list[Tombstone]:
    """The rows that came due since the last tombstone of their scope."""
    moment = f"fromUnixTimestamp64Milli(%(now)s, 'UTC') - INTERVAL {years} YEAR"
    columns = store.columns(
        f"SELECT scope, toString(month), toUnixTimestamp64Milli(due), count(), min(key), max(key),"
        f" SHA256(arrayStringConcat(arraySort(groupArray(SHA256(content))))) FROM"
        f" (SELECT {buried.scope} AS scope, toStartOfMonth({buried.time}) AS month, {buried.key} AS key,"
        f" {buried.content} AS content, {moment} AS due, toDateTime64({buried.time}, 3, 'UTC') AS at"
        f" FROM {buried.table} FINAL WHERE held = 0 AND {buried.only.format(due=f'({moment})')}) AS kept"
        " GLOBAL LEFT JOIN (SELECT scope, max(before) AS before FROM tombstones WHERE store_table = %(table)s"
        " GROUP BY scope) AS earlier USING (scope)"
        " WHERE at < due AND at >= before GROUP BY scope, month, due ORDER BY scope, month",
        {"now": now, "table": buried.table},
        as_bytes=True,
    )
    return [
        Tombstone(
            store_table=buried.table,
            scope=scope.decode(),
            month=month.decode(),
            before=due,
            rows=rows,
            first=first.decode(),
            last=last.decode(),
            digest=digest,
            years=years,
            written=now,
            by=by,
        )
        for scope, month, due, rows, first, last, digest in zip(*columns, strict=True)
    ]


def _write(store: Store, stones: list[Tombstone]) -> None:
    store.insert(
        "tombstones",
        {
            "store_table": [stone.store_table for stone in stones],
            "scope": [stone.scope for stone in stones],
            "month": [date.fromisoformat(stone.month) for stone in stones],
            "before": [stone.before for stone in stones],
            "rows": [stone.rows for stone in stones],
            "first": [stone.first for stone in stones],
            "last": [stone.last for stone in stones],
            "digest": [stone.digest for stone in stones],
            "years": [stone.years for stone in stones],
            "written": [stone.written for stone in stones],
            "by": [stone.by for stone in stones],
        },
    )
