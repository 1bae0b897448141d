"""A table at which events are rejected, contradict each other, claim one number twice or are lost."""

import random
from typing import Any

from tests.audit.case import READER, RFID, Case

BETS: dict[str, Any] = {"bets": {"b1": ("player", 100), "b2": ("tie", 100)}, "settled": {"b1": (100, 0)}}
"""One of its bets is never settled: nobody may say so where the settlement may have been lost."""


def broken(event: dict[str, Any], **other: Any) -> dict[str, Any]:
    """An event that cannot be read, but for its place in the sequence."""
    return {**event, "id": event["id"] + "-broken", "data": {}, **other}


def troubled(seed: int, shoes: int = 1) -> list[dict[str, Any]]:
    """What is heard of six rounds of each shoe."""
    rng = random.Random(seed)
    case = Case()
    for shoe in range(1, shoes + 1):
        if shoe > 1:
            case.load(f"S{shoe}")
        for _ in range(6):
            case.round(**BETS)
    heard: list[dict[str, Any]] = []
    for event in case.events():
        hit = event["source"] in (READER, RFID) and rng.random() < 0.12
        kind = rng.choice(["before", "after", "instead", "contradicted", "lost", "next"]) if hit else "well"
        heard += {
            "well": [event],
            "before": [broken(event), event],
            "after": [event, broken(event)],
            "instead": [broken(event)],
            "contradicted": [event, {**event, "time": "2025-03-01T09:00:00Z"}],
            "lost": [],
            "next": [event, broken(event, sequence=event["sequence"] + 1)],
        }[kind]
    return heard
