"""What each check of the judge costs, and where the rest of its time goes: ``python -m bench.checks [--rounds 50]``.

A floor is judged as `tablewatch audit` judges it. First without any timer in it; then with one around each check, whose
own cost is taken off; then under the profiler, of which the dearest functions are told.
"""

import argparse
import cProfile
import gc
import pstats
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import audit.judge
from audit.filled import RejectedPlace
from audit.intake import Intake
from audit.settings import JudgeSettings
from audit.table import assemble, judge_table
from bench.page.figures import tell
from schemas.decoding import decode_lines
from schemas.records import AnyEvent
from simulator.floor import simulate

TURNS = 3
TOLD = 12
"""Functions of the profile that are told."""

Tables = list[tuple[str, list[AnyEvent], Sequence[RejectedPlace]]]


def gathered(tables: int, rounds: int) -> Tables:
    """A clean floor with what was said of each table."""
    lines = list(simulate(tables, rounds, 7))
    intake = Intake()
    decoded = decode_lines(lines)
    intake.take(decoded, lambda index: lines[decoded.places[index]])
    return [(table, *said) for table, said in intake.tables().items()]


def judged(floor: Tables) -> int:
    """Judge all of it; how many rounds it was."""
    settings = JudgeSettings()
    return sum(len(list(judge_table(assemble(table, events, places), settings))) for table, events, places in floor)


def checks() -> dict[str, list[tuple[Any, str]]]:
    """The functions that the judge calls, by the check they belong to."""
    found: dict[str, list[tuple[Any, str]]] = {}
    for name, module in vars(audit.judge).items():
        if getattr(module, "__package__", None) == "audit.checks":
            found[name] = [(module, each) for each in ("check", "expected_of") if hasattr(module, each)]
    return found


@contextmanager
def timers() -> Iterator[dict[str, list[int]]]:
    """Around each check: nanoseconds and calls."""
    spent: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    kept = [(module, each, getattr(module, each)) for functions in checks().values() for module, each in functions]
    try:
        for name, functions in checks().items():
            for module, each in functions:
                setattr(module, each, _timed(getattr(module, each), spent[name]))
        yield spent
    finally:
        for module, each, function in kept:
            setattr(module, each, function)


def _timed(function: Callable[..., Any], spent: list[int]) -> Callable[..., Any]:
    def timed(*given: Any) -> Any:
        began = time.perf_counter_ns()
        answer = function(*given)
        spent[0] += time.perf_counter_ns() - began
        spent[1] += 1
        return answer

    return timed


def cost_of_a_timer() -> float:
    """Nanoseconds that a timer sees around nothing."""
    spent = [0, 0]
    nothing = _timed(lambda _: None, spent)
    for _ in range(200_000):
        nothing(None)
    return spent[0] / spent[1]


def profiled(floor: Tables, rounds: int) -> None:
    """The dearest functions by their own time."""
    profile = cProfile.Profile()
    profile.runcall(judged, floor)
    rows = sorted(pstats.Stats(profile).get_stats_profile().func_profiles.items(), key=lambda row: -row[1].tottime)
    whole = sum(row.tottime for _, row in rows)
    for name, row in rows[:TOLD]:
        place = Path(row.file_name).name if row.file_name != "~" else "built in"
        tell("share of the judge's time, profiled", 100 * row.tottime / whole, "%", of=f"{name} ({place})")
    tell("functions called for a round, profiled", sum(int(row.ncalls.split("/")[0]) for _, row in rows) / rounds)


def main() -> None:
    """Measure and tell."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tables", type=int, default=40)
    options.add_argument("--rounds", type=int, default=50, help="of each table")
    asked = options.parse_args()
    floor = gathered(asked.tables, asked.rounds)
    rounds = judged(floor)
    gc.disable()
    tell("rounds judged", rounds)
    whole = []
    for _ in range(TURNS):
        began = time.process_time()
        judged(floor)
        whole.append((time.process_time() - began) / rounds * 1e6)
    tell("processor time of a round in the judge", min(whole), "µs", turns=whole)
    turns: dict[str, list[float]] = defaultdict(list)
    timer = cost_of_a_timer()
    for _ in range(TURNS):
        with timers() as spent:
            judged(floor)
        for name, (nanoseconds, calls) in spent.items():
            turns[name].append(max(0.0, nanoseconds - calls * timer) / rounds / 1e3)
    for name, values in sorted(turns.items(), key=lambda each: -min(each[1])):
        tell("time of a round in a check", min(values), "µs", of=name, turns=values)
    tell("time of a round in everything but the checks", min(whole) - sum(map(min, turns.values())), "µs")
    profiled(floor, rounds)


if __name__ == "__main__":
    main()
