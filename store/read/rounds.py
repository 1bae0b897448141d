"""Rounds and their verdicts: one by its key, the last ones of a table, or all that meet a filter, in bounded memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.verdicts import Verdict, parse_verdict
from store.card_numbers import card_codes
from store.connect import Store
from store.errors import StoreContradicts
from store.rows.verdicts import RoundKey, RoundSummary, StoredVerdict, revision_and_time


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundFilter:
    """Which rounds are meant: those that meet everything that is given."""

    tables: tuple[str, ...] = ()
    """Any of these; empty: all."""
    besides: tuple[str, ...] = ()
    """None of these."""
    shoe: str | None = None
    round: int | None = None
    start: int | None = None
    """Opened at or after, in microseconds since 1970."""
    end: int | None = None
    """Opened before, in microseconds since 1970."""
    player: str | None = None
    code: str | None = None
    """With a finding of this code."""
    status: str | None = None
    wager: str | None = None
    """With a bet on this wager."""
    game: str | None = None
    pit: str | None = None

    @property
    def known_from_records(self) -> bool:
        """Whether the raw records of a round decide if it meets this, so that one without a verdict can be missed."""
        return all(each is None for each in (self.player, self.code, self.status, self.wager, self.pit))

    def conditions(self) -> tuple[str, dict[str, Any]]:
        """The filter as a condition on the last state of a round."""
        given: list[tuple[str, str, Any]] = [
            ("table IN %(tables)s", "tables", self.tables or None),
            ("table NOT IN %(besides)s", "besides", self.besides or None),
            ("shoe = %(shoe)s", "shoe", self.shoe),
            ("round = %(round)s", "round", self.round),
            ("opened >= fromUnixTimestamp64Micro(%(start)s, 'UTC')", "start", self.start),
            ("opened < fromUnixTimestamp64Micro(%(end)s, 'UTC')", "end", self.end),
            ("has(bets.player, %(player)s)", "player", self.player),
            ("has(codes, %(code)s)", "code", self.code),
            ("status = %(status)s", "status", self.status),
            ("has(bets.wager, %(wager)s)", "wager", self.wager),
            ("game = %(game)s", "game", self.game),
            ("pit = %(pit)s", "pit", self.pit),
        ]
        conditions = ["1"] + [condition for condition, _, value in given if value is not None]
        if self.player is not None:
            # Where a player may be found is kept by player; what counts is the round's last state.
            conditions.append(
                "(table, shoe, round) GLOBAL IN (SELECT table, shoe, round FROM player_rounds"
                " WHERE player = %(player)s" + self._days() + ")"
            )
        return " AND ".join(conditions), {name: value for _, name, value in given if value is not None}

    def _days(self) -> str:
        from_day = "" if self.start is None else " AND day >= toDate32(fromUnixTimestamp64Micro(%(start)s, 'UTC'))"
        to_day = "" if self.end is None else " AND day <= toDate32(fromUnixTimestamp64Micro(%(end)s, 'UTC'))"
        return from_day + to_day


ALL = RoundFilter()
_PAGE = 2_000

_SUMMARY = """
    table, shoe, round, revision, lower(hex(digest)), toUnixTimestamp64Milli(judged), toUnixTimestamp64Micro(opened),
    toUnixTimestamp64Micro(ended), game, document, pit, dealer, status, codes, cards, winner, displayed_winner,
    arraySum(arrayMap(stake -> toInt128(stake), bets.stake)),
    arraySum(arrayMap((collected, paid) -> toInt128(ifNull(collected, 0)) - toInt128(ifNull(paid, 0)),
        bets.collected, bets.paid)), currency
"""

_VERDICT = "table, shoe, round, revision, lower(hex(digest)), judge, toUnixTimestamp64Milli(judged), verdict"


def summaries(store: Store, wanted: RoundFilter = ALL) -> Iterator[RoundSummary]:
    """Rounds in their last state, in the order of table, shoe and round."""
    condition, parameters = wanted.conditions()
    after: RoundKey | None = None
    while True:
        page = store.query(
            f"SELECT {_SUMMARY} FROM rounds FINAL WHERE {condition} AND {_beyond(after)}"
            " ORDER BY table, shoe, round LIMIT %(page)s",
            {**parameters, **_place(after), "page": _PAGE},
        )
        for row in page:
            yield _summary(row)
        if len(page) < _PAGE:
            return
        after = RoundKey(*page[-1][:3])


def count_rounds(store: Store, wanted: RoundFilter = ALL) -> int:
    """How many judged rounds meet a filter."""
    condition, parameters = wanted.conditions()
    return int(store.query(f"SELECT count() FROM rounds FINAL WHERE {condition}", parameters)[0][0])


def currencies(store: Store, tables: Sequence[str]) -> set[str]:
    """The currencies in which the rounds of these tables were played."""
    rows = store.query(
        "SELECT DISTINCT currency FROM rounds WHERE table IN %(tables)s AND currency != ''", {"tables": tuple(tables)}
    )
    return {currency for (currency,) in rows}


def currencies_of(store: Store, keys: Sequence[RoundKey]) -> dict[RoundKey, str]:
    """The currency in which each of these judged rounds was played, where it is known."""
    found: dict[RoundKey, str] = {}
    for start in range(0, len(keys), _PAGE):
        some = tuple((key.table, key.shoe, key.round) for key in keys[start : start + _PAGE])
        rows = store.query(
            "SELECT table, shoe, round, max(currency) FROM rounds WHERE (table, shoe, round) IN %(keys)s"
            " AND currency != '' GROUP BY table, shoe, round",
            {"keys": some},
        )
        found |= {RoundKey(table, shoe, round): currency for table, shoe, round, currency in rows}
    return found


def opened_at(store: Store, key: RoundKey) -> int | None:
    """When a judged round was opened, in microseconds since 1970; None when there is none."""
    rows = store.query(
        "SELECT toUnixTimestamp64Micro(opened) FROM rounds FINAL WHERE table = %(table)s AND shoe = %(shoe)s"
        " AND round = %(round)s",
        {"table": key.table, "shoe": key.shoe, "round": key.round},
    )
    return int(rows[0][0]) if rows else None


def last_summaries(store: Store, table: str, count: int) -> list[RoundSummary]:
    """The last rounds of a table, the latest first."""
    rows = store.query(
        f"SELECT {_SUMMARY} FROM rounds FINAL WHERE table = %(table)s ORDER BY opened DESC, shoe DESC, round DESC"
        " LIMIT %(count)s",
        {"table": table, "count": count},
    )
    return [_summary(row) for row in rows]


def latest_summaries(store: Store, wanted: RoundFilter, count: int, skip: int = 0) -> tuple[int, list[RoundSummary]]:
    """A page of the rounds that meet a filter, the latest first, and how many there are of them in all."""
    condition, parameters = wanted.conditions()
    ((total,),) = store.query(f"SELECT count() FROM rounds FINAL WHERE {condition}", parameters)
    rows = store.query(
        f"SELECT {_SUMMARY} FROM rounds FINAL WHERE {condition} ORDER BY opened DESC, table, shoe DESC, round DESC"
        " LIMIT %(count)s OFFSET %(skip)s",
        {**parameters, "count": count, "skip": skip},
    )
    return total, [_summary(row) for row in rows]


def verdicts(store: Store, wanted: RoundFilter = ALL) -> Iterator[StoredVerdict]:
    """The last verdict of each round that meets the filter, in the order of table, shoe and round."""
    condition, parameters = wanted.conditions()
    after: RoundKey | None = None
    while True:
        keys = store.query(
            f"SELECT table, shoe, round FROM rounds FINAL WHERE {condition} AND {_beyond(after)}"
            " ORDER BY table, shoe, round LIMIT %(page)s",
            {**parameters, **_place(after), "page": _PAGE},
        )
        if keys:
            yield from _last_verdicts(store, "(table, shoe, round) IN %(keys)s", {"keys": tuple(keys)})
        if len(keys) < _PAGE:
            return
        after = RoundKey(*keys[-1])


def verdict(store: Store, key: RoundKey, revision: int | None = None) -> StoredVerdict | None:
    """The last verdict of a round, or one revision of it; None when there is none."""
    # A round has few revisions: the one that counts is picked here, which is quicker than to plan a sort.
    found = [each for each in _stored(store, key) if revision is None or each.revision == revision]
    return max(found, key=_weight, default=None)


def read_verdict(stored: StoredVerdict) -> Verdict:
    """What a stored verdict says; ``StoreContradicts`` where it says nothing that a judge wrote."""
    try:
        return parse_verdict(stored.json)
    except ValueError as error:
        raise StoreContradicts(
            f"Revision {stored.revision} of the verdict on {stored.key} is not one that a judge wrote: it was changed"
            " in the store"
        ) from error


def revisions(store: Store, key: RoundKey) -> list[StoredVerdict]:
    """Every stored verdict of a round, by revision; two with one revision only where two workers disagreed."""
    counting = {(each.revision, each.digest): each for each in sorted(_stored(store, key), key=_weight)}
    return sorted(counting.values(), key=lambda each: (each.revision, each.judged))


def _weight(each: StoredVerdict) -> tuple[int, int]:
    """Of several the highest revision counts, and of its repeats the one judged first."""
    return each.revision, -each.judged


def _stored(store: Store, key: RoundKey) -> list[StoredVerdict]:
    """The stored verdicts of a round, in no order, repeats included."""
    # The engine takes longer to plan such a question than to answer it, and plans sooner with every column, function
    # and choice less: what is to be read first is said, and revision and time are taken out of the precedence. One
    # thread asks every part's index sooner than it hands the parts to others and waits for them.
    columns = store.columns(
        "SELECT precedence, digest, judge, verdict FROM verdicts"
        " PREWHERE table = %(table)s AND shoe = %(shoe)s AND round = %(round)s SETTINGS max_threads = 1",
        {"table": key.table, "shoe": key.shoe, "round": key.round},
        as_bytes=True,
    )
    found = []
    for precedence, digest, judge, published in zip(*columns, strict=True):
        revision, judged = revision_and_time(precedence)
        found.append(StoredVerdict(key, revision, digest.hex(), judge.decode(), judged, published))
    return found


@dataclass(frozen=True, slots=True)
class Nearby:
    """What the store has near a round that it has not."""

    tables: tuple[str, ...]
    """All tables, where it does not know this one."""
    shoes: tuple[str, ...]
    """The table's last shoes, where it does not know this one."""
    rounds: tuple[int, ...]
    """The rounds of the shoe, where it does not know this one."""


def nearby(store: Store, key: RoundKey, shoes: int = 1_000) -> Nearby:
    """What is known of the table, or of the shoe, of a round; of its shoes so many, the last one first."""
    numbers = store.query(
        "SELECT DISTINCT round FROM events WHERE table = %(table)s AND shoe = %(shoe)s AND round > 0 ORDER BY round",
        {"table": key.table, "shoe": key.shoe},
    )
    if numbers:
        return Nearby((), (), tuple(number for (number,) in numbers))
    known = store.query(
        "SELECT shoe FROM events WHERE table = %(table)s AND shoe != '' GROUP BY shoe ORDER BY max(time) DESC"
        " LIMIT %(shoes)s",
        {"table": key.table, "shoes": shoes},
    )
    if known:
        return Nearby((), tuple(shoe for (shoe,) in known), ())
    tables = store.query("SELECT DISTINCT table FROM events ORDER BY table")
    return Nearby(tuple(table for (table,) in tables), (), ())


def is_later_judged(store: Store, key: RoundKey) -> bool:
    """Whether there is a verdict on a later round of its shoe."""
    rows = store.query(
        "SELECT 1 FROM verdicts WHERE table = %(table)s AND shoe = %(shoe)s AND round > %(round)s LIMIT 1",
        {"table": key.table, "shoe": key.shoe, "round": key.round},
    )
    return bool(rows)


def _last_verdicts(store: Store, condition: str, parameters: dict[str, Any]) -> list[StoredVerdict]:
    columns = store.columns(
        f"SELECT {_VERDICT} FROM verdicts WHERE {condition}"
        " ORDER BY table, shoe, round, precedence DESC LIMIT 1 BY table, shoe, round",
        parameters,
        as_bytes=True,
    )
    return [_verdict(row) for row in zip(*columns, strict=True)]


def _verdict(row: tuple[Any, ...]) -> StoredVerdict:
    table, shoe, round, revision, digest, judge, judged, published = row
    key = RoundKey(table.decode(), shoe.decode(), round)
    return StoredVerdict(key, revision, digest.decode(), judge.decode(), judged, published)


def _summary(row: tuple[Any, ...]) -> RoundSummary:
    table, shoe, round, revision, digest, judged, opened, ended, game, document, pit, dealer, *rest = row
    status, codes, cards, winner, displayed, handle, win, currency = rest
    return RoundSummary(
        key=RoundKey(table, shoe, round),
        revision=revision,
        digest=digest,
        judged=judged,
        opened=opened,
        ended=ended,
        game=game or None,
        document=document or None,
        pit=pit or None,
        dealer=dealer or None,
        status=status,
        codes=tuple(codes),
        cards=card_codes(game or None, cards),
        winner=winner or None,
        displayed_winner=displayed or None,
        handle=handle,
        win=win,
        currency=currency or None,
    )


def _beyond(after: RoundKey | None) -> str:
    return "1" if after is None else "(table, shoe, round) > (%(after_table)s, %(after_shoe)s, %(after_round)s)"


def _place(after: RoundKey | None) -> dict[str, Any]:
    if after is None:
        return {}
    return {"after_table": after.table, "after_shoe": after.shoe, "after_round": after.round}
