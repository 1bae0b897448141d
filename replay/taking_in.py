"""Taking in stored events of one table: each once, those that contradict each other refused."""

from collections import Counter
from collections.abc import Sequence

from audit.filled import RejectedPlace
from schemas.identity import content_key
from schemas.records import AnyEvent


def taken_in(events: Sequence[AnyEvent]) -> tuple[Sequence[AnyEvent], set[RejectedPlace]]:
    """Events as an audit takes them, and the places in the sequences that refused ones fill: a repeat counts once, two
    contents under one source and id are both refused."""
    ids = [event.id for event in events]
    if len(set(ids)) == len(ids):
        return events, set()
    doubtful = {name for name, times in Counter(ids).items() if times > 1}
    contents: dict[tuple[str, str], list[AnyEvent]] = {}
    for event in events:
        if event.id in doubtful:
            known = contents.setdefault((event.source, event.id), [])
            if not known or (event != known[0] and content_key(event) != content_key(known[0])):
                known.append(event)
    taken = [event for event in events if event.id not in doubtful]
    taken += [known[0] for known in contents.values() if len(known) == 1]
    refused = [event for known in contents.values() if len(known) > 1 for event in known]
    return taken, {RejectedPlace(event.source, event.sequence, event.type) for event in refused}
