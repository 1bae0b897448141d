"""How fast records are decoded, on one core: ``python -m bench.decoding`` (a few seconds)."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import orjson
from pydantic import TypeAdapter

from bench.page.figures import RATIO, tell
from schemas.decoding import decode_lines, decode_record
from schemas.events import Event
from schemas.identity import content_key
from schemas.time import micros

TURNS, PASSES = 5, 6
ROUND: list[tuple[str, dict[str, Any]]] = [
    ("round.opened.v1", {"method": "A"}),
    *[
        ("bet.placed.v1", {"bet": f"B-{n}", "position": n, "player": f"P-{n}", "wager": "banker", "amount": 1000 * n})
        for n in range(1, 7)
    ],
    ("bets.closed.v1", {}),
    *[("card.drawn.v1", {"draw": n, "card": card}) for n, card in enumerate(["10H", "AS", "7C", "KD", "3H"], 1)],
    ("result.displayed.v1", {"winner": "player", "totals": {"player": 7, "banker": 1}}),
    *[("bet.settled.v1", {"bet": f"B-{n}", "paid": 0, "collected": 1000 * n}) for n in range(1, 7)],
    ("round.closed.v1", {}),
]


def events(count: int) -> list[dict[str, object]]:
    """The events of rounds as tables play them."""
    return [
        {
            "specversion": "1.0",
            "id": f"01J9ZQ7K{number:08}",
            "source": "/tables/BT12/reader",
            "type": kind,
            "subject": "BT12",
            "time": f"2026-03-01T12:34:{number // 1000 % 60:02}.{number % 1000:03}Z",
            "sequence": number,
            "data": {"shoe": "S-0412", "round": number // len(ROUND) + 1, **data},
        }
        for number, (kind, data) in ((number, ROUND[number % len(ROUND)]) for number in range(count))
    ]


def rate(work: Callable[[Any], object], inputs: Sequence[Any], units: int) -> float:
    """Units a CPU second: the best of some passes over the inputs, so that a busy machine spoils little."""
    best = float("inf")
    for _ in range(PASSES):
        start = time.process_time()
        for each in inputs:
            work(each)
        best = min(best, time.process_time() - start)
    return units / best


def main() -> None:
    sent = events(10_000)
    arrays = [orjson.dumps(sent[start : start + 100]) for start in range(0, len(sent), 100)]
    lines = [orjson.dumps(event) for event in sent]
    mixed = [array.replace(b'"sequence":', b'"sequence":-1', 1) for array in arrays]
    decoded = [event for array in arrays for event in decode_record(array).events]
    bare = TypeAdapter(list[Event]).validate_json
    tell("bytes of an event", sum(map(len, lines)) // len(lines))
    measured: dict[str, tuple[Callable[[Any], object], Sequence[Any]]] = {
        "bare pydantic, arrays of 100": (bare, arrays),
        "decode_record, arrays of 100": (decode_record, arrays),
        "decode_record, arrays of 100 with one bad event": (decode_record, mixed),
        "decode_record, single objects": (decode_record, lines),
        "decode_lines, 100 lines at once": (decode_lines, [lines[at : at + 100] for at in range(0, len(lines), 100)]),
        "micros": (micros, [event.time for event in decoded]),
        "content_key": (content_key, decoded),
    }
    rates: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(TURNS):
        for name, (work, inputs) in measured.items():
            rates[name].append(rate(work, inputs, len(sent)))
    for name, each in rates.items():
        tell("decoding: events a second of the processor", max(each), "events/s", of=name, turns=each)
    ours, alone = rates["decode_record, arrays of 100"], rates["bare pydantic, arrays of 100"]
    shares = [mine / theirs for mine, theirs in zip(ours, alone, strict=True)]
    tell("decoding by bare pydantic, arrays of 100", max(ours) / max(alone), RATIO, turns=shares)


if __name__ == "__main__":
    main()
