"""The intake of a file: repeats counted once, conflicting events rejected, the rest sorted by table."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from audit.beside_rounds import rejection
from audit.filled import RejectedPlace
from schemas.decoding import Decoded, Rejected
from schemas.findings import Finding
from schemas.identity import content_key
from schemas.records import AnyEvent

Identity = tuple[str, str]
"""Source and id of an event."""

CONFLICT = "another event of the same source and id has different content"


class Intake:
    """What a file of events holds, whatever the order of its lines."""

    def __init__(self) -> None:
        self._events: dict[Identity, tuple[AnyEvent, bytes]] = {}
        self._conflicting: set[Identity] = set()
        self._repeated: dict[Identity, dict[bytes, AnyEvent]] = {}
        """What came again under a known identity in other bytes, by those bytes."""
        self._places: dict[str, set[RejectedPlace]] = defaultdict(set)
        self._rejections: dict[str, Finding] = {}

    def take(self, decoded: Decoded, raw: Callable[[int], bytes], first_line: int = 1) -> None:
        """Take in what came out of decoding some lines: ``raw`` gives the bytes of an event by its index among the
        decoded ones, ``first_line`` is the number of the first line."""
        for index, event in enumerate(decoded.events):
            self.take_event(event, raw(index))
        for rejected in decoded.rejected:
            self._reject(rejected, f"line {first_line + rejected.place}")

    def take_event(self, event: AnyEvent, raw: bytes) -> None:
        """Take in one event and its bytes."""
        identity = event.source, event.id
        known = self._events.get(identity)
        if known is None:
            self._events[identity] = event, raw
        else:
            self._again(identity, known, event, raw)

    def condemn(self, identity: Identity) -> None:
        """An event of this identity that is not taken in here has different content."""
        if identity in self._events:
            self._conflicting.add(identity)

    def _again(self, identity: Identity, known: tuple[AnyEvent, bytes], event: AnyEvent, raw: bytes) -> None:
        """An event of a source and id that was seen before: a repeat, or a conflict by which all are rejected."""
        if raw == known[1]:
            return
        self._repeated.setdefault(identity, {})[raw] = event
        if known[0] != event and content_key(known[0]) != content_key(event):
            self._conflicting.add(identity)

    def _reject(self, rejected: Rejected, where: str) -> None:
        if rejected.source is not None and rejected.subject is not None and rejected.sequence is not None:
            self._places[rejected.subject].add(RejectedPlace(rejected.source, rejected.sequence, rejected.type))
        finding = rejection(rejected.subject, rejected.raw, rejected.reason, f" ({where})")
        self._rejections.setdefault(finding.id, finding)

    def rejections(self) -> list[Finding]:
        """``event-rejected``, once for identical bytes."""
        findings = dict(self._rejections)
        for event, raw in self.conflicts():
            finding = rejection(event.subject, raw, CONFLICT, f" ({event.source}, id {event.id})")
            findings.setdefault(finding.id, finding)
        return list(findings.values())

    def tables(self) -> dict[str, tuple[list[AnyEvent], Sequence[RejectedPlace]]]:
        """By table, in the order of their names: its events, and the places that rejected ones fill."""
        by_table: dict[str, list[AnyEvent]] = defaultdict(list)
        for identity, (event, _) in self._events.items():
            if identity not in self._conflicting:
                by_table[event.subject].append(event)
        places = {table: set(known) for table, known in self._places.items()}
        for event, _ in self.conflicts():
            places.setdefault(event.subject, set()).add(RejectedPlace(event.source, event.sequence, event.type))
        return {
            table: (by_table.get(table, []), sorted(places.get(table, ()), key=_order))
            for table in sorted(by_table.keys() | places.keys())
        }

    def conflicts(self) -> Iterator[tuple[AnyEvent, bytes]]:
        """The events that are rejected because others of their source and id have different content."""
        for identity in self._conflicting:
            yield self._events[identity]
            yield from ((event, raw) for raw, event in self._repeated.get(identity, {}).items())


def _order(place: RejectedPlace) -> tuple[str, int, str]:
    return place.source, place.sequence, place.type or ""
