"""The picture at the start: what the store knows of every table, taken in before and beside what the topics tell."""

import time
from typing import Any, Final

from console.live.alerts import CLOSED_KEPT
from console.live.floor import Floor
from console.live.self_test import is_self_test_table
from console.live.table import HISTORY, Judged
from games.cards import STANDARD
from games.rulebook import GAMES
from schemas.records import AnyEvent
from store.connect import Store
from store.read import wall
from store.read.alerts import alert_times
from streams.alerting.desk import closed_alerts
from streams.alerting.self_test import FAILED_CODE

CONFIGURED: Final = "table.configured.v1"
LOADED: Final = "shoe.loaded.v1"
RECENT_MS: Final = 24 * 3600 * 1000
"""Rounds and tables of the last day are shown at once; older ones when they are asked for."""


class Filling:
    """What was read from the store, not yet in the picture: read in a thread, taken in by the loop."""

    def __init__(self, store: Store) -> None:
        now = time.time_ns() // 1_000_000
        since = now - RECENT_MS
        self.events = configurations(store)
        self.events += [(stored.event, stored.arrival) for stored in wall.latest_events(store, LOADED)]
        self.events += [(stored.event, stored.arrival) for stored in wall.open_round_events(store, since)]
        self.results = wall.last_results(store, HISTORY, since)
        shoes = {(event.subject, event.data.shoe) for event, _ in self.events if event.type == LOADED}
        self.cards = wall.cards_of_shoes(store, sorted(shoes))
        self.failed = [each.raised for each in alert_times(store, since, now) if each.code == FAILED_CODE]
        self.closed = closed_alerts(store, CLOSED_KEPT)

    def pour(self, floor: Floor) -> None:
        """Into the picture; repeats of what the topics told already change nothing."""
        for result in self.results:
            if not is_self_test_table(result.table):
                floor.table(result.table).remember(_judged(result))
            elif result.codes:
                floor.self_test.passed(result.shoe, result.judged)
        for raised in self.failed:
            floor.self_test.failed("", raised)
        for event, arrival in self.events:
            floor.take_event(event, arrival, live=False)
        for table, shoe, round, draw, card in self.cards:
            floor.table(table).read_card(shoe, round, draw, card)
        # Not by the floor: an old alert puts no table on the wall.
        for history in self.closed:
            floor.alerts.recall(history)


def configurations(store: Store) -> list[tuple[AnyEvent, int]]:
    """The set-up of every table, with when the log took it."""
    return [(stored.event, stored.arrival) for stored in wall.latest_events(store, CONFIGURED)]


def _judged(result: wall.RoundResult) -> Judged:
    game = GAMES.get(result.game or "")
    hands = game.hands if game else ()
    totals: dict[str, Any] = dict(zip(hands, result.totals, strict=False))
    if game is not None and not game.is_baccarat:
        totals = {hand: STANDARD.ranks[number - 1] for hand, number in totals.items() if number}
    return Judged(
        result.shoe,
        result.round,
        result.revision,
        result.status,
        result.winner,
        totals,
        tuple(hand for bit, hand in enumerate(hands) if result.naturals >> bit & 1),
        tuple(hand for bit, hand in enumerate(hands) if result.pairs >> bit & 1),
        result.codes,
        result.severities,
        result.handle,
        result.win,
        result.judged,
    )
