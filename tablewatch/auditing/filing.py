"""Filing lines by table and source before they are decoded.

The decoded events of a whole file take ten times the memory of its lines, and one table can be judged without another.
So lines are filed first, by what a quick look tells for certain; only where it does not are they decoded for it.
"""

from bisect import bisect_right
from collections import defaultdict
from itertools import count
from typing import Any, Final

from audit.beside_rounds import rejection, rejection_of
from audit.filled import RejectedPlace
from schemas.beginnings import BEHIND, attributes_in, fields_of
from schemas.decoding import MAX_RECORD_BYTES, Rejected, decode_line, split_record
from tablewatch.auditing.rejections import Rejections
from tablewatch.auditing.spool import MEMORY, Kept, Shelf, Spool

Origin = tuple[str, str]
"""The table and the source of an event."""

_TABLE: Final = b'"subject"'
_MOST_BEGINNINGS: Final = 1 << 16


class Filing:
    """The lines of all files, and what was rejected of them. Use it as a context: its temporary files are gone then."""

    def __init__(self, memory: int = MEMORY) -> None:
        self.memory = memory
        """Bytes of lines that are held in memory."""
        self.spool: Spool[Origin] = Spool(memory)
        self.shelf = Shelf(memory >> 3)
        self.rejections = Rejections(self.shelf)
        self.places: dict[str, set[RejectedPlace]] = defaultdict(set)
        """By table: the places in the sequences that rejected events fill."""
        self.lines = 0
        """How many lines have been read."""
        self._files: list[tuple[int, str | None]] = [(1, None)]
        """The number of the first line of each file, and its name where there are several."""
        self._beginnings: dict[bytes, Kept] = {}
        """Where lines belong that begin so."""

    def __enter__(self) -> "Filing":
        return self

    def __exit__(self, *error: object) -> None:
        self.spool.__exit__()
        self.shelf.__exit__()

    def begin_file(self, name: str | None) -> None:
        """The lines that follow are of this file; it has no name where there is no other."""
        self._files.append((self.lines + 1, name))

    def where(self, line: int) -> str:
        """Where a line stands, for people: its number, and its file where there are several."""
        start, name = self._files[bisect_right(self._files, line, key=lambda each: each[0]) - 1]
        number = f"line {line - start + 1}"
        return f" ({number})" if name is None else f" ({name}, {number})"

    def take(self, lines: list[bytes]) -> None:
        """File the next lines; blank ones are nothing."""
        first = self.lines + 1
        self.lines += len(lines)
        # Devices write all their events alike: up to the id, most lines are known by heart.
        known = self._beginnings.get
        homes = [known(line[: line.find(BEHIND)]) for line in lines]
        whole = b"\n".join(lines)
        for place in _uncertain(lines, homes, whole):
            homes[place] = self._look_at(lines[place])
        for home, line, number in zip(homes, lines, count(first)):
            if home is not None:
                home.lines.append(line)
                home.numbers.append(number)
            else:
                self._take_with_care(line, number)
        self.spool.added(len(lines), len(whole))

    def _look_at(self, line: bytes) -> Kept | None:
        """Where a line belongs by its attributes; None where that takes decoding it."""
        origin = _origin(fields_of(line))
        if origin is None:
            return None
        home = self.spool.kept(origin)
        beginning = line[: line.find(BEHIND)]
        if _TABLE in beginning:
            self._learn(beginning, origin, home)
        return home

    def _learn(self, beginning: bytes, origin: Origin, home: Kept) -> None:
        """Know a line by its beginning from now on, where that is the same for many and says where it belongs."""
        if _origin(attributes_in(beginning)) == origin:
            if len(self._beginnings) == _MOST_BEGINNINGS:
                self._beginnings.clear()
            self._beginnings[beginning] = home

    def _take_with_care(self, line: bytes, number: int) -> None:
        """File a line of which only decoding tells what it speaks of: several events, or none."""
        decoded = decode_line(line)
        items = split_record(line) if decoded.events else []
        for event, place in zip(decoded.events, decoded.places, strict=True):
            self.spool.add((event.subject, event.source), items[place], number)
        for rejected in decoded.rejected:
            self.reject(rejected, number)

    def reject(self, rejected: Rejected, line: int) -> None:
        """Note an event that breaks the contract."""
        self.rejections.add(rejection(rejected.subject, rejected.raw, rejected.reason, self.where(line)), line)
        if rejected.source is not None and rejected.subject is not None and rejected.sequence is not None:
            self.places[rejected.subject].add(RejectedPlace(rejected.source, rejected.sequence, rejected.type))

    def refuse(self, beginning: bytes, size: int, sha256: str) -> None:
        """The next line is too long: only its beginning and the hash of its bytes are known."""
        self.lines += 1
        reason = f"{size} bytes are more than the {MAX_RECORD_BYTES} that a record may have"
        self.rejections.add(rejection_of(None, sha256, beginning, reason, self.where(self.lines)), self.lines)

    def tables(self) -> dict[str, list[str]]:
        """The sources that speak about each table, by table in the order of their names."""
        tables: dict[str, list[str]] = {table: [] for table in self.places}
        for table, source in self.spool:
            tables.setdefault(table, []).append(source)
        return {table: sorted(tables[table]) for table in sorted(tables)}


def _uncertain(lines: list[bytes], homes: list[Kept | None], whole: bytes) -> list[int]:
    """The places of lines whose beginning is not known, or behind whose beginning the table may be named again, if need
    be in escapes; ``whole`` is all of the lines."""
    unknown = [place for place, home in enumerate(homes) if home is None] if None in homes else []
    named = whole.count(_TABLE) - sum(lines[place].count(_TABLE) for place in unknown)
    if named == len(lines) - len(unknown) and b"\\" not in whole:
        return unknown
    return [
        place
        for place, (home, line) in enumerate(zip(homes, lines, strict=True))
        if home is None or b"\\" in line or line.count(_TABLE) != 1
    ]


def _origin(fields: dict[str, Any]) -> Origin | None:
    table, source = fields.get("subject"), fields.get("source")
    return (table, source) if table and source and isinstance(table, str) and isinstance(source, str) else None
