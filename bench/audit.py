"""How fast one process audits a file of events, and in how much memory.

    python -m bench.audit                        # CPU time against bare decoding of the same file: pydantic, msgspec
    python -m bench.audit --events 50000000      # a simulated stream larger than memory, through a pipe

A run with ``--events`` needs room for the stream in TMPDIR, about 280 bytes an event.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from io import BytesIO
from multiprocessing import get_context
from pathlib import Path
from typing import IO, Any

import msgspec

from bench.page.figures import RATIO, tell

BAR = 60_000
"""Events a second that the command must reach in one process."""
SHARE = 0.25
"""Of the speed of bare pydantic decoding that the command must reach."""
MOST_MEMORY = 2_000_000_000
"""Bytes that a file larger than memory may take."""
EVENTS_A_ROUND = 34
TURNS = 3
COMMAND = (sys.executable, "-c", "from tablewatch.command import main; main()")


def audited(path: str) -> tuple[float, int]:
    """CPU seconds for judging a file, reading and writing included, without the start of the interpreter; bytes."""
    import gc  # noqa: PLC0415  # the command's own imports are no part of the other process

    from audit.settings import JudgeSettings  # noqa: PLC0415  # as gc
    from tablewatch.auditing.filing import Filing  # noqa: PLC0415  # as gc
    from tablewatch.auditing.judging import judge_filed  # noqa: PLC0415  # as gc
    from tablewatch.commands.audit import file_all  # noqa: PLC0415  # as gc

    gc.disable()
    start = time.process_time()
    with Filing() as filing:
        file_all(filing, [Path(path)])
        judge_filed(filing, JudgeSettings(), BytesIO())
    return time.process_time() - start, _peak()


def decoded(path: str) -> tuple[float, int]:
    """CPU seconds for decoding the same file line by line with nothing but pydantic; bytes."""
    from pydantic import TypeAdapter  # noqa: PLC0415  # as in `audited`

    from schemas.events import Event  # noqa: PLC0415  # as in `audited`

    validate: Callable[[bytes], object] = TypeAdapter[object](Event).validate_json
    start = time.process_time()
    with Path(path).open("rb") as lines:
        for line in lines:
            validate(line)
    return time.process_time() - start, _peak()


class Said(msgspec.Struct):
    """An event as msgspec reads it: the envelope by its types, the payload as it comes."""

    specversion: str
    id: str
    source: str
    type: str
    subject: str
    time: str
    sequence: int
    data: dict[str, Any]


def decoded_by_msgspec(path: str) -> tuple[float, int]:
    """CPU seconds for decoding the same file line by line with nothing but msgspec; bytes."""
    decode = msgspec.json.Decoder(Said).decode
    start = time.process_time()
    with Path(path).open("rb") as lines:
        for line in lines:
            decode(line)
    return time.process_time() - start, _peak()


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def compare(tables: int, rounds: int) -> None:
    """The command and bare decoding by turns, each in a process of its own; the best of each counts."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        subprocess.run([*COMMAND, *simulate(tables, rounds)], stdout=file, check=True, timeout=600)
        with Path(file.name).open("rb") as lines:
            events = sum(1 for _ in lines)
        with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
            runs = [
                [pool.apply(work, (file.name,)) for work in (audited, decoded, decoded_by_msgspec)]
                for _ in range(TURNS)
            ]
    judged, bare, msgspec_alone = ([events / run[place][0] for run in runs] for place in range(3))
    tell("events judged", events)
    rate = "events a second of one process"
    ours = tell(rate, max(judged), "events/s", of="audit: decode, judge, write", turns=judged, at_least=BAR)
    tell(rate, max(bare), "events/s", of="pydantic: decode alone", turns=bare)
    tell(rate, max(msgspec_alone), "events/s", of="msgspec: decode alone, payloads unchecked", turns=msgspec_alone)
    shares = [mine / theirs for mine, theirs in zip(judged, bare, strict=True)]
    share = tell("audit by bare pydantic decoding", max(judged) / max(bare), RATIO, turns=shares, at_least=SHARE)
    shares = [mine / theirs for mine, theirs in zip(judged, msgspec_alone, strict=True)]
    tell("audit by bare msgspec decoding", max(judged) / max(msgspec_alone), RATIO, turns=shares)
    tell("memory of the audit", max(run[0][1] for run in runs) / 1e6, "MB")
    if not (ours.holds and share.holds):
        raise SystemExit(f"below the bar of {BAR} events/s or {SHARE} of bare decoding")


def stream(events: int, tables: int) -> None:
    """A simulated clean stream of about so many events through a pipe into the command."""
    rounds = max(1, events // (tables * EVENTS_A_ROUND))
    start = time.perf_counter()
    with (
        subprocess.Popen([*COMMAND, *simulate(tables, rounds)], stdout=subprocess.PIPE) as floor,
        subprocess.Popen(
            [*COMMAND, "audit", "--findings", "--strict"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
        ) as judge,
    ):
        passed = _pass_on(floor.stdout, judge.stdin)
        filed = time.perf_counter() - start
        _, status, used = os.wait4(judge.pid, 0)
        judge.returncode = os.waitstatus_to_exitcode(status)
    cpu = used.ru_utime + used.ru_stime
    tell("events through a pipe", passed)
    tell("time by the wall, the simulator's included", time.perf_counter() - start, "s")
    tell("time until all was read", filed, "s")
    tell("events a second of the processor, through a pipe", passed / cpu, "events/s")
    tell("memory of the audit, through a pipe", used.ru_maxrss * 1024 / 1e6, "MB", at=passed, at_most=MOST_MEMORY / 1e6)
    if judge.returncode or used.ru_maxrss * 1024 > MOST_MEMORY:
        raise SystemExit(f"findings in a clean stream, or more memory than {MOST_MEMORY} bytes")


def _pass_on(source: IO[bytes] | None, sink: IO[bytes] | None) -> int:
    """Pass lines on; how many there were."""
    assert source is not None
    assert sink is not None
    lines = 0
    with sink:
        while block := source.read(1 << 20):
            lines += block.count(b"\n")
            sink.write(block)
    return lines


def simulate(tables: int, rounds: int) -> list[str]:
    """The arguments that make a clean floor."""
    return ["simulate", "--tables", str(tables), "--rounds", str(rounds), "--seed", "7"]


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, help="so many events through a pipe, for their memory")
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=200, help="of each table, for the comparison")
    asked = parser.parse_args()
    if asked.events:
        stream(asked.events, asked.tables)
    else:
        compare(asked.tables, asked.rounds)


if __name__ == "__main__":
    main()
