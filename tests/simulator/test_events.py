"""Every line of an honest floor is an event of the contract, and its devices behave."""

from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

import orjson
import pytest

from games.rulebook import GAMES
from schemas.decoding import decode_lines
from schemas.events import MODELS
from schemas.time import micros
from simulator.floor import deliveries, simulate

TABLES, ROUNDS = 20, 90


@pytest.fixture(scope="module")
def lines(special_rounds: None) -> list[bytes]:
    return list(simulate(TABLES, ROUNDS, seed=5))


@pytest.fixture(scope="module")
def special_rounds() -> Any:
    """Half of the rounds are out of the ordinary, so that few rounds show everything."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("simulator.table.SPECIAL", 0.5)
        yield


@pytest.fixture(scope="module")
def events(lines: list[bytes]) -> list[dict[str, Any]]:
    """The events once each, in the order of source and sequence."""
    once = {(event["source"], event["id"]): event for event in map(orjson.loads, lines)}
    return sorted(once.values(), key=lambda event: (event["source"], event["subject"], event["sequence"]))


def by_source(events: list[dict[str, Any]]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for event in events:
        groups[event["source"], event["subject"]].append(event)
    return groups


def test_every_line_is_an_event_of_the_contract(lines: list[bytes]) -> None:
    decoded = decode_lines(lines)
    assert [rejected.reason for rejected in decoded.rejected] == []
    assert len(decoded.events) == len(lines)


def test_every_type_and_every_game_appears(events: list[dict[str, Any]]) -> None:
    assert {event["type"] for event in events} == set(MODELS)
    games = {event["data"]["game"] for event in events if event["type"] == "table.configured.v1"}
    assert games == set(GAMES)


def test_each_table_plays_the_rounds_asked_for(events: list[dict[str, Any]]) -> None:
    closed = Counter(event["subject"] for event in events if event["type"] == "round.closed.v1")
    assert set(closed.values()) == {ROUNDS}
    assert len(closed) == TABLES


def test_every_ruling_and_most_incidents_of_honest_play_appear(events: list[dict[str, Any]]) -> None:
    rulings = {event["data"]["ruling"] for event in events if event["type"] == "ruling.made.v1"}
    assert rulings == {
        "void", "reconstructed", "withdrawal-offered", "bets-refused", "bets-removed", "replacement-card",
        "wagers-restricted", "device-reset", "power-failure", "stands",
    }  # fmt: skip
    incidents = {event["data"]["incident"] for event in events if event["type"] == "incident.reported.v1"}
    assert incidents >= {"cards-drawn-together", "order-altered", "wrong-order", "player-left-with-cards"}


def test_withdrawals_are_offered_under_every_clause_that_has_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.table.SPECIAL", 0.15)
    options = {"3.17.1", "5.8.1", "5.8.2.2", "5.9", "5.17.1", "5.18.1"}
    clauses: set[str] = set()
    # The cutting card seldom comes first, and only in the HLGA that gives an option: one floor may not have it.
    for seed in range(1, 20):
        floor = simulate(10, 110, seed, games=["dragon_tiger_baccarat", "fa_fa_fabulous_4"])
        clauses |= {orjson.loads(line)["data"]["clause"] for line in floor if b'"withdrawal-offered"' in line}
        if clauses >= options:
            break
    assert clauses == options


def test_sequences_have_no_hole(events: list[dict[str, Any]]) -> None:
    for source, about in by_source(events).items():
        numbers = [event["sequence"] for event in about]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), source


def test_ids_are_unique_within_a_source(events: list[dict[str, Any]]) -> None:
    ids = Counter((event["source"], event["id"]) for event in events)
    assert max(ids.values()) == 1
    places = Counter((event["source"], event["subject"], event["sequence"]) for event in events)
    assert max(places.values()) == 1


def test_no_device_is_silent_for_a_minute(events: list[dict[str, Any]]) -> None:
    for (source, _), about in by_source(events).items():
        if source.endswith("/desk"):
            continue
        times = [micros(event["time"]) for event in about]
        assert max(later - time for time, later in pairwise(times)) < 60_000_000, source


def test_clocks_drift_within_the_tolerance(events: list[dict[str, Any]]) -> None:
    beats = [event for event in events if event["type"] == "device.heartbeat.v1"]
    off = [micros(beat["data"]["device_time"]) - micros(beat["time"]) for beat in beats]
    assert max(map(abs, off)) <= 250_000
    assert min(off) < -50_000
    assert max(off) > 50_000


def test_lines_come_late_and_twice(lines: list[bytes]) -> None:
    seen: dict[tuple[str, str], dict[str, Any]] = {}
    repeated = reordered = behind = 0
    latest: dict[tuple[str, str], int] = {}
    for line in lines:
        event = orjson.loads(line)
        key = (event["source"], event["id"])
        if key in seen:
            repeated += 1
            assert seen[key] == event
            reordered += orjson.dumps(event) != orjson.dumps(seen[key])
            continue
        seen[key] = event
        source = (event["source"], event["subject"])
        behind += event["sequence"] < latest.get(source, 0)
        latest[source] = max(latest.get(source, 0), event["sequence"])
    assert repeated > 20
    assert reordered > 5
    assert behind > 20


def test_deliveries_come_in_the_order_of_their_arrival() -> None:
    times = [at for at, _ in deliveries(12, 20, seed=1)]
    assert times == sorted(times)


def test_tables_are_interleaved(lines: list[bytes]) -> None:
    first = [orjson.loads(line)["subject"] for line in lines[: len(lines) // 2]]
    assert len(set(first)) == TABLES
