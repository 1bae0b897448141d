"""One table as it goes on: events in, findings as soon as the facts decide them, verdicts when rounds are complete."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import repeat

from audit.beside_rounds import rejection
from audit.checks import device_clock
from audit.devices import EVER_AFTER, Base
from audit.facts import Fact
from audit.filled import RejectedPlace
from audit.intake import CONFLICT, Identity
from audit.live.beside import Beside
from audit.live.doubtful import Window
from audit.live.names_gone import NamesGone
from audit.live.round import LiveRound
from audit.live.rounds import LiveRounds
from audit.live.seen import Seen
from audit.live.source import GivenBytes, Known, LiveSource, Origin
from audit.settings import MILLISECOND, JudgeSettings
from audit.table import RoundKey
from schemas.findings import Finding
from schemas.records import AnyEvent
from schemas.time import micros
from schemas.topics import HEARTBEAT

GRACE = 45_000 * MILLISECOND
"""How long a judged round is held for what may still come about it."""
MOST_RAISED = 1_000
"""So many rejected events and times ahead of arrival are remembered as told."""
MOST_GONE = 1_000
"""So many shoes are remembered that are no longer held: weeks of a table."""

_CONFIGURED, _LOADED, _ENDED = "table.configured.v1", "shoe.loaded.v1", "shoe.ended.v1"
_LASTING = frozenset({_CONFIGURED, _LOADED, _ENDED})
_OF_NO_ROUND = _LASTING | {HEARTBEAT}
_known = partial(tuple.__new__, Known)
_PLACED, _OPENED = "bet.placed.v1", "round.opened.v1"
_JUDGED_BY = frozenset({_OPENED, _CONFIGURED})
"""What other rounds are judged by than the one that it is of."""


class LiveTable:
    """All that a worker holds of one table."""

    def __init__(
        self,
        table: str,
        settings: JudgeSettings,
        used_once: frozenset[str] = frozenset(),
        judged_by: Mapping[RoundKey, JudgeSettings] | None = None,
    ) -> None:
        self.table = table
        self.settings = settings
        self._judged_by = judged_by or {}
        """Rounds that were judged by other settings before: what comes late makes no verdict by rules that were not in
        force when they were played."""
        self.configurations: list[Fact] = []
        self.ahead: set[Identity] = set()
        """Configurations whose time lay too far ahead of their arrival."""
        self.rounds: dict[RoundKey, LiveRound] = {}
        self.latest = 0
        """The table's time: the largest effective time of any of its facts."""
        self.refused: list[tuple[AnyEvent, Origin | None]] = []
        """Events that turned out to contradict others of their id, with their origins; whoever tells of them takes
        them from here."""
        self._beside = Beside(table, settings, self.configurations, self.rounds)
        self._sources = self._beside.sources
        self._judged = LiveRounds(table, settings, self.configurations, self.rounds, self._beside, used_once)
        self._raised: dict[str, Finding] = {}
        self._at_once: list[Finding] = []
        """Findings that need no further look: rejected events, times ahead of arrival."""
        self._lasting: list[Fact] = []
        """Configurations and shoes that still hold, of facts that were let go of."""
        self._late: list[tuple[AnyEvent, Origin | None]] = []
        self._passed: set[Identity] = set()
        """Events about rounds that are not held, which came for their sources' sake alone."""
        self.names_gone = NamesGone()
        """Of events that are no longer held."""
        self._named_again: list[tuple[AnyEvent, Origin | None]] = []
        self._gone: dict[str, None] = {}
        """Shoes that have ended and are no longer held, the last of them."""
        self._tangled = False
        self._stirred = True
        """Whether a source said something that devices and rounds are looked at for."""
        self._wakes_at = 0
        """The table's time at which a device has been silent, or a round idle, for too long."""

    def resume(
        self,
        bases: Mapping[str, tuple[Base, frozenset[str]]],
        released: Mapping[str, Iterable[int]],
        passed: Iterable[Identity],
        configurations: Iterable[Fact],
    ) -> None:
        """Go on from what was let go of, before any event is taken.

        ``bases`` tells by source how it stood and which types it had sent, ``released`` by shoe the rounds that are
        not read again, ``passed`` the events about these that come all the same, for their sources' sake;
        ``configurations`` are those that came before.
        """
        for name, (base, types) in bases.items():
            self._beside.resume(name, base, types)
            self.latest = max(self.latest, base.at)
        for shoe, rounds in released.items():
            self._beside.shoe(shoe).released.update(rounds)
        self._passed.update(passed)
        for fact in configurations:
            self._lasting.append(fact)
            self._file(fact)

    def remember(self, event: AnyEvent, origin: Origin) -> None:
        """An event of a time that is not held was stored under its id: another content of it is in conflict."""
        self._beside.source(event.source).remember(event, origin)

    def recall_rounds(self, over_to: int, doubtful: Mapping[RoundKey, Window]) -> None:
        """All that is stored was taken, with what it changes. Of the rounds that are not read again the last fact was
        at a time; these of them may still be judged otherwise."""
        if self._tangled:
            self._untangle()
        for source in self._beside.sources.values():
            source.widened = False
        self._late.clear()
        self._judged.recall(over_to, doubtful)

    def recall(self, finding: Finding) -> None:
        """People have been told of this, of a device or a shoe whose history is held from before it."""
        self._stirred = True
        self._beside.recall(finding)

    def take(self, event: AnyEvent, arrival: int | None = None, origin: Callable[[], bytes] | None = None) -> bool:
        """Take an event in; False for a repeat. ``arrival`` is when it came (microseconds), where that is known,
        ``origin`` gives its bytes."""
        time = micros(event.time)
        if arrival is not None:
            self.hold_against_arrival(event, time, arrival)
        return self._take(event, time, None if origin is None else GivenBytes(origin))

    def take_all(self, events: Iterable[tuple[AnyEvent, int]], origin: Origin) -> None:
        """Take events of one origin in, each with its time (microseconds)."""
        for event, time in events:
            self._take(event, time, origin)

    def hold_against_arrival(self, event: AnyEvent, time: int, arrival: int) -> None:
        """Hold the time of an event against its arrival (microseconds)."""
        if time - arrival > self.settings.ahead_ms * MILLISECOND:
            if event.type == _CONFIGURED:
                self.ahead.add((event.source, event.id))
            ahead = device_clock.ahead_of_arrival(self.table, Fact.of(event, time), arrival, self.settings)
            self._at_once += [] if ahead is None else [ahead]

    def _take(self, event: AnyEvent, time: int, origin: Origin | None) -> bool:
        name, told_by = event.id, event.source
        source = self._sources.get(told_by)
        if source is None:
            source = self._beside.source(told_by)
        elif name in source.known or name in source.refused:
            return self._again(source, event, origin)
        elif source.base is not None and event.sequence <= source.base.sequence:
            self._late.append((event, origin))
            return True
        elif (told_by, name) in self.names_gone:
            self._named_again.append((event, origin))
        source.known[name] = _known((event, origin, True))
        fact = source.take(event, time)
        if not self._stirred and (source.news or source.widened or source.pauses):
            self._stirred = True
        if fact is None:
            self._tangled = True
        else:
            self._file(fact)
        return True

    def reject(self, place: RejectedPlace) -> None:
        """A rejected event of this table fills a place in the sequence of its source."""
        self._tangled |= self._beside.source(place.source).reject(place)

    def _again(self, source: LiveSource, event: AnyEvent, origin: Origin | None) -> bool:
        """An event under an id that was seen before: a repeat, or a conflict by which all of them are refused."""
        known = source.known.get(event.id)
        refused = source.again(event, origin)
        if known is not None and refused:
            if known.event.type in _JUDGED_BY:
                # The round before an opening, or those behind a configuration, which may not be held.
                self._late += [(known.event, known.origin), (event, origin)]
            if not known.held:
                # What rested on it must be judged again without it.
                shoe = getattr(known.event.data, "shoe", None)
                self._judged.reload.update(() if shoe is None else (shoe,))
        for each in refused:
            self._refuse(each)
        return bool(refused)

    def _refuse(self, known: Known) -> None:
        event = known.event
        self.reject(RejectedPlace(event.source, event.sequence, event.type))
        self.refused.append((event, known.origin))
        self._at_once.append(rejection(self.table, known.raw, CONFLICT, f" ({event.source}, id {event.id})"))

    def _file(self, fact: Fact) -> None:
        at, _, _, _, kind, data, _ = fact
        before = self.latest
        if at > before:
            self.latest = at
        if kind in _OF_NO_ROUND:
            if kind != HEARTBEAT:
                self._file_beside(fact)
            return
        opens = kind == _OPENED
        if opens and at <= self._judged.over_to:
            # A round that was let go of may have gone on behind it.
            known = self._beside.source(fact.source).known.get(fact.id)
            self._late.append((fact.event, None if known is None else known.origin))
        held = self.rounds.get((data.shoe, data.round))
        if held is None:
            held = self._open(fact)
            if held is None:
                return
        held.file(fact, on_offer=kind != _PLACED or self._on_offer(data.wager, data.position))
        if opens:
            # What is dealt or settled after the next opening is out of order.
            for other in self.rounds.values():
                other.due = other.awaited = None
            self._judged.opened(fact)
        if not self._judged.news and held.news:
            self._judged.news = True

    def _file_beside(self, fact: Fact) -> None:
        """File what is about the table or a shoe; it marks the rounds that it can change."""
        self._beside.shoe_news = True
        self._judged.news = True
        if fact.kind == _CONFIGURED:
            self.configurations.append(fact)
            self.configurations.sort()
            for held in self.rounds.values():
                if not held.facts or held.gather().beginning.at >= fact.at:
                    held.mark()
        elif fact.kind == _LOADED:
            self._beside.shoe(fact.data.shoe).loaded.append(fact)
            self._judged.mark_all(fact.data.shoe)
        else:
            self._beside.shoe(fact.data.shoe).ended.append(fact)
            for held in self.rounds.values():
                if held.shoe == fact.data.shoe and held.verdict is None:
                    held.mark()

    def _open(self, fact: Fact) -> LiveRound | None:
        """The first fact of a round that is not held: a new round, or one that must be read from the store again."""
        shoe, number = fact.data.shoe, fact.data.round
        if self._passed and (fact.source, fact.id) in self._passed:
            return None
        if shoe in self._gone or any(number <= other for other in self._beside.shoe(shoe).released):
            self._judged.reload.add(shoe)
            return None
        held = self.rounds[shoe, number] = LiveRound(shoe, number, self._judged_by.get((shoe, number), self.settings))
        return held

    def _on_offer(self, wager: str, position: int) -> bool:
        if not self.configurations:
            return True
        configuration = self.configurations[-1].data
        return wager in configuration.limits and position <= configuration.positions

    def moment_of(self, finding: Finding) -> int:
        """When the fact came that decides a finding (microseconds): of a round that is held, within it; else now, by
        the table's time. Over a backlog the table may have gone on for minutes since."""
        held = None if finding.shoe is None or finding.round is None else self.rounds.get((finding.shoe, finding.round))
        return self.latest if held is None or not held.facts else held.moment_of(finding)

    def speaks_of(self, finding: str) -> bool:
        """Whether more may be said of a finding of no round, known by its id."""
        return finding in self._raised or self._beside.speaks_of(finding)

    @property
    def calm(self) -> bool:
        """Whether nothing came since the last look that can be found, however far the topics have been read since: a
        bet in time, a card, a settlement or a heartbeat in order."""
        return not (
            self._stirred
            or self.latest >= self._wakes_at
            or self._tangled
            or self._at_once
            or self._late
            or self._named_again
            or self.refused
            or self._judged.news
            or self._judged.reload
            or self._beside.shoe_news
        )

    @property
    def passes_over(self) -> bool:
        """Whether the last look left something to the next one."""
        return self._judged.news

    def look(self, complete_to: int, *, patient: bool = False, abreast_to: int = EVER_AFTER) -> Seen:
        """What can be said now; ``complete_to`` is the time up to which all topics have been read. What rests on a part
        of a round may wait for the next look: ``patient``, if it comes at once; of a time after ``abreast_to``, too."""
        if self._tangled:
            self._untangle()
        seen, self._late, self._named_again = Seen(late=self._late, named_again=self._named_again), [], []
        if self._at_once:
            for finding in self._at_once:
                if self._raised.get(finding.id) != finding:
                    self._raised[finding.id] = finding
                    seen.findings.append(finding)
            self._at_once.clear()
        for source in self._sources.values():
            if source.refused:
                # Not before all is taken: a table that is read from the store needs to look up no name of what is read.
                self.names_gone.add((source.source, name) for name in source.refused.forget())
            if source.widened:
                # What its holes could hide depends on what it sends.
                source.widened = False
                holes = self._beside.obscured()
                self._judged.mark_within(holes, holes)
        self._judged.look(complete_to, self.latest, seen, patient=patient, abreast_to=abreast_to)
        self._beside.look(complete_to, self.latest, seen)
        seen.reload, self._judged.reload = self._judged.reload, set()
        self._stirred = self._beside.stirred
        self._wakes_at = min(self._judged.idle_at, self._beside.silent_at)
        return seen

    def _untangle(self) -> None:
        """Follow the sources anew of which something came out of order, and file again what that changed."""
        self._tangled = False
        tangled = [source for source in self._sources.values() if source.tangled]
        for source in tangled:
            for fact in source.go_on():
                self._file(fact)
        if not any(source.tangled for source in tangled):
            return
        spans = self._beside.obscured()
        types = {source.source: source.device.types for source in self._beside.sources.values()}
        lasting = False
        for source in [source for source in tangled if source.tangled]:
            change = source.untangle()
            before = {id(fact.event) for fact in change.went}
            for fact in change.went:
                lasting = self._unfile(fact) or lasting
            for fact in change.came:
                # Another effective time alone does not bring a released round back.
                if id(fact.event) not in before or self._is_held(fact):
                    self._file(fact)
                    lasting = lasting or fact.kind in _LASTING
        # What the holes of a source could hide depends on what it sends.
        others = any(source.device.types != types.get(source.source) for source in self._beside.sources.values())
        if lasting or others:
            self._judged.mark_all()
        holes = self._beside.obscured()
        if others:
            self._judged.mark_within(spans | holes, spans | holes)
        else:
            self._judged.mark_within(holes - spans, spans - holes)

    def _is_held(self, fact: Fact) -> bool:
        return fact.kind in _LASTING or (fact.kind != HEARTBEAT and (fact.data.shoe, fact.data.round) in self.rounds)

    def _unfile(self, fact: Fact) -> bool:
        """Take a fact back; whether it was about the table or a shoe as a whole."""
        if fact.kind == _CONFIGURED:
            self.configurations.remove(fact)
        elif fact.kind in _LASTING:
            shoe = self._beside.shoe(fact.data.shoe)
            (shoe.loaded if fact.kind == _LOADED else shoe.ended).remove(fact)
        elif fact.kind != HEARTBEAT:
            held = self.rounds.get((fact.data.shoe, fact.data.round))
            if held is not None and fact in held.facts:
                held.facts.remove(fact)
                held.gathered = None
                held.mark()
                self._judged.news = True
            return False
        return fact.kind != HEARTBEAT

    def release(self, complete_to: int) -> None:
        """Let go of rounds that are judged and long over, and of what their devices said."""
        if self._let_go(self._judged.release(complete_to - GRACE)):
            self._beside.let_go(complete_to, self.latest)
        if len(self._raised) > MOST_RAISED:
            self._raised.clear()

    def _let_go(self, before: int) -> bool:
        gone = False
        for source in self._beside.sources.values():
            went = source.let_go(before)
            gone = gone or bool(went)
            self.names_gone.add(zip(repeat(source.source), [fact.id for fact in went], strict=False))
            if not _LASTING.isdisjoint(source.device.types):
                self._lasting += [fact for fact in went if fact.kind in _LASTING]
            if self._passed:
                self._passed.difference_update((fact.source, fact.id) for fact in went)
        old = sorted(fact for fact in self._lasting if fact.kind == _CONFIGURED)
        # One dated ahead of its arrival is judged by when its time has come; who is told is a matter of the others.
        kept = [*old[-1:], *[fact for fact in old if (fact.source, fact.id) not in self.ahead][-1:]]
        for fact in old:
            if fact not in kept:
                self._lasting.remove(fact)
                self.configurations.remove(fact)
                self.ahead.discard((fact.source, fact.id))
        shoes = self._beside.shoes
        for name in [name for name, shoe in shoes.items() if shoe.ended and shoe.ended[-1].at < before]:
            if not any(held.shoe == name for held in self.rounds.values()):
                shoe = shoes.pop(name)
                self._gone[name] = None
                if len(self._gone) > MOST_GONE:
                    del self._gone[next(iter(self._gone))]
                facts = {(fact.source, fact.id) for fact in (*shoe.loaded, *shoe.ended)}
                self._lasting = [fact for fact in self._lasting if (fact.source, fact.id) not in facts]
                gone = True
        return gone
