"""Shoes for the watches over many rounds: which have ended, what their summaries rest on, and who played in them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import orjson

from store.connect import Store
from store.read.events import events_where
from store.rows.raw import RecordKey, StoredEvent
from store.rows.shoes import ShoeSummary
from store.ticks import LATEST

_KEYS_AT_ONCE = 1_000
_A_MONTH = 31 * 24 * 3600 * 1000
LATELY_DAYS = 30
"""A player's last shoe is mostly one of so many days before."""

_TELLS = "game != ''"
"""A summary from which nothing can be told has no game."""


class ShoeKey(NamedTuple):
    """One shoe of one table."""

    table: str
    shoe: str


class ShoePlace(NamedTuple):
    """A shoe in the order in which the shoes of the house ended."""

    ended: int
    """Microseconds since 1970."""
    table: str
    shoe: str

    @property
    def key(self) -> ShoeKey:
        return ShoeKey(self.table, self.shoe)


@dataclass(frozen=True, slots=True)
class EndedShoe:
    """A shoe whose end was reported, by what was heard of it."""

    key: ShoeKey
    heard: int
    """Arrival of the last event about it, in milliseconds since 1970."""
    rounds: int
    """How many rounds were heard of."""


@dataclass(frozen=True, slots=True)
class ShoeMark:
    """What a stored summary rests on."""

    version: int
    heard: int
    """Arrival of the last event that it knows, in milliseconds since 1970."""
    judged: int
    """The last verdict that it knows, in milliseconds since 1970."""
    digest: str
    """Of all that it says."""


def heard_months(store: Store) -> list[tuple[int, int]]:
    """The months in which something arrived, each from its first millisecond to that of the next, in order."""
    rows = store.query(
        "SELECT DISTINCT toUnixTimestamp(toDateTime(month, 'UTC')) * 1000,"
        " toUnixTimestamp(toDateTime(month + INTERVAL 1 MONTH, 'UTC')) * 1000 FROM round_spans ORDER BY 1"
    )
    return [(start, end) for start, end in rows]


def newest_arrival(store: Store) -> int:
    """When the last stored event arrived, in milliseconds since 1970; 0 where there is none."""
    rows = store.query(
        "SELECT toUnixTimestamp64Milli(max(last_arrival)) FROM source_hours"
        " WHERE hour >= (SELECT max(hour) FROM source_hours)"
    )
    return int(rows[0][0]) if rows else 0


def ended_shoes(store: Store, since: int, until: int = LATEST // 1000) -> list[EndedShoe]:
    """The shoes that have ended and were last heard of from ``since`` until before ``until`` (milliseconds)."""
    rows = store.query(
        "SELECT table, shoe, toUnixTimestamp64Milli(max(last_arrival)) AS heard, uniqExactIf(round, round > 0)"
        " FROM round_spans WHERE"
        " month >= toStartOfMonth(fromUnixTimestamp64Milli(%(since)s, 'UTC')) - INTERVAL 1 MONTH"
        " AND month <= toStartOfMonth(fromUnixTimestamp64Milli(%(until)s, 'UTC'))"
        " GROUP BY table, shoe HAVING maxIf(closed, round = 0) = 1 AND heard >= %(since)s AND heard < %(until)s"
        " ORDER BY heard, table, shoe",
        {"since": max(since, _A_MONTH), "until": until},
    )
    return [EndedShoe(ShoeKey(table, shoe), heard, rounds) for table, shoe, heard, rounds in rows]


def judged_since(store: Store, since: int) -> dict[ShoeKey, int]:
    """The shoes with a verdict of this moment or later, and when the last one was made (milliseconds since 1970)."""
    rows = store.query(
        "SELECT table, shoe, toUnixTimestamp64Milli(max(judged)) FROM verdicts"
        " WHERE judged >= fromUnixTimestamp64Milli(%(since)s, 'UTC') GROUP BY table, shoe",
        {"since": since},
    )
    return {ShoeKey(table, shoe): judged for table, shoe, judged in rows}


def judged_rounds(store: Store, keys: Iterable[ShoeKey]) -> dict[ShoeKey, tuple[int, int]]:
    """Of each of these shoes: how many rounds have a verdict, and when the last was made (milliseconds since 1970)."""
    found: dict[ShoeKey, tuple[int, int]] = {}
    for some in _parts(keys):
        rows = store.query(
            "SELECT table, shoe, uniqExact(round), toUnixTimestamp64Milli(max(judged)) FROM verdicts"
            " WHERE (table, shoe) IN %(keys)s GROUP BY table, shoe",
            {"keys": some},
        )
        found.update((ShoeKey(table, shoe), (rounds, judged)) for table, shoe, rounds, judged in rows)
    return found


def shoe_marks(store: Store, keys: Iterable[ShoeKey]) -> dict[ShoeKey, ShoeMark]:
    """What the stored summaries of these shoes rest on."""
    found: dict[ShoeKey, ShoeMark] = {}
    for some in _parts(keys):
        rows = store.query(
            "SELECT table, shoe, version, JSONExtractInt(summary, 'heard'), JSONExtractInt(summary, 'judged'),"
            " JSONExtractString(summary, 'digest') FROM shoes FINAL WHERE (table, shoe) IN %(keys)s",
            {"keys": some},
        )
        found.update((ShoeKey(table, shoe), ShoeMark(*rest)) for table, shoe, *rest in rows)
    return found


def stored_shoes(store: Store, keys: Iterable[ShoeKey]) -> dict[ShoeKey, ShoeSummary]:
    """The stored summaries of these shoes."""
    found: dict[ShoeKey, ShoeSummary] = {}
    for some in _parts(keys):
        rows = store.query(
            "SELECT table, shoe, version, game, decks, toUnixTimestamp64Micro(loaded), toUnixTimestamp64Micro(ended),"
            " rounds, toUnixTimestamp64Milli(summarised), summary FROM shoes FINAL WHERE (table, shoe) IN %(keys)s",
            {"keys": some},
        )
        for table, shoe, version, game, decks, loaded, ended, rounds, summarised, summary in rows:
            found[ShoeKey(table, shoe)] = ShoeSummary(
                table=table, shoe=shoe, version=version, game=game or None, decks=decks or None, loaded=loaded,
                ended=ended, rounds=rounds, summarised=summarised, summary=orjson.loads(summary),
            )  # fmt: skip
    return found


def parts_of_summaries(store: Store, keys: Iterable[ShoeKey], part: str) -> dict[ShoeKey, Any]:
    """One part of each of these summaries, by its name."""
    found: dict[ShoeKey, Any] = {}
    for some in _parts(keys):
        rows = store.query(
            "SELECT table, shoe, JSONExtractRaw(summary, %(part)s) FROM shoes FINAL WHERE (table, shoe) IN %(keys)s",
            {"keys": some, "part": part},
        )
        found.update((ShoeKey(table, shoe), orjson.loads(raw or "null")) for table, shoe, raw in rows)
    return found


def telling_shoes_before(store: Store, place: ShoePlace, count: int) -> list[tuple[ShoePlace, int]]:
    """The last shoes of a table before this place from which something can be told, with the versions of their
    summaries, the latest first."""
    rows = store.query(
        "SELECT toUnixTimestamp64Micro(ended) AS at, shoe, version FROM shoes FINAL"
        f" WHERE table = %(table)s AND {_TELLS} AND (at, shoe) < (%(ended)s, %(shoe)s)"
        " ORDER BY at DESC, shoe DESC LIMIT %(count)s",
        {"table": place.table, "ended": place.ended, "shoe": place.shoe, "count": count},
    )
    return [(ShoePlace(ended, place.table, shoe), version) for ended, shoe, version in rows]


def telling_shoes_after(store: Store, place: ShoePlace, count: int) -> list[ShoePlace]:
    """The next shoes of a table after this place from which something can be told, the earliest first."""
    rows = store.query(
        "SELECT toUnixTimestamp64Micro(ended) AS at, shoe FROM shoes FINAL"
        f" WHERE table = %(table)s AND {_TELLS} AND (at, shoe) > (%(ended)s, %(shoe)s)"
        " ORDER BY at, shoe LIMIT %(count)s",
        {"table": place.table, "ended": place.ended, "shoe": place.shoe, "count": count},
    )
    return [ShoePlace(ended, place.table, shoe) for ended, shoe in rows]


def shoes_of_players(
    store: Store, players: Sequence[str], since: int | None = None, until: int | None = None
) -> dict[str, list[ShoePlace]]:
    """By player: the shoes in which a verdict named him, with a summary that tells something, in their order.

    ``since`` and ``until`` bound the days on which their rounds were opened (microseconds since 1970).
    """
    if not players:
        return {}
    days = "" if since is None else " AND day >= toDate32(fromUnixTimestamp64Micro(%(since)s, 'UTC'))"
    days += "" if until is None else " AND day <= toDate32(fromUnixTimestamp64Micro(%(until)s, 'UTC'))"
    rows = store.query(
        f"SELECT DISTINCT player, table, shoe FROM player_rounds WHERE player IN %(players)s{days}",
        {"players": tuple(players), "since": max(since or 0, 0), "until": min(until or 0, LATEST)},
    )
    ends: dict[ShoeKey, int] = {}
    for some in _parts({ShoeKey(table, shoe) for _, table, shoe in rows}):
        ends.update(
            (ShoeKey(table, shoe), ended)
            for table, shoe, ended in store.query(
                "SELECT table, shoe, toUnixTimestamp64Micro(ended) FROM shoes FINAL"
                f" WHERE (table, shoe) IN %(keys)s AND {_TELLS}",
                {"keys": some},
            )
        )
    found: dict[str, list[ShoePlace]] = {}
    for player, table, shoe in rows:
        ended = ends.get(ShoeKey(table, shoe))
        if ended is not None:
            found.setdefault(player, []).append(ShoePlace(ended, table, shoe))
    return {player: sorted(places) for player, places in found.items()}


def last_sequences(store: Store, key: ShoeKey) -> dict[str, int]:
    """By source: the highest sequence of its events about a shoe."""
    rows = store.query(
        "SELECT source, max(sequence) FROM events WHERE table = %(table)s AND shoe = %(shoe)s GROUP BY source",
        {"table": key.table, "shoe": key.shoe},
    )
    return dict(rows)


def events_beside(store: Store, key: ShoeKey, lasts: Mapping[str, int], since: int) -> Iterator[StoredEvent]:
    """What the sources of a shoe said of other things up to these sequences and dated at ``since`` (microseconds) or
    later: it moves the effective times of what they said of the shoe."""
    if not lasts:
        return
    yield from events_where(
        store,
        "shoe != %(shoe)s AND time >= fromUnixTimestamp64Micro(%(since)s, 'UTC')"
        " AND sequence <= transform(toString(source), %(sources)s, %(lasts)s, toUInt64(0))",
        {"shoe": key.shoe, "since": since, "sources": list(lasts), "lasts": list(lasts.values())},
        table=key.table,
    )


def refused_events(store: Store, table: str, since: int) -> set[tuple[RecordKey, int]]:
    """Events of a table, by record and place, that were refused and arrived at this moment (milliseconds) or later."""
    rows = store.query(
        "SELECT DISTINCT log, topic, partition, offset, place FROM rejected WHERE table = %(table)s"
        " AND arrival >= fromUnixTimestamp64Milli(%(since)s, 'UTC')",
        {"table": table, "since": since},
    )
    return {(RecordKey(log, topic, partition, offset), place) for log, topic, partition, offset, place in rows}


def _parts(keys: Iterable[ShoeKey]) -> Iterator[tuple[ShoeKey, ...]]:
    left = iter(keys)
    while some := tuple(islice(left, _KEYS_AT_ONCE)):
        yield some
