"""Rounds of shoes that a worker does not read again, and that are judged otherwise all the same when something comes
late: what was found of them rests on what did not come."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from audit.devices import ALWAYS_BEFORE, EVER_AFTER
from audit.live.doubtful import INCOMPLETE, OLDEST, REST_ON_ABSENCE, Window
from audit.live.round import LiveRound
from audit.table import RoundKey
from schemas.records import AnyEvent
from schemas.time import micros
from store.connect import Store
from store.read.doubtful import DoubtfulRound, doubtful_rounds, heard_before, shoes_going_on
from store.read.folding import ShoeSpan

_OPENED = "round.opened.v1"


def doubtful(store: Store, heard: Mapping[str, int]) -> dict[str, list[DoubtfulRound]]:
    """By table: such rounds of its last day; ``heard`` tells when each was heard last."""
    return doubtful_rounds(store, {table: last - OLDEST for table, last in heard.items()}, sorted(REST_ON_ABSENCE))


def changed_by(
    store: Store,
    late: Mapping[str, Sequence[AnyEvent]],
    rounds: Mapping[str, Sequence[DoubtfulRound]],
    old: Mapping[str, int],
) -> dict[str, set[str]]:
    """By table: the shoes with rounds that facts which came late, or were refused late, can change though they are of
    other ones: a hole closes or opens with them, and with an opening the end of the round before it moves. All that
    was heard since the first of these facts is read again anyhow, and all shoes that were heard of since a time
    (``old``)."""
    firsts: dict[str, dict[str, int]] = {}
    for table, events in late.items():
        for event in events if rounds.get(table) else ():
            of_table = firsts.setdefault(table, {})
            of_table[event.source] = min(event.sequence, of_table.get(event.source, event.sequence))
    before = heard_before(store, firsts)
    found: dict[str, set[str]] = {}
    for table, sources in firsts.items():
        since = min(before.get(table, {}).get(source, ALWAYS_BEFORE) for source in sources)
        found[table] = {each.shoe for each in rounds[table] if each.until is None or each.until >= since}
    for table, events in late.items():
        opened = [micros(event.time) for event in events if event.type == _OPENED]
        if opened and min(opened) < old[table]:
            found.setdefault(table, set()).update(shoes_going_on(store, table, min(opened), max(opened)))
    return found


def windows(
    rounds: Iterable[DoubtfulRound],
    spans: Iterable[ShoeSpan],
    whole: Collection[str],
    held: Collection[LiveRound],
) -> dict[RoundKey, Window]:
    """When a hole could hide a fact of those rounds that are of no shoe that is read ``whole``, no shorter than it is;
    ``held`` are the rounds that are."""
    began = {span.shoe: span.first_time for span in spans if span.shoe not in whole}
    found: dict[RoundKey, Window] = {}
    for each in rounds:
        if each.shoe in began:
            opened = (facts.openings[0].at for facts in (round_.gather() for round_ in held) if facts.openings)
            known = [] if each.until is None else [each.until]
            until = min([*known, *(moment for moment in opened if moment > each.opened)], default=EVER_AFTER)
            found[each.shoe, each.round] = Window(began[each.shoe], until, INCOMPLETE in each.codes)
    return found
