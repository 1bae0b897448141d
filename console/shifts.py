"""When shifts begin by the site's clock, and which one is running."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


class InvalidShifts(ValueError):
    """The beginnings of shifts, or the time zone, cannot be used: correct the setting."""


@dataclass(frozen=True, slots=True)
class Shifts:
    """The shifts of a day, each until the next begins."""

    begins: tuple[time, ...] = (time(6), time(14), time(22))
    """In rising order."""
    time_zone: str = "UTC"
    """Of the site, where no table's configuration names one."""


def shifts_of(begins: str, time_zone: str) -> Shifts:
    """From text such as ``06:00,14:00,22:00`` and ``Asia/Singapore``."""
    try:
        times = tuple(sorted({time.fromisoformat(each.strip()) for each in begins.split(",")}))
        ZoneInfo(time_zone)
    except (ValueError, OSError, ZoneInfoNotFoundError) as error:
        raise InvalidShifts(
            f"shifts begin at times such as 06:00,14:00,22:00 in a zone such as UTC: {error}"
        ) from error
    return Shifts(times, time_zone)


def zone_of(shifts: Shifts, tables: Iterable[str | None]) -> ZoneInfo:
    """The zone that most tables name; else the site's."""
    for named, _ in Counter(each for each in tables if each).most_common():
        try:
            return ZoneInfo(named)
        except (ValueError, OSError, ZoneInfoNotFoundError):
            # A table may name a zone that does not exist.
            continue
    return ZoneInfo(shifts.time_zone)


def running_shift(shifts: Shifts, zone: ZoneInfo, now: datetime) -> tuple[datetime, datetime]:
    """From when to when the shift of a moment goes, on the site's clock, whatever the clocks do that day."""
    today = now.astimezone(zone).date()
    moments = [
        datetime.combine(today + timedelta(days=day), begins, zone) for day in (-1, 0, 1, 2) for begins in shifts.begins
    ]
    moments = sorted(moments, key=lambda moment: moment.astimezone(UTC))
    later = next(place for place, moment in enumerate(moments) if moment.astimezone(UTC) > now.astimezone(UTC))
    return moments[later - 1], moments[later]
