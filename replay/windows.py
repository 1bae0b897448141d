"""Tables from the store, ready to be judged: whole ones, a few partitions at a time, or windows of a few shoes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from audit.devices import Base
from audit.facts import Fact
from audit.filled import RejectedPlace
from audit.table import NOTHING_BEFORE, Before, RoundKey, TableFacts, assemble, configuration_at, users_of_one_time
from replay.by_table import ByTable
from replay.taking_in import taken_in
from schemas.records import AnyEvent
from schemas.time import micros
from schemas.verdicts import Bet, Settled
from store.connect import Store
from store.errors import StoreContradicts
from store.read.bulk import Partition, partition_records, records_about, refused_places, refused_sequences
from store.read.events import configuration_events
from store.read.folding import rounds_under_minimum
from store.read.stretches import (
    EventsRead,
    ShoeTimes,
    SourceStand,
    arrivals_between,
    events_between,
    events_with_care,
    sequences_between,
    shoes_of,
    stands_before,
)
from store.ticks import LATEST

EVENTS_AT_ONCE = 150_000
"""So many events are held at once, unless a single shoe has more."""
TABLES_AT_ONCE = 64
"""So many tables' shoes are looked up at once."""
AROUND = 1_800_000_000
"""So far beyond the next opening (microseconds) a window is read: what comes after shows what a hole could hide."""

BESIDE_MS = 3_600_000
"""Records that came so long before and after those that event rows know of are read where rows may be gone."""


@dataclass(frozen=True, slots=True)
class TableWindow:
    """Some shoes of a table with all that judging their rounds takes."""

    table: str
    shoes: frozenset[str] | None
    """Whose rounds are to be judged; None: all."""
    facts: TableFacts
    events: Sequence[AnyEvent]
    """What the facts were made of, with the places that refused events fill and how the table stood before."""
    places: Sequence[RejectedPlace]
    before: Before

    @property
    def used(self) -> frozenset[str]:
        """Players whose one time under the minimum (5.14) was used up before the window."""
        return self.before.used

    def wants(self, key: RoundKey) -> bool:
        """Whether a round is one of those to be judged."""
        return self.shoes is None or key[0] in self.shoes


def whole_tables(store: Store, partitions: Collection[Partition], tables: Collection[str]) -> Iterator[TableWindow]:
    """All of some tables of a few partitions, whose records are read once."""
    strays = refused_places(store, partitions)
    sorted_out = ByTable(strays)
    sorted_out.sort(partition_records(store, partitions))
    refused_here = refused_sequences(store, sorted(tables)) if strays else {}
    for table in sorted(tables):
        # Nothing here holds on to a window that was given: it should be gone when the next is put together.
        yield _whole(table, *sorted_out.take(table), refused_here.get(table, ()))


def _whole(
    table: str, events: Sequence[AnyEvent], places: set[RejectedPlace], refused: Sequence[tuple[str, int, str | None]]
) -> TableWindow:
    return _assembled(table, None, events, places.union(RejectedPlace(*place) for place in refused), NOTHING_BEFORE)


def _assembled(
    table: str,
    shoes: frozenset[str] | None,
    events: Sequence[AnyEvent],
    refused: Collection[RejectedPlace],
    before: Before,
) -> TableWindow:
    places = sorted(refused, key=lambda place: (place.source, place.sequence, place.type or ""))
    return TableWindow(table, shoes, assemble(table, events, places, before), events, places, before)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Some shoes of a table whose events cannot be read, because the store contradicts itself."""

    table: str
    shoes: frozenset[str]
    error: StoreContradicts


@dataclass(frozen=True, slots=True)
class Together:
    """Windows of several tables that are read together."""

    shoes: Mapping[str, frozenset[str]]
    """By table: those of its window."""
    windows: Iterator[TableWindow | Unreadable]
    """One of each table, put together as it is asked for."""


def shoe_windows(
    store: Store, table: str, wanted: Collection[str] | None = None, *, from_records: bool = False
) -> Iterator[TableWindow]:
    """A table in windows of a few shoes each, those wanted or all, with how it stood before each."""
    for together in floor_windows(store, {table: wanted}, from_records=from_records):
        for window in together.windows:
            if isinstance(window, Unreadable):
                raise window.error
            yield window


def floor_windows(
    store: Store, wanted: Mapping[str, Collection[str] | None], *, from_records: bool = False
) -> Iterator[Together]:
    """Tables in windows of a few shoes each, those wanted or all, with how each table stood before. As many windows of
    different tables as fit are read together: their records are mostly the same, and questions cost more than rows.

    Which records are read the event rows say; ``from_records``: all records of that time, which takes longer, and finds
    events whose rows are gone.
    """
    tables = sorted(wanted)
    for start in range(0, len(tables), TABLES_AT_ONCE):
        some = tables[start : start + TABLES_AT_ONCE]
        shoes = shoes_of(store, some)
        for batch in batches(shoes, {table: wanted[table] for table in some}):
            names = {
                table: frozenset(shoe.shoe for shoe in shoes[table][first : last + 1])
                for table, (first, last) in batch.items()
            }
            yield Together(names, _windows(store, shoes, batch, names, from_records=from_records))


Batch = dict[str, tuple[int, int]]
"""By table: the places of the first and the last of a run of its shoes."""


def batches(shoes: Mapping[str, Sequence[ShoeTimes]], wanted: Mapping[str, Collection[str] | None]) -> Iterator[Batch]:
    """Runs of wanted shoes, one of each table at most, together with no more events than are held at once."""
    in_time = sorted(
        (shoe.partition, shoe.first, table, place)
        for table, listed in shoes.items()
        for place, shoe in enumerate(listed)
        if (chosen := wanted[table]) is None or shoe.shoe in chosen
    )
    found: list[Batch] = []
    sizes: list[int] = []
    current: dict[str, int] = {}
    full = 0
    for _, _, table, place in in_time:
        size = shoes[table][place].events
        at = current.get(table)
        if at is None or found[at][table][1] != place - 1 or sizes[at] + size > EVENTS_AT_ONCE:
            at = full if at is None else at + 1
            while at < len(found) and (table in found[at] or sizes[at] + size > EVENTS_AT_ONCE):
                at += 1
            if at == len(found):
                found.append({})
                sizes.append(0)
            current[table] = at
        found[at][table] = found[at].get(table, (place, place))[0], place
        sizes[at] += size
        while full < len(found) - 1 and sizes[full] * 2 > EVENTS_AT_ONCE:
            full += 1
    return iter(found)


def _windows(
    store: Store,
    shoes: Mapping[str, Sequence[ShoeTimes]],
    batch: Batch,
    names: Mapping[str, frozenset[str]],
    *,
    from_records: bool,
) -> Iterator[TableWindow | Unreadable]:
    times = {table: _times(shoes[table], first, last) for table, (first, last) in batch.items()}
    heard = sequences_between(store, times)
    sequences = {table: heard.get(table, {}) for table in batch}
    read = events_between(store, {} if from_records else sequences)
    refused = refused_sequences(store, sorted(batch))
    later = {table: sequences[table] for table, (first, _) in batch.items() if first}
    stands = stands_before(store, later) if later else {}
    for table, (first, _) in sorted(batch.items()):
        stood = (stands.get(table, {}), times[table][0]) if first else None
        # As above, nothing here holds on to a window that was given.
        if from_records:
            yield _of_records(
                store, table, names[table], sequences[table], refused.get(table, ()), stood, times[table][1]
            )
            continue
        yield _window(store, table, names[table], read, sequences[table], refused.get(table, ()), stood)


def _window(
    store: Store,
    table: str,
    shoes: frozenset[str],
    read: EventsRead,
    runs: Mapping[str, tuple[int, int]],
    refused: Sequence[tuple[str, int, str | None]],
    stood: tuple[Mapping[str, SourceStand], int] | None,
) -> TableWindow | Unreadable:
    """The window of one table. ``stood``: how its sources stood before it and when it begins; None: it is the first."""
    try:
        plain = read.take(table)
        events, places = taken_in(list(events_with_care(store, table, runs)) if plain is None else plain)
        before = NOTHING_BEFORE if stood is None else _before(store, table, *stood)
    except StoreContradicts as error:
        return Unreadable(table, shoes, error)
    return _with_refused(table, shoes, events, places, refused, before)


def _with_refused(
    table: str,
    shoes: frozenset[str],
    events: Sequence[AnyEvent],
    places: set[RejectedPlace],
    refused: Sequence[tuple[str, int, str | None]],
    before: Before,
) -> TableWindow:
    for source, sequence, kind in refused:
        known = before.bases.get(source)
        if known is None or sequence >= known[0].sequence:
            places.add(RejectedPlace(source, sequence, kind))
    return _assembled(table, shoes, events, places, before)


def _of_records(
    store: Store,
    table: str,
    shoes: frozenset[str],
    runs: Mapping[str, tuple[int, int]],
    refused: Sequence[tuple[str, int, str | None]],
    stood: tuple[Mapping[str, SourceStand], int] | None,
    end: int,
) -> TableWindow | Unreadable:
    """As `_window`, from all records of its time. Its sources' runs may have lost their ends with the rows: an event
    belongs to it that comes after what came before it, and is not of a later time."""
    came = arrivals_between(store, table, runs)
    strays = refused_places(store, came)
    sorted_out = ByTable(strays)
    if came:
        first, last = min(each[0] for each in came.values()), max(each[1] for each in came.values())
        sorted_out.sort(records_about(store, table, came, first - BESIDE_MS, last + BESIDE_MS))
    found, places = sorted_out.take(table)
    stands = stood[0] if stood is not None else {}
    none = (0, -1)
    events = [
        event
        for event in found
        if (event.source not in stands or event.sequence > stands[event.source].sequence)
        and (event.sequence <= runs.get(event.source, none)[1] or micros(event.time) <= end)
    ]
    try:
        before = NOTHING_BEFORE if stood is None else _before(store, table, *stood)
    except StoreContradicts as error:
        return Unreadable(table, shoes, error)
    return _with_refused(table, shoes, events, places, refused, before)


def _times(shoes: Sequence[ShoeTimes], first: int, last: int) -> tuple[int, int]:
    """From when to when a table is read for a run of its shoes."""
    run = shoes[first : last + 1]
    start = min(shoe.first for shoe in run) if first else 0
    following = shoes[last + 1].first if last + 1 < len(shoes) else LATEST - AROUND
    return start, max(following, *(shoe.last for shoe in run)) + AROUND


def configurations(store: Store, table: str) -> list[Fact]:
    """Every configuration that a table ever had, in the order of their device times."""
    return sorted(Fact.of(each.event, micros(each.event.time)) for each in configuration_events(store, table))


def _before(store: Store, table: str, stands: Mapping[str, SourceStand], start: int) -> Before:
    configured = configurations(store, table)
    earlier = [
        fact for fact in configured if fact.source in stands and fact.sequence <= stands[fact.source].sequence
    ]  # fmt: skip
    return Before(
        {source: (Base(each.sequence, each.time, False), each.types) for source, each in stands.items()},
        tuple(earlier),
        _used_before(store, table, start, configured),
    )


def _used_before(store: Store, table: str, start: int, configurations: list[Fact]) -> frozenset[str]:
    """The players who used their one time under the minimum in rounds opened before a moment (DTB, FF4 5.14)."""
    used: set[str] = set()
    for each in rounds_under_minimum(store, table):
        configuration = configuration_at(configurations, each.opened)
        if each.opened >= start or configuration is None:
            continue
        bets = [
            Bet("", position, player, wager, stake, None, Settled(paid, collected))
            for player, position, wager, stake, paid, collected in each.bets
        ]
        used |= users_of_one_time(each.game, each.status, bets, configuration.data.limits)
    return frozenset(used)
