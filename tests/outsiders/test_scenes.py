"""What happened at a table and what must be found, by the contract alone: every code where it must appear, just inside
its bounds where it must not, and under circumstances."""

import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from schemas.findings import SEVERITY, STATISTICAL
from tests.outsiders.judged import Line, by_scene, differences, read
from tests.outsiders.stage import read_scenes

SCENES = {scene.name: scene for scene in read_scenes(Path(__file__).parent / "scenes")}
Judged = tuple[dict[str, list[Line]], dict[str, list[Line]]]


def audit(lines: list[bytes], *options: str) -> bytes:
    command = [sys.executable, "-c", "from tablewatch.command import main; main()", "audit", *options]
    done = subprocess.run(command, input=b"\n".join(lines), capture_output=True, timeout=240, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


@pytest.fixture(scope="module")
def events() -> list[bytes]:
    return [line for scene in SCENES.values() for line in scene.events()]


@pytest.fixture(scope="module")
def verdicts(events: list[bytes]) -> bytes:
    return audit(events)


@pytest.fixture(scope="module")
def judged(events: list[bytes], verdicts: bytes) -> Judged:
    return by_scene(read(verdicts)), by_scene(read(audit(events, "--findings")))


@pytest.mark.parametrize("name", SCENES)
def test_scene(name: str, judged: Judged) -> None:
    assert SCENES[name].expected or not SCENES[name].lines or name.endswith("heartbeat")
    verdicts, findings = judged[0].get(name, []), judged[1].get(name, [])
    assert differences(SCENES[name], verdicts, findings) == []
    # A finding of a round is in its verdict, and the other way round.
    told = [finding for verdict in verdicts for finding in verdict["findings"]]
    assert [finding for finding in findings if finding["round"] is not None] == told


def test_every_code_is_expected_somewhere_and_each_more_than_once() -> None:
    expected = Counter(line[0] for scene in SCENES.values() for line in scene.expected)
    assert {code: expected[code] for code in SEVERITY.keys() - STATISTICAL if expected[code] < 2} == {}


def test_order_of_arrival_and_repeats_change_no_byte(events: list[bytes], verdicts: bytes) -> None:
    chance = random.Random(1)
    arrived = [*events, *chance.sample(events, len(events) // 4)]
    chance.shuffle(arrived)
    assert audit(arrived) == verdicts
