"""Taking in stored events: each once, those that contradict each other refused, the rest by table."""

from collections import defaultdict
from collections.abc import Iterable

from audit.devices import RejectedPlace
from schemas.identity import content_key
from schemas.records import AnyEvent

Identity = tuple[str, str]
"""Source and id of an event."""


class TakenIn:
    """Events as an audit takes them: a repeat counts once, two contents under one source and id are both refused."""

    def __init__(self) -> None:
        self._events: dict[Identity, AnyEvent] = {}
        self._contents: dict[Identity, list[AnyEvent]] = {}
        """What has more than one content."""
        self.places: dict[str, set[RejectedPlace]] = defaultdict(set)
        """By table: the places in the sequences that refused events fill."""

    def take(self, events: Iterable[AnyEvent]) -> None:
        """Take events in."""
        known = self._events
        for event in events:
            first = known.setdefault((event.source, event.id), event)
            if first is not event and first != event:
                self._again(first, event)

    def _again(self, first: AnyEvent, event: AnyEvent) -> None:
        if content_key(first) != content_key(event):
            self._contents.setdefault((event.source, event.id), [first]).append(event)

    def refuse(self, table: str, source: str, sequence: int, kind: str | None) -> None:
        """An event of this place was refused."""
        self.places[table].add(RejectedPlace(source, sequence, kind))

    def tables(self) -> dict[str, list[AnyEvent]]:
        """By table: its events."""
        by_table: dict[str, list[AnyEvent]] = defaultdict(list)
        for contents in self._contents.values():
            for event in contents:
                self.refuse(event.subject, event.source, event.sequence, event.type)
        conflicting = self._contents
        if conflicting:
            for identity, event in self._events.items():
                if identity not in conflicting:
                    by_table[event.subject].append(event)
        else:
            for event in self._events.values():
                by_table[event.subject].append(event)
        return by_table

    def places_of(self, table: str) -> list[RejectedPlace]:
        """The refused places of a table, in order."""
        return sorted(self.places.get(table, ()), key=lambda place: (place.source, place.sequence, place.type or ""))
