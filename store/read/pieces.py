"""Records cut into the events they hold, and the events of one table decoded many at once, if it is certain what they
are.

A piece is what stands between the braces of an event, so that pieces are put together again by what parted them.
"""

from collections.abc import Sequence
from typing import Final

from schemas.decoding import decode_record, split_record
from schemas.records import AnyEvent

AT_ONCE: Final = 1000
"""So many events are decoded at once: more gain nothing."""
_BETWEEN: Final = b"},{"


def quick_pieces(raw: bytes, count: int) -> list[bytes]:
    """The pieces of a record of so many events that has no spaces between them; none where it is written otherwise.

    A string that holds what stands between two events may mislead it: whoever decodes the pieces must see to that.
    """
    if raw[:1] == b"{":
        return [raw[1:-1]] if count == 1 and raw[-1:] == b"}" else []
    if raw[:2] != b"[{" or raw[-2:] != b"}]":
        return []
    pieces = raw[2:-2].split(_BETWEEN)
    return pieces if len(pieces) == count else []


def careful_pieces(raw: bytes) -> list[bytes]:
    """The pieces of a record taken apart sign by sign; where an item is no object, nothing stands for it."""
    return [item[1:-1] if item[:1] == b"{" and item[-1:] == b"}" else b"" for item in split_record(raw)]


def whole(piece: bytes) -> bytes:
    """The event that a piece is of."""
    return b"{" + piece + b"}"


def events_about(table: str, pieces: Sequence[bytes]) -> list[AnyEvent] | None:
    """The events of pieces; None where one of them is not plainly an event about this table."""
    found: list[AnyEvent] = []
    for start in range(0, len(pieces), AT_ONCE):
        some = pieces[start : start + AT_ONCE]
        decoded = decode_record(b"[{" + _BETWEEN.join(some) + b"}]")
        events = decoded.events
        if decoded.rejected or len(events) != len(some) or any(event.subject != table for event in events):
            return None
        found += events
    return found
