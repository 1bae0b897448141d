"""Folding tables' stored events again: the one way to get to a state, after a crash and for a late fact alike."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from operator import itemgetter
from typing import Any, NamedTuple

import orjson

from audit.checks.device_clock import is_off
from audit.devices import ALWAYS_BEFORE, EVER_AFTER, Base
from audit.facts import Fact
from audit.filled import RejectedPlace
from audit.intake import Identity
from audit.live.table import LiveTable
from audit.settings import MILLISECOND, JudgeSettings, UnknownSettings, settings_of
from audit.table import RoundKey, configuration_at, users_of_one_time
from schemas.findings import finding_json
from schemas.records import AnyEvent
from schemas.time import micros
from schemas.verdicts import Bet, Settled
from store.connect import Store
from store.read.bulk import Verdicts, judged_shoes, shoes_verdicts
from store.read.doubtful import DoubtfulRound
from store.read.folding import (
    RefusedEvent,
    ShoeSpan,
    SourceBase,
    UnderMinimum,
    configurations_of,
    events_from,
    events_named,
    findings_since,
    heard_since,
    refused_since,
    shoe_spans,
    source_bases,
    under_minimum,
)
from store.read.progress import last_times
from store.rows.raw import RecordKey, StoredEvent
from store.rows.verdicts import FindingState
from streams.doubts import changed_by, doubtful, windows
from streams.intake import Origin
from streams.names import name_of

RECENT = 600_000_000
"""Shoes heard of so long before a table's last word (microseconds) are read again whole: facts of theirs may come."""
EVENTS_TOGETHER = 10_000
"""So many events are folded in one go, at most, unless one table has more: what is found is told after each."""
_HOUR = 3_600_000_000
_SETTINGS = b'"settings":'
_BY_PLACE = itemgetter(0, 1, 2, 3)
_REVISION = re.compile(rb'"revision":\d+')


@dataclass(frozen=True, slots=True)
class VerdictMark:
    """The last verdict of a round that is known to the world."""

    revision: int
    content: bytes
    """Fingerprint of all but the revision."""


@dataclass(frozen=True, slots=True)
class FindingMark:
    """The last state of a finding that is known to the world."""

    version: int
    content: bytes
    """As published."""
    round: RoundKey | None
    standing: bool
    time: int = 0
    """When the fact came that decides it, by the table's time, in microseconds since 1970."""
    told: bool | None = None
    """Whether people were told of it; None: it was read from the store, which does not say."""


class Beginning(NamedTuple):
    """From where on a table was read."""

    start: int
    """Device time, in microseconds since 1970."""
    firsts: Mapping[str, int]
    """By source: the first sequence."""


@dataclass(slots=True)
class Folded:
    """A table as its stored events make it."""

    live: LiveTable
    partly: set[str] = field(default_factory=set)
    """Shoes whose beginning is stored and was not folded."""
    verdicts: dict[RoundKey, VerdictMark] = field(default_factory=dict)
    findings: dict[str, FindingMark] = field(default_factory=dict)
    refused: set[tuple[RecordKey, int]] = field(default_factory=set)
    """Events, by record and place, that are stored as refused."""
    beginning: Beginning | None = None
    """None where the store has not heard of the table."""
    behind: int = 0
    """Microseconds from the time of the last event, by its device, to its arrival."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A table that is to be read from the store."""

    table: str
    partition: int
    shoes: Collection[str] = ()
    """To be folded besides those in play."""
    late: Sequence[AnyEvent] = ()
    """Facts that came late: all since the first of them is folded."""
    arriving: Collection[Identity] = ()
    """Of events that are to be taken next: they may have been used before."""
    arrived: Collection[Identity] = ()
    """Of events that came while the table waited to be read and are stored by now: they may have been used before."""
    taken_up: Sequence[AnyEvent] = ()
    """Events that are stored and may not have been judged in all that they say."""
    since: Beginning | None = None
    """From where on it was read before, where what was told was not held against that yet."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """What is read again of a table."""

    start: int
    """Device time, in microseconds since 1970."""
    spans: Sequence[ShoeSpan]
    firsts: Mapping[str, int]
    """By source: the first sequence."""
    events: int
    """How many there are, about."""
    doubtful: Sequence[DoubtfulRound]
    """Rounds that may still be judged otherwise."""

    @property
    def whole(self) -> set[str]:
        """The shoes that are read from their beginning."""
        return {span.shoe for span in self.spans if span.first_time >= self.start}


@dataclass(frozen=True, slots=True)
class _Read:
    """What the store has of some tables, by table."""

    bases: Mapping[str, Mapping[str, SourceBase]]
    events: Mapping[str, Sequence[StoredEvent]]
    configured: Mapping[str, Sequence[StoredEvent]]
    under_minimum: Mapping[str, Sequence[UnderMinimum]]
    named: Mapping[str, Sequence[StoredEvent]]
    """Events whose names others use that came or are to come."""
    refused: Mapping[str, Sequence[RefusedEvent]]
    verdicts: Mapping[str, Verdicts]
    findings: Mapping[str, Sequence[FindingState]]


def verdict_content(json: bytes) -> bytes:
    """A fingerprint of a published verdict, whatever its revision."""
    return blake2b(_REVISION.sub(b"", json, count=1), digest_size=16).digest()


def fold(store: Store, wanted: Sequence[Wanted], settings: JudgeSettings) -> dict[str, Folded]:
    """Tables, each named once, as their stored events make them: of those that come first as many as have
    `EVENTS_TOGETHER` in all, and one at least; the others are to be asked for again."""
    tables = {each.table: each for each in wanted}
    stretches = _stretches(store, tables)
    chosen: dict[str, _Stretch] = {}
    folded: dict[str, Folded] = {}
    unheard: list[str] = []
    events = 0
    for table in tables:
        stretch = stretches.get(table)
        if stretch is None:
            unheard.append(table)
            continue
        events += stretch.events
        if chosen and events > EVENTS_TOGETHER:
            break
        chosen[table] = stretch
    if unheard:
        # A worker that was killed may have stored what it said of a table, and nothing of the table itself.
        verdicts = shoes_verdicts(store, judged_shoes(store, unheard))
        findings = findings_since(store, dict.fromkeys(unheard, 0))
        for table in unheard:
            known = verdicts.get(table, {})
            folded[table] = Folded(LiveTable(table, settings, judged_by=_judged_by(known, settings)))
            _mark(folded[table], known, findings.get(table, []))
    if chosen:
        read = _read(store, tables, chosen)
        for table, stretch in chosen.items():
            folded[table] = _fold(tables[table], stretch, read, settings)
    return folded


def _stretches(store: Store, tables: Mapping[str, Wanted]) -> dict[str, _Stretch]:
    """What is to be read of those tables that the store has heard of: their shoes in play, the shoes that are wanted,
    and all since the first of the facts that are late."""
    spans = shoe_spans(store, {table: each.partition for table, each in tables.items()})
    heard = last_times(store, tables.keys())
    recent = {
        table: max((span.last_time for span in spans.get(table, ())), default=last) - RECENT
        for table, last in heard.items()
    }
    in_doubt = doubtful(store, heard)
    late = {
        table: _late(
            tables[table], last - RECENT, _is_over(spans.get(table, ()), recent[table], in_doubt.get(table, ()))
        )
        for table, last in heard.items()
    }
    changed = changed_by(store, late, in_doubt, {table: last - RECENT for table, last in heard.items()})
    starts: dict[str, int] = {}
    for table, last in heard.items():
        shoes = {*tables[table].shoes, *changed.get(table, ())}
        shoes.update(event.data.shoe for event in late[table] if hasattr(event.data, "shoe"))
        again = [
            span.first_time
            for span in spans.get(table, ())
            if span.unjudged or span.shoe in shoes or span.last_time >= recent[table]
        ]
        starts[table] = min([last - RECENT, *again, *(micros(event.time) for event in late[table])])
        before = tables[table].since
        if before is not None:
            starts[table] = min(starts[table], before.start)
    if not starts:
        return {}
    found: dict[str, _Stretch] = {}
    for table, since in heard_since(store, starts).items():
        firsts = since.firsts
        for event in late[table]:
            # A clock that was set may date it after what follows it.
            firsts[event.source] = min(event.sequence, firsts.get(event.source, event.sequence))
        before = tables[table].since
        for source, first in before.firsts.items() if before is not None else ():
            firsts[source] = min(first, firsts.get(source, first))
        found[table] = _Stretch(starts[table], spans.get(table, []), firsts, since.events, in_doubt.get(table, []))
    return found


def _is_over(spans: Iterable[ShoeSpan], recent: int, rounds: Iterable[DoubtfulRound]) -> bool:
    """Whether one of these rounds is of a shoe that was not heard of any more since a time."""
    old = {span.shoe for span in spans if span.last_time < recent}
    return any(each.shoe in old for each in rounds)


def _late(wanted: Wanted, recent: int, has_doubts: bool) -> list[AnyEvent]:
    """What came late; of what was taken up also what is of late, where it can change a round of an earlier shoe."""
    since = EVER_AFTER if has_doubts else recent
    return [*wanted.late, *(event for event in wanted.taken_up if micros(event.time) < since)]


def _read(store: Store, tables: Mapping[str, Wanted], stretches: Mapping[str, _Stretch]) -> _Read:
    firsts = {table: stretch.firsts for table, stretch in stretches.items()}
    events = events_from(store, firsts)
    names: dict[str, set[Identity]] = {}
    for table in stretches:
        held = {name_of(each.event) for each in events.get(table, [])}
        names[table] = {*(set(tables[table].arriving) - held), *tables[table].arrived}
    # A worker that was killed may have stored its verdict on a round, and nothing of the round or its shoe.
    judged = judged_shoes(store, list(stretches))
    shoes = {
        table: stretch.whole | (judged.get(table, set()) - {span.shoe for span in stretch.spans})
        for table, stretch in stretches.items()
    }
    return _Read(
        bases=source_bases(store, firsts),
        events=events,
        configured=configurations_of(store, firsts),
        under_minimum=under_minimum(store, firsts),
        named=events_named(store, names),
        refused=refused_since(store, {table: (each.start - _HOUR) // 1_000 for table, each in stretches.items()}),
        verdicts=shoes_verdicts(store, shoes),
        findings=findings_since(store, {table: each.start - _HOUR for table, each in stretches.items()}),
    )


def _fold(wanted: Wanted, stretch: _Stretch, read: _Read, settings: JudgeSettings) -> Folded:
    table, whole = wanted.table, stretch.whole
    bases, events = read.bases[table], read.events.get(table, [])
    passed: set[Identity] = set()
    for stored in events:
        data: Any = stored.event.data
        if getattr(data, "round", None) is not None and data.shoe not in whole:
            passed.add(name_of(stored.event))
    known = read.configured.get(table, [])
    configured = [_fact(each) for each in known]
    released = {span.shoe: span.rounds for span in stretch.spans if span.shoe not in whole}
    # Two under one id are alike in all that facts are ordered by; of neither anything can be told.
    in_order = sorted(configured, key=_BY_PLACE)
    used = used_before(read.under_minimum.get(table, []), released, in_order)
    verdicts = read.verdicts.get(table, {})
    live = LiveTable(table, settings, used, _judged_by(verdicts, settings))
    live.resume(
        {
            source: (
                Base(
                    base.sequence,
                    base.time,
                    base.last_beat is not None and is_off(_fact(base.last_beat), settings),
                ),
                base.types,
            )
            for source, base in bases.items()
        },
        released,
        passed,
        [fact for fact in configured if fact.source in bases and fact.sequence <= bases[fact.source].sequence],
    )
    most = settings.ahead_ms * MILLISECOND
    live.ahead |= {
        name_of(each.event)
        for each, fact in zip(known, configured, strict=True)
        if fact.at - each.arrival * 1_000 > most
    }
    held = {(each.key, each.place) for each in events}
    for stored in read.named.get(table, []):
        # Before the events are taken: one that came while the table waited is among them, and uses the name again.
        if (stored.key, stored.place) not in held:
            live.remember(stored.event, Origin.of_stored(stored))
    last = behind = 0
    for stored in events:
        time = micros(stored.event.time)
        if time > last:
            last, behind = time, max(0, stored.arrival * 1_000 - time)
        live.hold_against_arrival(stored.event, time, stored.arrival * 1_000)
        live.take_all([(stored.event, time)], Origin.of_stored(stored))
    beginning = Beginning(stretch.start, stretch.firsts)
    folded = Folded(live, {span.shoe for span in stretch.spans} - whole, beginning=beginning, behind=behind)
    for refused in read.refused.get(table, []):
        folded.refused.add((refused.key, refused.place))
        if refused.source is None or refused.sequence is None:
            continue
        base = bases.get(refused.source)
        if base is None or refused.sequence >= base.sequence:
            live.reject(RejectedPlace(refused.source, refused.sequence, refused.type))
    live.recall_rounds(
        max((span.last_time for span in stretch.spans if span.shoe not in whole), default=ALWAYS_BEFORE),
        windows(stretch.doubtful, stretch.spans, whole, live.rounds.values()),
    )
    _mark(folded, verdicts, read.findings.get(table, []))
    return folded


def _judged_by(verdicts: Verdicts, settings: JudgeSettings) -> dict[RoundKey, JudgeSettings]:
    """The rounds whose verdict was given under other settings than these, with its settings: they keep them. By
    settings that this version cannot read nothing is judged."""
    in_force = _SETTINGS + orjson.dumps(settings.as_json())
    found: dict[RoundKey, JudgeSettings] = {}
    for key, verdict in verdicts.items():
        if in_force not in verdict.json:
            with suppress(UnknownSettings):
                found[key] = settings_of(orjson.loads(verdict.json)["settings"])
    return found


def _mark(folded: Folded, verdicts: Verdicts, findings: Iterable[FindingState]) -> None:
    """What is known to the world of a table, also of a round whose events are not stored, and come again."""
    for key, verdict in verdicts.items():
        folded.verdicts[key] = VerdictMark(verdict.revision, verdict_content(verdict.json))
    for state in findings:
        found = state.finding
        about = (found.shoe, found.round) if found.shoe is not None and found.round is not None else None
        mark = FindingMark(state.version, finding_json(found), about, not found.cleared, state.time)
        folded.findings[found.id] = mark


def used_before(
    rounds: Iterable[UnderMinimum], released: Mapping[str, Collection[int]], configurations: list[Fact]
) -> frozenset[str]:
    """The players who used their one time under the minimum (DTB, FF4 5.14) in rounds that were let go of, given by
    shoe. A worker that was killed may have stored its verdict on a round, and nothing of the round itself: that comes
    again, and is no earlier one than itself."""
    used: set[str] = set()
    for each in rounds:
        configuration = configuration_at(configurations, each.opened)
        if each.key.round not in released.get(each.key.shoe, ()) or configuration is None:
            continue
        bets = [
            Bet("", position, player, wager, stake, None, Settled(paid, collected))
            for player, position, wager, stake, paid, collected in each.bets
        ]
        used |= users_of_one_time(each.game, each.status, bets, configuration.data.limits)
    return frozenset(used)


def _fact(stored: StoredEvent) -> Fact:
    event = stored.event
    return Fact.of(event, micros(event.time))
