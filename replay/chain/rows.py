"""What is chained: the tables of the store that are evidence, and each of their rows in one canonical form.

Left out is what the engine derives from these by itself, and what legal holds mark: the column ``held``. Event rows are
no rows of their own here: they follow from their records, and are held against them (`replay.chain.event_rows`).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import orjson

from audit.merkle import leaf_hash
from schemas.decoding import split_record
from store.connect import Store

Identity = tuple[str, str, str]
"""Kind, key and gaming table of a row: what its leaf is known by."""


@dataclass(frozen=True)
class ChainedRow:
    """One row as the chain has it."""

    kind: str
    key: str
    table: str
    """The gaming table whose chain it is a link of; empty: of none."""
    at: int
    """The time that its retention counts from, in milliseconds since 1970."""
    body: bytes
    """All else that the row says, as canonical JSON; long texts by their SHA-256."""
    scope: str = ""
    """As tombstones name it."""
    subject: str = ""
    """The key without its version, where a later version replaces the row."""
    version: int = 0

    @property
    def identity(self) -> Identity:
        return self.kind, self.key, self.table

    @property
    def content(self) -> bytes:
        """What is hashed."""
        return content_of(self.kind, self.key, self.table, self.body)

    @cached_property
    def leaf(self) -> bytes:
        """Its leaf in the tree."""
        return leaf_hash(self.content)

    @property
    def order(self) -> tuple[int, str, str, str]:
        """Where it stands among the rows that are sealed with it."""
        return self.at, self.kind, self.key, self.table


def content_of(kind: str, key: str, table: str, body: bytes) -> bytes:
    """The canonical form of a row: JSON without spaces, its fields in alphabetical order."""
    names = [orjson.dumps(each) for each in (key, kind, table)]
    return b'{"key":%b,"kind":%b,"row":%b,"table":%b}' % (names[0], names[1], body, names[2])


@dataclass(frozen=True, slots=True)
class Chained:
    """A table of the store that is evidence."""

    kind: str
    store_table: str
    time: str
    """The column that its retention counts from."""
    key: Mapping[str, str]
    """The columns that name a row, in the order of the key: name and SQL."""
    columns: Mapping[str, str]
    """The other columns: name and SQL."""
    blobs: tuple[str, ...] = ()
    """Columns that stand in the row by their SHA-256."""
    table: str | None = None
    """The column with the gaming table."""
    version: str | None = None
    """The column of the key by which a later row replaces an earlier one."""
    scope: tuple[str, ...] = ()
    """The columns of the scope that tombstones name."""
    rows_at_once: int = 4096

    def select(self, condition: str) -> str:
        """The statement that reads its rows."""
        wanted = {**self.key, **self.columns}
        columns = ", ".join(f"{sql} AS `said_{name}`" for name, sql in wanted.items())
        at = f"toUnixTimestamp64Milli(toDateTime64(`{self.time}`, 3, 'UTC'))"
        return f"SELECT {at}, {columns} FROM {self.store_table} FINAL WHERE {condition}"


def _plainly(*names: str) -> dict[str, str]:
    return {name: f"`{name}`" for name in names}


def _millis(name: str) -> dict[str, str]:
    return {name: f"toUnixTimestamp64Milli(`{name}`)"}


def _micros(name: str) -> dict[str, str]:
    return {name: f"toUnixTimestamp64Micro(`{name}`)"}


def _hex(name: str) -> dict[str, str]:
    return {name: f"lower(hex(`{name}`))"}


_PLACE = _plainly("log", "topic", "partition", "offset")
_ROUND = _plainly("table", "shoe", "round")

RECORD = Chained(
    "record", "records", "arrival", _PLACE, {**_millis("arrival"), **_plainly("events", "rejected", "raw")},
    blobs=("raw",), scope=("log", "topic", "partition"), rows_at_once=256,
)  # fmt: skip

CHAINED: tuple[Chained, ...] = (
    RECORD,
    Chained(
        "rejected", "rejected", "arrival", {**_PLACE, **_plainly("place")},
        {
            **_millis("arrival"), **_plainly("table", "reason", "source", "type", "id", "sequence"),
            "time": "if(isNull(time), NULL, toUnixTimestamp64Micro(assumeNotNull(time)))", **_hex("digest"),
            **_plainly("raw"),
        },
        blobs=("raw",), table="table", scope=("log", "topic", "partition"), rows_at_once=256,
    ),
    Chained(
        "verdict", "verdicts", "judged", {**_ROUND, **_plainly("revision"), **_hex("digest")},
        {**_plainly("judge"), **_millis("judged"), **_plainly("verdict")},
        blobs=("verdict",), table="table", scope=("table",), rows_at_once=1024,
    ),
    Chained(
        "round", "rounds", "judged", {**_ROUND, **_plainly("revision")},
        {
            **_hex("digest"), **_millis("judged"), **_micros("opened"), **_micros("ended"),
            **_plainly("game", "document"), "in_force": "toString(in_force)",
            **_plainly(
                "decks", "pit", "currency", "dealer", "status", "codes", "severities", "cards", "winner", "totals",
                "naturals", "pairs", "displayed_winner", "displayed_totals", "bets.bet", "bets.position",
                "bets.player", "bets.wager", "bets.stake",
            ),
            **{
                f"bets.{name}": f"arrayMap(each -> if(isNull(each), NULL, toString(each)), `bets.{name}`)"
                for name in ("expected_paid", "expected_collected")
            },
            **_plainly("bets.paid", "bets.collected"),
        },
        table="table", version="revision", scope=("table",), rows_at_once=1024,
    ),
    Chained(
        "finding", "findings", "raised", _plainly("id", "version"),
        {
            **_plainly("table", "shoe", "round", "code", "severity", "basis", "rule", "bet", "draw", "message"),
            **_plainly("cleared", "corrected"), **_micros("time"), **_millis("raised"), **_plainly("finding"),
        },
        blobs=("finding",), table="table", version="version", scope=("table",),
    ),
    Chained(
        "alert", "alerts", "raised", _plainly("alert"),
        {
            **_plainly("finding", "table", "shoe", "round", "code", "severity", "pit", "game", "message"),
            **_micros("time"), **_millis("raised"), **_plainly("detail"),
        },
        table="table", scope=("table",),
    ),
    Chained(
        "alert-step", "alert_steps", "at", _plainly("alert", "step"),
        {**_micros("at"), **_plainly("action", "state", "by", "role", "recipient", "disposition", "note", "detail")},
    ),
    Chained(
        "access", "access_log", "at", _plainly("entry"),
        {**_micros("at"), **_plainly("who", "role", "action", "table", "shoe", "round", "address", "detail")},
    ),
    Chained(
        "shoe", "shoes", "summarised", _plainly("table", "shoe", "version"),
        {
            **_plainly("game", "decks"), **_micros("loaded"), **_micros("ended"), **_plainly("rounds"),
            **_millis("summarised"), **_plainly("summary"),
        },
        blobs=("summary",), table="table", version="version", scope=("table",),
    ),
    Chained(
        "tombstone", "tombstones", "written",
        {**_plainly("store_table", "scope"), "month": "toString(month)", **_millis("before")},
        {**_plainly("rows", "first", "last"), **_hex("digest"), **_plainly("years"), **_millis("written"),
         **_plainly("by")},
    ),
    Chained(
        "hold", "holds", "placed", _plainly("hold", "table", "shoe", "round", "version"),
        {
            **_plainly("reason", "placed_by"), **_millis("placed"), **_plainly("lifted_by"),
            "lifted": "if(isNull(lifted), NULL, toUnixTimestamp64Milli(assumeNotNull(lifted)))",
        },
        version="version",
    ),
    Chained("retention", "retentions", "at", {**_millis("at"), **_plainly("years")}, _plainly("by")),
)  # fmt: skip
"""Nothing in it is ever changed: a row that comes later has a key, or a version, of its own."""

BY_KIND: Mapping[str, Chained] = {chained.kind: chained for chained in CHAINED}


def rows_of(
    store: Store, chained: Chained, condition: str = "1", parameters: Mapping[str, Any] | None = None
) -> Iterator[ChainedRow]:
    """The rows of a table that meet a condition, in their last state; a record once for each table that it names."""
    names = (*chained.key, *chained.columns)
    for block in store.blocks(chained.select(condition), parameters, as_bytes=True, rows=chained.rows_at_once):
        for at, *values in zip(*block, strict=True):
            yield from chained_rows(chained, at, dict(zip(names, values, strict=True)))


def chained_rows(chained: Chained, at: int, said: Mapping[str, Any]) -> list[ChainedRow]:
    """A row of the store, its strings as bytes, as rows of the chain."""
    fields = {
        name: sha256(value).hexdigest() if name in chained.blobs else _plain(value) for name, value in said.items()
    }
    key = key_of(*(fields[name] for name in chained.key))
    body = orjson.dumps({name: fields[name] for name in chained.columns}, option=orjson.OPT_SORT_KEYS)
    scope = "/".join(str(fields[name]) for name in chained.scope)
    subject, version = "", 0
    if chained.version is not None:
        subject = key_of(*(fields[name] for name in chained.key if name != chained.version))
        version = int(fields[chained.version])
    if chained.kind == RECORD.kind:
        return [
            ChainedRow(chained.kind, key, table, at, _with_events(body, events), scope)
            for table, events in events_by_table(said["raw"]).items()
        ]
    table = fields[chained.table] if chained.table is not None else ""
    return [ChainedRow(chained.kind, key, table, at, body, scope, subject, version)]


def _with_events(body: bytes, events: list[bytes]) -> bytes:
    """A record as one table's link: with the hashes of that table's events, so that each can be shown without those of
    others."""
    said = orjson.loads(body)
    said["said"] = [sha256(event).hexdigest() for event in events]
    return orjson.dumps(said, option=orjson.OPT_SORT_KEYS)


def key_of(*parts: object) -> str:
    """The key of a row, of its parts; a record of a log without a name begins with its topic."""
    texts = [str(part).replace("%", "%25").replace("/", "%2F") for part in parts]
    return "/".join(texts[1:] if texts[0] == "" else texts)


def record_place(key: str) -> tuple[tuple[str, str, int], int]:
    """Log, topic and partition of a record, and its offset, from its key."""
    *place, partition, offset = (part.replace("%2F", "/").replace("%25", "%") for part in key.split("/"))
    log, topic = place if len(place) == 2 else ("", *place)
    return (log, topic, int(partition)), int(offset)


_SUBJECT = re.compile(rb'"subject"\s*:\s*("(?:[^"\\]|\\.)*")')


def events_by_table(raw: bytes) -> dict[str, list[bytes]]:
    """The bytes of a record's events by the table that they speak of, in order; an empty name where none is read."""
    found: dict[str, list[bytes]] = {}
    for event in split_record(raw):
        named = _SUBJECT.search(event)
        try:
            table = orjson.loads(named[1]) if named is not None else ""
        except orjson.JSONDecodeError:
            table = ""
        found.setdefault(table, []).append(event)
    return dict(sorted(found.items()))


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        # What is no UTF-8 was not written by us; it is to be named, not to break the reading.
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
