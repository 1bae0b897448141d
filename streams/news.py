"""What there is to tell and to store after a look at the tables."""

from dataclasses import dataclass, field
from typing import NamedTuple

from audit.live.concluded import Concluded
from schemas.decoding import Rejected
from schemas.findings import Finding
from store.rows.raw import RecordKey
from streams.alerting.raising import TablePlace


@dataclass(frozen=True, slots=True)
class RaisedFinding:
    """A new state of a finding, for people and for the store."""

    finding: Finding
    version: int
    time: int
    """When the fact came that decides it, by the table's time, in microseconds since 1970."""
    for_people: bool
    """Whether the table was in the mode that raises alerts, or people were told of it before."""
    place: TablePlace | None = None
    """Where the table stands, as it was configured then; None where that is not known here."""
    fetched: float | None = None
    """When the first record was fetched that waited for the look at which it was found, by the worker's clock; None
    where none did."""


class Published(NamedTuple):
    """A verdict, and what is published of it."""

    concluded: Concluded
    json: bytes


class RefusedLater(NamedTuple):
    """An event that was taken at first: its id came again with another content."""

    rejected: Rejected
    key: RecordKey
    """Where it came from."""
    arrival: int
    """Milliseconds since 1970."""


@dataclass(slots=True)
class News:
    """What there is to tell and to store."""

    findings: list[RaisedFinding] = field(default_factory=list)
    verdicts: list[Published] = field(default_factory=list)
    refused: list[RefusedLater] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.findings or self.verdicts or self.refused)

    def add(self, other: "News") -> None:
        """Append what another look gave."""
        self.findings += other.findings
        self.verdicts += other.verdicts
        self.refused += other.refused
