"""Tables from the store, ready to be judged: whole ones, a partition at a time, or windows of a few shoes."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from audit.devices import Base, RejectedPlace
from audit.facts import Fact
from audit.table import NOTHING_BEFORE, Before, RoundKey, TableFacts, assemble, configuration_at, users_of_one_time
from replay.taking_in import TakenIn
from schemas.decoding import Rejected, decode_record
from schemas.records import AnyEvent
from schemas.time import micros
from schemas.verdicts import Bet, Settled
from store.connect import Store
from store.read.bulk import (
    RawRecord,
    ShoeTimes,
    events_between,
    partition_records,
    refused_places,
    refused_sequences,
    sequences_between,
    shoe_times,
    stands_before,
)
from store.read.events import configuration_events
from store.read.folding import rounds_under_minimum
from store.ticks import LATEST

EVENTS_AT_ONCE = 150_000
"""So many events of one table are held at once, unless a single shoe has more."""
AROUND = 1_800_000_000
"""So far beyond the next opening (microseconds) a window is read: what comes after shows what a hole could hide."""


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


def whole_tables(store: Store, log: str, partition: int, tables: Collection[str]) -> Iterator[TableWindow]:
    """All of some tables of one partition, whose records are read and decoded once."""
    taken = TakenIn()
    strays = refused_places(store, log, partition)
    for events, rejected in _decoded(partition_records(store, log, partition), strays):
        taken.take(events)
        for refused in rejected:
            if refused.subject is not None and refused.source is not None and refused.sequence is not None:
                taken.refuse(refused.subject, refused.source, refused.sequence, refused.type)
    by_table = taken.tables()
    refused_here = refused_sequences(store, sorted(tables)) if strays else {}
    for table in sorted(tables):
        for place in refused_here.get(table, ()):
            taken.refuse(table, *place)
        yield _assembled(table, None, by_table.pop(table, []), taken.places_of(table), NOTHING_BEFORE)


_BYTES_TOGETHER = 900_000
"""So many bytes of records are decoded together: under the length from which an array is looked at item by item."""


def _decoded(
    records: Iterable[RawRecord], strays: set[tuple[str, int, int]]
) -> Iterator[tuple[list[AnyEvent], list[Rejected]]]:
    """What records hold, without what was refused of them. Those of which all was accepted are decoded together, as
    many live records hold an event or two; whatever is not plainly right then, one by one."""
    odd = {(topic, offset) for topic, offset, _ in strays}
    together: list[RawRecord] = []
    size = 0
    for record in records:
        if record.refused or (record.topic, record.offset) in odd or not _plain(record.raw):
            yield _one(record, strays)
            continue
        if size + len(record.raw) > _BYTES_TOGETHER:
            yield from _many(together)
            together, size = [], 0
        together.append(record)
        size += len(record.raw)
    yield from _many(together)


def _plain(raw: bytes) -> bool:
    return raw[:1] == b"{" or (raw[:2] == b"[{" and raw[-2:] == b"}]")


def _many(records: Sequence[RawRecord]) -> Iterator[tuple[list[AnyEvent], list[Rejected]]]:
    inside = (record.raw if record.raw[:1] == b"{" else record.raw[1:-1] for record in records)
    decoded = decode_record(b"[" + b",".join(inside) + b"]") if records else None
    if decoded is None:
        return
    if not decoded.rejected and len(decoded.events) == sum(record.accepted for record in records):
        yield decoded.events, []
    else:
        yield from (_one(record, set()) for record in records)


def _one(record: RawRecord, strays: set[tuple[str, int, int]]) -> tuple[list[AnyEvent], list[Rejected]]:
    decoded = decode_record(record.raw)
    places = zip(decoded.events, decoded.places, strict=True)
    kept = [event for event, place in places if (record.topic, record.offset, place) not in strays]
    return kept, decoded.rejected


def _assembled(
    table: str,
    shoes: frozenset[str] | None,
    events: Sequence[AnyEvent],
    places: Sequence[RejectedPlace],
    before: Before,
) -> TableWindow:
    return TableWindow(table, shoes, assemble(table, events, places, before), events, places, before)


def shoe_windows(store: Store, table: str, wanted: Collection[str] | None = None) -> Iterator[TableWindow]:
    """A table in windows of a few shoes each, those wanted or all, with how it stood before each."""
    shoes = shoe_times(store, table)
    for first, last in _groups(shoes, wanted):
        yield _window(store, table, shoes, first, last, wanted)


def _groups(shoes: Sequence[ShoeTimes], wanted: Collection[str] | None) -> Iterator[tuple[int, int]]:
    """Runs of wanted shoes, by the places of the first and the last, each with no more events than are held at once."""
    start: int | None = None
    size = 0
    for place, shoe in enumerate(shoes):
        if wanted is not None and shoe.shoe not in wanted:
            if start is not None:
                yield start, place - 1
            start, size = None, 0
            continue
        if start is not None and size + shoe.events > EVENTS_AT_ONCE:
            yield start, place - 1
            start, size = None, 0
        start = place if start is None else start
        size += shoe.events
    if start is not None:
        yield start, len(shoes) - 1


def _window(
    store: Store, table: str, shoes: Sequence[ShoeTimes], first: int, last: int, wanted: Collection[str] | None
) -> TableWindow:
    chosen = frozenset(shoe.shoe for shoe in shoes[first : last + 1])
    start = min(shoe.first for shoe in shoes[first : last + 1]) if first else 0
    end = max(shoe.last for shoe in shoes[first : last + 1])
    following = shoes[last + 1].first if last + 1 < len(shoes) else LATEST - AROUND
    sequences = sequences_between(store, table, start, max(end, following) + AROUND)
    taken = TakenIn()
    for some in events_between(store, table, sequences):
        taken.take(some)
    events = taken.tables().get(table, [])
    before = NOTHING_BEFORE
    if first:
        before = _before(store, table, {source: span[0] for source, span in sequences.items()}, start)
    for source, sequence, kind in refused_sequences(store, [table]).get(table, ()):
        known = before.bases.get(source)
        if known is None or sequence > known[0].sequence:
            taken.refuse(table, source, sequence, kind)
    whole = wanted is None and first == 0 and last == len(shoes) - 1
    return _assembled(table, None if whole else chosen, events, taken.places_of(table), before)


def _before(store: Store, table: str, firsts: dict[str, int], start: int) -> Before:
    stands = stands_before(store, table, firsts)
    configured = sorted(
        Fact.of(each.event, micros(each.event.time)) for each in configuration_events(store, table)
    )  # fmt: skip
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
