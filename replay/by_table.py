"""The events of whole partitions by table: most are told apart by how they begin, and stay bytes until their table is
judged; the rest is decoded for it.

Decoded events take ten times the memory of their bytes, and what was just decoded is judged soonest.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from audit.filled import RejectedPlace
from replay.taking_in import taken_in
from schemas.beginnings import BEHIND, attributes_in, fields_of
from schemas.decoding import Decoded, decode_record
from schemas.records import AnyEvent
from store.read.bulk import RawRecord, RefusedPlace
from store.read.pieces import events_about, quick_pieces, whole

_MOST_BEGINNINGS: Final = 1 << 16


class ByTable:
    """Records as they are stored, sorted by the tables that their events are about."""

    def __init__(self, refused: Collection[RefusedPlace]) -> None:
        self._refused = refused
        self._odd = {place[:4] for place in refused}
        self._pieces: dict[str, list[bytes]] = defaultdict(list)
        self._events: dict[str, list[AnyEvent]] = defaultdict(list)
        """What had to be decoded."""
        self._places: dict[str, set[RejectedPlace]] = defaultdict(set)
        self._beginnings: dict[bytes, list[bytes]] = {}
        """Where pieces belong that begin so."""

    def sort(self, records: Iterable[RawRecord]) -> None:
        """Sort records, each once. Of what was refused, only the places in the sequences count that it fills."""
        for record in records:
            plain = not record.refused and record.key not in self._odd
            if not plain or not self._told_apart(quick_pieces(record.raw, record.accepted)):
                self._decoded(decode_record(record.raw), record)

    def _told_apart(self, pieces: Sequence[bytes]) -> bool:
        """Whether it is certain of all pieces where they belong; they are put there then.

        A piece that begins as an event does was cut where one begins: inside a string, quotes have backslashes.
        """
        known = self._beginnings.get
        homes = [known(piece.partition(BEHIND)[0]) for piece in pieces]
        if None in homes:
            looked_at = zip(homes, pieces, strict=True)
            homes = [self._look_at(piece) if home is None else home for home, piece in looked_at]
            if None in homes:
                return False
        for home, piece in zip(homes, pieces, strict=True):
            if home is not None:
                home.append(piece)
        return bool(homes)

    def _look_at(self, piece: bytes) -> list[bytes] | None:
        """Where a piece belongs by its attributes; None where they do not say. From now on it is known by its beginning
        where that is the same for many and says so, too."""
        table = fields_of(whole(piece)).get("subject")
        if not isinstance(table, str):
            return None
        home = self._pieces[table]
        beginning = piece.partition(BEHIND)[0]
        if attributes_in(b"{" + beginning).get("subject") == table:
            if len(self._beginnings) == _MOST_BEGINNINGS:
                self._beginnings.clear()
            self._beginnings[beginning] = home
        return home

    def _decoded(self, decoded: Decoded, record: RawRecord) -> None:
        for event, place in zip(decoded.events, decoded.places, strict=True):
            if (*record.key, place) not in self._refused:
                self._events[event.subject].append(event)
        self._refuse(decoded)

    def _refuse(self, decoded: Decoded) -> None:
        for each in decoded.rejected:
            if each.subject is not None and each.source is not None and each.sequence is not None:
                self._places[each.subject].add(RejectedPlace(each.source, each.sequence, each.type))

    def take(self, table: str) -> tuple[Sequence[AnyEvent], set[RejectedPlace]]:
        """The events of a table, each once, and the places that refused ones fill; both are let go of here."""
        pieces = self._pieces.pop(table, [])
        plain = events_about(table, pieces)
        if plain is None:
            alone = [decode_record(whole(piece)) for piece in pieces]
            plain = [event for decoded in alone for event in decoded.events]
            for decoded in alone:
                self._refuse(decoded)
        events, places = taken_in(plain + self._events.pop(table, []))
        return events, places | self._places.pop(table, set())
