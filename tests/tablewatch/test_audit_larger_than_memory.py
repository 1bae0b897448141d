"""A file that does not fit into memory is judged to the same bytes as one that does, whatever is in it."""

from __future__ import annotations

import errno
import io
import json
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.settings import JudgeSettings
from schemas.verdicts import verdict_json
from simulator.floor import simulate
from tablewatch.auditing.filing import Filing
from tablewatch.auditing.judging import judge_filed
from tablewatch.auditing.large_table import LARGE
from tablewatch.auditing.spool import NoRoomError, Shelf, Spool, temporary_file_errors
from tablewatch.commands.audit import file_stream
from tests.audit.both_judges import judge_batches

TOO_LONG = 16_000
EVENTS = list(simulate(4, 3, 5, faults=0.3))
AMPLE = 1 << 30


class Cut(io.BytesIO):
    """A stream that comes in pieces, so that a line is longer than what is read at once, as the longest are."""

    def read1(self, _size: int | None = -1) -> bytes:
        return self.read(TOO_LONG)


def printed(files: list[bytes], memory: int = AMPLE, findings: bool = True, large: int = LARGE) -> tuple[bytes, bool]:
    """What the command prints of these files, and whether anything was found."""
    out = io.BytesIO()
    with Filing(memory) as filing:
        for number, content in enumerate(files):
            file_stream(filing, f"{number}.jsonl", Cut(content), TOO_LONG)
        found = judge_filed(filing, JudgeSettings(), out, findings=findings, strict=True, large=large)
    return out.getvalue(), found


def event(line: bytes, **changes: object) -> bytes:
    """The same event with other attributes; None takes one away."""
    fields = {**json.loads(line), **changes}
    return json.dumps({name: value for name, value in fields.items() if value is not None}).encode()


def at_another_table(line: bytes, chance: Random) -> bytes:
    """An event of the same source and id that speaks about another table."""
    other = json.loads(chance.choice(EVENTS))["subject"]
    return event(line, subject=other)


def id_first(line: bytes) -> bytes:
    fields: dict[str, Any] = json.loads(line)
    return json.dumps({"id": fields.pop("id"), **fields}, separators=(",", ":")).encode()


def disturbed(line: bytes, kind: str, chance: Random) -> list[bytes]:
    """The lines that come instead of one."""
    more = chance.sample(EVENTS, 3)
    match kind:
        case "repeat":
            return [line, line]
        case "respelt":
            return [line, event(line, datacontenttype="application/json"), id_first(line)]
        case "conflict":
            return [line, event(line, time="2026-03-02T12:00:01Z")]
        case "conflict-between-tables":
            return [line, at_another_table(line, chance)]
        case "array":
            return [b" [" + b", ".join([line, *more]) + b"]\r"]
        case "array-with-bad-ones":
            return [b"[" + b",".join([line, event(line, id=7), b"{}", more[0], event(more[1], extra=1)]) + b"]"]
        case "garbage":
            return [chance.choice([b"\xff\xfe", b"{", b"[]", b"null", b'{"subject":"T","source":"S","id"', line[:-9]])]
        case "blank":
            return [b"", b" \t", b"\r", line + b"\r"]
        case "table-named-twice":
            return [line[:-1] + b',"subject":"FF02"}', line[:-1] + b',"\\u0073ubject":"FF02"}']
        case "table-elsewhere":
            named = event(line, subject=None, data={"subject": "FF02"})
            return [named, event(line, subject=None), event(line, source=None)]
        case "escaped":
            return [line.replace(b"/", b"\\/")]
        case "too-long":
            return [line + b" " * TOO_LONG, b"x" * (TOO_LONG + 1), line]
        case _:
            return [id_first(line)]


KINDS = (
    "repeat", "respelt", "conflict", "conflict-between-tables", "array", "array-with-bad-ones", "garbage", "blank",
    "table-named-twice", "table-elsewhere", "escaped", "too-long", "id-first",
)  # fmt: skip


def a_file(seed: int, kinds: set[str], share: float) -> list[bytes]:
    chance = Random(seed)
    lines = []
    for line in chance.sample(EVENTS, len(EVENTS)) if seed % 2 else EVENTS:
        lines += disturbed(line, chance.choice(sorted(kinds)), chance) if chance.random() < share else [line]
    return lines


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.sets(st.sampled_from(KINDS), min_size=1), st.sampled_from([0.01, 0.3]), st.booleans())
def test_the_bound_of_memory_changes_no_byte(seed: int, kinds: set[str], share: float, findings: bool) -> None:
    lines = a_file(seed, kinds, share)
    files = [b"\n".join(lines[: len(lines) // 3]), b"\n".join(lines[len(lines) // 3 :]) + b"\n"]
    expected = printed(files, AMPLE, findings)
    for memory, large in ((0, 0), (3_000, LARGE), (200_000, LARGE), (AMPLE, 0), (30_000, 150)):
        assert printed(files, memory, findings, large) == expected


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"too-long"}))
def test_filing_by_table_first_changes_no_verdict_and_no_finding(kind: str) -> None:
    lines = a_file(7, {kind}, 0.2)
    judged = judge_batches([lines])
    verdicts, _ = printed([b"\n".join(lines)], findings=False)
    assert verdicts == b"".join(verdict_json(verdict) + b"\n" for verdict in judged.verdicts)
    findings, found = printed([b"\n".join(lines)])
    known = [finding.id for verdict in judged.verdicts for finding in verdict.findings]
    known += [finding.id for finding in judged.beside]
    assert Counter(json.loads(line)["id"] for line in findings.splitlines()) == Counter(known)
    assert found == bool(known)


def test_events_of_one_source_and_id_about_two_tables_are_both_rejected() -> None:
    first = next(line for line in EVENTS if b"bets.closed" in line)
    tables = sorted({json.loads(line)["subject"] for line in EVENTS})
    other = event(first, subject=next(table for table in tables if table != json.loads(first)["subject"]))
    findings, _ = printed([b"\n".join([other, *EVENTS, other])], 0)
    conflicts = [json.loads(line) for line in findings.splitlines() if b"same source and id" in line]
    assert sorted(each["table"] for each in conflicts) == sorted(json.loads(line)["subject"] for line in (first, other))


def test_identical_lines_that_are_too_long_are_one_finding_and_others_another() -> None:
    one, other = b"x" * (TOO_LONG + 1), b"y" * (TOO_LONG + 1)
    findings, _ = printed([b"\n".join([one, *EVENTS[:3], one, other, one])], 0)
    refused = [json.loads(line) for line in findings.splitlines() if b"that a record may have" in line]
    assert [each["actual"][0] for each in refused] == ["x", "y"]
    assert [each["message"].split(":")[0] for each in refused] == [
        "An event was rejected (0.jsonl, line 1)", "An event was rejected (0.jsonl, line 6)",
    ]  # fmt: skip


def test_of_several_files_the_one_with_the_line_is_named() -> None:
    findings, _ = printed([b"\n".join(EVENTS[:4]), b"\n\nnonsense"])
    (rejected,) = [json.loads(line) for line in findings.splitlines() if b"event-rejected" in line]
    assert rejected["message"].startswith("An event was rejected (1.jsonl, line 3): ")


def test_rejected_events_are_told_in_the_order_of_their_lines() -> None:
    tables = sorted({json.loads(line)["subject"] for line in EVENTS}, reverse=True)
    lines = [event(EVENTS[0], subject=table, id=7) for table in tables] + [b"nonsense"]
    findings, _ = printed([b"\n".join(lines)])
    assert [json.loads(line)["table"] for line in findings.splitlines()[: len(lines)]] == [*tables, None]


@given(st.lists(st.tuples(st.integers(0, 3), st.binary(max_size=9).map(lambda raw: raw.replace(b"\n", b"")))))
def test_a_spool_gives_back_the_lines_of_each_key_in_their_order(added: list[tuple[int, bytes]]) -> None:
    with Spool[int](200) as spool:
        for number, (key, line) in enumerate(added):
            spool.add(key, line, number)
        for key in range(4):
            expected = [(line, number) for number, (its, line) in enumerate(added) if its == key]
            given_back = [pair for lines, numbers in spool.read(key) for pair in zip(lines, numbers, strict=True)]
            assert given_back == expected
            assert spool.count(key) == len(expected)


@given(st.lists(st.binary(max_size=9)), st.integers(0, 30))
def test_a_shelf_gives_back_each_piece(pieces: list[bytes], memory: int) -> None:
    with Shelf(memory) as shelf:
        places = [shelf.put(piece) for piece in pieces]
        assert [shelf.get(place) for place in reversed(places)] == pieces[::-1]


def test_a_full_disk_is_called_so() -> None:
    with pytest.raises(NoRoomError, match="it is full"), temporary_file_errors():
        raise OSError(errno.ENOSPC, "No space left on device")


def test_no_room_for_the_temporary_file_is_told_with_exit_code_2(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"\n".join(EVENTS * 40))
    with_little_memory = (
        "import tablewatch.commands.audit as audit; audit.MEMORY = 1 << 20; from tablewatch.command import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", with_little_memory, "audit", str(file)],
        capture_output=True, timeout=120, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)),
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"do not fit into memory, and not into " in done.stderr
    assert b"Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
