"""One source of a live table: effective times as its events come, and the recent part of its history."""

from audit.checks.device_clock import is_off
from audit.devices import Base, Device, RejectedPlace, follow
from audit.facts import Fact
from audit.settings import JudgeSettings
from schemas.events import AnyEvent
from schemas.time import micros
from schemas.topics import HEARTBEAT


class LiveSource:
    """The events of one source about one table that are still held."""

    __slots__ = ("base", "device", "events", "last", "latest", "rejected", "source", "tangled")

    def __init__(self, source: str, base: Base | None = None) -> None:
        self.source = source
        self.base = base
        """What was let go of: nothing before it is held."""
        self.events: list[AnyEvent] = []
        self.rejected: set[RejectedPlace] = set()
        self.last: int | None = base.sequence if base is not None else None
        """The highest sequence seen."""
        self.latest: int = base.at if base is not None else -(2**62)
        """The largest time seen."""
        self.tangled = False
        """Something came that was not the next in sequence: the history must be followed anew."""
        self.device = Device(source)

    def take(self, event: AnyEvent) -> Fact | None:
        """Take the next event; None where it is not simply the next, and the history must be followed anew."""
        sequence = event.sequence
        if self.tangled or (self.last is not None and sequence != self.last + 1):
            self.events.append(event)
            self.last = sequence if self.last is None else max(sequence, self.last)
            self.tangled = True
            return None
        time = micros(event.time)
        self.latest = max(self.latest, time)
        self.last = sequence
        fact = Fact.of(event, self.latest)
        self.events.append(event)
        device = self.device
        device.facts.append(fact)
        if event.type not in device.types:
            device.types |= {event.type}
        return fact

    def reject(self, place: RejectedPlace) -> None:
        """A rejected event fills a place in the sequence."""
        self.rejected.add(place)
        self.tangled = True

    def forget(self, event: AnyEvent) -> None:
        """An event turned out to be in conflict with another one: it is no fact any more."""
        self.events.remove(event)
        self.tangled = True

    def untangle(self) -> None:
        """Follow the history that is held anew."""
        places = sorted(self.rejected, key=lambda place: (place.sequence, place.type or ""))
        types = self.device.types
        self.device = follow(self.source, self.events, places, self.base)
        self.device.types |= types
        self.latest = self.device.facts[-1].at if self.device.facts else self.latest
        self.tangled = False

    def let_go(self, before: int, settings: JudgeSettings) -> list[Fact]:
        """Let go of all facts before a time, and remember how the source stood then; the facts that went."""
        facts = self.device.facts
        count = 0
        while count < len(facts) - 1 and facts[count].at < before:
            count += 1
        if not count or self.tangled:
            return []
        dropped = facts[count - 1]
        gone = {id(fact.event) for fact in facts[:count]}
        beats = [fact for fact in facts[:count] if fact.kind == HEARTBEAT]
        was_off = self.base.clock_off if self.base is not None else False
        self.base = Base(dropped.sequence, dropped.at, is_off(beats[-1], settings) if beats else was_off)
        went = facts[:count]
        del facts[:count]
        self.events = [event for event in self.events if id(event) not in gone]
        self.rejected = {place for place in self.rejected if place.sequence > dropped.sequence}
        self.device.obscured = [span for span in self.device.obscured if span.end >= before]
        self.device.lacking = [hole for hole in self.device.lacking if hole.last > dropped.sequence]
        return went
