"""``tablewatch simulate``: the same bytes as the room gives, the truth in a file, and clear refusals."""

from pathlib import Path

import orjson
import pytest
import typer
from typer.testing import CliRunner, Result

from simulator.floor import simulate as floor
from simulator.truth import Fault
from tablewatch.commands.simulate import simulate

app = typer.Typer()
app.command()(simulate)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_it_prints_the_events_of_the_floor_and_writes_the_truth(tmp_path: Path) -> None:
    file = tmp_path / "truth.jsonl"
    result = run("--tables", "5", "--rounds", "9", "--seed", "2", "--faults", "0.3", "--truth", str(file))
    truth: list[Fault] = []
    lines = list(floor(5, 9, seed=2, faults=0.3, truth=truth.append))
    assert result.exit_code == 0
    assert result.stdout_bytes == b"\n".join(lines) + b"\n"
    assert file.read_bytes().splitlines() == [fault.line() for fault in truth]
    assert truth


def test_a_named_fault_alone_gives_one_round_in_a_hundred(tmp_path: Path) -> None:
    file = tmp_path / "truth.jsonl"
    result = run("--tables", "10", "--rounds", "60", "--fault", "payout-missing", "--truth", str(file))
    assert result.exit_code == 0
    codes = [orjson.loads(line)["code"] for line in file.read_bytes().splitlines()]
    assert set(codes) == {"payout-missing"}
    assert 1 <= len(codes) <= 20


def test_games_and_start_can_be_chosen() -> None:
    result = run("--tables", "2", "--rounds", "1", "--game", "dragon_tiger", "--start", "2024-02-29T23:00:00Z")
    events = [orjson.loads(line) for line in result.stdout_bytes.splitlines()]
    configured = [event for event in events if event["type"] == "table.configured.v1"]
    assert {event["data"]["game"] for event in configured} == {"dragon_tiger"}
    assert {event["time"][:13] for event in configured} == {"2024-02-29T23"}


def test_in_real_time_lines_come_at_their_time_and_all_the_same() -> None:
    fast = run("--tables", "1", "--rounds", "1", "--start", "2024-02-29T23:00:00Z")
    paced = run("--tables", "1", "--rounds", "1", "--start", "2024-02-29T23:00:00Z", "--speed", "100000")
    assert paced.stdout_bytes == fast.stdout_bytes


def test_a_fault_that_cannot_happen_is_said_to_be_absent() -> None:
    result = run("--tables", "2", "--rounds", "9", "--game", "dragon_tiger", "--fault", "differential-exceeded")
    assert result.exit_code == 0
    assert "No fault was injected" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--fault", "payout-wrnog"], "payout-wrong"),
        (["--game", "roulette"], "dragon_tiger_baccarat"),
        (["--start", "yesterday"], "2026-03-02T12:00:00Z"),
        (["--start", "2026-03-02T12:00:00"], "time zone"),
        (["--faults", "2"], "faults"),
        (["--tables", "0"], "tables"),
        (["--truth", "/no/such/folder/truth.jsonl"], "can be written"),
    ],
)
def test_wrong_use_ends_with_2_and_says_what_to_do(arguments: list[str], hint: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert hint in " ".join(result.output.replace("│", " ").split())
