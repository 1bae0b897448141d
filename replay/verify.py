"""Verifying: stored rounds are judged anew from their raw events and held against their verdicts, byte for byte."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import orjson

from audit.facts import Fact
from audit.judge import JUDGE_VERSION
from audit.settings import JudgeSettings, UnknownSettings, settings_of
from audit.table import RoundKey as ShoeAndRound
from audit.table import configuration_at, judge_table
from replay.windows import TableWindow, Unreadable, configurations, floor_windows, whole_tables
from schemas.verdicts import Verdict, verdict_json
from store.connect import Store
from store.errors import StoreContradicts
from store.read.bulk import (
    Partition,
    judged_shoes,
    partition_shares,
    round_keys,
    shoes_verdicts,
    tables_of,
    tables_verdicts,
    unlisted_keys,
)
from store.read.identities import SharedId, ids_of_several_tables
from store.read.played import played_without_verdict
from store.read.rounds import ALL, RoundFilter, revisions
from store.read.stretches import rows_by_round, rows_of_shoes
from store.rows.verdicts import RoundKey, StoredVerdict

Kind = Literal[
    "verdict-differs", "facts-differ", "events-gone", "event-rows-gone", "verdict-gone", "records-contradict",
    "settings-unknown", "other-judge",
]  # fmt: skip
"""Why a round is not as it is stored. ``verdict-differs``: the same facts, another verdict; ``facts-differ``: other
facts; ``events-gone`` and ``verdict-gone``: only one of the two is there; ``event-rows-gone``: the records give the
verdict that is stored, but rows of some of their events are not there; ``records-contradict``: a record of its shoe
does not hold the event that is stored for it, or is not there; ``other-judge``: the same facts, judged by
another version of the judge, which may rightly see them differently."""

EVENTS_OF_PARTITION = 400_000
"""A partition with no more events than this is read whole, together with others up to so many."""
WELL_OVER = 300_000_000
"""A round that ended so long (microseconds) before one that was judged should have a verdict, too."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One field in which two verdicts differ."""

    path: str
    stored: Any
    judged: Any


@dataclass(frozen=True, slots=True)
class Deviation:
    """A round that is not as it is stored."""

    key: RoundKey
    kind: Kind
    revision: int | None
    stored_judge: str | None
    differences: tuple[Difference, ...] = ()

    @property
    def told_apart(self) -> bool:
        """Whether it comes from another version of the judge, and not from what is stored."""
        return self.kind == "other-judge"


@dataclass(slots=True)
class Verified:
    """What verifying gave."""

    rounds: int = 0
    tables: int = 0
    deviations: list[Deviation] = field(default_factory=list)
    """In the order of table, shoe and round, those of another judge included."""
    removed_looked_for: bool = True
    """Whether rounds were missed that the raw records tell of and that have no verdict; not where the filter asks for
    what a verdict alone says."""
    shared_ids: list[SharedId] = field(default_factory=list)
    """Ids that a source used for several tables: each table was judged by itself, and an audit of them all would refuse
    these events. Looked for when whole tables are verified."""

    @property
    def deviating(self) -> list[Deviation]:
        """What is not explained by another version of the judge."""
        return [each for each in self.deviations if not each.told_apart]


def differences(stored: Any, judged: Any, path: str = "") -> Iterator[Difference]:
    """The fields in which two JSON values differ; lists are compared place by place."""
    if isinstance(stored, dict) and isinstance(judged, dict):
        for name in dict.fromkeys((*stored, *judged)):
            yield from differences(stored.get(name), judged.get(name), f"{path}.{name}" if path else name)
    elif isinstance(stored, list) and isinstance(judged, list):
        for place in range(max(len(stored), len(judged))):
            one = stored[place] if place < len(stored) else None
            other = judged[place] if place < len(judged) else None
            yield from differences(one, other, f"{path}[{place}]")
    elif stored != judged or type(stored) is not type(judged):
        yield Difference(path, stored, judged)


def held_against(stored: StoredVerdict, verdict: Verdict) -> Deviation | None:
    """What a fresh verdict says against a stored one; nothing where both are the same bytes."""
    fresh = verdict_json(verdict if stored.revision == 1 else replace(verdict, revision=stored.revision))
    if fresh == stored.json:
        return None
    before, now = _read(stored.json), orjson.loads(fresh)
    found = tuple(differences(before, now)) or (Difference("", "other bytes", "the same values"),)
    same_facts = isinstance(before, dict) and before.get("digest") == verdict.digest == stored.digest
    if not same_facts:
        kind: Kind = "facts-differ"
    else:
        kind = "verdict-differs" if stored.judge == str(JUDGE_VERSION) else "other-judge"
    return Deviation(stored.key, kind, stored.revision, stored.judge, found)


def _read(json: bytes) -> Any:
    try:
        return orjson.loads(json)
    except orjson.JSONDecodeError:
        return json.decode("utf-8", "replace")


Progress = Callable[[int], None]
"""Is told of so many rounds more."""


def verify_window(
    window: TableWindow,
    stored: Mapping[ShoeAndRound, StoredVerdict],
    wanted: Callable[[ShoeAndRound], bool],
    told: Progress = lambda _count: None,
) -> Iterator[Deviation]:
    """Judge the rounds of a window anew, under the settings of their verdicts, and tell what is not as stored."""
    left = {key: verdict for key, verdict in stored.items() if window.wants(key) and wanted(key)}
    told_of = 0
    while left:
        settings = settings_in(next(iter(left.values())))
        others: dict[ShoeAndRound, StoredVerdict] = {}
        if settings is None:
            key, odd = next(iter(left.items()))
            yield Deviation(odd.key, "settings-unknown", odd.revision, odd.judge)
            left.pop(key)
            continue
        facts_of = window.facts.rounds
        for key in [key for key in left if key not in facts_of]:
            gone = left.pop(key)
            yield Deviation(gone.key, "events-gone", gone.revision, gone.judge)
        for verdict in judge_table(window.facts, settings, used=window.used, over=left):
            known = left.get((verdict.shoe, verdict.round))
            if known is None:
                continue
            deviation = held_against(known, verdict)
            if deviation is not None and settings_in(known) != settings:
                others[verdict.shoe, verdict.round] = known
            elif deviation is not None:
                yield deviation
            told_of += 1
            if not told_of % 64:
                told(64)
        left = others
    told(told_of % 64)


def missing_verdicts(store: Store, wanted: RoundFilter) -> set[RoundKey]:
    """Rounds that meet a filter, came by the raw records to their end well before one that was judged, and have no
    verdict; none where the filter asks for what a verdict alone says."""
    if not wanted.known_from_records:
        return set()
    one = len(wanted.tables) == 1 and wanted.shoe is not None and wanted.round is not None
    # The console asks of each round by itself: one that has a verdict is not looked for in all records.
    if one and revisions(store, RoundKey(wanted.tables[0], str(wanted.shoe), int(wanted.round or 0))):
        return set()
    # A worker judges the rounds of a table in their order: what is behind one that was judged is not still to come.
    found = played_without_verdict(store, wanted, WELL_OVER)
    configured: dict[str, list[Fact]] = {}
    if wanted.game is not None:
        configured = {table: configurations(store, table) for table in {each.key.table for each in found}}
    keys = set()
    for each in found:
        configuration = configuration_at(configured.get(each.key.table, ()), each.opened)
        # Of a round whose configuration is not there any game may have been played.
        if wanted.game is None or configuration is None or configuration.data.game == wanted.game:
            keys.add(each.key)
    return keys


def settings_in(stored: StoredVerdict) -> JudgeSettings | None:
    """The settings that a stored verdict was given under; None where they cannot be read."""
    said = _read(stored.json)
    try:
        return settings_of(said["settings"])
    except (UnknownSettings, KeyError, TypeError):
        return None


def verify(
    store: Store,
    wanted: RoundFilter = ALL,
    told: Progress = lambda _count: None,
    pause: Callable[[], None] = lambda: None,
) -> Verified:
    """Verify the stored rounds that meet a filter. ``pause`` is called before a deviation is looked at once more: a
    worker stores verdicts a moment before their events."""
    result = Verified(removed_looked_for=wanted.known_from_records)
    plain = replace(wanted, tables=()) == ALL
    if plain:
        _verify_tables(store, wanted.tables, result, told)
    else:
        keys = round_keys(store, wanted)
        if wanted.known_from_records:
            # A verdict that was changed is not passed over because what lists its round was removed.
            keys += unlisted_keys(store, wanted)
        _verify_by_windows(store, tables_of(keys), result, told)
    missing = missing_verdicts(store, wanted)
    suspects = tables_of(each.key for each in result.deviations)
    if suspects or missing:
        pause()
    if suspects:
        again = Verified()
        # By event rows, those that were read by them could not be read; all others from the records, whatever rows say.
        doubtful = [each for each in result.deviations if each.kind == "records-contradict"]
        _verify_by_windows(store, tables_of(each.key for each in doubtful), again)
        unreadable = {each.key for each in again.deviations if each.kind == "records-contradict"}
        left = {each.key for each in (*result.deviations, *again.deviations)} - unreadable
        result.deviations = [each for each in result.deviations if each.key in unreadable]
        from_records = Verified()
        _verify_by_windows(store, tables_of(left), from_records, from_records=True)
        result.deviations += from_records.deviations
    if missing:
        missing &= missing_verdicts(store, replace(wanted, tables=tuple({key.table for key in missing})))
    result.deviations += [Deviation(key, "verdict-gone", None, None) for key in missing]
    result.deviations.sort(key=lambda each: each.key)
    if plain:
        tables = set(wanted.tables)
        shared = ids_of_several_tables(store)
        result.shared_ids = [each for each in shared if not tables or not tables.isdisjoint(each.tables)]
    return result


def _verify_tables(store: Store, tables: tuple[str, ...], result: Verified, told: Progress) -> None:
    """Whole tables: a few partitions at a time where they fit into memory, else by windows of shoes."""
    sizes: dict[Partition, int] = {}
    homes: dict[str, set[Partition]] = {}
    shares = partition_shares(store)
    for share in shares:
        home = share.log, share.partition
        sizes[home] = sizes.get(home, 0) + share.events
        homes.setdefault(share.table, set()).add(home)
    together: dict[Partition, list[str]] = {}
    apart: list[str] = []
    events = {(share.table, share.log, share.partition): share.events for share in shares}
    for table in tables or sorted(homes):
        where = homes.get(table, set())
        if len(where) == 1 and sizes[next(iter(where))] <= EVENTS_OF_PARTITION:
            together.setdefault(next(iter(where)), []).append(table)
        else:
            apart.append(table)
    for home, chosen in sorted(together.items()):
        # Reading a partition for one small table of it takes longer than reading the table.
        if sum(events[table, *home] for table in chosen) * 4 < sizes[home]:
            apart += together.pop(home)
    for some in _few_at_a_time({home: sizes[home] for home in sorted(together)}):
        chosen = [table for home in some for table in together[home]]
        verdicts = tables_verdicts(store, chosen)
        rows: dict[str, dict[ShoeAndRound, int]] | None = None
        for window in whole_tables(store, some, chosen):
            if rows is None:
                # Asked after the records were read: rows come before their records.
                rows = rows_by_round(store, chosen)
            _verify_whole(window, verdicts.pop(window.table, {}), rows.pop(window.table, {}), result, told)
            del window
    _verify_by_windows(store, dict.fromkeys(apart), result, told)


def _few_at_a_time(sizes: Mapping[Partition, int]) -> Iterator[list[Partition]]:
    """Partitions that are read together: questions cost more than rows."""
    some: list[Partition] = []
    full = 0
    for home, size in sizes.items():
        if some and full + size > EVENTS_OF_PARTITION:
            yield some
            some, full = [], 0
        some.append(home)
        full += size
    if some:
        yield some


def _verify_whole(
    window: TableWindow,
    stored: Mapping[ShoeAndRound, StoredVerdict],
    rows: Mapping[ShoeAndRound, int],
    result: Verified,
    told: Progress,
) -> None:
    result.tables += 1
    result.rounds += len(stored)
    found = list(verify_window(window, stored, lambda _key: True, told))
    facts = window.facts.rounds
    gone = [key for key in stored if key in facts and rows.get(key, 0) < len(facts[key].ordered)]
    result.deviations += found + _rows_gone(stored, gone, found)


def _rows_gone(
    stored: Mapping[ShoeAndRound, StoredVerdict], gone: Iterable[ShoeAndRound], found: Iterable[Deviation]
) -> list[Deviation]:
    """Of the rounds with event rows that are gone, those of which nothing worse is told."""
    told = {each.key for each in found}
    return [
        Deviation(each.key, "event-rows-gone", each.revision, each.judge)
        for each in (stored[key] for key in gone)
        if each.key not in told
    ]


def _without_rows(store: Store, window: TableWindow, shoes: Collection[str]) -> set[ShoeAndRound]:
    """The rounds of a window of which some event has no row."""
    rows = rows_of_shoes(store, window.table, shoes)
    named = ((getattr(each.data, "shoe", ""), getattr(each.data, "round", 0), each) for each in window.events)
    return {
        (shoe, number)
        for shoe, number, each in named
        if number and (shoe, number, each.source, each.sequence) not in rows
    }


Rounds = Mapping[str, set[int]]
"""Some rounds, by shoe."""


def _verify_by_windows(
    store: Store,
    wanted: Mapping[str, Rounds | None],
    result: Verified,
    told: Progress = lambda _count: None,
    *,
    from_records: bool = False,
) -> None:
    """Some rounds of each table, or all of them; ``from_records``: whether there are event rows of them or not, which
    is told then."""
    result.tables += len(wanted)
    unheard = {table: set(judged) for table, judged in _judged_shoes(store, wanted).items()}
    for together in floor_windows(store, wanted, from_records=from_records):
        stored = shoes_verdicts(store, together.shoes)
        for window in together.windows:
            table = window.table
            unheard.get(table, set()).difference_update(together.shoes[table])
            verdicts, chosen = stored.pop(table, {}), _chosen(wanted[table])
            if isinstance(window, Unreadable):
                _cannot_be_read(verdicts, chosen, window.error, result)
                continue
            result.rounds += sum(map(chosen, verdicts))
            found = list(verify_window(window, verdicts, chosen, told))
            if from_records:
                rowless = _without_rows(store, window, together.shoes[table])
                found += _rows_gone(verdicts, (key for key in verdicts if key in rowless and chosen(key)), found)
            result.deviations.extend(found)
            del window
    for table, verdicts in shoes_verdicts(store, unheard).items():
        chosen = _chosen(wanted[table])
        gone = [each for key, each in verdicts.items() if chosen(key)]
        result.rounds += len(gone)
        result.deviations.extend(Deviation(each.key, "events-gone", each.revision, each.judge) for each in gone)


def _judged_shoes(store: Store, wanted: Mapping[str, Rounds | None]) -> dict[str, set[str]]:
    """By table: the shoes meant on which there may be verdicts."""
    whole = [table for table, shoes in wanted.items() if shoes is None]
    named = {table: set(shoes) for table, shoes in wanted.items() if shoes is not None}
    return named | (judged_shoes(store, whole) if whole else {})


def _chosen(rounds: Rounds | None) -> Callable[[ShoeAndRound], bool]:
    if rounds is None:
        return lambda _key: True
    return lambda key: key[1] in rounds.get(key[0], ())


def _cannot_be_read(
    stored: Mapping[ShoeAndRound, StoredVerdict],
    chosen: Callable[[ShoeAndRound], bool],
    error: StoreContradicts,
    result: Verified,
) -> None:
    """Rounds whose events cannot be read because the store contradicts itself."""
    left = [each for key, each in stored.items() if chosen(key)]
    result.rounds += len(left)
    why = (Difference("", str(error), None),)
    result.deviations.extend(
        Deviation(each.key, "records-contradict", each.revision, each.judge, why) for each in left
    )  # fmt: skip
