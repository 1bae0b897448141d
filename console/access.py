"""The access log: every look at a round and every act, first on this machine's disk, then in the store, none lost."""

import asyncio
import logging
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import orjson

from console.auth.sessions import Session
from console.database import Database
from store.connect import Store
from store.errors import StoreError
from store.rows.proof import AccessEntry
from store.write.proof import write_access

logger = logging.getLogger(__name__)

AT_ONCE = 500
PAUSE_SECONDS = 0.5
AWAY_SECONDS = 5.0
BESIDE_SECONDS = 2.0
"""So often it is looked for what a command has written down beside the console."""


def put_by(database: Database, entry: AccessEntry) -> None:
    """Keep an entry on this machine's disk, from where a console brings it to the store."""
    with database.changing() as db:
        db.execute("INSERT INTO access_spool (entry) VALUES (?)", (orjson.dumps(asdict(entry)),))


class AccessLog:
    """Takes entries at once and brings them to the store when it is there."""

    def __init__(self, database: Database, store: Store) -> None:
        self._database = database
        self._store = store
        self._news = asyncio.Event()

    def note(
        self,
        session: Session | None,
        action: str,
        *,
        who: str = "",
        table: str = "",
        shoe: str = "",
        round: int = 0,
        address: str = "",
        detail: Mapping[str, Any] | None = None,
    ) -> None:
        """Write down who did what; it is on disk when this returns."""
        entry = AccessEntry(
            id=uuid.uuid4().hex,
            at=time.time_ns() // 1_000,
            who=session.name if session else who,
            role=session.role if session else "",
            action=action,
            table=table,
            shoe=shoe,
            round=round,
            address=address,
            detail=detail or {},
        )
        put_by(self._database, entry)
        self._news.set()

    async def carry(self) -> None:
        """Bring entries to the store for as long as the console runs; what cannot be written now waits on disk."""
        while True:
            self._news.clear()
            try:
                moved = await asyncio.to_thread(self.carry_some)
            except StoreError as error:
                logger.warning("the access log waits for the store: %s", error)
                await asyncio.sleep(AWAY_SECONDS)
                continue
            if moved < AT_ONCE:
                await asyncio.sleep(PAUSE_SECONDS)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._news.wait(), BESIDE_SECONDS)

    def carry_some(self) -> int:
        """Bring the oldest entries to the store; how many."""
        with self._database.using() as db:
            rows = db.execute("SELECT number, entry FROM access_spool ORDER BY number LIMIT ?", (AT_ONCE,)).fetchall()
        if not rows:
            return 0
        write_access(self._store, [AccessEntry(**orjson.loads(entry)) for _, entry in rows])
        with self._database.changing() as db:
            db.execute("DELETE FROM access_spool WHERE number <= ?", (rows[-1][0],))
        return len(rows)
