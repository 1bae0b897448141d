"""Judged rounds that what comes late may change, though nothing of them comes: by their findings and times."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from store.connect import Store
from store.read.stretches import by_source

_CODES = "hasAny(codes, CAST(%(codes)s, 'Array(String)'))"


class DoubtfulRound(NamedTuple):
    """A round with a finding that rests on what did not come; times in microseconds since 1970."""

    shoe: str
    round: int
    opened: int
    until: int | None
    """No earlier than the next opening at the table; None: not known."""
    codes: frozenset[str]


def doubtful_rounds(store: Store, starts: Mapping[str, int], codes: Collection[str]) -> dict[str, list[DoubtfulRound]]:
    """By table: its rounds with such a finding, opened from a time on that differs by table, by their opening."""
    if not starts:
        return {}
    given = {"tables": tuple(starts), "first": min(starts.values()), "codes": list(codes)}
    since = "table IN %(tables)s AND opened >= fromUnixTimestamp64Micro(%(first)s, 'UTC')"
    rows = store.query(
        "SELECT table, shoe, round, toUnixTimestamp64Micro(opened), codes FROM rounds FINAL"
        f" WHERE {since} AND {_CODES} ORDER BY opened, shoe, round",
        given,
    )
    rows = [row for row in rows if row[3] >= starts[row[0]]]
    if not rows:
        return {}
    # A round of which nothing was found has an opening for certain.
    openings = store.query(
        "SELECT table, arraySort(groupArray(toUnixTimestamp64Micro(opened))) FROM rounds FINAL"
        f" WHERE {since} AND empty(codes) GROUP BY table",
        {"tables": tuple({row[0] for row in rows}), "first": min(row[3] for row in rows)},
    )
    opened_at: dict[str, list[int]] = dict(openings)
    found: dict[str, list[DoubtfulRound]] = {}
    for table, shoe, number, opened, of_round in rows:
        until = next((moment for moment in opened_at.get(table, ()) if moment > opened), None)
        found.setdefault(table, []).append(DoubtfulRound(shoe, number, opened, until, frozenset(of_round)))
    return found


def heard_before(store: Store, firsts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """By table and source: the largest device time before a sequence (microseconds since 1970), where there is one."""
    if not firsts:
        return {}
    bound, given = by_source(
        {table: {source: (first, first) for source, first in of.items()} for table, of in firsts.items()}, 0, 0
    )
    rows = store.query(
        "SELECT table, source, toUnixTimestamp64Micro(max(time)) FROM events"
        f" WHERE table IN %(tables)s AND sequence < {bound} GROUP BY table, source",
        given,
    )
    found: dict[str, dict[str, int]] = {}
    for table, source, time in rows:
        found.setdefault(table, {})[source] = time
    return found


def shoes_going_on(store: Store, table: str, first: int, last: int) -> set[str]:
    """The shoes with a round that had begun by the last of two moments and went on to the first (microseconds since
    1970)."""
    rows = store.query(
        "SELECT DISTINCT shoe FROM rounds FINAL WHERE table = %(table)s"
        " AND opened <= fromUnixTimestamp64Micro(%(last)s, 'UTC')"
        " AND ended >= fromUnixTimestamp64Micro(%(first)s, 'UTC')",
        {"table": table, "first": first, "last": last},
    )
    return {shoe for (shoe,) in rows}
