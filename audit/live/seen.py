"""What a look at a live table gave."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from audit.live.concluded import Concluded
from audit.live.source import Origin
from schemas.findings import Finding
from schemas.records import AnyEvent


@dataclass(slots=True)
class Seen:
    """What a look at a table gave."""

    findings: list[Finding] = field(default_factory=list)
    """New, changed or cleared ones."""
    verdicts: list[Concluded] = field(default_factory=list)
    """First verdicts and revisions; ``revision`` counts from 1 within this worker's memory."""
    late: list[tuple[AnyEvent, Origin | None]] = field(default_factory=list)
    """Events, with their origins, from a time that is no longer held: a repeat of what is stored, or a late fact."""
    named_again: list[tuple[AnyEvent, Origin | None]] = field(default_factory=list)
    """Events, with their origins, that were taken, under names that seem to have been used by events that are no longer
    held: to be looked up, and where it is so, all of that name are refused."""
    reload: set[str] = field(default_factory=set)
    """Shoes of which a fact came about a round that is no longer held: they must be read from the store again."""
    next_at: int | None = None
    """How far the topics must be read until more can be said without a new event; None: nothing waits for that."""

    def again_at(self, moment: int | None) -> None:
        """Look again when the topics have been read up to this moment."""
        if moment is not None:
            self.next_at = moment if self.next_at is None else min(self.next_at, moment)

    def tell(self, told: dict[str, Finding], found: Mapping[str, Finding]) -> None:
        """Say what is new, has changed or is cleared; ``told`` is what people know."""
        for name, finding in found.items():
            if told.get(name) != finding:
                told[name] = finding
                self.findings.append(finding)
        if len(told) > len(found):
            for name in [name for name in told if name not in found]:
                self.findings.append(replace(told.pop(name), cleared=True))
