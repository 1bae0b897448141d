"""The set-up of a table: known whenever the store or the topics have it, whoever was late."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from console.live import room
from simulator.floor import simulate
from store.connect import Store
from store.migrate import migrate
from streams.broker_url import EmbeddedLog
from streams.topics import create
from tests.console.house import await_that, console_server, say
from tests.replay.stored import fill
from tests.services.store import database_of_its_own
from tests.store.floor import LONG

pytestmark = pytest.mark.xdist_group("evening")


@pytest.fixture
def empty(server_url: str) -> Iterator[Store]:
    """A store that has its tables and nothing in them."""
    for store in database_of_its_own(server_url):
        migrate(store, LONG)
        yield store


def test_a_set_up_that_is_stored_after_the_console_has_started_is_learnt(
    empty: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "SET_UP_SECONDS", 0.1)
    lines = list(simulate(1, 1, 3))
    table = orjson.loads(lines[0])["subject"]
    broker = EmbeddedLog(tmp_path / "log")
    create(broker)
    with console_server(tmp_path, broker, empty) as server:
        live = server.parts.live
        say(broker, table, "shoe.loaded.v1", "reader", 1, shoe="S1", decks=8)
        await_that(lambda: table in live.floor.tables and live.health.store.state == "ok", "the table is heard of")
        assert live.floor.tables[table].configured is None
        fill(empty, lines)
        await_that(lambda: live.floor.tables[table].configured, "its set-up is learnt")
