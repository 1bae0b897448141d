"""Live tables fed as a worker feeds them, and what the judge of a whole file says of the same lines."""

import random
from collections.abc import Sequence

from audit.beside_rounds import findings_beside_rounds
from audit.filled import RejectedPlace
from audit.intake import Intake
from audit.live.seen import Seen
from audit.live.table import LiveTable
from audit.settings import JudgeSettings
from audit.table import assemble, judge_table
from schemas.decoding import Decoded, decode_lines
from schemas.findings import Finding
from schemas.time import micros
from schemas.topics import INPUT, topic_of
from schemas.verdicts import Verdict

SETTINGS = JudgeSettings()
Key = tuple[str, str, int]
BEHIND = 8_000_000
"""How far completeness is behind the newest event, in microseconds: what a floor delivers comes in that time."""
FOR_EVER = 2**60
OPEN_END = "the end of the round"


def offline(lines: Sequence[bytes]) -> tuple[dict[Key, Verdict], dict[str, str]]:
    intake = Intake()
    decoded = decode_lines(lines)
    intake.take(decoded, lambda index: lines[decoded.places[index]])
    verdicts: dict[Key, Verdict] = {}
    found: dict[str, str] = {}
    for table, (events, places) in intake.tables().items():
        facts = assemble(table, events, places)
        found.update({finding.id: finding.code for finding in findings_beside_rounds(facts, SETTINGS)})
        for verdict in judge_table(facts, SETTINGS):
            if not any(each.code == "round-incomplete" and OPEN_END in each.expected for each in verdict.findings):
                verdicts[verdict.table, verdict.shoe, verdict.round] = verdict
                found.update({finding.id: finding.code for finding in verdict.findings})
    return verdicts, found


class LiveWorker:
    """Live tables, fed in batches, as a worker feeds them."""

    def __init__(self) -> None:
        self.tables: dict[str, LiveTable] = {}
        self.verdicts: dict[Key, Verdict] = {}
        self.told: dict[str, Finding] = {}
        self._read: dict[str, int] = {}

    def take(self, decoded: Decoded) -> None:
        for event in decoded.events:
            self._table(event.subject).take(event)
            topic = topic_of(event.type) or event.source
            self._read[topic] = max(self._read.get(topic, 0), micros(event.time))
        for rejected in decoded.rejected:
            if rejected.source and rejected.subject and rejected.sequence is not None:
                place = RejectedPlace(rejected.source, rejected.sequence, rejected.type)
                self._table(rejected.subject).reject(place)

    def _table(self, name: str) -> LiveTable:
        return self.tables.setdefault(name, LiveTable(name, SETTINGS))

    def look(self, complete_to: int | None = None, *, release: bool = False, patient: bool = False) -> None:
        if complete_to is None:
            topics = [self._read.get(topic.name, 0) for topic in INPUT]
            complete_to = min(topics) - BEHIND
        for table in self.tables.values():
            self._note(table.look(complete_to, patient=patient))
            if release:
                table.release(complete_to)

    def _note(self, seen: Seen) -> None:
        assert not seen.reload
        for finding in seen.findings:
            if finding.cleared:
                del self.told[finding.id]
            else:
                self.told[finding.id] = finding
        for concluded in seen.verdicts:
            verdict = concluded.verdict
            self.verdicts[verdict.table, verdict.shoe, verdict.round] = verdict


def play(lines: Sequence[bytes], rng: random.Random, *, batch: int, release: bool, patient: float = 0.0) -> LiveWorker:
    worker = LiveWorker()
    position = 0
    while position < len(lines):
        size = rng.randint(1, batch)
        worker.take(decode_lines(lines[position : position + size]))
        worker.look(release=release, patient=rng.random() < patient)
        position += size
    worker.look(FOR_EVER)
    return worker


def content(verdict: Verdict) -> tuple[object, ...]:
    return verdict.digest, verdict.status, verdict.outcome, verdict.bets, verdict.findings, verdict.differential


def told_of(worker: LiveWorker, verdicts: dict[Key, Verdict]) -> dict[str, str]:
    """What people were told of devices and of rounds that have ended."""
    return {
        name: finding.code
        for name, finding in worker.told.items()
        if finding.code != "event-rejected"
        and (finding.round is None or (finding.table, finding.shoe, finding.round) in verdicts)
    }
