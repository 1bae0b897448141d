"""What the tests of the replay commands share: an auditor who runs them, and a floor to ask about."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from replay.chain.keys import KeyRing
from simulator.floor import simulate
from store.connect import Store
from store.migrate import migrate
from tests.replay.commands import Run, typed, url_of
from tests.replay.evidence import ring_in
from tests.replay.stored import fill
from tests.store.floor import LONG


@pytest.fixture
def run(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """A replay command on the test's store."""
    monkeypatch.setenv("TABLEWATCH_CLICKHOUSE_URL", url_of(store))
    monkeypatch.setenv("TABLEWATCH_USER", "auditor.lim")
    yield lambda *arguments: typed("replay", *arguments)


@pytest.fixture
def floor(own_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store with a floor in it, and the name of one of its rounds."""
    migrate(own_store, LONG)
    monkeypatch.setenv("TABLEWATCH_CLICKHOUSE_URL", url_of(own_store))
    monkeypatch.setenv("TABLEWATCH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TABLEWATCH_USER", "otto")
    rounds = fill(own_store, list(simulate(tables=2, rounds=3, seed=4, games=["tiger"])))
    return str(rounds[0].key)


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    """A ring with one key."""
    return ring_in(tmp_path)
