"""One judged floor for all tests of the console, and one console on it; what a test changes it changes on its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from console.server import waiting
from streams.broker_url import EmbeddedLog
from streams.lag import lag_of
from streams.topics import Layout, create
from tests.console.house import SECONDS, ConsoleServer, await_that, console_server, impatient, play
from tests.console.past.fixtures import evening, evening_of_its_own
from tests.streams.pipeline import Pipeline, StoreProcess, pipeline, stop

__all__ = ["evening", "evening_of_its_own"]


@pytest.fixture(scope="session", autouse=True)
def time_to_answer() -> Iterator[None]:
    """A machine on which all tests run at once may keep the store from answering as soon as people expect it; only
    the test of a store that hangs is about that."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(waiting, "ANSWER_SECONDS", SECONDS)
        yield


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    """A store and a log with a floor that a real worker has judged; nobody judges any more."""
    folder: Path = tmp_path_factory.mktemp("console-ground")
    broker = EmbeddedLog(folder / "log")
    create(broker, Layout(partitions=2))
    with pipeline(folder, broker, StoreProcess(folder / "clickhouse"), str(broker)) as running:
        play(broker)
        worker = running.start_worker()
        running.await_done()
        stop(worker)
        yield running


@pytest.fixture(scope="session")
def console(ground: Pipeline, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConsoleServer]:
    """A console on that floor, its picture filled."""
    store = impatient(ground.environment["TABLEWATCH_CLICKHOUSE_URL"])
    with console_server(tmp_path_factory.mktemp("console"), ground.broker, store) as server:
        floor = server.parts.live.floor
        # Findings that a test raises may be of a table that nobody plays at.
        await_that(lambda: sum(bool(each.history) for each in floor.tables.values()) >= 5, "it is filled")
        await_that(lambda: len(floor.alerts), "alerts are there")
        yield server


@pytest.fixture
def console_of_its_own(ground: Pipeline, tmp_path: Path) -> Iterator[ConsoleServer]:
    """A console for one test alone, which may publish to it: it knows that floor from the store, and its log is new."""
    broker = EmbeddedLog(tmp_path / "log")
    create(broker)
    store = impatient(ground.environment["TABLEWATCH_CLICKHOUSE_URL"])
    with console_server(tmp_path, broker, store) as server:
        floor = server.parts.live.floor
        await_that(lambda: sum(each.configured is not None for each in floor.tables.values()) >= 5, "it is filled")
        yield server


@pytest.fixture(autouse=True)
def ground_left_judged(request: pytest.FixtureRequest) -> Iterator[None]:
    """On the floor of all nobody judges any more: what a test published there would leave every console after it with
    records that wait, and so with a stopped pipeline."""
    if "ground" not in request.fixturenames:
        yield
        return
    ground: Pipeline = request.getfixturevalue("ground")
    before = lag_of(ground.broker)
    yield
    assert lag_of(ground.broker) == before, "what is published to the floor of all is judged by nobody"
