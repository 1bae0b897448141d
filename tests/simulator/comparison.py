"""Truth against findings: what a simulation promises, and what a judge says of it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from typer.testing import CliRunner

from simulator.truth import Fault
from tablewatch.command import app

Place = tuple[object, ...]

_OF_A_DEVICE = {"device-gap", "device-clock", "device-silent"}


def _place(code: str, table: object, shoe: object, round: object) -> Place:
    """What a finding is about: a round, a shoe, a device, or bytes that may not even tell their table."""
    if code == "event-rejected":
        return (code,)
    if code in _OF_A_DEVICE:
        return code, table
    return code, table, shoe, round


def promised(truth: Iterable[Fault]) -> Counter[Place]:
    """Every finding that the truth announces, as often as it does."""
    return Counter(_place(code, fault.table, fault.shoe, fault.round) for fault in truth for code in fault.consequences)


def found(findings: Iterable[Mapping[str, Any]]) -> Counter[Place]:
    """Every finding with a rule behind it."""
    return Counter(
        _place(each["code"], each["table"], each["shoe"], each["round"]) for each in findings if each["basis"] == "rule"
    )


def audit(lines: Sequence[bytes], folder: Path) -> list[dict[str, Any]]:
    """All findings of ``tablewatch audit`` about these lines."""
    file = folder / "events.jsonl"
    file.write_bytes(b"\n".join(lines) + b"\n")
    result = CliRunner().invoke(app, ["audit", "--findings", str(file)])
    assert result.exit_code == 0, result.output
    return [orjson.loads(line) for line in result.stdout_bytes.splitlines()]
