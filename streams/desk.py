"""One table at a worker: its live judge, and what the world knows of it already."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace

from audit.facts import Fact
from audit.intake import CONFLICT, Identity
from audit.live.concluded import Concluded
from audit.live.names_gone import NamesGone
from audit.live.table import GRACE, LiveTable
from audit.settings import MILLISECOND, JudgeSettings
from audit.table import RoundKey, configuration_at
from schemas.findings import Finding, finding_json, parse_finding
from schemas.records import AnyEvent
from schemas.time import micros
from schemas.verdicts import verdict_json
from store.rows.raw import RecordKey, StoredEvent
from streams.alerting.raising import place_of_table
from streams.folding import RECENT, Beginning, FindingMark, Folded, VerdictMark, verdict_content
from streams.intake import Origin, Share, refused
from streams.metrics import FAILED
from streams.names import contradicted, name_of, no_repeats
from streams.news import News, Published, RaisedFinding, RefusedLater
from streams.readings import Readings
from streams.table_clock import TableClock
from streams.telling import LIVE
from streams.watermark import ALWAYS, NEVER, Reach

logger = logging.getLogger(__name__)

_FIRST = 1


class TableDesk:
    """What a worker holds of one table. Without ``live`` it must be read from the store first."""

    def __init__(self, table: str, settings: JudgeSettings, *, fresh: bool) -> None:
        self.table = table
        self.settings = settings
        self.live: LiveTable | None = LiveTable(table, settings) if fresh else None
        self.clock = TableClock(settings.patience_ms * MILLISECOND)
        self.next_at: int | None = None
        """Up to which time by the table's devices all must be known until there may be more to say."""
        self.heard = 0.0
        """When it last spoke, by the worker's clock."""
        self.waits_since: float | None = None
        """When it was first told something, by the worker's clock, while it had to be read from the store; until people
        have been told of what was found then."""
        self.last_batch = 0
        """Number of the last batch that brought something."""
        self.late: list[tuple[AnyEvent, Origin]] = []
        """Events, with their origins, from a time that is no longer held, to be looked up in the store."""
        self.named_again: list[tuple[AnyEvent, Origin]] = []
        """Events, with their origins, whose names may have been used before, to be looked up in the store."""
        self.reload: set[str] = set()
        """Shoes to be read from the store again."""
        self.taken_up: list[AnyEvent] = []
        """Events that are stored, and of which nobody said that they were judged, before it is read from the store."""
        self.arrived: set[Identity] = set()
        """Of events that came, and are stored, while it waited to be read from the store."""
        self.readings = Readings(table)
        self._verdicts: dict[RoundKey, VerdictMark] = {}
        self._findings: dict[str, FindingMark] = {}
        self._refused: set[tuple[RecordKey, int]] = set()
        """Events, by record and place, that were refused after they had been taken, and whose refusal is not stored."""
        self._refused_before: set[tuple[RecordKey, int]] = set()
        """Those that were stored as refused when it was read from the store, until it is looked at."""
        self._unproven: set[RoundKey] = set()
        """Rounds whose stored verdict may rest on facts that this worker has not read yet."""
        self._held_back: dict[RoundKey, Concluded] = {}
        self._on_the_way: dict[RoundKey | str, int] = {}
        """Verdicts by round and findings by id that the store does not have yet: the last revision or version."""
        self._caught_up = False
        """Whether all has been read that a worker before this one can have told of."""
        self._released_at = 0
        self._unseen = True
        """Whether something was taken since the last look."""
        self._to_recall: list[Finding] = []
        """What a worker before this one told of devices and shoes."""
        self._recall_at = 0
        """How far the topics must be read until all of that would be found again, and what is not is cleared."""
        self._beginning: Beginning | None = None
        self._names_gone: NamesGone | None = None
        """While it is read from the store: what it knew before."""

    @property
    def mode(self) -> str | None:
        """The mode that the table is in, by its own time; None where no configuration says it."""
        configured = None if self.live is None else _in_force(self.live, self.live.latest)
        return None if configured is None else str(configured.data.mode)

    @property
    def needs_store(self) -> bool:
        """Whether it cannot go on without a look into the store."""
        return self.live is None or bool(self.late or self.reload or self.named_again)

    @property
    def idle(self) -> bool:
        """Whether nothing here would be lost with it, once all that it took is stored: a round that waits until the
        topics are read on would be judged by nobody."""
        return not (self._held_back or self._on_the_way or self.needs_store) and self.next_at is None

    def complete_to(self, reach: Reach) -> int:
        """Up to when, by the table's own time, all that it says counts as known where the topics were read so far."""
        return NEVER if self.live is None else self.clock.complete_to(reach, self.live.latest)

    def is_calm(self, complete_to: int) -> bool:
        """Whether a look would give nothing: nothing that came since the last one can be found, and the topics have not
        been read as far as it waits for."""
        if self.live is None or self._held_back or (self.next_at is not None and self.next_at <= complete_to):
            return False
        return self.live.calm

    def take(self, batch: int, share: Share) -> None:
        """Take in what a record brings; while the table is not read from the store, it must come again."""
        self.readings.forget()
        self.last_batch = batch
        self._unseen = True
        self.clock.heard(share.arrival, share.earliest, share.latest)
        if self.live is not None:
            self._hand(self.live, share)

    def take_up(self, share: Share) -> None:
        """Something is stored of which nobody said that it was judged in all that it says."""
        self.readings.forget()
        live = self.live
        self.clock.heard(share.arrival, share.earliest, share.latest)
        if live is None:
            self.taken_up += share.events
        else:
            events = zip(share.events, share.times, strict=True)
            self.late += [(event, share.origin) for event, time in events if time < live.latest - RECENT]

    def _hand(self, live: LiveTable, share: Share) -> None:
        if share.latest - share.arrival > self.settings.ahead_ms * MILLISECOND:
            for event, time in zip(share.events, share.times, strict=True):
                live.hold_against_arrival(event, time, share.arrival)
        pairs = zip(share.events, share.times, strict=True)
        while True:
            try:
                live.take_all(pairs, share.origin)
            except Exception:  # that event is stored all the same, and can be judged when the fault is mended
                logger.exception("the judge failed", extra={"table": self.table})
                FAILED.inc()
            else:
                break
        for place in share.places:
            live.reject(place)

    def look(self, complete_to: int, *, caught_up: bool, patient: bool = False, abreast_to: int = ALWAYS) -> News:
        """What is new. ``caught_up``: all that any worker before this one can have read has been read. What rests on a
        part of a round may wait for the next look: ``patient``, and of a time after ``abreast_to``."""
        news = News()
        live = self.live
        if live is None:
            return news
        if self._to_recall and complete_to >= self._recall_at:
            for finding in self._to_recall:
                live.recall(finding)
            self._to_recall = []
        self._unseen = False
        seen = live.look(complete_to, patient=patient, abreast_to=abreast_to)
        if self._to_recall:
            seen.again_at(self._recall_at)
        self.next_at = seen.next_at
        self.late += [(event, origin) for event, origin in seen.late if isinstance(origin, Origin)]
        self.named_again += [(event, origin) for event, origin in seen.named_again if isinstance(origin, Origin)]
        self.reload |= seen.reload
        for finding in seen.findings:
            self._raise(finding, live, news)
        for concluded in seen.verdicts:
            self._conclude(concluded, live, news, caught_up)
        self._caught_up = caught_up
        if caught_up:
            self._unproven.clear()
            held, self._held_back = self._held_back, {}
            for concluded in held.values():
                self._conclude(concluded, live, news, caught_up)
        if live.refused:
            self._refuse(live, news)
        self._refused_before = set()
        return news

    def _refuse(self, live: LiveTable, news: News) -> None:
        """Events that were taken at first and contradict others of their id, each once."""
        for event, origin in live.refused:
            if not isinstance(origin, Origin):
                continue
            place = origin.place(event)
            known = origin.key, place
            if known not in self._refused and known not in self._refused_before:
                self._refused.add(known)
                rejected = refused(event, origin.raw(event), place, CONFLICT)
                news.refused.append(RefusedLater(rejected, origin.key, origin.arrival))
        live.refused.clear()

    def _raise(self, finding: Finding, live: LiveTable, news: News) -> None:
        known = self._findings.get(finding.id)
        content = finding_json(finding)
        if known is None and finding.cleared:
            return
        if known is not None and known.content == content:
            return
        version = _FIRST if known is None else known.version + 1
        about = (finding.shoe, finding.round) if finding.shoe is not None and finding.round is not None else None
        self._on_the_way[finding.id] = version
        configured = _in_force(live, _began(live, finding, live.latest))
        for_people = _raises_alerts(configured)
        if known is not None and known.standing and not for_people:
            # Of what people were told they hear on, also when it is taken back: else the alert would stay.
            told = known.told
            for_people = _raises_alerts(_in_force(live, _began(live, finding, known.time))) if told is None else told
        time = live.moment_of(finding)
        self._findings[finding.id] = FindingMark(version, content, about, not finding.cleared, time, for_people)
        configured = configured or next(reversed(live.configurations), None)
        place = None if configured is None else place_of_table(configured.data)
        news.findings.append(RaisedFinding(finding, version, time, for_people, place))

    def _conclude(self, concluded: Concluded, live: LiveTable, news: News, caught_up: bool) -> None:
        verdict = concluded.verdict
        key = verdict.shoe, verdict.round
        known = self._verdicts.get(key)
        json = verdict_json(verdict)
        content = verdict_content(json)
        # What was concluded before, and held back, rests on less than this.
        self._held_back.pop(key, None)
        if known is not None and known.content == content:
            self._unproven.discard(key)
        elif known is not None and key in self._unproven and not caught_up:
            # The stored verdict may know more than has been read so far: fewer facts make no revision.
            self._held_back[key] = concluded
            return
        else:
            revision = _FIRST if known is None else known.revision + 1
            self._verdicts[key] = VerdictMark(revision, content)
            self._on_the_way[key] = revision
            if revision != verdict.revision:
                concluded = replace(concluded, verdict=replace(verdict, revision=revision))
                json = verdict_json(concluded.verdict)
            news.verdicts.append(Published(concluded, json))
        if self._findings:
            self._clear_others(concluded, live, news)

    def _clear_others(self, concluded: Concluded, live: LiveTable, news: News) -> None:
        """Clear what a worker before this one raised on fewer facts."""
        verdict = concluded.verdict
        key, found = (verdict.shoe, verdict.round), {finding.id for finding in verdict.findings}
        for name, mark in list(self._findings.items()):
            if mark.round == key and mark.standing and name not in found:
                self._raise(replace(parse_finding(mark.content), cleared=True), live, news)

    @property
    def read_since(self) -> Beginning | None:
        """From where on it must be read again at least: a gap that was told can only be taken back where what came
        before it is held."""
        return self._beginning if self._to_recall else None

    @property
    def names_to_look_up(self) -> set[Identity]:
        """The names of the events that are to be looked up in the store."""
        return {name_of(event) for event, _ in (*self.late, *self.named_again)}

    def looked_up(
        self, names: set[Identity], stored: Sequence[StoredEvent], unstored: Iterable[Share]
    ) -> list[AnyEvent]:
        """These names were looked up, and stored events have them. Keeps of the late events those that are no repeats;
        gives these, and the stored ones that are refused because of them. An event whose name was used before is as a
        late one: what rests on the other must be judged anew."""
        again = [each for each in self.named_again if name_of(each[0]) in names]
        self.named_again = [each for each in self.named_again if name_of(each[0]) not in names]
        self.late = no_repeats(self.late, stored) + (contradicted(again, stored, unstored) if again else [])
        if self.live is not None:
            self.late, self.reload = self.readings.next(self.late, self.reload)
        late = [event for event, _ in self.late]
        named = {name_of(event) for event in late}
        return late + [each.event for each in stored if name_of(each.event) in named and each.event not in late]

    def put_down(self) -> None:
        """Let go of the live judge: it is to be read from the store."""
        if self.live is not None:
            self._names_gone = self.live.names_gone
        self.live = None

    def resume(self, folded: Folded, unstored: Iterable[Share]) -> None:
        """Go on from what the store has, and take what it has not."""
        live = folded.live
        if self._names_gone is not None:
            # Not all of these are read again.
            live.names_gone = self._names_gone
        # What this worker has said itself is newer than what the store knows of it.
        for key, mark in folded.verdicts.items():
            if key not in self._verdicts:
                self._verdicts[key] = mark
                self._unproven.add(key)
        self._findings = {**folded.findings, **self._findings}
        self._refused_before = folded.refused
        self.clock.recall(live.latest, folded.behind)
        for share in unstored:
            self._hand(live, share)
        told = [parse_finding(known.content) for known in self._findings.values() if known.standing and not known.round]
        self._to_recall = [finding for finding in told if finding.shoe not in folded.partly]
        self._recall_at = live.latest + self.settings.patience_ms * MILLISECOND
        self._beginning = folded.beginning
        self.live = live
        self.readings.note(self.late, self.reload)
        self.reload.clear()
        self.late.clear()
        self.arrived.clear()
        self.taken_up.clear()
        self.next_at = None
        self._unseen = True
        self._caught_up = False
        self._released_at = live.latest

    def stored(self, what: RoundKey | str, number: int) -> None:
        """The store has this revision of a round's verdict, or version of a finding."""
        self.readings.forget()
        if self._on_the_way.get(what) == number:
            del self._on_the_way[what]

    def stored_refusal(self, key: RecordKey, place: int) -> None:
        """The store knows that this event was refused."""
        self.readings.forget()
        self._refused.discard((key, place))

    def release(self, complete_to: int) -> None:
        """Let go of what is judged and long over. What was told before is first held against all that came since: of
        a history that is gone, nothing can be taken back."""
        live = self.live
        if live is None or self.needs_store or self._to_recall or (self._unseen and not self.is_calm(complete_to)):
            return
        self.readings.forget()
        self._released_at = live.latest
        live.release(complete_to)
        # What the store has can be read from there again; a round whose events come again is not held yet.
        kept = {*live.rounds, *self._held_back, *self._unproven}
        self._verdicts = {key: mark for key, mark in self._verdicts.items() if key in kept or key in self._on_the_way}
        self._unproven &= self._verdicts.keys()
        if self._caught_up:
            # Before, what was told of a round that comes again must be known: it may have to be taken back.
            self._findings = {
                name: mark
                for name, mark in self._findings.items()
                if name in self._on_the_way
                or (self._is_held(name, mark, live) if mark.round is None else mark.round in kept)
            }

    @staticmethod
    def _is_held(name: str, mark: FindingMark, live: LiveTable) -> bool:
        """Whether more may be said of a device or a shoe; of what was taken back, while it is of late: a device may be
        found silent again from the same moment on."""
        return live.speaks_of(name) or mark.time > live.latest - RECENT

    @property
    def holds_much(self) -> bool:
        """Whether the table has gone on for so long that there may be something to let go of."""
        return self.live is not None and self.live.latest - self._released_at > GRACE


def _began(live: LiveTable, finding: Finding, otherwise: int) -> int:
    """When the round of a finding began, which is of one mode until it is over; ``otherwise`` where none is held."""
    held = None if finding.shoe is None or finding.round is None else live.rounds.get((finding.shoe, finding.round))
    return otherwise if held is None or not held.facts else held.gather().beginning.at


def _in_force(live: LiveTable, moment: int) -> Fact | None:
    """The configuration by which people are told of a moment; before the first, that one; None where there is none.

    One dated ahead of its arrival does not count. A device whose clock was put right since is believed by its own time:
    the effective time of what it says is still that of its wrong clock."""
    counted = [fact for fact in live.configurations if (fact.source, fact.id) not in live.ahead]
    if len(counted) > 1:
        since: dict[str, int] = {}
        for place, fact in enumerate(counted):
            since[fact.source] = max(micros(fact.event.time), since.get(fact.source, 0))
            counted[place] = fact._replace(at=since[fact.source])
        counted.sort()
        return configuration_at(counted, moment) or counted[0]
    return counted[0] if counted else None


def _raises_alerts(configured: Fact | None) -> bool:
    return configured is None or configured.data.mode == LIVE
