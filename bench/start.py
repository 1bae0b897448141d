"""How long commands take to begin: ``python -m bench.start [--turns 3] [worker "replay list" …]``.

Time on the processor of `tablewatch COMMAND --help`, which loads all that the command needs and does nothing, beside an
interpreter that loads nothing at all. A worker that was killed is at work again no sooner than this.
"""

import argparse
import os
import subprocess
import sys
from typing import Final

from bench.page.figures import tell

COMMANDS: Final = (
    "audit",
    "publish",
    "worker",
    "gateway",
    "alerts run",
    "console",
    "replay list",
    "chain run",
    "doctor",
)
_RUN: Final = "import sys; from tablewatch.command import main; sys.argv[0] = 'tablewatch'; main()"


def spent(*arguments: str) -> float:
    """Milliseconds on the processor of a process of Python."""
    with subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"python {' '.join(arguments)} ended with {process.returncode}")
    return (used.ru_utime + used.ru_stime) * 1_000


def main() -> None:
    """Measure all by turns, and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("commands", nargs="*", default=COMMANDS)
    options.add_argument("--turns", type=int, default=3)
    asked = options.parse_args()
    calls = {"an interpreter alone": ("-c", "pass")}
    calls |= {f"tablewatch {name}": ("-c", _RUN, *name.split(), "--help") for name in asked.commands}
    took: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(asked.turns):
        for name, arguments in calls.items():
            took[name].append(spent(*arguments))
    for name, turns in took.items():
        tell("time on the processor until a command begins", min(turns), "ms", of=name, turns=turns)


if __name__ == "__main__":
    main()
