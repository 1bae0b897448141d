"""What the raw records say was played, whatever rows were made of them: which of these rounds has no verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from store.connect import Store
from store.read.rounds import RoundFilter
from store.retention import retention_years
from store.rows.verdicts import RoundKey

_SAID: Final = "Array(Tuple(subject String, type String, time String, data Tuple(shoe String, round UInt64)))"
"""What of the events of a record is read here."""
_MOST_NAMES: Final = 200
"""For so many names at once the engine looks in one pass."""


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A round that came to its end, as the records have it; times in microseconds since 1970, by device time."""

    key: RoundKey
    opened: int
    last: int
    """Of its last event."""


def played_without_verdict(store: Store, wanted: RoundFilter, well_over: int) -> list[PlayedRound]:
    """The rounds of the raw records that meet the tables, shoe, number and times of a filter, came to their end so
    long (microseconds) before a judged one of their table, and have no verdict."""
    rows = store.query(*_unjudged_by_shoe(wanted, _since(store)))
    judged_until = _judged_until(store, {row[0] for row in rows if row[2]})
    found: list[PlayedRound] = []
    for table, *_, judged in rows:
        judged_until[table] = max(judged_until.get(table, 0), judged)
    for table, shoe, unjudged, last_opening, ended, _ in rows:
        for number, opened, last, closed in unjudged:
            over = closed or ended or opened < last_opening
            if over and last < judged_until[table] - well_over and _opened_within(opened, wanted):
                found.append(PlayedRound(RoundKey(table, shoe, number), opened, last))
    return sorted(found, key=lambda each: each.key)


def _unjudged_by_shoe(wanted: RoundFilter, since: str) -> tuple[str, dict[str, Any]]:
    """By table and shoe: its rounds without a verdict, when the last of all was opened, whether the shoe ended, and
    until when its judged rounds lasted."""
    may_hold, given = _records_that_may(wanted)
    met, more = _named_so(wanted)
    judged, _ = RoundFilter(tables=wanted.tables, besides=wanted.besides, shoe=wanted.shoe).conditions()
    array = "if(startsWith(trimLeft(raw), '['), raw, concat('[', raw, ']'))"
    return (
        "SELECT table, shoe,"
        " groupArrayIf((round, opened, last, closed), NOT is_judged AND round > 0 AND is_meant),"
        " maxIf(opened, round > 0), max(ended), maxIf(last, is_judged) FROM ("
        "SELECT table, shoe, round, if(countIf(type = 'round.opened.v1') > 0, minIf(at, type = 'round.opened.v1'),"
        " min(at)) AS opened, max(at) AS last, countIf(type = 'round.closed.v1') > 0 AS closed,"
        " countIf(type = 'shoe.ended.v1') > 0 AS ended,"
        f" (table, shoe, round) GLOBAL IN (SELECT table, shoe, round FROM verdicts WHERE {judged}) AS is_judged,"
        f" {met} AS is_meant FROM ("
        "SELECT said.1 AS table, said.4.1 AS shoe, said.4.2 AS round, said.2 AS type,"
        " toUnixTimestamp64Micro(parseDateTime64BestEffortOrZero(said.3, 6, 'UTC')) AS at FROM ("
        f"SELECT log, topic, partition, offset, JSONExtract({array}, '{_SAID}') AS events,"
        " arrayJoin(arrayZip(events, arrayEnumerate(events))) AS numbered, numbered.1 AS said, numbered.2 - 1 AS place"
        f" FROM records WHERE {may_hold} AND {since})"
        f" WHERE shoe != '' AND (log, topic, partition, offset, place) GLOBAL NOT IN"
        " (SELECT log, topic, partition, offset, toInt64(place) FROM rejected)"
        f" AND {judged}) GROUP BY table, shoe, round) GROUP BY table, shoe",
        {**given, **more},
    )


def _named_so(wanted: RoundFilter) -> tuple[str, dict[str, Any]]:
    """Tables, shoe and number of a filter as a condition; times are looked at afterwards."""
    return RoundFilter(
        tables=wanted.tables, besides=wanted.besides, shoe=wanted.shoe, round=wanted.round
    ).conditions()  # fmt: skip


def _records_that_may(wanted: RoundFilter) -> tuple[str, dict[str, Any]]:
    """Which records may speak of the rounds meant, by their bytes; with backslashes anything may be written."""
    looked_for: list[Sequence[str]] = [wanted.tables, () if wanted.shoe is None else (wanted.shoe,), _days(wanted)]
    conditions: list[str] = ["1"]
    given: dict[str, Any] = {}
    for number, names in enumerate(looked_for):
        if names and len(names) <= _MOST_NAMES and all(names):
            conditions.append(f"(multiSearchAny(raw, %(written{number})s) OR position(raw, char(92)) > 0)")
            given[f"written{number}"] = list(names)
    return " AND ".join(conditions), given


def _days(wanted: RoundFilter) -> list[str]:
    """The days that a record of a round in the times of a filter names, in whatever time zone; none where it may be
    any."""
    if wanted.start is None or wanted.end is None:
        return []
    first, last = (datetime.fromtimestamp(each // 1_000_000, UTC).date() for each in (wanted.start, wanted.end))
    # One more on each side for the time zone, and one for a round that lasts past midnight.
    count = (last - first).days + 4
    return [str(first + timedelta(days=day - 1)) for day in range(count)] if count <= _MOST_NAMES else []


def _since(store: Store) -> str:
    """What keeps out records that are past their retention and held for another's sake: verdicts on their rounds have
    gone by their time."""
    years = retention_years(store)
    return "1" if years is None else f"arrival + toIntervalYear({int(years)}) > now64(3)"


def _judged_until(store: Store, tables: set[str]) -> dict[str, int]:
    """By table: until when its judged rounds lasted."""
    if not tables:
        return {}
    rows = store.query(
        "SELECT table, toUnixTimestamp64Micro(max(ended)) FROM rounds WHERE table IN %(tables)s GROUP BY table",
        {"tables": tuple(tables)},
    )
    return {table: int(ended) for table, ended in rows}


def _opened_within(opened: int, wanted: RoundFilter) -> bool:
    return (wanted.start is None or opened >= wanted.start) and (wanted.end is None or opened < wanted.end)
