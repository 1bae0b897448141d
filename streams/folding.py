"""Folding a table's stored events again: the one way to get to a state, after a crash and for a late fact alike."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from audit.checks.device_clock import is_off
from audit.devices import Base, RejectedPlace
from audit.facts import Fact
from audit.intake import Identity
from audit.live.table import LiveTable
from audit.settings import JudgeSettings
from audit.table import RoundKey, configuration_at, users_of_one_time
from schemas.findings import finding_json
from schemas.records import AnyEvent
from schemas.time import micros
from schemas.verdicts import Bet, Settled
from store.connect import Store
from store.read.events import configuration_events, events_by_ids
from store.read.findings import FindingFilter, findings
from store.read.folding import (
    UnderMinimum,
    events_from,
    first_sequences,
    rounds_under_minimum,
    shoe_spans,
    source_bases,
)
from store.read.progress import last_heard
from store.read.rejections import rejections
from store.read.rounds import RoundFilter, verdicts
from store.rows.raw import RecordKey, StoredEvent
from streams.intake import Origin

RECENT = 600_000_000
"""Shoes heard of so long before a table's last word (microseconds) are read again whole: facts of theirs may come."""
_HOUR = 3_600_000_000
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


def verdict_content(json: bytes) -> bytes:
    """A fingerprint of a published verdict, whatever its revision."""
    return blake2b(_REVISION.sub(b"", json, count=1), digest_size=16).digest()


def fold(
    store: Store,
    partition: int,
    table: str,
    settings: JudgeSettings,
    shoes: Iterable[str] = (),
    late: Sequence[AnyEvent] = (),
    arriving: Iterable[Identity] = (),
) -> Folded:
    """Fold a table's shoes in play, these shoes, and all that came since the first of the facts that are late.
    ``arriving`` are the identities of events that are to be taken next: they may have been used before."""
    wanted = {*shoes, *(event.data.shoe for event in late if hasattr(event.data, "shoe"))}
    spans = shoe_spans(store, partition, table)
    heard = max((each.time for each in last_heard(store, table).values()), default=None)
    if heard is None:
        return Folded(LiveTable(table, settings))
    last = max((span.last_time for span in spans), default=heard)
    read_again = [s.first_time for s in spans if s.unjudged or s.shoe in wanted or s.last_time >= last - RECENT]
    start = min([heard - RECENT, *read_again, *(micros(event.time) for event in late)])
    firsts = first_sequences(store, table, start)
    for event in late:
        # A clock that was set may date it after what follows it.
        firsts[event.source] = min(event.sequence, firsts.get(event.source, event.sequence))
    bases = source_bases(store, table, firsts)
    events = list(events_from(store, table, firsts))
    whole = {span.shoe for span in spans if span.first_time >= start}
    keys: set[RoundKey] = set()
    passed: set[Identity] = set()
    for stored in events:
        data: Any = stored.event.data
        if getattr(data, "round", None) is not None:
            if data.shoe in whole:
                keys.add((data.shoe, data.round))
            else:
                passed.add(_identity(stored.event))
    configured = [_fact(each) for each in configuration_events(store, table)]
    live = LiveTable(table, settings, used_before(rounds_under_minimum(store, table), keys, sorted(configured)))
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
        {span.shoe: span.rounds for span in spans if span.shoe not in whole},
        passed,
        [fact for fact in configured if fact.source in bases and fact.sequence <= bases[fact.source].sequence],
    )
    for stored in events:
        time = micros(stored.event.time)
        live.hold_against_arrival(stored.event, time, stored.arrival * 1_000)
        live.take_all([(stored.event, time)], Origin.of_stored(stored))
    for stored in events_by_ids(store, table, sorted(set(arriving) - {_identity(each.event) for each in events})):
        live.remember(stored.event, Origin.of_stored(stored))
    folded = Folded(live, {span.shoe for span in spans} - whole)
    for refused in rejections(store, table=table, start=(start - _HOUR) // 1_000):
        folded.refused.add((refused.key, refused.place))
        if refused.source is None or refused.sequence is None:
            continue
        base = bases.get(refused.source)
        if base is None or refused.sequence > base.sequence:
            live.reject(RejectedPlace(refused.source, refused.sequence, refused.type))
    for verdict in verdicts(store, RoundFilter(tables=(table,), start=start - _HOUR)):
        key = verdict.key.shoe, verdict.key.round
        if key in keys:
            folded.verdicts[key] = VerdictMark(verdict.revision, verdict_content(verdict.json))
    for state in findings(store, FindingFilter(tables=(table,), start=start - _HOUR, cleared=None)):
        found = state.finding
        about = (found.shoe, found.round) if found.shoe is not None and found.round is not None else None
        folded.findings[found.id] = FindingMark(state.version, finding_json(found), about, not found.cleared)
    return folded


def used_before(rounds: Iterable[UnderMinimum], folded: set[RoundKey], configurations: list[Fact]) -> frozenset[str]:
    """The players who used their one time under the minimum in rounds that are not folded again (DTB, FF4 5.14)."""
    used: set[str] = set()
    for each in rounds:
        configuration = configuration_at(configurations, each.opened)
        if (each.key.shoe, each.key.round) in folded or configuration is None:
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


def _identity(event: AnyEvent) -> Identity:
    return event.source, event.id
