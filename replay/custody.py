"""The chain of custody: every look at stored rounds is itself written down, before anything is shown."""

import getpass
import socket
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from store.connect import Store
from store.rows.proof import AccessEntry
from store.rows.verdicts import RoundKey
from store.write.proof import write_access

MOST_NAMED = 1_000
"""So many rounds get an entry each; of more, one entry says which were asked for and how many they were."""


def who_looks(named: str) -> str:
    """Who is at work: the name that was set, or the user of the operating system."""
    return named or _system_user()


def _system_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # A container may run under a number that no name belongs to.
        return "unknown"


def note_access(
    store: Store, who: str, action: str, keys: Sequence[RoundKey] = (), detail: Mapping[str, Any] | None = None
) -> None:
    """Write down who did what, about which rounds."""
    write_access(store, entries_of(who, action, keys, detail))


def entries_of(
    who: str, action: str, keys: Sequence[RoundKey] = (), detail: Mapping[str, Any] | None = None
) -> list[AccessEntry]:
    """Who did what by a command, about which rounds; with none, or very many, one entry with the detail alone."""
    at = time.time_ns() // 1_000
    told = {**(detail or {}), "system_user": _system_user()}
    if not keys or len(keys) > MOST_NAMED:
        named: Sequence[RoundKey | None] = (None,)
        told |= {"rounds": len(keys)} if keys else {}
    else:
        named = keys
    return [
        AccessEntry(
            id=uuid.uuid4().hex,
            at=at,
            who=who,
            role="",
            action=action,
            table="" if key is None else key.table,
            shoe="" if key is None else key.shoe,
            round=0 if key is None else key.round,
            address=socket.gethostname(),
            detail=told,
        )
        for key in named
    ]
