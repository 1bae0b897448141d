"""The whole store against its chain: every row that was changed, removed, inserted or moved is found and named."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from replay.chain.believed import believed_checkpoints, keys_gone, missing_here
from replay.chain.compare import Circumstances, Compared, Tampering, compare, find_relabelled, judge_rows
from replay.chain.event_rows import check_partition, event_rows, sealed_records
from replay.chain.lateness import open_since
from replay.chain.note import (
    TREE,
    known_keys,
    oldest_first,
    vouched_keys,
)
from replay.chain.rows import BY_KIND, CHAINED, RECORD, ChainedRow, key_of, record_place, rows_of
from replay.chain.seal import GRACE_MS
from replay.chain.spans import spans_of
from replay.chain.walk import walk
from store.connect import Store
from store.errors import QueryRefused
from store.read.checkpoints import each_checkpoint, first_of_each_key, signers
from store.read.proof import (
    leaves,
    leaves_astray,
    leaves_of_rows,
    leaves_of_time,
    partitions,
    record_marks,
    signing_keys,
)
from store.rows.proof import Checkpoint, Leaf, SigningKey, Tombstone
from store.tombstones import event_rows_over, explains, tombstones

Told = Callable[[str], None]


@dataclass(slots=True)
class ChainReport:
    """What a check of the chain came to."""

    tampering: list[Tampering] = field(default_factory=list)
    late: list[ChainedRow] = field(default_factory=list)
    """The rows among them that were inserted."""
    rows: int = 0
    """Rows that were held against their leaves."""
    events: int = 0
    """Records whose event rows were held against them."""
    size: int = 0
    """Leaves under a signed checkpoint."""
    under_no_checkpoint: int = 0
    """Leaves behind the last one."""
    checkpoints: int = 0
    last: Checkpoint | None = None
    waiting: int = 0
    """Rows that will be sealed next."""
    expired: int = 0
    """Rows past their retention, as sealed tombstones say."""
    superseded: int = 0
    """Rows that a later version has replaced."""
    keys: tuple[str, ...] = ()
    """The keys that are believed, by their names, the oldest first."""

    @property
    def sealed(self) -> bool:
        """Whether anything is under a signed checkpoint; without one nothing is proved."""
        return self.last is not None

    @property
    def whole(self) -> bool:
        """Whether something is sealed and all of it is as it was."""
        return self.sealed and not self.tampering


def verify_chain(
    store: Store,
    *,
    own: Iterable[SigningKey] = (),
    named: Iterable[str] = (),
    elsewhere: Iterable[Checkpoint] = (),
    grace: int = GRACE_MS,
    now: int | None = None,
    told: Told = lambda _step: None,
) -> ChainReport:
    """Hold the whole store against its chain. Believed are the keys ``named``, or else the ``own`` ones, or else the
    oldest on the store's word. ``elsewhere`` are the checkpoints of a file that was kept elsewhere; ``now`` is this
    moment, unless another one is meant."""
    report = ChainReport()
    told("parts on disk")
    damaged = damaged_parts(store)
    report.tampering += damaged
    if damaged:
        # What the engine cannot read it cannot be asked about: say which part, and do not accuse rows.
        return report
    told("checkpoints")
    stored = signing_keys(store)
    keys = vouched_keys(known_keys(stored, first_of_each_key(store, TREE)), named, own)
    report.keys = oldest_first(keys)
    signed = believed_checkpoints(each_checkpoint(store, TREE), keys, report.tampering)
    report.tampering += keys_gone(stored, signers(store, TREE))
    report.checkpoints, report.last = len(signed), signed.last
    report.tampering += missing_here(elsewhere, signed, keys)
    size = signed.last.size if signed.last is not None else 0
    marks = {record_place(f"{place}/0")[0]: offset for place, offset in record_marks(store, TREE, size).items()}
    compared = Compared()
    for chained in CHAINED:
        for span in spans_of(store, TREE, (chained,)):
            told(f"{chained.store_table} from {span.began}")
            rows = rows_of(store, chained, span.of(chained.time))
            compare(leaves_of_time(store, TREE, chained.kind, *span), rows, compared)
    find_relabelled(compared)
    told("leaves")
    walked = walk(leaves(store, TREE), signed, compared, leaves_astray(store, TREE, size))
    report.under_no_checkpoint = _under_none(store, keys, walked.loose, signed.last)
    sealed_until = open_since(signed.times, now or _clock(), grace) if signed else None
    stones = believed_tombstones(store, compared)
    judged = judge_rows(compared, Circumstances(expired_by(stones), sealed_until, marks), walked.cleared)
    report.tampering += judged.tampering + walked.tampering
    report.late = judged.late
    told("event rows")
    blamed = frozenset(each.key for each in judged.tampering if each.kind == RECORD.kind)
    places = set(partitions(store)) | set(event_partitions(store))
    for place in sorted(places):
        report.tampering += check_partition(
            sealed_records(store, *place),
            event_rows(store, *place),
            place,
            blamed,
            marks.get(place, -1),
            event_rows_over(stones, place),
        )
    report.tampering.sort()
    report.rows, report.size = compared.rows, walked.size
    report.waiting, report.expired, report.superseded = judged.waiting, judged.expired, judged.superseded
    return report


def _under_none(store: Store, keys: dict[str, SigningKey], loose: Sequence[int], last: Checkpoint | None) -> int:
    """How many of the leaves behind the last checkpoint are under none: a sealer at work may have signed meanwhile."""
    if not loose:
        return 0
    since = each_checkpoint(store, TREE, 0 if last is None else last.size + 1)
    meanwhile = believed_checkpoints(since, keys, [], last)
    covered = meanwhile.last.size if meanwhile.last is not None else 0
    return sum(position >= covered for position in loose)


def _clock() -> int:
    return time.time_ns() // 1_000_000


def believed_tombstones(store: Store, compared: Compared) -> list[Tombstone]:
    """The tombstones that tell of rows whose time was over: only those that are in the chain themselves, and that tell
    of rows older than the retention when they were written."""
    doubted = {row.key for row in compared.extra if row.kind == "tombstone"}
    doubted |= {row.key for _, row in compared.differing if row.kind == "tombstone"}
    return [stone for stone in tombstones(store) if _stone_key(stone) not in doubted and _honest(stone)]


def sealed_tombstones(store: Store) -> list[Tombstone]:
    """The tombstones to believe without a look at the whole store: those that leaves stand for."""
    honest = {_stone_key(stone): stone for stone in tombstones(store) if _honest(stone)}
    sealed = leaves_of_rows(store, "", [("tombstone", name) for name in honest])
    rows = rows_of(store, BY_KIND["tombstone"]) if sealed else ()
    genuine = {leaf.leaf for leaf in sealed}
    return [honest[row.key] for row in rows if row.leaf in genuine and row.key in honest]


def expired_by(stones: Sequence[Tombstone]) -> Callable[[Leaf], bool]:
    """Whether the row of a leaf was past its retention, by these tombstones."""

    def expired(leaf: Leaf) -> bool:
        chained = BY_KIND.get(leaf.kind)
        if chained is None or not stones:
            return False
        if leaf.kind in ("record", "rejected"):
            try:
                place, _ = record_place(leaf.key if leaf.kind == "record" else leaf.key.rpartition("/")[0])
            except ValueError:
                # Nobody of ours wrote such a key.
                return False
            scope = "/".join(map(str, place))
        else:
            scope = leaf.table if chained.scope else ""
        return explains(stones, chained.store_table, scope, leaf.at)

    return expired


_YEAR_MS = 365 * 86_400_000


def _honest(stone: Tombstone) -> bool:
    return stone.years >= 1 and stone.before <= stone.written - stone.years * _YEAR_MS


def _stone_key(stone: Tombstone) -> str:
    return key_of(stone.store_table, stone.scope, stone.month, stone.before)


def damaged_parts(store: Store) -> list[Tampering]:
    """The parts on disk that the engine cannot read whole, by its own checksums."""
    found = []
    rows = store.query(
        "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' ORDER BY name"
    )
    for (name,) in rows:
        try:
            parts = store.query(f"CHECK TABLE `{name}`", settings={"check_query_single_value_result": 0})
        except QueryRefused as error:
            # What to do about it is being done.
            said = str(error).rpartition(" says: ")[2]
            found.append(
                Tampering("changed", "part", name, "", f"bytes on disk are not those that were written: {said}")
            )
            continue
        for part, passed, message in (row for row in parts if len(row) == 3):
            if not passed:
                detail = f"bytes on disk are not those that were written: {message}"
                found.append(Tampering("changed", "part", f"{name}/{part}", "", detail))
    return found


def event_partitions(store: Store) -> list[tuple[str, str, int]]:
    """Log, topic and partition of all event rows."""
    rows = store.query("SELECT DISTINCT log, topic, partition FROM events")
    return [(log, topic, partition) for log, topic, partition in rows]
