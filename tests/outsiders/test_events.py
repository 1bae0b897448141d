"""Events on either side of the contract: each by itself accepted, or rejected whole with one finding."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

USUAL: dict[str, Any] = {
    "specversion": "1.0",
    "id": "e1",
    "source": "/tables/T1/reader",
    "type": "card.drawn.v1",
    "subject": "T1",
    "time": "2026-03-02T12:00:00Z",
    "sequence": 0,
    "data": {"shoe": "S1", "round": 1, "draw": 1, "card": "9H"},
}
VECTORS = (Path(__file__).parent / "events.txt").read_text(encoding="utf-8").splitlines()


def event(number: int, changes: str) -> bytes:
    """The usual event with some changes, at a table of its own."""
    told, *without = changes.split(" without ")
    whole = USUAL | {"subject": f"T{number}", "source": f"/tables/T{number}/reader"} | json.loads(told)
    return json.dumps({name: value for name, value in whole.items() if name not in without}).encode()


def test_every_event_is_accepted_or_rejected_as_the_contract_says() -> None:
    verdicts = [vector.partition(" ") for vector in VECTORS]
    lines = [event(number, changes) for number, (_, _, changes) in enumerate(verdicts)]
    command = [sys.executable, "-c", "from tablewatch.command import main; main()", "audit", "--findings"]
    done = subprocess.run(command, input=b"\n".join(lines), capture_output=True, timeout=120, check=True)
    findings = [json.loads(line) for line in done.stdout.splitlines()]
    messages = [finding["message"] for finding in findings if finding["code"] == "event-rejected"]
    rejected = [int(message.partition("(line ")[2].partition(")")[0]) - 1 for message in messages]
    said = ["rejected" if number in rejected else "accepted" for number in range(len(lines))]
    assert [f"{word} {vector.partition(' ')[2]}" for word, vector in zip(said, VECTORS, strict=True)] == VECTORS
    assert len(rejected) == said.count("rejected")
