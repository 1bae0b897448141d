"""Whatever comes when, and whenever a worker dies: in the end the store has what an audit of the same events finds."""

import asyncio
import re
from collections.abc import Iterator, Sequence

import pytest

from schemas.decoding import decode_lines
from schemas.time import micros
from store.connect import Store, connect
from store.embedded.process import EmbeddedClickHouse
from store.migrate import migrate
from store.read.bulk import judged_shoes, shoes_verdicts
from store.read.findings import FindingFilter, findings
from store.read.progress import stored_events_count
from tests.audit.case import FIRST_BET, Case
from tests.faults.floor import play, played_badly
from tests.store.floor import LONG
from tests.streams.pipeline import offline
from tests.streams.simulated_time import LONG_AFTER, Scene, scene

SEEDS = (0, 1, 2, 15, 17, 18)
"""`python -m bench.interleavings` plays many more."""
HALTING_SEEDS = (1, 2, 4)
"""Each has a scene that ends otherwise where a worker goes on storing."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with EmbeddedClickHouse(tmp_path_factory.mktemp("clickhouse")) as started:
        base = connect(started.url)
        yield base
        base.close()


def check(played: Scene, lines: Sequence[bytes]) -> None:
    """Verdicts and findings are those of the audit, every event is stored once, and people know what stands."""
    verdicts, found = offline(lines)
    store = played.store
    assert stored_events_count(store) == len(decode_lines(lines).events)
    tables = sorted({table for table, _, _ in verdicts})
    stored = {
        (table, *key): verdict
        for table, last in shoes_verdicts(store, judged_shoes(store, tables)).items()
        for key, verdict in last.items()
    }
    assert {key: each.digest for key, each in stored.items() if key in verdicts} == {
        key: each.digest for key, each in verdicts.items()
    }
    standing = {
        state.finding.id: state.finding.code
        for state in findings(store, FindingFilter())
        if state.finding.round is None or (state.finding.table, state.finding.shoe, state.finding.round) in verdicts
    }
    assert standing == {name: finding.code for name, finding in found.items()}
    told = {name for name, cleared in {each.id: each.cleared for each in played.told}.items() if not cleared}
    assert told >= found.keys()
    assert told <= {state.finding.id for state in findings(store, FindingFilter())}, "of what is none people know it"


@pytest.fixture
def store(server: Store, request: pytest.FixtureRequest) -> Iterator[Store]:
    """A store of a test's own."""
    store = server.in_database(re.sub(r"\W", "_", request.node.name))
    migrate(store, LONG)
    yield store
    store.command(f"DROP DATABASE `{store.address.database}` SYNC")
    store.close()


def play_and_check(store: Store, seed: int, *, live: bool, halts: bool = False) -> tuple[Scene, list[bytes]]:
    """Play the scene of a seed on an empty store, and hold what the store has then against an audit of its events."""
    lines = play("I", 2, 6, seed)
    if seed % 3 == 2:
        lines = played_badly(lines, seed)
    began = min(micros(event.time) for event in decode_lines(lines).events) / 1e6
    with scene(store, seed, began if live else began + LONG_AFTER, halts=halts) as played:
        asyncio.run(played.play(lines, live=live))
        check(played, lines)
    return played, lines


@pytest.mark.parametrize("live", [True, False], ids=["live", "arrears"])
@pytest.mark.parametrize("seed", SEEDS)
def test_in_the_end_all_is_as_an_audit_has_it(store: Store, seed: int, live: bool) -> None:
    play_and_check(store, seed, live=live)


@pytest.mark.parametrize("live", [True, False], ids=["live", "arrears"])
@pytest.mark.parametrize("seed", HALTING_SEEDS)
def test_a_worker_that_stood_still_for_longer_than_its_session_stores_nothing_more(
    store: Store, seed: int, live: bool
) -> None:
    play_and_check(store, seed, live=live, halts=True)


def test_a_table_that_was_configured_and_has_no_shoe_yet_is_known_to_the_next_worker(store: Store) -> None:
    """Tables are opened, the worker is restarted, and then they play: they are judged by their configuration."""
    case = Case().round(**FIRST_BET)
    place = next(place for place, event in enumerate(case.events()) if event["type"] == "shoe.loaded.v1")
    lines = case.lines()
    began = min(micros(event.time) for event in decode_lines(lines).events) / 1e6

    async def restart() -> None:
        played.publish(lines[:place])
        await played.finish()
        played.kill()
        played.publish(lines[place:])
        await played.finish()

    with scene(store, 1, began + LONG_AFTER) as played:
        asyncio.run(restart())
        check(played, lines)
