"""The same seed gives the same bytes, whatever the process; another seed gives others."""

import subprocess
import sys
from hashlib import sha256

from simulator.floor import simulate
from simulator.truth import Fault

PROGRAM = """
from hashlib import sha256
from simulator.floor import simulate
digest = sha256()
for line in simulate(10, 15, seed=7, faults=0.3, truth=lambda fault: digest.update(fault.line())):
    digest.update(line)
print(digest.hexdigest())
"""


def bytes_under(hash_seed: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return run.stdout


def test_the_hash_seed_of_the_process_has_no_influence() -> None:
    assert bytes_under("1") == bytes_under("4242")


def test_the_same_seed_gives_the_same_bytes_and_truth() -> None:
    runs = []
    for _ in range(2):
        truth: list[Fault] = []
        runs.append((list(simulate(6, 10, seed=9, faults=0.3, truth=truth.append)), truth))
    assert runs[0] == runs[1]
    assert runs[0][1]


def test_another_seed_gives_another_floor() -> None:
    digests = {sha256(b"".join(simulate(2, 3, seed=seed))).hexdigest() for seed in range(4)}
    assert len(digests) == 4
