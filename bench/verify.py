"""How fast `replay verify` is against `audit` on the same rounds: ``python -m bench.verify [--tables 24 --rounds 60]``.

Both judge the same events in one run, and what counts is time on the processor: of verify with what the store's own
process spends for it, so that a busy machine changes both alike. Verify is timed over whole tables, and by windows of
shoes, as any filter has it. Nine turns each, alternating: the machine's pace changes from one to the next, so that the
middle one of their ratios counts. Exits with 1 if it is under the bar.
"""

import argparse
import gc
import io
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from audit.settings import JudgeSettings
from bench.page.figures import RATIO, tell
from replay.verify import verify
from simulator.floor import simulate
from store.connect import Store, connect
from store.embedded.process import EmbeddedClickHouse
from store.migrate import migrate
from store.read.rounds import RoundFilter
from store.render import SchemaSettings
from tablewatch.auditing.filing import Filing
from tablewatch.auditing.judging import judge_filed
from tablewatch.auditing.spool import MEMORY
from tablewatch.commands.audit import file_stream
from tests.replay.stored import fill

BAR = 0.8
TURNS = 9
_TICK = os.sysconf("SC_CLK_TCK")


def spent_by(pid: int) -> float:
    """Seconds on the processor that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def timed(work: Callable[[], object], server: int) -> tuple[float, float]:
    """Seconds on the processor: here, and in the store's process."""
    gc.collect()
    before, there = time.process_time(), spent_by(server)
    work()
    return time.process_time() - before, spent_by(server) - there


def audit_of(lines: bytes) -> None:
    """What `tablewatch audit` does with a file."""
    with Filing(MEMORY) as filing:
        file_stream(filing, None, io.BytesIO(lines))
        judge_filed(filing, JudgeSettings(), io.BytesIO())


def verify_of(store: Store, wanted: RoundFilter) -> None:
    """What `tablewatch replay verify` does."""
    result = verify(store, wanted)
    if result.deviations or not result.rounds:
        raise SystemExit(f"{result.rounds} rounds, {len(result.deviations)} deviate: nothing was measured")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=60)
    asked = parser.parse_args()
    lines = list(simulate(asked.tables, asked.rounds, 7, faults=0.02))
    file = b"\n".join(lines)
    with tempfile.TemporaryDirectory() as folder, EmbeddedClickHouse(Path(folder)) as server:
        store = connect(server.url)
        migrate(store, SchemaSettings(years=50))
        rounds = len(fill(store, lines))
        gc.disable()
        audits, verifies, windows = [], [], []
        for _ in range(TURNS):
            audits.append(timed(lambda: audit_of(file), server.pid))
            verifies.append(timed(lambda: verify_of(store, RoundFilter()), server.pid))
            windows.append(timed(lambda: verify_of(store, RoundFilter(start=0)), server.pid))
        store.close()
    audit_seconds = min(here for here, _ in audits)
    here, there = min(verifies, key=sum)
    whole_turns, window_turns = (
        [audit[0] / sum(turn) for audit, turn in zip(audits, turns, strict=True)] for turns in (verifies, windows)
    )
    ratio, by_windows = median(whole_turns), median(window_turns)
    tell("rounds verified", rounds)
    rate = "rounds a second of the processor, verify and audit"
    tell(rate, rounds / audit_seconds, "rounds/s", of="audit of the file")
    tell(rate, rounds / (here + there), "rounds/s", of="replay verify, the store's own time included")
    tell("share of verify's time that is the store's", 100 * there / (here + there), "%")
    tell("verify by audit, whole tables", ratio, RATIO, turns=whole_turns, at_least=BAR)
    tell("verify by audit, windows of shoes", by_windows, RATIO, turns=window_turns, at_least=BAR)
    return 0 if min(ratio, by_windows) >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
