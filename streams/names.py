"""Events whose names were looked up in the store: which are repeats, and whose name was used before."""

from collections.abc import Iterable, Sequence

from audit.intake import Identity
from schemas.identity import content_key
from schemas.records import AnyEvent
from store.rows.raw import RecordKey, StoredEvent
from streams.intake import Origin, Share

Come = tuple[AnyEvent, Origin]
"""An event that came, with its origin."""


def name_of(event: AnyEvent) -> Identity:
    """Source and id of an event."""
    return event.source, event.id


def contradicted(named_again: Sequence[Come], stored: Iterable[StoredEvent], unstored: Iterable[Share]) -> list[Come]:
    """Of events whose names may have been used before those that have their name in common with another content, which
    is stored, or waits to be."""
    names = {name_of(event) for event, _ in named_again}
    said = [*(each.event for each in stored), *(event for share in unstored for event in share.events)]
    contents: dict[Identity, set[bytes]] = {}
    for event in said:
        if name_of(event) in names:
            contents.setdefault(name_of(event), set()).add(content_key(event))
    return [come for come in named_again if contents.get(name_of(come[0]), set()) - {content_key(come[0])}]


def no_repeats(late: Sequence[Come], stored: Iterable[StoredEvent]) -> list[Come]:
    """Of events that came late those that are no repeats of stored ones. Stored ones that are late themselves are no
    repeats of each other; where a name has several contents, only identical bytes are."""
    own = {place_of(come) for come in late}
    contents: dict[Identity, set[bytes]] = {}
    for event, _ in late:
        contents.setdefault(name_of(event), set()).add(content_key(event))
    raws: dict[Identity, set[bytes]] = {}
    alike: set[tuple[Identity, bytes]] = set()
    for each in stored:
        name, content = name_of(each.event), content_key(each.event)
        contents.setdefault(name, set()).add(content)
        if (each.key, each.place) not in own:
            raws.setdefault(name, set()).add(each.raw)
            alike.add((name, content))

    def is_repeat(come: Come) -> bool:
        event, origin = come
        name = name_of(event)
        if len(contents[name]) > 1:
            return origin.raw(event) in raws.get(name, ())
        return (name, content_key(event)) in alike

    return [come for come in late if not is_repeat(come)]


def place_of(come: Come) -> tuple[RecordKey, int]:
    """Where an event came from: its record, and its place in it."""
    event, origin = come
    return origin.key, origin.place(event)
