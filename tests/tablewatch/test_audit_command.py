"""`tablewatch audit` as its users run it: verdicts in order, findings, exit codes, and never a traceback."""

import json
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from simulator.floor import simulate
from tablewatch.auditing.large_table import facts_of_large_table
from tablewatch.auditing.one_table import facts_of_table
from tests.tablewatch.typed import Done, typed

COMMAND = [sys.executable, "-c", "from tablewatch.command import main; main()", "audit"]


def run(*arguments: str, stdin: bytes = b"") -> Done:
    return typed("audit", *arguments, stdin=stdin)


@pytest.fixture(scope="module")
def clean() -> list[bytes]:
    """Three tables, four rounds each, without a fault."""
    return list(simulate(3, 4, 11))


def test_one_verdict_a_round_in_the_order_of_table_shoe_and_round(clean: list[bytes]) -> None:
    shuffled = random.Random(1).sample(clean, len(clean))
    done = run(stdin=b"\n".join(shuffled))
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    keys = [(verdict["table"], verdict["shoe"], verdict["round"]) for verdict in verdicts]
    assert done.returncode == 0
    assert len(keys) == 12
    assert keys == sorted(keys)
    assert {verdict["revision"] for verdict in verdicts} == {1}
    assert done.stdout == run(stdin=b"\n".join(clean)).stdout


def test_a_clean_file_is_silent_under_strict(clean: list[bytes]) -> None:
    done = run("--findings", "--strict", stdin=b"\n".join(clean))
    assert (done.returncode, done.stdout) == (0, b"")


def test_strict_exits_with_1_when_anything_was_found(clean: list[bytes]) -> None:
    done = run("--findings", "--strict", stdin=b"\n".join([*clean, b"{"]))
    assert done.returncode == 1
    assert [json.loads(line)["code"] for line in done.stdout.splitlines()] == ["event-rejected"]


def test_files_are_judged_together(clean: list[bytes], tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    first.write_bytes(b"\n".join(clean[::2]))
    second.write_bytes(b"\n".join(clean[1::2]))
    assert run(str(first), str(second)).stdout == run(stdin=b"\n".join(clean)).stdout


def test_of_several_files_a_finding_names_its_own_the_first_one_too(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(f'\n["{name}"]')
    (tmp_path / "n\udcff").write_text("[1]")
    done = run("--findings", *(str(tmp_path / name) for name in ("a", "b", "n\udcff")))
    said = [json.loads(line)["message"] for line in done.stdout.splitlines()]
    for name, line, message in zip(("a", "b", "n\ufffd"), (2, 2, 1), said, strict=True):
        assert f"({tmp_path / name}, line {line})" in message
    (said_of_one,) = (json.loads(line) for line in run("--findings", str(tmp_path / "a")).stdout.splitlines())
    assert "(line 2)" in said_of_one["message"]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = run(str(tmp_path / "none.jsonl"))
    assert done.returncode == 2
    assert b"none.jsonl cannot be read: No such file or directory." in done.stderr


def test_a_setting_that_is_no_number_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLEWATCH_TOLERANCE_MS", "soon")
    done = run()
    assert done.returncode == 2
    assert b"TABLEWATCH_TOLERANCE_MS must be a whole number" in done.stderr


@pytest.mark.parametrize(
    "garbage",
    [b"nonsense", b'{"specversion":', b"\xff\xfe\x00", b"[" * 100_000, b'{"a": NaN}', b"[]", b"x" * (17 << 20)],
    ids=["words", "truncated", "encoding", "nesting", "nan", "no-event", "17-MiB-line"],
)
def test_garbage_is_a_finding_and_the_rest_is_judged(clean: list[bytes], garbage: bytes) -> None:
    stdin = b"\n".join([*clean[:50], garbage, *clean[50:]])
    found = run("--findings", stdin=stdin)
    assert (found.returncode, found.stderr) == (0, b"")
    assert [json.loads(line)["code"] for line in found.stdout.splitlines()] == ["event-rejected"]
    judged = run(stdin=stdin)
    assert judged.stdout == run(stdin=b"\n".join(clean)).stdout
    assert judged.stderr == b""


def test_a_file_of_something_else_is_told_from_one_without_rounds() -> None:
    told = run(stdin=b"table;shoe\nBT12;S4\n")
    assert (told.returncode, told.stderr) == (0, b"No line of 2 is an event of the contract. --findings says why.\n")
    assert run(stdin=b"").stderr == b""


def test_whoever_reads_may_stop_reading(clean: list[bytes], tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"\n".join(clean))
    with subprocess.Popen([*COMMAND, str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(120) == 0


def _one_heartbeat_ahead(lines: list[bytes], until: str) -> list[bytes]:
    """The RFID of the first table gives this time in its first heartbeat."""
    events = [json.loads(line) for line in lines]
    rfid = next(event["source"] for event in events if event["type"] == "bet.placed.v1")
    beat = next(event for event in events if event["source"] == rfid and event["type"] == "device.heartbeat.v1")
    beat["time"] = beat["data"]["device_time"] = until
    return [json.dumps(event).encode() for event in events]


@pytest.mark.parametrize("facts_of", [facts_of_table, facts_of_large_table])
@pytest.mark.parametrize("until", ["2026-03-02T14:00:00.25Z", "9999-12-31T23:59:59.999999Z"])
def test_a_time_that_goes_back_is_said_once_for_each_source_and_beside_the_verdicts(
    clean: list[bytes], monkeypatch: pytest.MonkeyPatch, facts_of: Any, until: str
) -> None:
    monkeypatch.setattr("tablewatch.auditing.judging.facts_of_table", facts_of)
    done = run(stdin=b"\n".join(_one_heartbeat_ahead(clean, until)))
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 12
    (said,) = done.stderr.decode().splitlines()
    assert re.match(r"The time of /tables/\w+/rfid about \w+ goes back by [0-9.]+ s at sequence \d+\. ", said)
    assert f" Until it has come to {until[:19]}Z again, all that it says counts as said then" in said
    assert done.stderr == run("--findings", stdin=b"\n".join(_one_heartbeat_ahead(clean, until))).stderr


def test_a_time_that_goes_back_by_no_more_than_a_clock_may_be_ahead_is_not_mentioned(clean: list[bytes]) -> None:
    lines = _one_heartbeat_ahead(clean, "2026-03-02T12:04:00Z")
    assert run(stdin=b"\n".join(lines)).stderr == b""
    judged = typed("audit", stdin=b"\n".join(lines), TABLEWATCH_AHEAD_MS="100000")
    assert judged.stderr.count(b"goes back") == 1


def _begun_again(lines: list[bytes]) -> tuple[list[bytes], str, int]:
    """The RFID of the first table begins its sequence again in the middle, by as many numbers as are told."""
    events = [json.loads(line) for line in lines]
    source = next(event["source"] for event in events if event["type"] == "bet.placed.v1")
    numbers = sorted(event["sequence"] for event in events if event["source"] == source)
    used = len(numbers) // 2
    for event in events:
        if event["source"] == source:
            event["sequence"] -= numbers[0] - 1 + (used if event["sequence"] >= numbers[used] else 0)
    return [json.dumps(event).encode() for event in events], source, used


@pytest.mark.parametrize("facts_of", [facts_of_table, facts_of_large_table])
def test_a_sequence_that_was_begun_again_is_said_in_place_of_a_time_that_goes_back(
    clean: list[bytes], monkeypatch: pytest.MonkeyPatch, facts_of: Any
) -> None:
    monkeypatch.setattr("tablewatch.auditing.judging.facts_of_table", facts_of)
    lines, source, used = _begun_again(clean)
    table = source.split("/")[2]
    done = run(stdin=b"\n".join(lines))
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 12)
    # Its time goes back in the order of its numbers: by less than a clock may be ahead in so short a file.
    strictly = typed("audit", stdin=b"\n".join(lines), TABLEWATCH_AHEAD_MS="1000")
    for each in (done, strictly):
        (said,) = (line for line in each.stderr.decode().splitlines() if source in line)
        assert said.startswith(f"{source} uses {used} sequence numbers about {table} more than once, from 1 on, ")
        assert "behind the highest number" in said
        assert "goes back" not in said


def test_a_clock_that_goes_back_is_said_beside_a_number_used_twice(clean: list[bytes]) -> None:
    events = [json.loads(line) for line in _one_heartbeat_ahead(clean, "2026-03-02T14:00:00Z")]
    rfid = [event for event in events if event["type"] == "bet.placed.v1"]
    rfid = [event for event in events if event["source"] == rfid[0]["source"]]
    last = max(rfid, key=lambda event: event["sequence"])
    events.append({**last, "id": "again"})
    said = run(stdin=b"\n".join(json.dumps(event).encode() for event in events)).stderr.decode().splitlines()
    assert len(said) == 2
    assert f" uses 1 sequence number about {last['subject']} more than once, {last['sequence']}, " in said[0]
    assert " goes back by " in said[1]
