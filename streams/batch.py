"""What goes to the store together, and which records are acknowledged for it."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from store.rows.raw import Record
from streams.news import News
from streams.watermark import Reach


class Ack(NamedTuple):
    """A record that is to be acknowledged."""

    message: Any
    """Faust's, without its bytes."""
    partition: int
    judged_at: Reach
    """How far the topics must be read until all that it says has been judged, also what rests on absence."""


@dataclass(slots=True)
class Batch:
    """What goes to the store together."""

    number: int
    generation: int
    """Of the assignment under which it was read."""
    records: list[Record] = field(default_factory=list)
    news: News = field(default_factory=News)
    acks: list[Ack] = field(default_factory=list)
    """What is acknowledged when the store has it and all that it says has been judged."""
    looked_to: dict[int, Reach] = field(default_factory=dict)
    """By partition: how far the topics had been read when its tables were looked at last."""
    since: float = 0.0
    """When it was handed over to be stored, by the worker's clock."""
    rejections_sent: bool = False
    """Whether the broker has what it refuses."""

    @property
    def events(self) -> int:
        """How much it is."""
        return sum(len(record.decoded.events) + len(record.decoded.rejected) for record in self.records)
