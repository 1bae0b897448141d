"""How the commands behave for a stranger: what they read, what they print where, and with which code they end."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.outsiders.stage import Scene
from tests.tablewatch.typed import typed

COMMAND = [sys.executable, "-c", "from tablewatch.command import main; main()"]
MARK = b"\xef\xbb\xbf"
ROUND = b'{"id": "r1", "game": "dragon_tiger", "decks": 8, "cards": ["KS", "10H"], "stake": "5"}'


def file_of(*lines: str) -> bytes:
    return b"\n".join(Scene("commands", "dt", {}, list(lines)).events()) + b"\n"


CLEAN = file_of("0 play KS 10H", "30 show dragon K 10")
WRONG = file_of("0 play KS 10H", "30 show tiger K 10")


def test_settle_reads_a_file_standard_input_and_a_dash_alike(tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    path.write_bytes(ROUND)
    answered = typed("settle", stdin=ROUND)
    assert (answered.returncode, answered.stderr) == (0, b"")
    assert json.loads(answered.stdout)["status"] == "ok"
    assert typed("settle", "-", stdin=ROUND).stdout == typed("settle", str(path)).stdout == answered.stdout
    missing = typed("settle", str(tmp_path / "none"))
    assert (missing.returncode, missing.stdout) == (2, b"")
    assert b"none cannot be read: No such file or directory." in missing.stderr


def test_audit_reads_a_file_standard_input_and_a_dash_alike(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(CLEAN)
    judged = typed("audit", "--strict", stdin=CLEAN)
    assert (judged.returncode, judged.stderr) == (0, b"")
    assert json.loads(judged.stdout)["status"] == "verified"
    assert typed("audit", "-", stdin=CLEAN).stdout == typed("audit", str(path)).stdout == judged.stdout
    assert typed("audit", str(path), "-", stdin=CLEAN).stdout == judged.stdout


@pytest.mark.parametrize(
    "written",
    [
        CLEAN.replace(b"\n", b"\r\n"),
        CLEAN.replace(b"\n", b"\n\n \t\n"),
        CLEAN.rstrip(),
        MARK + CLEAN,
        MARK + CLEAN.replace(b"\n", b"\r\n"),
        b"[" + CLEAN.strip().replace(b"\n", b", ") + b"]",
    ],
    ids=["windows newlines", "blank lines", "no last newline", "byte order mark", "from windows", "one batch"],
)
def test_the_same_events_written_otherwise_give_the_same_bytes(written: bytes) -> None:
    assert typed("audit", stdin=written).stdout == typed("audit", stdin=CLEAN).stdout
    assert typed("audit", "--findings", stdin=written).stdout == b""


def test_a_byte_order_mark_begins_a_file_and_no_other_line() -> None:
    assert typed("settle", stdin=MARK + ROUND).stdout == typed("settle", stdin=ROUND).stdout
    answers = typed("settle", stdin=ROUND + b"\n" + MARK + ROUND)
    assert [json.loads(line)["status"] for line in answers.stdout.splitlines()] == ["ok", "invalid"]
    assert answers.returncode == 2
    rejected = typed("audit", "--findings", stdin=CLEAN + MARK + CLEAN.splitlines()[0])
    assert [json.loads(line)["code"] for line in rejected.stdout.splitlines()] == ["event-rejected"]


@pytest.mark.parametrize(
    "line",
    [b"{", b"nonsense", b"null", b"5", b'"text"', b"[]", b"[1, 2, 3]", b'["a", ["b"]]', b'{"id": 5}', b"\xff\xfe\x00",
     b'{"x": "' + b"y" * 1_000_000 + b'"}'],
    ids=lambda line: line[:12].hex(),
)  # fmt: skip
def test_a_line_that_is_no_event_is_one_finding_and_the_rest_is_judged(line: bytes) -> None:
    spoilt = line + b"\n" + CLEAN + line + b"\n"
    findings = [json.loads(found) for found in typed("audit", "--findings", stdin=spoilt).stdout.splitlines()]
    assert [(found["code"], found["severity"], found["table"]) for found in findings] == [
        ("event-rejected", "high", None)
    ]
    done = typed("audit", "--strict", stdin=spoilt)
    assert done.returncode == 1
    assert done.stdout == typed("audit", stdin=CLEAN).stdout


@pytest.mark.parametrize(
    ("arguments", "stdin", "code"),
    [
        (["audit"], b"", 0),
        (["audit", "--strict"], b"", 0),
        (["audit"], WRONG, 0),
        (["audit", "--strict"], WRONG, 1),
        (["audit", "--findings", "--strict"], WRONG, 1),
        (["audit", "no-such-file"], b"", 2),
        (["audit", "--no-such-option"], b"", 2),
        (["settle"], b"", 0),
        (["settle"], b"{", 2),
        (["odds", "tiger", "--decks", "3", "--json"], b"", 2),
        (["odds", "dragon_tiger", "--decks", "9", "--json"], b"", 2),
        (["odds", "no_such_game", "--json"], b"", 2),
        (["rules", "no_such_game"], b"", 2),
        (["simulate", "--fault", "no-such-code"], b"", 2),
        (["simulate", "--tables", "0"], b"", 2),
        (["no-such-command"], b"", 2),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, list) else None,
)
def test_exit_codes_and_messages_on_standard_error_alone(arguments: list[str], stdin: bytes, code: int) -> None:
    done = typed(*arguments, stdin=stdin)
    assert done.returncode == code
    assert bool(done.stderr) == (code == 2)
    assert all(json.loads(line) for line in done.stdout.splitlines())


def test_a_verdict_has_the_fields_of_the_contract_in_their_order() -> None:
    (verdict,) = [json.loads(line) for line in typed("audit", stdin=WRONG).stdout.splitlines()]
    assert list(verdict) == [
        "table", "shoe", "round", "revision", "game", "rules", "status", "outcome", "displayed", "bets", "differential",
        "findings", "settings", "digest",
    ]  # fmt: skip
    assert verdict["rules"] == {"document": "dragon-tiger", "in_force": "2013-07-17"}
    assert list(verdict["outcome"]) == ["winner", "totals", "hands", "naturals", "pairs"]
    (finding,) = verdict["findings"]
    assert {
        "id",
        "code",
        "severity",
        "rule",
        "table",
        "shoe",
        "round",
        "expected",
        "actual",
        "message",
        "basis",
    } <= set(finding)


def test_rounds_and_bets_come_in_the_order_of_the_contract() -> None:
    bets = [f"5 bet {bet} dragon 100 s=S10" for bet in ("b2", "b10", "B3")]
    lines = file_of("0 play KS 10H r=10", "50 play KS 10H r=9", "-9 shoe S10 8", "100 play KS 10H s=S10", *bets)
    verdicts = [json.loads(line) for line in typed("audit", stdin=lines).stdout.splitlines()]
    assert [(verdict["shoe"], verdict["round"]) for verdict in verdicts] == [("S1", 9), ("S1", 10), ("S10", 1)]
    assert [bet["bet"] for bet in verdicts[2]["bets"]] == ["B3", "b10", "b2"]


def test_the_progress_of_judging_is_shown_to_a_person_who_waits(tmp_path: Path) -> None:
    path, out = tmp_path / "events.jsonl", tmp_path / "verdicts.jsonl"
    path.write_bytes(CLEAN)
    terminal, side = pty.openpty()
    with out.open("wb") as stdout:
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
        command = [*COMMAND, "audit", str(path)]
        done = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=side, env=environment)
    os.close(side)
    shown = b""
    while part := _read(terminal):
        shown += part
    os.close(terminal)
    assert done.wait(timeout=120) == 0
    assert b"Judging" in shown
    assert out.read_bytes() == typed("audit", str(path)).stdout


def _read(terminal: int) -> bytes:
    """What comes next from a terminal; nothing when its other side is closed."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""
