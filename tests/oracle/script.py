"""Events written as a script: who says what at which moment; ids, sequences and times follow from that."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

Said = dict[str, Any]  # at (ms), source, type, data, subject
START = datetime(2025, 3, 1, 4, 0, 0, tzinfo=UTC)


def clock(ms: int) -> str:
    moment = START + timedelta(milliseconds=ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def source_of(table: str, kind: str) -> str:
    """The device that says events of a kind, as the contract's examples name them."""
    if kind.startswith(("shoe.", "card.")):
        return f"/tables/{table}/reader"
    if kind.startswith("bet."):
        return f"/tables/{table}/rfid"
    if kind.startswith("result."):
        return f"/tables/{table}/display"
    if kind.startswith(("ruling.", "incident.", "table.")):
        return f"/pits/P-{table}/desk"
    return f"/tables/{table}/dealer"


def say(table: str, at: int, kind: str, source: str | None = None, **data: Any) -> Said:
    return {
        "at": at,
        "source": source or source_of(table, kind),
        "subject": table,
        "type": kind if kind.endswith(".v1") else kind + ".v1",
        "data": data,
    }


def number(said: list[Said]) -> list[dict[str, Any]]:
    """CloudEvents in order of time, each source counting its own events about a table from 0."""
    counts: dict[tuple[str, str], int] = {}
    events = []
    for each in sorted(said, key=lambda s: int(s["at"])):
        stream = (each["source"], each["subject"])
        sequence = counts.get(stream, 0)
        counts[stream] = sequence + 1
        events.append(
            {
                "specversion": "1.0",
                "id": f"{each['subject']}-{sequence}",
                "source": each["source"],
                "type": each["type"],
                "subject": each["subject"],
                "time": clock(each["at"]),
                "sequence": sequence,
                "data": each["data"],
            }
        )
    return events


def to_lines(events: list[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(event, separators=(",", ":")).encode() for event in events]
