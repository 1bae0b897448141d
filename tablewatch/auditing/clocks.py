"""Notes on clocks in a file: no findings, as what is found is the contract's, but the cause of many."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from audit.outline import TableOutline
from audit.settings import MILLISECOND, JudgeSettings

_SECOND: Final = 1_000 * MILLISECOND


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
