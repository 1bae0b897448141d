"""How far a partition has been read on all three topics: by what its devices say the time is, and by arrival."""

from dataclasses import dataclass
from typing import NamedTuple

NEVER = -(2**62)
ALWAYS = 2**62
IDLE_MICROSECONDS = 1_000_000
"""A topic with nothing left to read for so long holds nobody up."""
AHEAD_LASTS = 60_000_000
"""So long (microseconds) it counts how far a broker's clock was found to be ahead of the worker's."""
MOST_AHEAD = 30_000_000
"""What is further ahead (microseconds) is no broker's time: where a topic is set up otherwise, devices say it."""


class Reach(NamedTuple):
    """Up to where something has been read, or must be read. Times are whole microseconds since 1970."""

    events: int
    """By the time of events: of a backlog, as far as its slowest topic goes; ``ALWAYS`` where nothing is left."""
    arrivals: int
    """By the time at which the broker had what was sent."""

    def later(self, microseconds: int) -> "Reach":
        """So much further."""
        return Reach(self.events + microseconds, self.arrivals + microseconds)

    def covers(self, needed: "Reach") -> bool:
        """Whether it goes as far as is needed."""
        return self.events >= needed.events and self.arrivals >= needed.arrivals


@dataclass(slots=True)
class _Reading:
    latest: int = NEVER
    """The largest event time read, no later than the arrival of its record."""
    arrived: int = NEVER
    """The largest arrival read."""
    caught_up_since: int | None = None
    """By the worker's clock; None while there is something left to read."""
    asked: int | None = None
    """By the worker's clock: when it was last told how much is left."""
    ahead: int = 0
    """Of what was read lately: how much later than now, by the worker's clock, it had arrived by the broker's."""
    ahead_since: int = NEVER
    """When that was found, by the worker's clock."""


class Watermark:
    """Of one partition number over its topics."""

    def __init__(self, topics: tuple[str, ...]) -> None:
        self._readings = {topic: _Reading() for topic in topics}

    def read(self, topic: str, read_to: Reach) -> None:
        """A record was read."""
        reading = self._readings[topic]
        reading.latest = max(reading.latest, read_to.events)
        reading.arrived = max(reading.arrived, read_to.arrivals)

    def left_to_read(self, topic: str, records: int, now: int) -> None:
        """So many records of a topic are left on the broker. A worker that stood still for a while (its machine was
        paused, or busy) has not heard of what came meanwhile: that nothing is left must hold for a while again."""
        reading = self._readings[topic]
        stood_still = reading.asked is not None and now - reading.asked > IDLE_MICROSECONDS
        reading.asked = now
        ahead = reading.arrived - now
        if reading.ahead <= ahead <= MOST_AHEAD:
            reading.ahead, reading.ahead_since = ahead, now
        elif now - reading.ahead_since > AHEAD_LASTS:
            reading.ahead = 0
        if records > 0:
            reading.caught_up_since = None
        elif reading.caught_up_since is None or stood_still:
            reading.caught_up_since = now

    def abreast_to(self, now: int) -> int:
        """Up to which event time all topics have been read that go on: of which something is left, or was until a
        moment ago; ``ALWAYS`` where none does."""
        latest = ALWAYS
        for reading in self._readings.values():
            since = reading.caught_up_since
            if since is None or (reading.latest != NEVER and now - since < IDLE_MICROSECONDS):
                latest = min(latest, reading.latest)
        return latest

    def reach(self, now: int) -> Reach:
        """Up to where all topics have been read. Of a topic with nothing left to read, all that had arrived a moment
        ago is known, whatever time its devices say it is, by the clock of its broker, as arrivals are."""
        events, arrivals = ALWAYS, ALWAYS
        for reading in self._readings.values():
            since = reading.caught_up_since
            if since is not None and now - since >= IDLE_MICROSECONDS:
                arrivals = min(arrivals, now - IDLE_MICROSECONDS + reading.ahead)
            else:
                events, arrivals = min(events, reading.latest), min(arrivals, reading.arrived)
        return Reach(events, arrivals)
