"""What the alert service must not forget: where it has read to, whom it has told, what it owes the store.

A record is taken in, its messages are planned and the place in the topic is moved on in one transaction. What the store
does not have yet waits here, so that people are told while the store is away.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from store.rows.alerts import Alert, AlertStep
from streams.alerting.acts import SystemAct
from streams.alerting.known_alerts import KnownAlerts
from streams.alerting.outbox import Outbox
from streams.alerting.raising import TablePlace, read_place, written_place
from streams.embedded.log import Place

PENDING_ROWS: Final = 200_000
"""So much may wait for the store; beyond it, the oldest attempts that failed are let go."""


@dataclass(frozen=True, slots=True)
class Owed:
    """What the store does not have yet."""

    number: int
    kind: str
    """`alert`, `step` or `act`."""
    body: dict[str, Any]


class Journal(KnownAlerts, Outbox):
    """The whole journal."""

    def positions(self) -> dict[Place, int]:
        """The next offset to read of each partition."""
        return {Place(topic, number): next_ for topic, number, next_ in self._rows("SELECT * FROM position")}

    def move_on(self, positions: Mapping[Place, int]) -> None:
        """Keep them."""
        with self._lock:
            self._db.executemany(
                "INSERT OR REPLACE INTO position VALUES (?, ?, ?)",
                [(*place, next_) for place, next_ in positions.items()],
            )

    def owe_alert(self, alert: Alert) -> None:
        """An alert to store, with its first step."""
        self._owe("alert", alert)

    def owe_steps(self, steps: Sequence[AlertStep]) -> None:
        """Steps that change no state."""
        for step in steps:
            self._owe("step", step, failed=step.action == "failed")

    def owe_act(self, alert: str, act: SystemAct) -> None:
        """Something that changes the state of an alert, to be decided by what the store has by then."""
        self._owe("act", {"alert": alert, "act": act})

    def _owe(self, kind: str, body: object, *, failed: bool = False) -> None:
        self._do("INSERT INTO pending (kind, failed, body) VALUES (?, ?, ?)", kind, failed, orjson.dumps(body))

    def owed(self, most: int) -> list[Owed]:
        """What is owed longest."""
        rows = self._rows("SELECT number, kind, body FROM pending ORDER BY number LIMIT ?", most)
        return [Owed(number, kind, orjson.loads(body)) for number, kind, body in rows]

    def paid(self, upto: int) -> None:
        """The store has everything up to this number."""
        self._do("DELETE FROM pending WHERE number <= ?", upto)

    def owed_count(self) -> int:
        """How much is owed."""
        return int(self._rows("SELECT count(*) FROM pending")[0][0])

    def trim(self, most: int = PENDING_ROWS) -> int:
        """Keep the journal bounded: the oldest failed attempts go first, then the oldest of all. How many went."""
        over = self.owed_count() - most
        if over <= 0:
            return 0
        return self._do(
            "DELETE FROM pending WHERE number IN (SELECT number FROM pending ORDER BY failed DESC, number LIMIT ?)",
            over,
        )

    def places(self) -> dict[str, TablePlace]:
        """The tables as they were last known."""
        return {name: read_place(body) for name, body in self._rows("SELECT name, body FROM place")}

    def keep_places(self, places: Mapping[str, TablePlace]) -> None:
        """Keep them for a time without the store."""
        with self.transaction():
            self._db.executemany(
                "INSERT OR REPLACE INTO place VALUES (?, ?)",
                [(name, written_place(place)) for name, place in places.items()],
            )

    def mark(self, name: str) -> str | None:
        """A note to oneself."""
        rows = self._rows("SELECT value FROM mark WHERE name = ?", name)
        return rows[0][0] if rows else None

    def set_mark(self, name: str, value: str) -> None:
        """Keep it."""
        self._do("INSERT OR REPLACE INTO mark VALUES (?, ?)", name, value)
