"""Times as the store keeps them: whole ticks since 1970, within what ClickHouse can reckon with."""

from typing import Final

LATEST: Final = 4_291_747_199_999_999
"""2105-12-31T23:59:59.999999Z: minutes and hours in ClickHouse end soon after."""

OLDEST_ARRIVAL: Final = 1_577_836_800_000
"""2020-01-01 in milliseconds: no log of ours was written before; an arrival earlier than this is a broken clock."""


def device_ticks(micros: int) -> int:
    """A device's time, moved to the nearest bound where it lies outside; the record has it exactly."""
    return min(max(micros, 0), LATEST)


def arrival_ticks(millis: int) -> int:
    """An arrival in milliseconds, moved to the nearest bound where it lies outside."""
    return min(max(millis, 0), LATEST // 1000)
