"""From lines to ordered events: repeats, conflicts, effective times, and what the devices themselves did wrong."""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import chain, pairwise
from typing import Any

from tests.oracle.validate import Event, decode, microseconds, read_line

Finding = dict[str, Any]
Place = tuple[str, str, int, str | None]  # source, subject, sequence, type if it can be read

TOLERANCE = 500_000  # section 6, Time: 500 ms between two sources, bounds included
CLOCK_TOLERANCE = 2_000_000
SILENCE = 60_000_000

SEVERITY = {
    "display-mismatch": "critical",
    "card-missing": "critical",
    "card-extra": "critical",
    "foreign-card": "critical",
    "card-conflict": "critical",
    "decks-not-allowed": "high",
    "shoe-short": "high",
    "insufficient-cards": "critical",
    "wager-not-offered": "critical",
    "position-not-on-layout": "low",
    "below-minimum": "high",
    "above-maximum": "high",
    "too-many-wagers": "medium",
    "differential-exceeded": "high",
    "late-bet": "critical",
    "late-withdrawal": "critical",
    "card-before-close": "high",
    "round-out-of-order": "medium",
    "method-not-allowed": "medium",
    "ruling-not-authorised": "high",
    "void-required": "critical",
    "void-unfounded": "critical",
    "void-not-returned": "critical",
    "payout-wrong": "critical",
    "payout-missing": "high",
    "payout-unexpected": "critical",
    "device-gap": "high",
    "device-clock": "medium",
    "device-silent": "high",
    "event-rejected": "high",
    "round-incomplete": "high",
}


def finding(code: str, table: str | None, **rest: Any) -> Finding:
    blank: Finding = {"shoe": None, "round": None, "bet": None, "draw": None, "expected": None, "actual": None}
    return {"code": code, "severity": SEVERITY[code], "basis": "rule", "table": table, **blank, **rest}


def after(event: Event, other: Event) -> bool:
    """Later beyond doubt: by more than the tolerance between two sources, by the order of one source."""
    if event["source"] == other["source"]:
        return bool(event["key"] > other["key"])
    return bool(event["eff"] - other["eff"] > TOLERANCE)


def before(event: Event, other: Event) -> bool:
    return after(other, event)


def read_file(lines: list[bytes]) -> tuple[list[Event], list[Place], list[Finding]]:
    """Accepted events once each, places that rejected events fill, and a finding for each rejected line."""
    good: dict[tuple[str, str], dict[str, tuple[Event, set[bytes]]]] = {}
    rejected: dict[bytes, tuple[str, Place | None, str | None]] = {}
    for line in chain.from_iterable(map(unpacked, lines)):
        event, reason, place, table = read_line(line)
        if event is None:
            rejected[line] = (str(reason), place, table)
            continue
        content = json.dumps(event, sort_keys=True)
        versions = good.setdefault((event["source"], event["id"]), {})
        versions.setdefault(content, (event, set()))[1].add(line)
    events: list[Event] = []
    for versions in good.values():
        if len(versions) == 1:
            events.append(next(iter(versions.values()))[0])
            continue
        for event, spellings in versions.values():  # same source and id, other content: all of them are rejected
            for line in spellings:
                place = (event["source"], event["subject"], event["sequence"], event["type"])
                rejected[line] = ("same id, different content", place, event["subject"])
    findings = [
        finding("event-rejected", table, actual=reason, raw=sha256(line).hexdigest())
        for line, (reason, _, table) in sorted(rejected.items())
    ]
    places = sorted({place for _, place, _ in rejected.values() if place}, key=str)
    return put_in_order(events), places, findings


def unpacked(line: bytes) -> list[bytes]:
    """The events that a line holds: none, one, or those of an array; an array without any object stays as it is."""
    if not line.strip():
        return []
    try:
        value = decode(line)
    except ValueError:
        return [line]
    items = value if isinstance(value, list) else []
    if any(isinstance(item, dict) or (isinstance(item, list) and "{" in json.dumps(item)) for item in items):
        return [json.dumps(item).encode() for item in items]
    return [line]


def put_in_order(events: list[Event]) -> list[Event]:
    """Effective time: the largest time of that source and subject up to the event's sequence."""
    streams: dict[tuple[str, str], list[Event]] = {}
    for read in events:
        event = {**read, "t": microseconds(read["time"])}
        streams.setdefault((event["source"], event["subject"]), []).append(event)
    ordered = []
    for stream in streams.values():
        for event in stream:
            event["eff"] = max(other["t"] for other in stream if other["sequence"] <= event["sequence"])
            event["key"] = (event["eff"], event["source"], event["sequence"], event["id"])
            ordered.append(event)
    return sorted(ordered, key=lambda event: event["key"])


def by_stream(events: list[Event]) -> dict[tuple[str, str], list[Event]]:
    streams: dict[tuple[str, str], list[Event]] = {}
    for event in events:
        streams.setdefault((event["source"], event["subject"]), []).append(event)
    return {name: sorted(stream, key=lambda e: (e["sequence"], e["id"])) for name, stream in streams.items()}


def device_findings(events: list[Event], places: list[Place]) -> list[Finding]:
    return [*gaps(events, places), *clocks(events), *silences(events)]


def gaps(events: list[Event], places: list[Place]) -> list[Finding]:
    """One finding per run of missing numbers; the first number seen is the start; a rejected event fills its place."""
    seen: dict[tuple[str, str], set[int]] = {}
    for event in events:
        seen.setdefault((event["source"], event["subject"]), set()).add(event["sequence"])
    for source, subject, sequence, _ in places:
        seen.setdefault((source, subject), set()).add(sequence)
    found = []
    for (source, subject), numbers in sorted(seen.items()):
        ordered = sorted(numbers)
        for left, right in pairwise(ordered):
            if right > left + 1:
                found.append(finding("device-gap", subject, source=source, expected=left + 1, actual=right))
    return found


def clocks(events: list[Event]) -> list[Finding]:
    """A heartbeat whose device time is more than 2 s off; an episode lasts until one is right again."""
    found = []
    for (source, subject), stream in sorted(by_stream(events).items()):
        wrong_before = False
        for event in stream:
            if event["type"] != "device.heartbeat.v1":
                continue
            wrong = abs(microseconds(event["data"]["device_time"]) - event["t"]) > CLOCK_TOLERANCE
            if wrong and not wrong_before:
                found.append(
                    finding(
                        "device-clock",
                        subject,
                        source=source,
                        expected=event["time"],
                        actual=event["data"]["device_time"],
                    )
                )
            wrong_before = wrong
    return found


def silences(events: list[Event]) -> list[Finding]:
    """A source with heartbeats from which nothing came, while another of its table spoke more than 60 s later."""
    found = []
    for (source, subject), stream in sorted(by_stream(events).items()):
        others = [e["eff"] for e in events if e["subject"] == subject and e["source"] != source]
        has_heartbeats = False
        for here, following in zip(stream, [*stream[1:], None], strict=True):
            has_heartbeats = has_heartbeats or here["type"] == "device.heartbeat.v1"
            if not has_heartbeats:
                continue
            end = None if following is None else following["eff"]
            if any(t > here["eff"] + SILENCE and (end is None or t < end) for t in others):
                found.append(finding("device-silent", subject, source=source, actual=here["time"]))
    return found
