"""Notes on clocks and sequence numbers in a file: no findings, as those are the contract's, but the cause of many."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from audit.outline import TableOutline
from audit.settings import MILLISECOND, JudgeSettings

_SECOND: Final = 1_000 * MILLISECOND


def notes_on_devices(outline: TableOutline, settings: JudgeSettings) -> Iterator[str]:
    """What the maker of a device of this table should know of its sequence numbers and its clock."""
    for said in (numbers_used_twice(outline), clocks_gone_back(outline, settings)):
        yield from said


def numbers_used_twice(outline: TableOutline) -> Iterator[str]:
    """Some sentences for each source of a table that has used sequence numbers for different events."""
    for source, device in outline.devices.items():
        twice = device.twice
        if twice is not None:
            numbers = f"{twice.many} sequence number{'s' if twice.many > 1 else ''}"
            where = f"from {twice.first} on" if twice.many > 1 else f"{twice.first}"
            yield (
                f"{source} uses {numbers} about {outline.table} more than once, {where}, with different ids. Events "
                "are put in order by their numbers: what it said first under such a number, and behind it, counts as "
                "said no earlier than what it said under it last, and rounds may be called wrong that are not. Let it "
                "go on behind the highest number that it has ever sent, or under a new source (docs/integrating.md)."
            )


def clocks_gone_back(outline: TableOutline, settings: JudgeSettings) -> Iterator[str]:
    """A sentence or two for each source of a table whose time goes back by more than a clock may be ahead."""
    for source, device in outline.devices.items():
        back = device.back
        if back is not None and back.by > settings.ahead_ms * MILLISECOND:
            until = datetime.fromtimestamp(back.until // _SECOND, UTC)
            yield (
                f"The time of {source} about {outline.table} goes back by {back.by / _SECOND:.1f} s at sequence "
                f"{back.sequence}. Until it has come to {until:%Y-%m-%dT%H:%M:%SZ} again, all that it says counts as "
                "said then, and rounds may be called wrong that are not. docs/integrating.md says how a device whose "
                "clock was ahead goes on."
            )
