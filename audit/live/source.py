"""One source of a live table: effective times as its events come, and the recent part of its history."""

from bisect import bisect_left
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import NamedTuple, Protocol

from audit.checks import device_clock
from audit.devices import EVER_AFTER, Base, Device, follow
from audit.facts import Fact
from audit.filled import Filled, RejectedPlace
from audit.live.refused_ids import RefusedIds
from audit.settings import MILLISECOND, JudgeSettings
from schemas.findings import Finding
from schemas.identity import content_key
from schemas.records import AnyEvent
from schemas.topics import HEARTBEAT


class Origin(Protocol):
    """Where an event came from."""

    def raw(self, event: AnyEvent) -> bytes:
        """The bytes of an event as it came."""


class GivenBytes(NamedTuple):
    """The origin of an event of which nothing but its bytes is known."""

    give: Callable[[], bytes]

    def raw(self, event: AnyEvent) -> bytes:
        return self.give()


AT = attrgetter("at")
_OUT_OF_ORDER = -1
_NEVER = -(2**62)
_fact = partial(tuple.__new__, Fact)


class Known(NamedTuple):
    """An event that came under an id."""

    event: AnyEvent
    origin: Origin | None
    held: bool
    """False: it is no fact here: one of a time that is no longer held, in the store alone, or a repeat."""

    @property
    def raw(self) -> bytes:
        """Its bytes; where they are not known, those of its content."""
        return content_key(self.event) if self.origin is None else self.origin.raw(self.event)

    def says_the_same(self, event: AnyEvent) -> bool:
        """Whether an event under the same id is a repeat."""
        return self.event == event or content_key(self.event) == content_key(event)


class Pause(NamedTuple):
    """A time without a word from a device that sends heartbeats, longer than it may be silent."""

    start: Fact
    end: Fact | None
    """None: it has not spoken since."""


class Change(NamedTuple):
    """What following a history anew has changed."""

    went: list[Fact]
    came: list[Fact]


class LiveSource:
    """The events of one source about one table that are still held."""

    __slots__ = (
        "_awaited", "_beaten_before", "_clock", "_clock_off", "_following", "_forgotten", "_limit", "_repeated",
        "_settings", "_table", "_untidy", "base", "beaten", "device", "known", "latest", "news", "pauses", "refused",
        "rejected", "source", "tangled", "widened",
    )  # fmt: skip

    def __init__(self, table: str, source: str, settings: JudgeSettings, base: Base | None = None) -> None:
        self._table = table
        self._settings = settings
        self._limit = settings.silence_ms * MILLISECOND
        self.source = source
        self.base = base
        """What was let go of: nothing before it is held."""
        self.known: dict[str, Known] = {}
        """By id."""
        self.refused = RefusedIds()
        """Those that were refused because they contradict each other."""
        self.rejected = Filled()
        self.latest: int = base.at if base is not None else _NEVER
        """The largest time seen."""
        self.tangled = False
        """Something came that was not the next in sequence: the history must be followed anew."""
        self.device = Device(source)
        self.beaten = False
        """Whether it has sent heartbeats."""
        self.pauses: list[Pause] = []
        """Those that have ended, as long as what came before them is held."""
        self.news = True
        """Its clock went off or on, or its history was followed anew, since the last look at devices."""
        self.widened = False
        """It has sent a type of event that it had not sent before, since the last look at rounds."""
        self._beaten_before = False
        """Whether it had sent heartbeats before what is held."""
        self._clock: dict[str, Finding] | None = None
        self._clock_off = base is not None and base.clock_off
        self._following: int | None = None if base is None else base.sequence + 1
        self._untidy: list[tuple[AnyEvent, int]] = []
        """What came out of order, each with its time."""
        self._awaited: int | None = None
        """The sequence that came not in its turn; None where it was not for that alone that its history is tangled."""
        self._repeated: dict[str, dict[bytes, Known]] = {}
        """By id: what came again in other bytes, by these. Identical bytes alone are one refusal when another content
        comes (contract, 1)."""
        self._forgotten: set[int] = set()

    def take(self, event: AnyEvent, time: int) -> Fact | None:
        """Take the next event; None where it is not simply the next, and the history must be followed anew."""
        sequence = event.sequence
        if sequence != self._following and self._following is not None:
            if not self.tangled:
                self._awaited, self.tangled, self._following = self._following, True, _OUT_OF_ORDER
            self._untidy.append((event, time))
            return None
        self._following = sequence + 1
        device = self.device
        facts = device.facts
        before = self.latest
        if time > before:
            self.latest = time
        kind = event.type
        fact: Fact = _fact((self.latest, event.source, sequence, event.id, kind, event.data, event))
        if self.beaten and facts and self.latest - before > self._limit:
            self.pauses.append(Pause(facts[-1], fact))
        facts.append(fact)
        if kind not in device.types:
            device.types |= {kind}
            self.widened = True
        if kind == HEARTBEAT:
            self.beaten = True
            if device_clock.is_off(fact, self._settings) != self._clock_off:
                self._clock_off = not self._clock_off
                self._clock = None
                self.news = True
        return fact

    def tangle(self) -> None:
        """The history must be followed anew."""
        self.tangled = True
        self._following = _OUT_OF_ORDER
        self._awaited = None

    def reject(self, place: RejectedPlace) -> bool:
        """A rejected event fills a place in the sequence; whether the history must be followed anew. Behind another one
        at its end nothing is otherwise by it: of a device that sends nothing else, all day, it is not at each."""
        last = self.device.facts[-1].sequence if self.device.facts else place.sequence - 1
        nothing_new = not self.tangled and last < place.sequence and self.rejected.goes_on_with(place)
        self.rejected.add(place)
        if not nothing_new:
            self.tangle()
        return not nothing_new

    def again(self, event: AnyEvent, origin: Origin | None) -> list[Known]:
        """Take an event under an id that was seen before. Gives those that are refused by now because others of their
        id have different content, and were not before: none for a repeat."""
        again = Known(event, origin, held=False)
        known = self.known.get(event.id)
        if known is None:
            refused = [] if self.refused.has(event.id, again.raw) else [again]
        elif known.says_the_same(event):
            self._repeat(known, again)
            return []
        else:
            refused = [*self._contradicted(known), again]
        self.refused.add(event.id, (each.raw for each in refused))
        return refused

    def remember(self, event: AnyEvent, origin: Origin) -> None:
        """An event of a time that is not held is stored under this id; what it contradicts of these was refused."""
        stored = Known(event, origin, held=False)
        known = self.known.get(event.id)
        if event.id in self.refused:
            self.refused.add(event.id, [stored.raw])
        elif known is None:
            self.known[event.id] = stored
        elif known.says_the_same(event):
            self._repeat(known, stored)
        else:
            self.refused.add(event.id, (each.raw for each in (*self._contradicted(known), stored)))

    def _repeat(self, known: Known, again: Known) -> None:
        raw = again.raw
        if raw != known.raw:
            self._repeated.setdefault(known.event.id, {}).setdefault(raw, again)

    def _contradicted(self, known: Known) -> list[Known]:
        """Another content has come under an id: it and its repeats are no facts any more."""
        name = known.event.id
        del self.known[name]
        if known.held:
            self._forgotten.add(id(known.event))
            self.tangle()
        return [known, *self._repeated.pop(name, {}).values()]

    def go_on(self) -> list[Fact]:
        """The facts of what came before its turn, where all that was missing has come since: a device that speaks on
        two topics, of which the one was read further. None where its history must be followed anew."""
        awaited, came = self._awaited, self._untidy
        if awaited is None:
            return []
        came.sort(key=_sequence_of)
        if any(event.sequence != number for number, (event, _) in enumerate(came, awaited)):
            return []
        self._untidy, self._awaited, self.tangled, self._following = [], None, False, awaited
        return [fact for event, time in came if (fact := self.take(event, time)) is not None]

    def untangle(self) -> Change:
        """Follow the history that is held anew."""
        before, types = self.device.facts, self.device.types
        held = [
            event
            for event in (*(fact.event for fact in before), *(event for event, _ in self._untidy))
            if id(event) not in self._forgotten
        ]
        self.device = follow(self.source, held, self.rejected, self.base)
        self.device.types |= types
        self._untidy, self._forgotten, self._awaited = [], set(), None
        facts = self.device.facts
        if facts:
            self.latest = facts[-1].at
            self._following = facts[-1].sequence + 1
        else:
            self._following = None if self.base is None else self.base.sequence + 1
        if any(span.end == EVER_AFTER for span in self.device.obscured):
            # It ends with something that was rejected, or that a rejected event claims the number of: the next event,
            # whichever it is, tells until when that may have been.
            self._following = _OUT_OF_ORDER
        self.tangled = False
        self._follow_heartbeats()
        return _difference(before, facts)

    def _follow_heartbeats(self) -> None:
        """Find the pauses in the history that is held."""
        self.pauses = []
        self._clock, self.news = None, True
        self._clock_off = self.base is not None and self.base.clock_off
        self.beaten = HEARTBEAT in self.device.types
        if not self.beaten:
            return
        facts = self.device.facts
        beaten = self._beaten_before
        last: Fact | None = None
        for fact in facts:
            if beaten and last is not None and fact.at - last.at > self._limit:
                self.pauses.append(Pause(last, fact))
            if fact.kind == HEARTBEAT:
                beaten = True
                self._clock_off = device_clock.is_off(fact, self._settings)
            last = fact

    def clock(self) -> dict[str, Finding]:
        """What is found of its clock, by id."""
        if self._clock is None:
            off = self.base is not None and self.base.clock_off
            found = device_clock.check(self._table, self.device, self._settings, off=off)
            self._clock = {finding.id: finding for finding in found}
        return self._clock

    def pauses_by(self, moment: int) -> list[Pause]:
        """Its pauses, the one that has not ended by a moment included, and that before the first fact held."""
        facts, base = self.device.facts, self.base
        if not facts or not self.beaten:
            return self.pauses
        pauses = self.pauses
        if base is not None and self._beaten_before and facts[0].at - base.at > self._limit:
            pauses = [Pause(self._base_as_fact(base), facts[0]), *pauses]
        if facts[-1].at + self._limit < moment:
            pauses = [*pauses, Pause(facts[-1], None)]
        return pauses

    def _base_as_fact(self, base: Base) -> Fact:
        first = self.device.facts[0]
        return first._replace(at=base.at, sequence=base.sequence, id="")

    def resume(self, types: frozenset[str]) -> None:
        """Go on from its base, before which it had sent these types of events."""
        self.device.types = types
        self.beaten = self._beaten_before = HEARTBEAT in types

    def let_go(self, before: int) -> list[Fact]:
        """Let go of all facts before a time, and remember how the source stood then; the facts that went."""
        facts = self.device.facts
        count = min(bisect_left(facts, before, key=AT), len(facts) - 1)
        if count <= 0 or self.tangled:
            return []
        went = facts[:count]
        del facts[:count]
        last = went[-1]
        beat = next((fact for fact in reversed(went) if fact.kind == HEARTBEAT), None) if self.beaten else None
        self._beaten_before = self._beaten_before or beat is not None
        was_off = self.base is not None and self.base.clock_off
        self.base = Base(last.sequence, last.at, was_off if beat is None else device_clock.is_off(beat, self._settings))
        for fact in went:
            self.known.pop(fact.id, None)
        if self._repeated:
            self._repeated = {name: again for name, again in self._repeated.items() if name in self.known}
        self.rejected.let_go(last.sequence - 1)
        if self.pauses:
            self.pauses = [pause for pause in self.pauses if pause.start.sequence > last.sequence]
        if self._clock:
            self._clock = None
        device = self.device
        if device.obscured:
            # The one before the first fact that is held can still be filled.
            kept_from = min(before, facts[0].at)
            device.obscured = [span for span in device.obscured if span.end >= kept_from]
        if device.lacking:
            device.lacking = [hole for hole in device.lacking if hole.last > last.sequence]
        return went


def _sequence_of(came: tuple[AnyEvent, int]) -> int:
    return came[0].sequence


def _difference(before: list[Fact], after: list[Fact]) -> Change:
    known = {id(fact.event): fact for fact in before}
    went: list[Fact] = []
    came: list[Fact] = []
    for fact in after:
        old = known.pop(id(fact.event), None)
        if old is None:
            came.append(fact)
        elif old.at != fact.at:
            went.append(old)
            came.append(fact)
    went += known.values()
    return Change(went, came)
