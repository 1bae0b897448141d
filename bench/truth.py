"""The judge against the truth of the simulator: clean rounds give nothing, faults give exactly what they promise.

    python bench/truth.py clean 1000000        a million rounds over all games, nothing may be found
    python bench/truth.py faults 20000         so many faults over all codes, all found, nothing beside

Floors of 40 tables are simulated and judged one after the other by ``tablewatch audit`` in a process of its own.
Prints a line per floor and the sum; exits with 1 if anything differs.
"""

import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import orjson

from simulator.floor import simulate
from simulator.truth import Fault
from tests.simulator.comparison import Place, found, promised

TABLES = 40
ROUNDS = 250
FAULTS = 0.33
AUDIT = (sys.executable, "-c", "from tablewatch.command import main; main()", "audit", "--findings")


def judge(seed: int, faults: float, output: Path) -> tuple[list[Fault], Counter[Place]]:
    """One floor: its truth, and what the judge found."""
    truth: list[Fault] = []
    with output.open("wb") as file, subprocess.Popen(AUDIT, stdin=subprocess.PIPE, stdout=file) as audit:
        if audit.stdin is None:
            raise RuntimeError("no pipe to the judge")
        block: list[bytes] = []
        for line in simulate(TABLES, ROUNDS, seed, faults, truth=truth.append):
            block.append(line)
            if len(block) == 4096:
                audit.stdin.write(b"\n".join(block) + b"\n")
                block = []
        audit.stdin.write(b"\n".join(block) + b"\n")
        audit.stdin.close()
        if audit.wait():
            raise RuntimeError(f"the judge failed on seed {seed}")
    return truth, found(orjson.loads(line) for line in output.read_bytes().splitlines())


def main() -> int:
    """Floor after floor until enough was judged."""
    kind, wanted = sys.argv[1], int(sys.argv[2])
    done = differences = seed = 0
    codes: Counter[str] = Counter()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        while done < wanted:
            seed += 1
            truth, judged = judge(seed, FAULTS if kind == "faults" else 0.0, Path(folder) / "findings.jsonl")
            expected = promised(truth)
            missing, beside = expected - judged, judged - expected
            differences += missing.total() + beside.total()
            done += len(truth) if kind == "faults" else TABLES * ROUNDS
            codes.update(fault.code for fault in truth)
            took = time.perf_counter() - began
            print(f"seed {seed}: {done} {kind} judged in {took:.0f} s, {differences} differences", flush=True)
            for name, places in (("missing", missing), ("beside", beside)):
                for place, count in places.items():
                    print(f"  {name}: {place} {count}", flush=True)
    print(f"{done} {kind}, {seed * TABLES * ROUNDS} rounds, {differences} differences")
    for code, count in sorted(codes.items()):
        print(f"  {code}: {count}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
