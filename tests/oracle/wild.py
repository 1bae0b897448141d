"""Files that no table would make: a scenario in which events were moved, copied, changed and made up at random."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from tests.oracle.rules import ALL_CARDS, ALL_WAGERS, GAMES
from tests.oracle.scenarios import scenario
from tests.oracle.script import source_of, to_lines
from tests.oracle.validate import INCIDENTS, ROLES, RULINGS, WINNERS

Event = dict[str, Any]
CLAUSES = ["3.6.1", "3.7.1", "3.17.1", "5.1", "5.4", "5.8.1", "5.8.2.2", "5.9", "5.11.3", "5.17.1", "5.18.1", "6.1"]
STEPS = [-20_000, -5_000, -501, -500, -1, 0, 1, 300, 499, 500, 501, 1_500, 5_000, 20_000, 61_000]


def moved(time: str, ms: int) -> str:
    moment = datetime.fromisoformat(time[:-1]).replace(tzinfo=UTC) + timedelta(milliseconds=ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def well_formed(events: list[Event]) -> list[Event]:
    return [e for e in events if isinstance(e.get("time"), str) and e["time"].endswith("Z") and e["time"][10] == "T"]


def of_rounds(events: list[Event]) -> list[Event]:
    return [e for e in well_formed(events) if "round" in e["data"]] or events


def some_draws(dice: Random) -> list[int]:
    return dice.sample(range(1, 8), dice.randint(0, 4))


def move(events: list[Event], dice: Random) -> None:
    for event in dice.sample(well_formed(events), 1):
        event["time"] = moved(event["time"], dice.choice(STEPS))


def copy_one(events: list[Event], dice: Random) -> None:
    again = copy.deepcopy(dice.choice(of_rounds(events)))
    again["id"] = f"copy-{len(events)}"
    again["time"] = moved(again["time"], dice.choice(STEPS))
    if dice.random() < 0.7:
        change_data(again, dice)
    events.append(again)


def change_one(events: list[Event], dice: Random) -> None:
    change_data(dice.choice(of_rounds(events)), dice)


def change_data(event: Event, dice: Random) -> None:
    """One field of the payload becomes another that the contract allows."""
    data = event["data"]
    values: dict[str, Callable[[], Any]] = {
        "amount": lambda: dice.choice([1, 50, 99, 100, 5_000, 10_001]),
        "paid": lambda: dice.choice([0, 0, 100, 5_000]),
        "collected": lambda: dice.choice([0, 0, 100]),
        "card": lambda: dice.choice(sorted(ALL_CARDS)),
        "draw": lambda: dice.randint(1, 7),
        "bet": lambda: dice.choice(["b1", "b2", "b9"]),
        "round": lambda: dice.randint(1, 4),
        "wager": lambda: dice.choice([*sorted(ALL_WAGERS), "player", "banker"]),
        "position": lambda: dice.randint(1, 10),
        "player": lambda: dice.choice(["ann", "ben", None]),
        "winner": lambda: dice.choice(WINNERS),
        "method": lambda: dice.choice(["A", "B", "C", None]),
        "decks": lambda: dice.choice([1, 2, 4, 8, 11]),
        "game": lambda: dice.choice(GAMES),
    }
    fields = sorted(set(data) & set(values))
    if fields:
        name = dice.choice(fields)
        data[name] = values[name]()


def drop(events: list[Event], dice: Random) -> None:
    events.remove(dice.choice(events))


def other_source(events: list[Event], dice: Random) -> None:
    event, other = dice.choice(events), dice.choice(events)
    event["source"] = other["source"]
    event["id"] = f"moved-{len(events)}-{event['id']}"


def make_up(events: list[Event], dice: Random) -> None:
    """A ruling or an incident at a random moment of a round."""
    near = dice.choice(of_rounds(events))
    table, place = near["subject"], {key: near["data"][key] for key in ("shoe", "round") if key in near["data"]}
    if len(place) < 2:
        return
    if dice.random() < 0.7:
        kind = dice.choice(sorted(RULINGS))
        fields: dict[str, dict[str, Any]] = {
            "reconstructed": {"order": some_draws(dice)},
            "bets-refused": {"bets": dice.sample(["b1", "b2", "b3"], dice.randint(0, 2))},
            "bets-removed": {"bets": dice.sample(["b1", "b2", "b3"], dice.randint(0, 2))},
            "replacement-card": {"draw": dice.randint(1, 6), "card": dice.choice(sorted(ALL_CARDS))},
            "wagers-restricted": {"max_wagers_per_area": dice.randint(1, 4)},
            "power-failure": {"scope": dice.choice(["table", [1, 2]])},
        }
        data = {**place, "ruling": kind, "clause": dice.choice(CLAUSES), "by": dice.choice(ROLES)}
        data |= fields.get(kind, {})
        said = "ruling.made.v1"
    else:
        data = {**place, "incident": dice.choice(INCIDENTS), "draws": some_draws(dice), "text": ""}
        said = "incident.reported.v1"
    events.append(
        {
            "specversion": "1.0",
            "id": f"made-up-{len(events)}",
            "source": source_of(table, said),
            "type": said,
            "subject": table,
            "time": moved(near["time"], dice.choice(STEPS)),
            "sequence": 0,
            "data": data,
        }
    )


def numbered(events: list[Event]) -> list[Event]:
    """Sequences anew, in the order of times, so that there are no holes."""
    counts: dict[tuple[str, str], int] = {}
    for event in sorted(events, key=lambda e: str(e["time"])):
        if isinstance(event["sequence"], int):
            stream = (str(event["source"]), str(event["subject"]))
            event["sequence"] = counts[stream] = counts.get(stream, -1) + 1
    return events


WAYS = [move, move, move, copy_one, copy_one, change_one, change_one, drop, other_source, make_up, make_up, make_up]


def wild_lines(dice: Random) -> list[bytes]:
    """The lines of a file out of which anything may have been made."""
    events = scenario(dice)
    for _ in range(dice.choice([1, 2, 3, 5, 8, 20])):
        if events:
            dice.choice(WAYS)(events, dice)
    if dice.random() < 0.75:
        numbered(events)
    lines = to_lines(events)
    lines += [json.dumps(event, indent=None).encode() for event in dice.sample(events, min(3, len(events)))]
    dice.shuffle(lines)
    return lines
