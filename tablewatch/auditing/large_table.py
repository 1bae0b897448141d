"""The facts of a table whose events do not fit into memory.

They are read once for what concerns them all and is kept as numbers, and are decoded again shoe by shoe when rounds are
judged. What remains in memory is the outline of the table, some 2 KB a round, and the numbers, some 100 bytes an event
of one source at a time and 8 of the others.
"""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from audit.devices import Beat, Device, Presence
from audit.facts import Fact, RoundFacts, gather
from audit.filled import Filled, RejectedPlace
from audit.intake import Identity
from audit.outline import BESIDE_ROUNDS, RoundKey, Surroundings, TableOutline, outline_of
from audit.table import TableFacts
from audit.trail import Numbers, trace
from schemas.decoding import decode_lines
from schemas.records import AnyEvent
from schemas.time import all_micros, micros
from schemas.topics import HEARTBEAT
from tablewatch.auditing.filing import Filing
from tablewatch.auditing.one_table import BATCH, decoded_batches, doubtful_ids, resolved
from tablewatch.auditing.spool import Spool

LARGE: Final = 1_000_000
"""A table of more lines than this is judged so: decoded and put together, an event takes a kilobyte."""

_NONE: Final[Numbers] = np.zeros(0, np.int64)
_DROPPED: Final = np.iinfo(np.int64).min
"""In place of its effective time: the event is a repeat, or in conflict with another one."""


@dataclass(slots=True)
class HeardDevice(Device):
    """A device whose facts were let go of."""

    heard: Presence = field(default_factory=lambda: Presence(_NONE, _NONE, None))
    heartbeats: list[Beat] = field(default_factory=list)

    def beats(self) -> list[Beat]:
        """Its heartbeats, in order."""
        return self.heartbeats

    def presence(self) -> Presence:
        """When it was heard."""
        return self.heard


class _Rounds(dict[RoundKey, RoundFacts]):
    """The facts of the rounds of a table; those of one shoe are in memory, the last one that was asked for."""

    def __init__(self, spool: Spool[tuple[str, str]]) -> None:
        super().__init__()
        self._spool = spool
        self._sources: dict[str, set[str]] = defaultdict(set)
        self.at: dict[str, Numbers] = {}
        """By source: the effective time of each of its events, in the order in which they were read."""

    def add(self, shoe: str, source: str, line: bytes, place: int) -> None:
        """File an event of a shoe's round; the place is its own among those of its source."""
        self._sources[shoe].add(source)
        self._spool.add((shoe, source), line, place)

    def __missing__(self, key: RoundKey) -> RoundFacts:
        if key[0] not in self._sources:
            raise KeyError(key)
        self.clear()
        self.update(self.of_shoe(key[0]))
        return dict.__getitem__(self, key)

    def shoes(self) -> list[str]:
        """All shoes."""
        return list(self._sources)

    def of_shoe(self, shoe: str) -> dict[RoundKey, RoundFacts]:
        """The rounds of one shoe."""
        by_round: dict[RoundKey, list[Fact]] = defaultdict(list)
        for source in sorted(self._sources[shoe]):
            at = self.at[source]
            for lines, places in self._spool.read((shoe, source)):
                for start in range(0, len(lines), BATCH):
                    times = at[np.array(places[start : start + BATCH], np.int64)].tolist()
                    events = decode_lines(lines[start : start + BATCH]).events
                    for event, time in zip(events, times, strict=True):
                        if time != _DROPPED:
                            by_round[shoe, event.data.round].append(Fact.of(event, time))
        return {key: gather(facts) for key, facts in by_round.items()}


@dataclass(slots=True)
class _Source:
    """What was read of one source; a place is that of an event in the order in which they were read."""

    sequences: Numbers
    times: Numbers
    order: Numbers
    """The places of those that count, by sequence and id."""
    types: set[str] = field(default_factory=set)
    drifts: dict[int, int] = field(default_factory=dict)
    """By place: how far the clock of a heartbeat is ahead."""
    beside: list[tuple[int, AnyEvent]] = field(default_factory=list)
    """Events about no single round, heartbeats left out, by place."""


@contextmanager
def facts_of_large_table(
    filing: Filing, table: str, sources: Sequence[str], condemned: Mapping[str, Collection[Identity]]
) -> Iterator[TableFacts]:
    """All facts of one table, as long as the context lasts; the same as ``assemble`` makes of its events."""
    with Spool[tuple[str, str]](filing.memory) as spool:
        rounds = _Rounds(spool)
        read = {source: _read(filing, table, source, condemned, rounds) for source in sources}
        places: dict[str, list[RejectedPlace]] = defaultdict(list)
        for place in filing.places.get(table, ()):
            places[place.source].append(place)
        outline = TableOutline(table, {})
        for source in sorted(read.keys() | places.keys()):
            device, at = _followed(
                source, read.pop(source, _Source(_NONE, _NONE, _NONE)), places.get(source, ()), outline
            )
            outline.devices[source], rounds.at[source] = device, at
        for shoe in rounds.shoes():
            outline.rounds.update({key: outline_of(facts) for key, facts in rounds.of_shoe(shoe).items()})
        outline.sort()
        yield TableFacts(outline, rounds, Surroundings(outline))


def _read(
    filing: Filing, table: str, source: str, condemned: Mapping[str, Collection[Identity]], rounds: _Rounds
) -> _Source:
    """Read the events of one source once; those of rounds are filed by shoe."""
    ids: list[str] = []
    numbers = array("q")
    sequences: list[Numbers] = [_NONE]
    times: list[Numbers] = [_NONE]
    found = _Source(_NONE, _NONE, _NONE)
    for decoded, lines, lines_of in decoded_batches(filing, (table, source)):
        first = len(ids)
        ids.extend([event.id for event in decoded.events])
        numbers.extend(lines_of)
        sequences.append(np.array([event.sequence for event in decoded.events], np.int64))
        times.append(all_micros([event.time for event in decoded.events]))
        for place, (event, line) in enumerate(zip(decoded.events, lines, strict=True), first):
            kind = event.type
            found.types.add(kind)
            if kind == HEARTBEAT:
                found.drifts[place] = micros(event.data.device_time) - int(times[-1][place - first])
            elif kind in BESIDE_ROUNDS:
                found.beside.append((place, event))
            else:
                rounds.add(event.data.shoe, source, line, place)
    counted = np.arange(len(ids), dtype=np.int64)
    doubtful = doubtful_ids(ids, source, condemned)
    if doubtful:
        places = [place for place, each in enumerate(ids) if each in doubtful]
        some = resolved(filing, (table, source), {numbers[place] for place in places}, doubtful, condemned)
        kept = {event.id for event in some}
        # Repeats say the same, so that any of them stands for all: here the first.
        standing = {ids[place]: place for place in reversed(places) if ids[place] in kept}
        counted = np.delete(counted, sorted(set(places) - set(standing.values())))
    found.sequences, found.times = np.concatenate(sequences), np.concatenate(times)
    found.order = counted[np.argsort(found.sequences[counted], kind="stable")]
    if not np.diff(found.sequences[found.order]).all():
        known = found.sequences.tolist()
        found.order = np.array(sorted(counted.tolist(), key=lambda place: (known[place], ids[place])), np.int64)
    return found


def _followed(
    source: str, read: _Source, rejected: Sequence[RejectedPlace], outline: TableOutline
) -> tuple[HeardDevice, Numbers]:
    """The device, and the effective time of each of its events by place; what is about no single round is filed."""
    order = read.order
    sequences = read.sequences[order]
    filled = Filled.by(rejected)
    trail = trace(sequences, read.times[order], filled.runs)
    at = np.full(len(read.sequences), _DROPPED)
    at[order] = trail.at
    for place, event in read.beside:
        if at[place] != _DROPPED:
            outline.file(Fact.of(event, int(at[place])))
    beats = [rank for rank, place in enumerate(order.tolist()) if place in read.drifts] if read.drifts else []
    device = HeardDevice(
        source,
        [],
        trail.lacking,
        trail.obscured,
        frozenset(read.types | filled.types),
        trail.back,
        trail.twice,
        Presence(trail.at, sequences, beats[0] if beats else None),
        [Beat(int(sequences[rank]), read.drifts[int(order[rank])]) for rank in beats],
    )
    return device, at
