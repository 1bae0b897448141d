"""What a worker reads of one table before it goes on: the shoes that it folds again, and what stands beside them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from schemas.topics import HEARTBEAT
from store.connect import Store
from store.read.events import events_where
from store.rows.raw import StoredEvent
from store.rows.verdicts import RoundKey

_NEVER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class ShoeSpan:
    """What was heard of a shoe."""

    shoe: str
    first_time: int
    """Device time of the first event, in microseconds since 1970."""
    last_time: int
    rounds: tuple[int, ...]
    unjudged: tuple[int, ...]
    """Rounds without a verdict."""


@dataclass(frozen=True, slots=True)
class SourceBase:
    """How a source stood when its later events began."""

    sequence: int
    """The highest before them."""
    time: int
    """The largest device time before them, in microseconds since 1970."""
    types: frozenset[str]
    """The types of events that it had sent."""
    last_beat: StoredEvent | None
    """Its last heartbeat before them."""


@dataclass(frozen=True, slots=True)
class UnderMinimum:
    """A round in which a bet stood under its minimum."""

    key: RoundKey
    opened: int
    """Microseconds since 1970."""
    game: str
    status: str
    bets: tuple[tuple[str | None, int, str, int, int, int], ...]
    """Player, position, wager, stake, paid and collected (0 where it was not settled) of each bet."""


def shoe_spans(store: Store, partition: int, table: str) -> list[ShoeSpan]:
    """The shoes of a table, by their first event."""
    rows = store.query(
        "SELECT shoe, toUnixTimestamp64Micro(min(first_time)), toUnixTimestamp64Micro(max(last_time)),"
        " groupUniqArrayIf(round, round > 0) FROM round_spans"
        " WHERE partition = %(partition)s AND table = %(table)s GROUP BY shoe ORDER BY min(first_time), shoe",
        {"partition": partition, "table": table},
    )
    judged: dict[str, set[int]] = {}
    for shoe, numbers in store.query(
        "SELECT shoe, groupUniqArray(round) FROM verdicts WHERE table = %(table)s GROUP BY shoe", {"table": table}
    ):
        judged[shoe] = set(numbers)
    return [
        ShoeSpan(shoe, first, last, tuple(sorted(rounds)), tuple(sorted(set(rounds) - judged.get(shoe, set()))))
        for shoe, first, last, rounds in rows
    ]


def first_sequences(store: Store, table: str, start: int) -> dict[str, int]:
    """By source: the lowest sequence of its events about a table from a device time on (microseconds since 1970)."""
    rows = store.query(
        "SELECT source, min(sequence) FROM events WHERE table = %(table)s"
        " AND time >= fromUnixTimestamp64Micro(%(start)s, 'UTC') GROUP BY source",
        {"table": table, "start": start},
    )
    return dict(rows)


def source_bases(store: Store, table: str, firsts: Mapping[str, int]) -> dict[str, SourceBase]:
    """How each source of a table stood before its first sequence to be read; sources without one, at their end."""
    before, parameters = _by_source("sequence <", firsts, _NEVER)
    rows = store.query(
        "SELECT source, max(sequence), toUnixTimestamp64Micro(max(time)), groupUniqArray(toString(type)),"
        " maxIf(toInt64(sequence), type = %(beat)s), countIf(type = %(beat)s) FROM events"
        f" WHERE table = %(table)s AND {before} GROUP BY source",
        {"table": table, "beat": HEARTBEAT, **parameters},
    )
    beats = tuple((source, beat) for source, _, _, _, beat, count in rows if count)
    found: dict[str, StoredEvent] = {}
    if beats:
        condition = "type = %(beat)s AND (toString(source), sequence) IN %(beats)s"
        for stored in events_where(store, condition, {"beat": HEARTBEAT, "beats": beats}, table=table):
            found[stored.event.source] = stored
    return {
        source: SourceBase(sequence, time, frozenset(types), found.get(source))
        for source, sequence, time, types, _, _ in rows
    }


def events_from(store: Store, table: str, firsts: Mapping[str, int]) -> Iterator[StoredEvent]:
    """All stored events of a table from each source's first sequence on."""
    if not firsts:
        return
    since, parameters = _by_source("sequence >=", firsts, _NEVER)
    yield from events_where(store, since, parameters, table=table)


def rounds_under_minimum(store: Store, table: str) -> list[UnderMinimum]:
    """The last state of each round of a table in which a bet stood under its minimum, by its opening."""
    rows = store.query(
        "SELECT shoe, round, toUnixTimestamp64Micro(opened), game, status, bets.player, bets.position, bets.wager,"
        " bets.stake, bets.paid, bets.collected FROM rounds FINAL"
        " WHERE table = %(table)s AND has(codes, 'below-minimum') ORDER BY opened, shoe, round",
        {"table": table},
    )
    return [
        UnderMinimum(
            RoundKey(table, shoe, number),
            opened,
            game,
            status,
            tuple(
                (player or None, position, wager, stake, paid or 0, collected or 0)
                for player, position, wager, stake, paid, collected in zip(*bets, strict=True)
            ),
        )
        for shoe, number, opened, game, status, *bets in rows
    ]


def _by_source(comparison: str, firsts: Mapping[str, int], otherwise: int) -> tuple[str, dict[str, object]]:
    """A condition on the sequence that differs by source."""
    if not firsts:
        return f"{comparison} {otherwise}", {}
    return (
        f"{comparison} transform(toString(source), %(sources)s, %(firsts)s, toUInt64({otherwise}))",
        {"sources": list(firsts), "firsts": list(firsts.values())},
    )
