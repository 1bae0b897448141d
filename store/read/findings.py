"""Findings in their last state: all of a shift, one by its id, those of a round."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from schemas.findings import parse_finding
from store.connect import Store
from store.rows.verdicts import FindingState, RoundKey

_IDS_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingFilter:
    """Which findings are meant: those that meet everything that is given."""

    tables: tuple[str, ...] = ()
    """Any of these; empty: all."""
    start: int | None = None
    """Decided at or after, by device time, in microseconds since 1970."""
    end: int | None = None
    """Decided before."""
    code: str | None = None
    severities: tuple[str, ...] = ()
    """Any of these; empty: all."""
    shoe: str | None = None
    round: int | None = None
    cleared: bool | None = False
    """Only those cleared, or not cleared; None: both."""


def findings(store: Store, wanted: FindingFilter, limit: int = 100_000) -> list[FindingState]:
    """The findings that meet a filter, by device time."""
    given: list[tuple[str, str, Any]] = [
        ("table IN %(tables)s", "tables", wanted.tables or None),
        ("time >= fromUnixTimestamp64Micro(%(start)s, 'UTC')", "start", wanted.start),
        ("time < fromUnixTimestamp64Micro(%(end)s, 'UTC')", "end", wanted.end),
        ("code = %(code)s", "code", wanted.code),
        ("severity IN %(severities)s", "severities", wanted.severities or None),
        ("shoe = %(shoe)s", "shoe", wanted.shoe),
        ("round = %(round)s", "round", wanted.round),
        ("cleared = %(cleared)s", "cleared", None if wanted.cleared is None else int(wanted.cleared)),
    ]
    condition = " AND ".join(["1"] + [part for part, _, value in given if value is not None])
    parameters = {name: value for _, name, value in given if value is not None}
    return _states(store, f"{condition} ORDER BY time, table, id LIMIT %(limit)s", {**parameters, "limit": limit})


def findings_of_shift(store: Store, start: int, end: int, tables: tuple[str, ...] = ()) -> list[FindingState]:
    """All findings of a shift that stand, devices and shoes included (microseconds since 1970)."""
    return findings(store, FindingFilter(start=start, end=end, tables=tables))


def findings_of_round(store: Store, key: RoundKey) -> list[FindingState]:
    """What was found in a round, what was cleared later included."""
    return findings(store, FindingFilter(tables=(key.table,), shoe=key.shoe, round=key.round, cleared=None))


def finding(store: Store, finding_id: str) -> FindingState | None:
    """One finding by its id."""
    found = _states(store, "id = %(id)s", {"id": finding_id})
    return found[0] if found else None


def findings_named(store: Store, ids: Collection[str]) -> dict[str, FindingState]:
    """Those of these findings that are stored, by id."""
    named = sorted(ids)
    parts = [named[first : first + _IDS_AT_ONCE] for first in range(0, len(named), _IDS_AT_ONCE)]
    return {
        state.finding.id: state for part in parts for state in _states(store, "id IN %(ids)s", {"ids": tuple(part)})
    }


def last_ids(store: Store, code: str, limit: int) -> list[str]:
    """The ids of the findings of a code that were raised last, the last one last."""
    rows = store.query(
        "SELECT id, max(raised) AS last FROM findings WHERE code = %(code)s GROUP BY id ORDER BY last DESC, id"
        " LIMIT %(limit)s",
        {"code": code, "limit": limit},
    )
    return [name for name, _ in reversed(rows)]


def _states(store: Store, condition: str, parameters: dict[str, Any]) -> list[FindingState]:
    columns = store.columns(
        "SELECT finding, version, toUnixTimestamp64Micro(time), toUnixTimestamp64Milli(raised) FROM findings FINAL"
        f" WHERE {condition}",
        parameters,
        as_bytes=True,
    )
    return [
        FindingState(finding=parse_finding(published), version=version, time=time, raised=raised)
        for published, version, time, raised in zip(*columns, strict=True)
    ]


def rounds_that_name(store: Store, table: str, ids: Collection[str]) -> dict[str, set[tuple[str, int]]]:
    """By finding: the rounds of a table (shoe and number) whose verdicts name it, or of which an alert tells of it. It
    reads every verdict of the table."""
    found: dict[str, set[tuple[str, int]]] = {}
    for sql in (
        "SELECT arrayJoin(arrayFilter(each -> position(verdict, each) > 0, %(ids)s)), shoe, round FROM verdicts"
        " WHERE table = %(table)s",
        "SELECT finding, shoe, round FROM alerts WHERE table = %(table)s AND has(%(ids)s, finding)",
    ):
        for name, shoe, round in store.query(sql, {"table": table, "ids": list(ids)}):
            found.setdefault(name, set()).add((shoe, round))
    return found


def last_versions(store: Store, table: str) -> dict[str, int]:
    """By finding of a table: its highest version that is stored."""
    rows = store.query("SELECT id, max(version) FROM findings WHERE table = %(table)s GROUP BY id", {"table": table})
    return dict(rows)
