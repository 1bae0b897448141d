"""Whatever comes when, and whenever a worker dies: in the end the store has what an audit of the same events finds."""

import asyncio
import random
from collections.abc import Callable, Sequence

import orjson
import pytest

from schemas.decoding import decode_lines
from schemas.rejections import parse_rejection
from schemas.time import micros
from schemas.topics import REJECTED, VERDICTS
from store.connect import Store
from store.read.bulk import judged_shoes, shoes_verdicts
from store.read.findings import FindingFilter, findings
from store.read.progress import stored_events_count
from store.read.rejections import rejections
from tests.audit.case import FIRST_BET, Case
from tests.faults.floor import play, played_badly
from tests.store.floor import iso
from tests.streams.pipeline import offline
from tests.streams.simulated_time import LONG_AFTER, Scene, scene

SEEDS = (0, 1, 2, 15, 17, 18)
"""`python -m bench.interleavings` plays many more."""
HALTING_SEEDS = (1, 2, 4)
"""Each has a scene that ends otherwise where a worker goes on storing."""
REFUSING_SEEDS = (1, 3, 5)
"""The first has a round whose next opening comes late, the second a worker that is killed before it tells."""
LOSING_SEEDS = (0, 1, 2)
RENAMING_SEEDS = (0, 1, 8006, 91019)
"""The third has a name that comes again in an event that is sent twice, the last a verdict that is held back after a
kill and overtaken by what a refusal makes of it."""


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
    assert _stored_verdicts(store) <= set(played.published[VERDICTS.name]), "the topic has all that is stored"
    sent = [parse_rejection(each) for each in played.published.get(REJECTED.name, [])]
    refused = {(each.key.topic, each.key.offset, each.raw) for each in rejections(store)}
    assert refused == {(each.topic, each.offset, each.raw) for each in sent}


def _stored_verdicts(store: Store) -> set[bytes]:
    """Every revision, as the one of its rows that counts has it."""
    rows = store.columns(
        "SELECT argMax(verdict, precedence) FROM verdicts GROUP BY table, shoe, round, revision", as_bytes=True
    )
    return {verdict for column in rows for verdict in column}


def with_refused(lines: Sequence[bytes], seed: int) -> list[bytes]:
    """The same, and among them bytes that are no event, and an id that comes again with another content."""
    rng, some = random.Random(seed), list(lines)
    for number in range(8):
        place = rng.randrange(len(some))
        twin = b"no event %d" % number
        if number % 2:
            event = orjson.loads(lines[rng.randrange(len(lines))])
            place = lines.index(orjson.dumps(event))
            twin = orjson.dumps({**event, "time": iso(micros(event["time"]) + 1)})
        some.insert(place + rng.randint(0, 40), twin)
    return some


def with_losses(lines: Sequence[bytes], seed: int) -> list[bytes]:
    """The same without some of them: holes in the sequences of the devices, and things that never come."""
    lost = set(random.Random(seed).sample(range(len(lines)), 8))
    return [line for place, line in enumerate(lines) if place not in lost]


def with_names_again(lines: Sequence[bytes], seed: int) -> list[bytes]:
    """The same, and some have the id of another event of their source at their table, of any time."""
    rng = random.Random(seed)
    events = {place: orjson.loads(lines[place]) for place in decode_lines(lines).places}
    for event in rng.sample(list(events.values()), 4):
        alike = [
            each for each in events.values() if (each["source"], each["subject"]) == (event["source"], event["subject"])
        ]
        event["id"] = rng.choice(alike)["id"]
    return [orjson.dumps(events[place]) if place in events else line for place, line in enumerate(lines)]


Spoil = Callable[[Sequence[bytes], int], list[bytes]]
"""Gives lines that devices have sent as they arrive, by a seed."""


def play_and_check(
    store: Store, seed: int, *, live: bool, halts: bool = False, spoil: Spoil | None = None
) -> tuple[Scene, list[bytes]]:
    """Play the scene of a seed on an empty store, and hold what the store has then against an audit of its events."""
    lines = play("I", 2, 6, seed)
    if spoil is not None:
        lines = spoil(lines, seed)
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


@pytest.mark.parametrize("live", [True, False], ids=["live", "arrears"])
@pytest.mark.parametrize("seed", REFUSING_SEEDS)
def test_what_is_refused_is_told_and_kept_whenever_a_worker_dies(store: Store, seed: int, live: bool) -> None:
    play_and_check(store, seed, live=live, spoil=with_refused)


@pytest.mark.parametrize("live", [True, False], ids=["live", "arrears"])
@pytest.mark.parametrize("seed", LOSING_SEEDS)
def test_what_is_lost_is_missed_as_an_audit_misses_it(store: Store, seed: int, live: bool) -> None:
    play_and_check(store, seed, live=live, spoil=with_losses)


@pytest.mark.parametrize("live", [True, False], ids=["live", "arrears"])
@pytest.mark.parametrize("seed", RENAMING_SEEDS)
def test_a_name_that_comes_again_is_refused_however_long_after(store: Store, seed: int, live: bool) -> None:
    play_and_check(store, seed, live=live, spoil=with_names_again)


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
