"""The intake of a file: repeats counted once, conflicting events rejected, the rest sorted by table."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from audit.beside_rounds import rejection
from audit.devices import RejectedPlace
from schemas.decoding import Decoded, Rejected
from schemas.events import AnyEvent
from schemas.findings import Finding
from schemas.identity import content_key

Identity = tuple[str, str]
"""Source and id of an event."""

CONFLICT = "another event of the same source and id has different content"


class Intake:
    """What a file of events holds, whatever the order of its lines."""

    def __init__(self) -> None:
        self._events: dict[Identity, AnyEvent] = {}
        self._conflicting: dict[Identity, dict[bytes, AnyEvent]] = {}
        self._places: dict[str, set[RejectedPlace]] = defaultdict(set)
        self._rejections: dict[str, Finding] = {}

    def take(self, decoded: Decoded, first_line: int = 1, file: str = "") -> None:
        """Take in what came out of decoding some lines; ``first_line`` is the number of the first of them."""
        events, conflicting = self._events, self._conflicting
        for event in decoded.events:
            identity = event.source, event.id
            known = events.setdefault(identity, event)
            if known is not event or identity in conflicting:
                self._again(identity, known, event)
        for rejected in decoded.rejected:
            self._reject(rejected, f"{file}line {first_line + rejected.place}")

    def _again(self, identity: Identity, known: AnyEvent, event: AnyEvent) -> None:
        """An event of a source and id that was seen before: a repeat, or a conflict by which all are rejected."""
        if identity not in self._conflicting and known == event:
            return
        key = content_key(event)
        if identity not in self._conflicting:
            first = content_key(known)
            if first == key:
                return
            self._conflicting[identity] = {first: known}
        self._conflicting[identity][key] = event

    def _reject(self, rejected: Rejected, where: str) -> None:
        if rejected.source is not None and rejected.subject is not None and rejected.sequence is not None:
            self._places[rejected.subject].add(RejectedPlace(rejected.source, rejected.sequence, rejected.type))
        finding = rejection(rejected.subject, rejected.raw, rejected.reason, f" ({where})")
        self._rejections.setdefault(finding.id, finding)

    def rejections(self) -> list[Finding]:
        """``event-rejected``, once for identical bytes."""
        findings = dict(self._rejections)
        for contents in self._conflicting.values():
            for key, event in contents.items():
                finding = rejection(event.subject, key, CONFLICT, f" ({event.source}, id {event.id})")
                findings.setdefault(finding.id, finding)
        return list(findings.values())

    def tables(self) -> dict[str, tuple[list[AnyEvent], Sequence[RejectedPlace]]]:
        """By table, in the order of their names: its events, and the places that rejected ones fill."""
        by_table: dict[str, list[AnyEvent]] = defaultdict(list)
        for identity, event in self._events.items():
            if identity not in self._conflicting:
                by_table[event.subject].append(event)
        places = {table: set(known) for table, known in self._places.items()}
        for event in self._conflicting_events():
            places.setdefault(event.subject, set()).add(RejectedPlace(event.source, event.sequence, event.type))
        return {
            table: (by_table.get(table, []), sorted(places.get(table, ()), key=_order))
            for table in sorted(by_table.keys() | places.keys())
        }

    def _conflicting_events(self) -> Iterable[AnyEvent]:
        for contents in self._conflicting.values():
            yield from contents.values()


def _order(place: RejectedPlace) -> tuple[str, int, str]:
    return place.source, place.sequence, place.type or ""
