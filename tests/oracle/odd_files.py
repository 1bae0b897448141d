"""Odd things done to a whole file: events lost, spoilt, repeated or contradicted, clocks that jump, heartbeats."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

from tests.oracle.plan import TablePlan
from tests.oracle.script import clock, say

Event = dict[str, Any]
GARBAGE = [
    b"{", b"[]", b"null", b"\xff\xfe", b'{"specversion":"1.0"}', b'"text"', b"12", b'{"a":NaN}', b"[" * 50,
    b'{"specversion":"1.0","id":"x","source":"/s","type":"round.closed.v1"}', b"not json at all", b'{"id":"\\ud800"}',
]  # fmt: skip


def heartbeats(table: TablePlan, dice: Random) -> None:
    """Some devices send heartbeats: regular or with gaps around 60 s, with clocks right, off, or off for a while."""
    start, end = table.said[0]["at"], max(said["at"] for said in table.said)
    sources = sorted({said["source"] for said in table.said} | {f"/tables/{table.table}/camera"})
    for source in dice.sample(sources, dice.randint(1, min(3, len(sources)))):
        at = start + dice.randint(0, 3_000)
        offset = 0
        while at < end + 20_000:
            offset = dice.choice([offset, offset, 0, 1_999, -2_000, 2_001, -30_000])
            table.said.append(say(table.table, at, "device.heartbeat", source, device_time=clock(at + offset)))
            at += dice.choice([20_000, 20_000, 30_000, 59_999, 60_000, 60_001, 130_000])


def without_count(events: list[Event]) -> None:
    """Nobody counted the shoes: where a read may be lost, the balance of a shoe is not what is asked about."""
    for event in events:
        if event["type"] == "shoe.ended.v1":
            event["data"]["remaining"] = None


def lose(events: list[Event], dice: Random) -> list[Event]:
    gone = dice.sample(range(len(events)), min(len(events), dice.randint(1, 3)))
    return [event for place, event in enumerate(events) if place not in gone]


def spoil(events: list[Event], dice: Random) -> list[Event]:
    """One event is not what the contract asks for; its place in the sequence can mostly still be read."""
    event = dice.choice(events)
    data = event["data"]
    how = dice.choice(["field", "type", "time", "null", "word", "money", "card", "sequence", "id", "version", "float"])
    if how == "field":
        data["colour"] = "red"
    elif how == "type":
        event["type"] = "bet.lost.v1"
    elif how == "time":
        event["time"] = dice.choice(
            ["2025-03-01 04:00:00Z", "2025-03-01T04:00:00+00:00", "2025-02-30T04:00:00Z", 5, "now"]
        )
    elif how == "null":
        data[dice.choice(sorted(data))] = {"no": "such value"}
    elif how == "word":
        data["by" if "by" in data else "game"] = "croupier"
    elif how == "money":
        data["amount" if "amount" in data else "paid"] = dice.choice([-1, 2**53, "100", True])
    elif how == "card":
        data["card"] = dice.choice(["1H", "AX", "10", "kh", ""])
    elif how == "sequence":
        event["sequence"] = dice.choice(["7", -1, None, 1.5])
    elif how == "id":
        event["id"] = ""
    elif how == "version":
        event["specversion"] = "0.3"
    else:
        data["round" if "round" in data else "decks"] = 1.0
    return events


def contradict(events: list[Event], dice: Random) -> list[Event]:
    """A second event under the same source and id that says something else: neither counts."""
    event = dice.choice(events)
    other = copy.deepcopy(event)
    if "amount" in other["data"]:
        other["data"]["amount"] += 1
    elif "card" in other["data"]:
        other["data"]["card"] = "AS" if other["data"]["card"] != "AS" else "AH"
    else:
        other["sequence"] += dice.choice([0, 1])
        other["time"] = clock(dice.randint(0, 100_000))
    if other == event:
        return events
    return [*events, other]


def jump(events: list[Event], dice: Random) -> list[Event]:
    """A clock that steps: what counts is the largest time of that source so far."""
    event = dice.choice(events)
    stamp = event["time"]
    if stamp.endswith("Z") and len(stamp) == 24:
        second = (int(stamp[17:19]) + dice.choice([1, 1, 58, 59])) % 60
        event["time"] = f"{stamp[:17]}{second:02d}{stamp[19:]}"
    return events


def as_lines(events: list[Event], dice: Random) -> list[bytes]:
    """JSON lines in any order, some of them twice, one perhaps with its fields in another order."""
    lines = []
    for event in events:
        lines.append(json.dumps(event, separators=(",", ":")).encode())
        if dice.random() < 0.02:
            lines.append(lines[-1])
        if dice.random() < 0.02:
            lines.append(json.dumps(dict(sorted(event.items())), indent=None).encode())
    return lines
