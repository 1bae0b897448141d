"""The project's judge and the second judge over the same lines, and every field in which they differ."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from audit.beside_rounds import findings_beside_rounds, without_repeats
from audit.intake import Intake
from audit.settings import JudgeSettings
from audit.table import TableFacts, assemble, judge_table
from schemas.decoding import decode_lines
from schemas.findings import Finding, as_json
from schemas.verdicts import Verdict, verdict_json
from tests.oracle.judge import audit_lines

SETTINGS = JudgeSettings()
FIELDS = ("game", "rules", "status", "outcome", "displayed", "bets", "differential")


@dataclass(frozen=True, slots=True)
class Judged:
    """What the project's judge makes of a file."""

    verdicts: list[Verdict]
    beside: list[Finding]
    """Findings of devices and shoes, and of rejected lines."""

    def digests(self) -> dict[tuple[str, str, int], str]:
        """The digest of each round."""
        return {(each.table, each.shoe, each.round): each.digest for each in self.verdicts}


def take_in(batches: list[list[bytes]]) -> Intake:
    """A file that comes in pieces, decoded and taken in."""
    intake = Intake()
    first = 1
    for lines in batches:
        decoded = decode_lines(lines)
        intake.take(decoded, [lines[place] for place in decoded.places].__getitem__, first)
        first += len(lines)
    return intake


def table_facts(lines: list[bytes]) -> list[TableFacts]:
    """The facts of each table of a file."""
    return [assemble(table, events, filled) for table, (events, filled) in take_in([lines]).tables().items()]


def judge_batches(batches: list[list[bytes]], settings: JudgeSettings = SETTINGS) -> Judged:
    """Judge a file that comes in pieces."""
    intake = take_in(batches)
    beside = intake.rejections()
    verdicts: list[Verdict] = []
    for table, (events, filled) in intake.tables().items():
        facts = assemble(table, events, filled)
        beside.extend(findings_beside_rounds(facts, settings))
        verdicts.extend(judge_table(facts, settings))
    return Judged(verdicts, without_repeats(beside))


def judge_lines(lines: list[bytes]) -> Judged:
    """Judge a file."""
    return judge_batches([lines])


def as_the_second_judge_writes(judged: Judged) -> dict[str, list[Any]]:
    """The project's verdicts and findings in the form of the second judge's."""
    verdicts = [json.loads(verdict_json(verdict)) for verdict in judged.verdicts]
    of_rounds = [found for verdict in verdicts for found in verdict["findings"]]
    return {"verdicts": verdicts, "findings": [json.loads(json.dumps(as_json(f))) for f in judged.beside] + of_rounds}


def _meant(found: dict[str, Any]) -> tuple[Any, ...]:
    """What both judges must agree on of a finding."""
    about = tuple(found[field] for field in ("code", "severity", "table", "shoe", "round", "bet", "draw"))
    return (*about, bool(found.get("corrected")))


def _unlike(what: Any, mine: list[dict[str, Any]], other: list[dict[str, Any]]) -> list[str]:
    ours, theirs = Counter(map(_meant, mine)), Counter(map(_meant, other))
    if ours == theirs:
        return []
    return [f"{what}: findings only here {list((ours - theirs).elements())}, there {list((theirs - ours).elements())}"]


def differences(lines: list[bytes]) -> list[str]:
    """Every field of every verdict, and every finding, in which the two judges differ."""
    mine = as_the_second_judge_writes(judge_lines(lines))
    other = audit_lines(list(lines))
    rounds = [(verdict["table"], verdict["shoe"], verdict["round"]) for verdict in mine["verdicts"]]
    if rounds != [(verdict["table"], verdict["shoe"], verdict["round"]) for verdict in other["verdicts"]]:
        return [f"rounds: {rounds}"]
    found = []
    for which, ours, theirs in zip(rounds, mine["verdicts"], other["verdicts"], strict=True):
        for field in FIELDS:
            if ours[field] != theirs[field]:
                found.append(f"{which} {field}: here {ours[field]}, there {theirs[field]}")
        found += _unlike(which, ours["findings"], theirs["findings"])
    beside = [
        [each for each in findings if each["round"] is None] for findings in (mine["findings"], other["findings"])
    ]
    return found + _unlike("beside rounds", *beside)
