"""Folding shoes into the watches in the order in which they ended, and again those that come after a changed one."""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from audit.watches.settings import WatchSettings
from schemas.findings import Finding
from store.read.shoes import ShoeKey, ShoePlace
from streams.watching.book import Book
from streams.watching.entry import Entry
from streams.watching.step import players_of, watch


@dataclass(frozen=True, slots=True)
class Folded:
    """A shoe that was watched, and all that its end brings to light."""

    entry: Entry
    findings: Sequence[Finding]


def fold(book: Book, fresh: Sequence[Entry], settings: WatchSettings) -> list[Folded]:
    """Watch these shoes, and all later ones that stand on them, in the order in which they ended.

    The entries are left in the book's hand. What follows a shoe is watched again only as far as its table or one of its
    players stands otherwise than before: so a late fact changes what it has to and no more.
    """
    stored = book.entries(entry.key for entry in fresh)
    waiting: list[ShoePlace] = []
    due: set[ShoePlace] = set()

    def again(places: Iterable[ShoePlace]) -> None:
        for place in places:
            if place not in due:
                due.add(place)
                heapq.heappush(waiting, place)

    for entry in fresh:
        book.take(replace(entry, version=stored[entry.key].version if entry.key in stored else 0))
    for entry in fresh:
        known = stored.get(entry.key)
        if known is not None and known.place != entry.place:
            again(_after(book, known, known.accounts))
    again(entry.place for entry in fresh)
    folded: dict[ShoeKey, Folded] = {}
    news = {entry.key for entry in fresh}
    while waiting:
        place = heapq.heappop(waiting)
        due.discard(place)
        entry = book.entries([place.key])[place.key]
        watched = _watched(book, entry, settings)
        book.take(watched.entry)
        folded[entry.key] = watched
        if entry.key in news:
            # All that comes next stands on it, also what another service wrote without knowing of it.
            known = stored.get(entry.key)
            again(_after(book, watched.entry, {*watched.entry.accounts, *(() if known is None else known.accounts)}))
        else:
            again(_after(book, watched.entry, _changed(entry, watched.entry), entry))
    return [folded[key] for key in sorted(folded, key=lambda key: folded[key].entry.place)]


def _watched(book: Book, entry: Entry, settings: WatchSettings) -> Folded:
    summary = entry.summary
    if summary is None or not summary.tells_enough:
        return Folded(replace(entry, after=None, accounts={}), ())
    before, past = book.before(entry.place, settings.slug_shoes)
    accounts = book.accounts_before(players_of(summary), entry.place)
    watched = watch(summary, past, before, accounts, settings)
    return Folded(replace(entry, after=watched.after, accounts=watched.accounts), watched.findings)


def _changed(before: Entry, now: Entry) -> list[str]:
    """The players who stand otherwise after a shoe than they did."""
    players = before.accounts.keys() | now.accounts.keys()
    return [player for player in players if before.accounts.get(player) != now.accounts.get(player)]


def _after(book: Book, entry: Entry, players: Iterable[str], before: Entry | None = None) -> set[ShoePlace]:
    """The next shoes that stand on this one: of its table, where that stands otherwise, and of these players."""
    found = book.next_of_players(sorted(players), entry.place)
    if before is None or before.after != entry.after:
        later = book.next_of_table(entry.place)
        found |= set() if later is None else {later}
    return found
