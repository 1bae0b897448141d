"""Times of the simulation: whole milliseconds since 1970, and their written form."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

MINUTE = 60_000
HOUR = 60 * MINUTE


@lru_cache(maxsize=256)
def minute_text(minute: int) -> bytes:
    """The written form of a minute since 1970 up to its seconds, e.g. ``2026-03-02T12:00:``."""
    return (_EPOCH + timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M:").encode()


def time_text(at: int) -> bytes:
    """The time as events carry it."""
    minute, rest = divmod(at, MINUTE)
    return b"%b%02d.%03dZ" % (minute_text(minute), rest // 1000, rest % 1000)


def milliseconds(moment: datetime) -> int:
    """Whole milliseconds since 1970 of a moment with a time zone."""
    return (moment - _EPOCH) // timedelta(milliseconds=1)
