"""The floor of the demo: simulated tables in real time, which go on where they stopped."""

import threading
import time
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from games.readings import DEFAULT_READINGS, Readings, readings_of
from simulator.floor import deliveries
from streams.broker_url import Broker
from streams.publish import publish

ROUNDS = 1_000_000
"""More than anybody watches."""
BEFORE = timedelta(minutes=10)
"""A new floor has played for so long already, so that there is something to see at once."""
BEAT_SECONDS = 0.2


class DemoFloor(threading.Thread):
    """Publishes the events of a floor at their time. How far it came is kept in a file."""

    def __init__(
        self,
        folder: Path,
        broker: Broker,
        tables: int,
        seed: int,
        faults: float,
        readings: Readings = DEFAULT_READINGS,
    ) -> None:
        super().__init__(name="floor", daemon=True)
        self._file = folder / "demo.json"
        self._broker = broker
        self._ending = threading.Event()
        fresh: dict[str, Any] = {
            "tables": tables, "seed": seed, "faults": faults, "start": (datetime.now(UTC) - BEFORE).isoformat(),
            "sent": 0, "readings": asdict(readings),
        }  # fmt: skip
        self._state: dict[str, Any] = orjson.loads(self._file.read_bytes()) if self._file.exists() else fresh
        self.other_than_asked = any(self._state[each] != fresh[each] for each in ("tables", "seed", "faults"))
        """The folder has a floor already, which goes on as it began."""

    def __str__(self) -> str:
        state = self._state
        return f"{state['tables']} tables, seed {state['seed']} and faults in {state['faults']:g} of the rounds"

    def run(self) -> None:
        """Play until told to end; what was sent twice because of a crash counts once."""
        state = self._state
        floor = islice(
            deliveries(
                state["tables"],
                ROUNDS,
                state["seed"],
                state["faults"],
                start=datetime.fromisoformat(state["start"]),
                readings=readings_of(state.get("readings", {})),
            ),
            state["sent"],
            None,
        )
        at, line = next(floor)
        # Floor time goes on from where it stopped, never ahead of the clock on the wall.
        behind = time.time() * 1000 - at if state["sent"] else 0.0
        while not self._ending.is_set():
            now = time.time() * 1000 - behind
            due = []
            while at <= now:
                due.append(line)
                at, line = next(floor)
            if due:
                publish(due, self._broker)
                state["sent"] += len(due)
                self._keep()
            self._ending.wait(BEAT_SECONDS)

    def end(self) -> None:
        """Stop playing."""
        self._ending.set()
        self.join(10)

    def _keep(self) -> None:
        fresh = self._file.with_suffix(".new")
        fresh.write_bytes(orjson.dumps(self._state))
        fresh.replace(self._file)
