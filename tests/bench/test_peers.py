"""Peers of the stream question: the same work on a real Kafka, and a plain word where one is not installed."""

import sys
from contextlib import nullcontext
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import pytest

from bench import stream
from bench.peers import turn
from bench.peers.turn import INSTALL, MODULES, OURS, Setting, run
from simulator.floor import simulate
from tests.services.fixtures import absent
from tests.services.kafka import KafkaBroker, KafkaUnavailable, jars

TABLES, ROUNDS = 3, 6


@pytest.mark.java
def test_a_peer_stores_and_judges_the_floor_that_it_was_given(tmp_path: Path) -> None:
    try:
        jars()
    except KafkaUnavailable as error:
        absent("java", str(error))
    lines = list(simulate(TABLES, ROUNDS, 1))
    with KafkaBroker(tmp_path) as broker:
        for _ in range(2):  # nothing of a turn is left for the next
            done = run("confluent-kafka", Setting(lines, paced=60, rate=600, per_record=20, partitions=2), broker)
            _check(done)


def _check(done: turn.Turn) -> None:
    # The last round of a table may be one whose time is not over yet.
    assert TABLES * (ROUNDS - 1) <= done.verdicts <= TABLES * ROUNDS
    assert done.events_per_s > 0
    assert done.cpu_us > 0
    assert done.memory_mb > 0
    assert done.p50_ms is not None
    assert done.p99_ms is not None
    assert done.p50_ms <= done.p99_ms


@pytest.mark.parametrize("peer", MODULES)
def test_every_peer_has_its_module(peer: str) -> None:
    library, module = MODULES[peer]
    assert find_spec(f"bench.peers.{module}")
    if find_spec(library):
        assert import_module(f"bench.peers.{module}").__doc__


def test_a_peer_that_is_not_installed_is_named_with_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(MODULES, "quixstreams", ("no_such_library", "quix_app"))
    monkeypatch.setattr(stream, "run", lambda peer, setting, broker: pytest.fail(f"{peer} was run"))
    monkeypatch.setattr(sys, "argv", ["stream", "--peers", "quixstreams", "--events", "100", "--turns", "1"])
    assert stream.main() == 0
    assert f"quixstreams is not installed, and is left out; `{INSTALL}` installs it" in capsys.readouterr().out


def test_ours_is_held_against_the_best_peer_of_each_turn(capsys: pytest.CaptureFixture[str]) -> None:
    def took(rate: float, late: float) -> turn.Turn:
        return turn.Turn(rate, 10.0, 10.0, 200.0, 5, late, late)

    turns = {OURS: [took(90, 20), took(100, 10)], "aiokafka": [took(100, 10), took(80, 40)],
             "bytewax": [took(50, 40), took(100, 20)]}  # fmt: skip
    assert stream.compare(stream.Measured("packed", turns))
    told = capsys.readouterr().out
    assert "events a second, packed: as good as the best peer: 1 ×, 0.900 to 1; bar: at least 0.900, held" in told
    assert "p99 latency, packed: as good as the best peer: 1 ×, 0.500 to 2" in told
    slow = {**turns, OURS: [took(80, 20), took(85, 20)]}
    assert not stream.compare(stream.Measured("packed", slow))
    assert stream.compare(stream.Measured("unpacked", slow)), "the bar is for packed records"


def test_ours_is_held_against_a_bare_loop_and_against_its_own_bar(capsys: pytest.CaptureFixture[str]) -> None:
    def took(rate: float) -> turn.Turn:
        return turn.Turn(rate, 10.0, 10.0, 200.0, 5, None, None)

    quick = {
        OURS: [took(54_000), took(60_000), took(51_000)],
        "confluent-kafka": [took(60_000)] * 3,
        "bytewax": [took(50_000)] * 3,
    }
    assert stream.say(stream.Measured("sustained", {OURS: quick[OURS]}))
    assert stream.compare(stream.Measured("packed", quick))
    told = capsys.readouterr().out
    assert "(our Faust worker): 60,000 events/s, 51,000 to 60,000; bar: at least 50,000, held" in told
    assert "as good as a bare confluent-kafka loop: 1 ×, 0.850 to 1; bar: at least 0.600, held" in told
    slow = {**quick, OURS: [took(35_000)] * 3}
    assert not stream.say(stream.Measured("sustained", {OURS: slow[OURS]}))
    assert not stream.compare(stream.Measured("packed", slow))
    assert "loop: 0.583 ×, 0.583 to 0.583; bar: at least 0.600, MISSED" in capsys.readouterr().out
    assert stream.say(stream.Measured("packed", slow)), "the bar is for turns that last"


def test_the_fastest_peer_and_the_bare_loop_have_as_many_more_turns_as_ours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = "confluent-kafka"
    speeds = {OURS: 95_000.0, "aiokafka": 60_000.0, "bytewax": 100_000.0, bare: 50_000.0}
    run: list[tuple[str, int, int]] = []

    def took(peer: str, setting: turn.Setting, broker: None) -> turn.Turn:
        run.append((peer, setting.per_record, len(setting.lines)))
        return turn.Turn(speeds[peer], 10.0, 10.0, 200.0, 5, None, None)

    monkeypatch.setattr(stream, "run", took)
    monkeypatch.setattr(stream, "broker_at_work", lambda setting: nullcontext())
    monkeypatch.setattr(stream, "installed", lambda peer: True)
    asked = ["--events", "100", "--sustained", "200", "--turns", "2", "--pairs", "3", "--tables", "1"]
    monkeypatch.setattr(sys, "argv", ["stream", *asked, "--seconds", "0.01", "--peers", ",".join(speeds)])
    assert stream.main() == 0
    packed = [peer for peer, per_record, events in run if per_record == stream.PACKED and events != 200]
    assert packed[8:] == [OURS, "bytewax", bare, bare, "bytewax", OURS, OURS, "bytewax", bare]
    unpacked = [peer for peer, per_record, _ in run if per_record == 1]
    assert unpacked[8:] == [OURS, "bytewax", bare, bare, "bytewax", OURS], "one pair less: each takes longer"
    assert [peer for peer, _, events in run if events == 200] == [OURS, OURS], "what lasts is measured of ours alone"
    told = capsys.readouterr().out
    assert "events a second, packed: as good as the best peer: 0.950 ×" in told
    assert f"events a second, packed: as good as a bare {bare} loop: 1.90 ×" in told


def test_a_peer_that_failed_has_another_turn_and_no_third(monkeypatch: pytest.MonkeyPatch) -> None:
    failing = iter([True, False, True, True])

    def took(peer: str, setting: turn.Setting, broker: None) -> turn.Turn:
        if next(failing):
            raise turn.PeerFailed("it ended")
        return turn.Turn(1.0, 10.0, 10.0, 200.0, 5, None, None)

    monkeypatch.setattr(stream, "run", took)
    given = Setting([], 0, 0, 1)
    assert stream._turn("bytewax", given, cast(KafkaBroker, None)).events_per_s == 1.0
    with pytest.raises(SystemExit, match="bytewax failed twice: it ended"):
        stream._turn("bytewax", given, cast(KafkaBroker, None))
