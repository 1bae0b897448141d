"""The judge over much more than the tests have time for: honest floors, floors with faults, and a second judge.

python -m bench.judge_soak [--rounds 20000] [--faults 2000] [--seeds 1000] [--wild 1000] [--first 0]

Honest rounds of all ten games must give no finding. Of floors with faults every finding that the truth promises must be
found, about the right round, shoe or device, bet and draw, and none beside them; the same lines shuffled and repeated
must give the same verdicts. And the second judge of the tests must say the same of every scenario.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import get_context
from typing import NamedTuple

from bench.page.figures import tell
from schemas.findings import Finding
from schemas.verdicts import verdict_json
from simulator.faults.catalogue import RULE_CODES
from simulator.floor import simulate
from simulator.truth import Fault
from tests.audit.both_judges import Judged, differences, judge_lines
from tests.oracle.scenarios import scenario_lines
from tests.oracle.wild import wild_lines

TABLES = 20
ROUNDS = 100
SHARE = 0.25
"""The share of rounds in which something goes wrong, on a floor with faults."""

Place = tuple[object, ...]

_OF_A_DEVICE = frozenset({"device-gap", "device-clock", "device-silent"})


class Report(NamedTuple):
    """What one piece of work came to."""

    done: int
    """Rounds, faults or files."""
    codes: Counter[str]
    """Faults by the code that was injected."""
    wrong: list[str]
    """What should not be, in words."""


def _place(code: str, table: str | None, shoe: str | None, number: int | None) -> Place:
    """What a finding is about: a round or shoe, a device, or bytes that may not even tell their table."""
    if code == "event-rejected":
        return (code,)
    return (code, table) if code in _OF_A_DEVICE else (code, table, shoe, number)


def _findings(judged: Judged) -> list[Finding]:
    return judged.beside + [finding for verdict in judged.verdicts for finding in verdict.findings]


def honest(seed: int) -> Report:
    """A floor that plays by the rules."""
    judged = judge_lines(list(simulate(TABLES, ROUNDS, seed)))
    wrong = [f"seed {seed}: {each.code} at {each.table} {each.shoe} {each.round}: {each.message}"
             for each in _findings(judged)]  # fmt: skip
    return Report(len(judged.verdicts), Counter(), wrong)


def faulty(seed: int) -> Report:
    """A floor on which something goes wrong all the time."""
    truth: list[Fault] = []
    lines = list(simulate(TABLES, ROUNDS, seed, SHARE, truth=truth.append))
    judged = judge_lines(lines)
    findings = _findings(judged)
    found = Counter(_place(each.code, each.table, each.shoe, each.round) for each in findings)
    promised = Counter(_place(code, each.table, each.shoe, each.round) for each in truth for code in each.consequences)
    wrong = [f"seed {seed}: not found {place}" for place in (promised - found).elements()]
    wrong += [f"seed {seed}: found beside {place}" for place in (found - promised).elements()]
    wrong += [f"seed {seed}: {each.code} does not name {each.bet or each.draw}" for each in truth
              if not _named(each, findings)]  # fmt: skip
    dice = random.Random(seed)
    again = lines + dice.sample(lines, len(lines) // 10)
    dice.shuffle(again)
    if list(map(verdict_json, judge_lines(again).verdicts)) != list(map(verdict_json, judged.verdicts)):
        wrong.append(f"seed {seed}: other verdicts when shuffled and repeated")
    return Report(len(truth), Counter(each.code for each in truth), wrong)


def _named(fault: Fault, findings: Iterable[Finding]) -> bool:
    """Whether a finding names the bet and the draw that the fault was put on, where it was put on one."""
    if fault.bet is None and fault.draw is None:
        return True
    place = fault.code, fault.table, fault.shoe, fault.round
    return any(
        (each.code, each.table, each.shoe, each.round) == place
        and each.bet in (fault.bet, None)
        and each.draw in (fault.draw, None)
        for each in findings
    )


def _second(make: Callable[[random.Random], list[bytes]], name: str, seed: int) -> Report:
    return Report(1, Counter(), [f"{name} {seed}: {each}" for each in differences(make(random.Random(seed)))])


def scenario(seed: int) -> Report:
    """A scenario before both judges."""
    return _second(scenario_lines, "scenario", seed)


def wild(seed: int) -> Report:
    """A file that no table would make before both judges."""
    return _second(wild_lines, "wild file", seed)


def _until(done: int, reports: Iterator[Report], what: str) -> Report:
    """Take reports until so much is done, telling how far it is."""
    began = told = time.monotonic()
    total, codes, wrong = 0, Counter[str](), []
    if done:
        for report in reports:
            total += report.done
            codes += report.codes
            wrong += report.wrong
            for line in report.wrong:
                print(line[:1000], flush=True)
            if time.monotonic() - told > 10:
                told = time.monotonic()
                print(f"{what}: {total:,} of {done:,}", file=sys.stderr, flush=True)
            if total >= done:
                break
    tell(f"{what} before the judge", total)
    tell(f"wrong of the {what}", len(wrong), at=total, at_most=0)
    tell(f"time of the {what}", time.monotonic() - began, "s")
    return Report(total, codes, wrong)


def main() -> None:
    """Do as much of each as was asked for; exit with 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20_000, help="honest rounds")
    parser.add_argument("--faults", type=int, default=2_000, help="faults put on floors")
    parser.add_argument("--seeds", type=int, default=1_000, help="scenarios before both judges")
    parser.add_argument("--wild", type=int, default=1_000, help="files that no table would make before both judges")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    seeds = range(asked.first, 2**62)
    work: list[tuple[str, int, Callable[[int], Report], int]] = [
        ("honest rounds", asked.rounds, honest, TABLES * ROUNDS),
        ("faults", asked.faults, faulty, 100),
        ("scenarios", asked.seeds, scenario, 1),
        ("wild files", asked.wild, wild, 1),
    ]
    wrong = 0
    codes = Counter[str]()
    for what, done, task, at_least in work:
        # The pool draws its tasks ahead of time, so the seeds end where enough will have been done.
        with get_context("fork").Pool(asked.processes) as pool:
            report = _until(done, pool.imap_unordered(task, seeds[: done // at_least + 1]), what)
        wrong += len(report.wrong)
        codes += report.codes
    if codes:
        print("faults by code: " + ", ".join(f"{code} {count}" for code, count in sorted(codes.items())))
        if missing := sorted(set(RULE_CODES) - set(codes)):
            print(f"never put on a floor: {', '.join(missing)}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
