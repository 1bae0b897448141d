"""How far a partition has been read: the event time up to which all three topics are known."""

from dataclasses import dataclass

NEVER = -(2**62)
IDLE_MICROSECONDS = 1_000_000
"""A topic with nothing left to read for so long holds nobody up."""


@dataclass(slots=True)
class _Reading:
    latest: int = NEVER
    """The largest event time read, no later than the arrival of its record."""
    caught_up_since: int | None = None
    """By the worker's clock; None while there is something left to read."""
    asked: int | None = None
    """By the worker's clock: when it was last told how much is left."""


class Watermark:
    """Of one partition number over its topics. Times are whole microseconds since 1970."""

    def __init__(self, topics: tuple[str, ...]) -> None:
        self._readings = {topic: _Reading() for topic in topics}
        self.highest = NEVER
        """The event time up to which all topics have counted as read at some time."""

    def read(self, topic: str, event_time: int, arrival: int) -> None:
        """An event was read. A clock that runs ahead does not count beyond the arrival of what it says."""
        reading = self._readings[topic]
        reading.latest = max(reading.latest, min(event_time, arrival))

    def left_to_read(self, topic: str, records: int, now: int) -> None:
        """So many records of a topic are left on the broker. A worker that stood still for a while (its machine was
        paused, or busy) has not heard of what came meanwhile: that nothing is left must hold for a while again."""
        reading = self._readings[topic]
        stood_still = reading.asked is not None and now - reading.asked > IDLE_MICROSECONDS
        reading.asked = now
        if records > 0:
            reading.caught_up_since = None
        elif reading.caught_up_since is None or stood_still:
            reading.caught_up_since = now

    def complete_to(self, now: int) -> int:
        """The event time up to which all topics have been read; it never goes back."""
        times = [
            now - IDLE_MICROSECONDS
            if reading.caught_up_since is not None and now - reading.caught_up_since >= IDLE_MICROSECONDS
            else reading.latest
            for reading in self._readings.values()
        ]
        self.highest = max(self.highest, min(times))
        return self.highest
