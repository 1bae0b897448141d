"""How fast the simulator is: events and rounds a second in one process, and what it keeps in memory.

python -m bench.simulate [TABLES [ROUNDS [FAULTS]]]
"""

import resource
import sys
import time

from bench.page.figures import tell
from simulator.floor import simulate
from simulator.truth import Fault


def main() -> None:
    """Simulate a floor, throw the lines away, and print the figures."""
    arguments = sys.argv[1:]
    tables = int(arguments[0]) if arguments else 40
    rounds = int(arguments[1]) if len(arguments) > 1 else 250
    faults = float(arguments[2]) if len(arguments) > 2 else 0.0
    truth: list[Fault] = []
    events = size = 0
    before = resource.getrusage(resource.RUSAGE_SELF)
    began = time.perf_counter()
    for line in simulate(tables, rounds, seed=7, faults=faults, truth=truth.append):
        events += 1
        size += len(line) + 1
    took = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    played = tables * rounds
    print(f"{played} rounds, {events} events ({events / played:.1f} a round, {size / events:.0f} bytes each)")
    tell("events simulated a second by the wall", events / took, "events/s")
    tell("events simulated a second of the processor", events / cpu, "events/s")
    tell("rounds simulated a second of the processor", played / cpu, "rounds/s")
    tell("memory of the simulator", after.ru_maxrss / 1024, "MB")
    tell("faults put on the floor", len(truth))


if __name__ == "__main__":
    main()
