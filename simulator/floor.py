"""The whole floor: all tables side by side, their lines in the order in which they arrive."""

import heapq
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from operator import itemgetter

from games.readings import DEFAULT_READINGS, Readings
from simulator.clock import milliseconds
from simulator.devices import Delivery
from simulator.faults.plan import Plan
from simulator.setup import setups
from simulator.table import Table
from simulator.truth import Fault, TruthSink

START = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
"""When a simulation begins unless told otherwise: fixed, so that the same seed gives the same bytes."""

_FLUSH = 4096


def _nowhere(_: Fault) -> None:
    """Nobody asked for the truth."""


def simulate(
    tables: int,
    rounds: int,
    seed: int,
    faults: float = 0.0,
    codes: Sequence[str] | None = None,
    games: Sequence[str] | None = None,
    start: datetime = START,
    truth: TruthSink = _nowhere,
    readings: Readings = DEFAULT_READINGS,
) -> Iterator[bytes]:
    """The events of a floor, one JSON line each (without its line end), in the order of arrival.

    ``rounds`` is per table. In the share ``faults`` of the rounds something goes wrong, drawn evenly from ``codes``
    (None: every code whose basis is a rule), and ``truth`` is told. Tables pay by these ``readings``.
    """
    for _, line in deliveries(tables, rounds, seed, faults, codes, games, start, truth, readings):
        yield line


def deliveries(
    tables: int,
    rounds: int,
    seed: int,
    faults: float = 0.0,
    codes: Sequence[str] | None = None,
    games: Sequence[str] | None = None,
    start: datetime = START,
    truth: TruthSink = _nowhere,
    readings: Readings = DEFAULT_READINGS,
) -> Iterator[Delivery]:
    """The same with the time of arrival (milliseconds since 1970) before each line, for whoever paces it."""
    begin = milliseconds(start)
    floor = [
        Table(setup, number, tables, rounds, seed, begin, Plan(faults, codes, setup, seed), truth).play()
        for number, setup in enumerate(setups(tables, seed, games, readings))
    ]
    # Each table goes on from the earliest time first, so nothing can arrive before the earliest of these any more.
    ahead = [(begin, number) for number in range(tables)]
    waiting: list[Delivery] = []
    full = _FLUSH
    while ahead:
        _, number = ahead[0]
        batch = next(floor[number], None)
        if batch is None:
            heapq.heappop(ahead)
        else:
            sent, until = batch
            waiting += sent
            heapq.heapreplace(ahead, (until, number))
        if len(waiting) >= full or not ahead:
            waiting.sort(key=itemgetter(0))
            done = _before(waiting, ahead[0][0]) if ahead else len(waiting)
            yield from waiting[:done]
            del waiting[:done]
            full = _FLUSH + 2 * len(waiting)


def _before(waiting: Sequence[Delivery], time: int) -> int:
    """How many of the deliveries, which are in order, arrive before a time."""
    low, high = 0, len(waiting)
    while low < high:
        middle = (low + high) // 2
        if waiting[middle][0] < time:
            low = middle + 1
        else:
            high = middle
    return low
