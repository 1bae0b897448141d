"""How fast the simulator is: events and rounds a second in one process, and what it keeps in memory.

python bench/simulate.py [TABLES [ROUNDS [FAULTS]]]
"""

import resource
import sys
import time

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
    print(f"{took:.2f} s by the wall: {events / took:,.0f} events/s, {played / took:,.0f} rounds/s")
    print(f"{cpu:.2f} s of one core: {events / cpu:,.0f} events/s, {played / cpu:,.0f} rounds/s")
    print(f"{after.ru_maxrss / 1024:.0f} MB at most; {len(truth)} faults")


if __name__ == "__main__":
    main()
