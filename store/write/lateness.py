"""Says in the access log that rows are stored after their time, so that nobody takes them for rows put in later."""

import time
import uuid
from collections.abc import Mapping, Sequence

from store.connect import Store
from store.rows.proof import STORED_LATE, AccessEntry
from store.write.proof import write_access

LATE_MS = 300_000
"""What is stored so long after its own time is said to be late: half of what the chain waits for a row."""


def note_late(store: Store, who: str, rows: Mapping[str, Sequence[Sequence[str]]]) -> None:
    """Name rows that are about to be stored late: by kind, as the chain has them, the parts of their keys. It goes
    before them: rows without it are called inserted."""
    named = {kind: [list(parts) for parts in keys] for kind, keys in rows.items() if keys}
    if named:
        entry = AccessEntry(
            id=uuid.uuid4().hex, at=time.time_ns() // 1_000, who=who, role="", action=STORED_LATE,
            detail={"rows": named},
        )  # fmt: skip
        write_access(store, [entry])
