"""What a wall of tables starts from: each table's set-up, its shoe, its last rounds and the cards of the shoe."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from store.connect import Store
from store.read.events import events_where
from store.rows.raw import StoredEvent


@dataclass(frozen=True, slots=True)
class RoundResult:
    """What a round came to, as roads and timelines ask for it."""

    table: str
    shoe: str
    round: int
    revision: int
    status: str
    winner: str | None
    totals: tuple[int, ...]
    """By hand in the order of the game; in dragon_tiger the rank, Ace 1 to King 13."""
    naturals: int
    """Bit 0: the first hand, bit 1: the second."""
    pairs: int
    """Bit 0: the first hand, bit 1: the second."""
    codes: tuple[str, ...]
    severities: tuple[str, ...]
    handle: int
    win: int
    judged: int
    """Milliseconds since 1970."""
    game: str | None


def latest_events(store: Store, kind: str) -> Iterator[StoredEvent]:
    """Of each table the latest event of one type, e.g. its set-up or the shoe that was loaded last."""
    latest = "SELECT table, max(time) FROM events WHERE type = %(type)s GROUP BY table"
    yield from events_where(store, f"type = %(type)s AND (table, time) IN ({latest})", {"type": kind})


def open_round_events(store: Store, since: int) -> Iterator[StoredEvent]:
    """The events of each table's latest round, of tables heard of since a moment (milliseconds since 1970)."""
    condition = (
        "(table, shoe, round) IN (SELECT table, argMax((shoe, round), last) .1, argMax((shoe, round), last) .2 FROM"
        " (SELECT table, shoe, round, max(last_time) AS last FROM round_spans WHERE round > 0"
        " GROUP BY table, shoe, round HAVING max(last_arrival) >= fromUnixTimestamp64Milli(%(since)s, 'UTC'))"
        " GROUP BY table)"
    )
    yield from events_where(store, condition, {"since": since})


def last_results(store: Store, count: int, since: int) -> list[RoundResult]:
    """The last rounds of every table that were judged since a moment (milliseconds since 1970), in their order."""
    rows = store.query(
        "SELECT table, shoe, round, revision, status, winner, totals, naturals, pairs, codes, severities,"
        " arraySum(arrayMap(stake -> toInt128(stake), bets.stake)),"
        " arraySum(arrayMap((collected, paid) -> toInt128(ifNull(collected, 0)) - toInt128(ifNull(paid, 0)),"
        " bets.collected, bets.paid)), toUnixTimestamp64Milli(judged), game FROM rounds FINAL"
        " WHERE judged >= fromUnixTimestamp64Milli(%(since)s, 'UTC')"
        " ORDER BY table, opened DESC, shoe DESC, round DESC LIMIT %(count)s BY table",
        {"since": since, "count": count},
    )
    return [_result(row) for row in reversed(rows)]


def cards_of_shoes(store: Store, shoes: Sequence[tuple[str, str]]) -> list[tuple[str, str, int, int, str]]:
    """Every card read of these shoes (table and shoe): table, shoe, round, draw, card."""
    if not shoes:
        return []
    rows: list[tuple[Any, ...]] = store.query(
        "SELECT table, shoe, round, draw, card FROM events WHERE (table, shoe) IN %(shoes)s"
        " AND type = 'card.drawn.v1' ORDER BY table, shoe, round, draw",
        {"shoes": tuple(shoes)},
    )
    return [(table, shoe, round, draw, card) for table, shoe, round, draw, card in rows]


def staked_rounds(store: Store, table: str, since: int) -> list[tuple[str, int, dict[str, int], int, int]]:
    """Rounds of a table opened since a moment (microseconds since 1970) in which the cards decided and money was at
    stake: game, decks, stakes by wager, what the house won, and the opening."""
    rows = store.query(
        "SELECT game, decks, bets.wager, bets.stake, arraySum(arrayMap((collected, paid) ->"
        " toInt128(ifNull(collected, 0)) - toInt128(ifNull(paid, 0)), bets.collected, bets.paid)),"
        " toUnixTimestamp64Micro(opened) FROM rounds FINAL WHERE table = %(table)s"
        " AND opened >= fromUnixTimestamp64Micro(%(since)s, 'UTC') AND status != 'void' AND winner != ''"
        " AND game != '' AND decks > 0 ORDER BY opened",
        {"table": table, "since": since},
    )
    found = []
    for game, decks, wagers, stakes, win, opened in rows:
        by_wager: dict[str, int] = {}
        for wager, stake in zip(wagers, stakes, strict=True):
            if stake:
                by_wager[wager] = by_wager.get(wager, 0) + stake
        if by_wager:
            found.append((game, decks, by_wager, int(win), opened))
    return found


def _result(row: tuple[Any, ...]) -> RoundResult:
    table, shoe, round, revision, status, winner, totals, naturals, pairs, codes, severities, *rest = row
    handle, win, judged, game = rest
    return RoundResult(
        table, shoe, round, revision, status, winner or None, tuple(totals), naturals, pairs, tuple(codes),
        tuple(severities), handle, win, judged, game or None,
    )  # fmt: skip
