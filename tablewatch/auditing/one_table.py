"""The events of one table from its lines: decoded, repeats counted once, conflicting and bad ones rejected."""

from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from audit.beside_rounds import rejection
from audit.filled import RejectedPlace
from audit.intake import CONFLICT, Identity, Intake
from audit.table import TableFacts, assemble
from schemas.decoding import Decoded, decode_line, decode_lines
from schemas.records import AnyEvent
from tablewatch.auditing.filing import Filing, Origin

BATCH: Final = 400
"""So many lines are decoded at once: more gain nothing, and one bad line has all of them decoded one by one."""


@contextmanager
def facts_of_table(
    filing: Filing, table: str, sources: Sequence[str], condemned: Mapping[str, Collection[Identity]]
) -> Iterator[TableFacts]:
    """All facts of one table. The ``condemned`` are in conflict with events of other tables."""
    events = events_of_table(filing, table, sources, condemned)
    yield assemble(table, events, sorted(filing.places.get(table, ()), key=_order))


def _order(place: RejectedPlace) -> tuple[str, int, str]:
    return place.source, place.sequence, place.type or ""


def events_of_table(
    filing: Filing, table: str, sources: Sequence[str], condemned: Mapping[str, Collection[Identity]]
) -> list[AnyEvent]:
    """The events of one table, without repeats; what is rejected is noted with the filing."""
    taken: list[AnyEvent] = []
    for source in sources:
        events: list[AnyEvent] = []
        numbers = array("q")
        for decoded, _, lines_of in decoded_batches(filing, (table, source)):
            events.extend(decoded.events)
            numbers.extend(lines_of)
        doubtful = doubtful_ids([event.id for event in events], source, condemned)
        if doubtful:
            lines = {number for event, number in zip(events, numbers, strict=True) if event.id in doubtful}
            events = [event for event in events if event.id not in doubtful]
            events.extend(resolved(filing, (table, source), lines, doubtful, condemned))
        taken.extend(events)
    return taken


def decoded_batches(filing: Filing, origin: Origin) -> Iterator[tuple[Decoded, Sequence[bytes], Sequence[int]]]:
    """What the lines of one source of a table come to, a few at a time, with the line of each event and its number.
    What breaks the contract is noted with the filing."""
    for some, numbers in filing.spool.read(origin):
        for start in range(0, len(some), BATCH):
            lines: Sequence[bytes] = some[start : start + BATCH]
            numbers_of: Sequence[int] = numbers[start : start + BATCH]
            decoded = decode_lines(lines)
            if decoded.rejected:
                for rejected in decoded.rejected:
                    filing.reject(rejected, numbers_of[rejected.place])
                lines = [lines[place] for place in decoded.places]
                numbers_of = [numbers_of[place] for place in decoded.places]
            yield decoded, lines, numbers_of


def doubtful_ids(ids: Sequence[str], source: str, condemned: Mapping[str, Collection[Identity]]) -> set[str]:
    """The ids that came more than once, or in other tables as well."""
    doubtful = {each for _, each in condemned.get(source, ())}
    if len(set(ids)) < len(ids):
        doubtful.update(each for each, times in Counter(ids).items() if times > 1)
    return doubtful


def resolved(
    filing: Filing,
    origin: Origin,
    lines: Collection[int],
    doubtful: Collection[str],
    condemned: Mapping[str, Collection[Identity]],
) -> list[AnyEvent]:
    """The events that count of those with doubtful ids, which are in these lines: one of each repeat, none of those in
    conflict."""
    intake = Intake()
    line_of: dict[bytes, int] = {}
    for some, numbers in filing.spool.read(origin):
        for line, number in zip(some, numbers, strict=True):
            if number not in lines:
                continue
            for event in decode_line(line).events:
                if event.id in doubtful:
                    raw = line.strip()
                    line_of.setdefault(raw, number)
                    intake.take_event(event, raw)
    for identity in condemned.get(origin[1], ()):
        intake.condemn(identity)
    for event, raw in intake.conflicts():
        where = f" ({event.source}, id {event.id})"
        filing.rejections.add(rejection(event.subject, raw, CONFLICT, where), line_of[raw])
        filing.places[event.subject].add(RejectedPlace(event.source, event.sequence, event.type))
    return [event for events, _ in intake.tables().values() for event in events]
