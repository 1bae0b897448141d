"""One table at a worker: its live judge, what the world knows of it already, and what the store does not have yet."""

from collections import deque
from dataclasses import dataclass, field, replace

from audit.devices import RejectedPlace
from audit.live.concluded import Concluded
from audit.live.table import LiveTable, Origin
from audit.settings import JudgeSettings
from audit.table import RoundKey
from schemas.findings import Finding, finding_json, parse_finding
from schemas.identity import content_key
from schemas.records import AnyEvent
from schemas.verdicts import verdict_json
from streams.folding import FindingMark, Folded, VerdictMark, verdict_content


@dataclass(frozen=True, slots=True)
class Taken:
    """An event, or the place of a rejected one, as it came to a table."""

    batch: int
    """Number of the batch that brought it."""
    event: AnyEvent | None
    place: RejectedPlace | None
    arrival: int
    """Microseconds since 1970."""
    origin: Origin


@dataclass(frozen=True, slots=True)
class RaisedFinding:
    """A new state of a finding, for people and for the store."""

    finding: Finding
    version: int
    time: int
    """The table's time, in microseconds since 1970."""
    for_people: bool
    """Whether the table is in the mode that raises alerts."""


@dataclass(slots=True)
class News:
    """What there is to tell and to store."""

    findings: list[RaisedFinding] = field(default_factory=list)
    verdicts: list[Concluded] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.findings or self.verdicts)

    def add(self, other: "News") -> None:
        """Append what another look gave."""
        self.findings += other.findings
        self.verdicts += other.verdicts


class TableDesk:
    """What a worker holds of one table. Without ``live`` it must be read from the store first."""

    def __init__(self, table: str, settings: JudgeSettings, *, fresh: bool) -> None:
        self.table = table
        self.settings = settings
        self.live: LiveTable | None = LiveTable(table, settings) if fresh else None
        self.next_at: int | None = None
        """How far the topics must be read until there may be more to say."""
        self.heard = 0.0
        """When it last spoke, by the worker's clock."""
        self.late: list[AnyEvent] = []
        """Events from a time that is no longer held, to be looked up in the store."""
        self.reload: set[str] = set()
        """Shoes to be read from the store again."""
        self._unstored: deque[Taken] = deque()
        self._verdicts: dict[RoundKey, VerdictMark] = {}
        self._findings: dict[str, FindingMark] = {}
        self._unproven: set[RoundKey] = set()
        """Rounds whose stored verdict may rest on facts that this worker has not read yet."""
        self._held_back: dict[RoundKey, Concluded] = {}

    @property
    def needs_store(self) -> bool:
        """Whether it cannot go on without a look into the store."""
        return self.live is None or bool(self.late or self.reload)

    @property
    def idle(self) -> bool:
        """Whether nothing here would be lost with it."""
        return not (self._unstored or self._held_back or self.needs_store)

    def take(self, taken: Taken) -> None:
        """Take an event in, or keep it until the table has been read from the store."""
        self._unstored.append(taken)
        if self.live is not None:
            self._hand(self.live, taken)

    @staticmethod
    def _hand(live: LiveTable, taken: Taken) -> None:
        if taken.event is not None:
            live.take(taken.event, taken.arrival, taken.origin)
        elif taken.place is not None:
            live.reject(taken.place)

    def look(self, complete_to: int, *, caught_up: bool) -> News:
        """What is new. ``caught_up``: all that any worker before this one can have read has been read."""
        news = News()
        live = self.live
        if live is None:
            return news
        seen = live.look(complete_to)
        self.next_at = seen.next_at
        self.late += seen.late
        self.reload |= seen.reload
        for finding in seen.findings:
            self._raise(finding, live, news)
        for concluded in seen.verdicts:
            self._conclude(concluded, live, news, caught_up)
        if caught_up and self._held_back:
            self._unproven.clear()
            held, self._held_back = self._held_back, {}
            for concluded in held.values():
                self._conclude(concluded, live, news, caught_up)
        return news

    def _raise(self, finding: Finding, live: LiveTable, news: News) -> None:
        known = self._findings.get(finding.id)
        content = finding_json(finding)
        if known is None and finding.cleared:
            return
        if known is not None and known.content == content:
            return
        version = 1 if known is None else known.version + 1
        about = (finding.shoe, finding.round) if finding.shoe is not None and finding.round is not None else None
        self._findings[finding.id] = FindingMark(version, content, about, not finding.cleared)
        mode = live.configurations[-1].data.mode if live.configurations else "live"
        news.findings.append(RaisedFinding(finding, version, live.latest, mode == "live"))

    def _conclude(self, concluded: Concluded, live: LiveTable, news: News, caught_up: bool) -> None:
        verdict = concluded.verdict
        key = verdict.shoe, verdict.round
        known = self._verdicts.get(key)
        content = verdict_content(verdict_json(verdict))
        if known is not None and known.content == content:
            self._unproven.discard(key)
            self._held_back.pop(key, None)
        elif known is not None and key in self._unproven and not caught_up:
            # The stored verdict may know more than has been read so far: fewer facts make no revision.
            self._held_back[key] = concluded
            return
        else:
            revision = 1 if known is None else known.revision + 1
            self._verdicts[key] = VerdictMark(revision, content)
            news.verdicts.append(replace(concluded, verdict=replace(verdict, revision=revision)))
        found = {finding.id for finding in verdict.findings}
        for name, mark in list(self._findings.items()):
            # Raised by a worker before this one on fewer facts.
            if mark.round == key and mark.standing and name not in found:
                self._raise(replace(parse_finding(mark.content), cleared=True), live, news)

    def unknown_late(self, stored: dict[tuple[str, str], list[AnyEvent]]) -> list[AnyEvent]:
        """The late events that are no repeats of stored ones (by source and id)."""
        late, self.late = self.late, []
        return [
            event
            for event in late
            if content_key(event) not in {content_key(each) for each in stored.get((event.source, event.id), ())}
        ]

    def resume(self, folded: Folded) -> None:
        """Go on from what the store has, and take what it has not."""
        live = folded.live
        # What this worker has said itself is newer than what the store knows of it.
        for key, mark in folded.verdicts.items():
            if key not in self._verdicts:
                self._verdicts[key] = mark
                self._unproven.add(key)
        self._findings = {**folded.findings, **self._findings}
        for taken in self._unstored:
            self._hand(live, taken)
        self.live = live
        self.reload.clear()
        self.late.clear()
        self.next_at = None

    def stored(self, batch: int) -> None:
        """The store has all events up to this batch."""
        while self._unstored and self._unstored[0].batch <= batch:
            self._unstored.popleft()

    def release(self, complete_to: int) -> None:
        """Let go of what is judged and long over."""
        live = self.live
        if live is None or self.needs_store:
            return
        live.release(complete_to)
        if self._unstored:
            return
        # What the store has can be read from there again.
        held = live.rounds.keys()
        self._verdicts = {key: mark for key, mark in self._verdicts.items() if key in held or key in self._held_back}
        self._unproven &= self._verdicts.keys()
        if len(self._findings) > _MANY_FINDINGS:
            self._findings = {
                name: mark for name, mark in self._findings.items() if mark.round is None or mark.round in held
            }


_MANY_FINDINGS = 200
