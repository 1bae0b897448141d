"""A floor that plays while things break, and what must hold after each of them."""

import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import orjson

from schemas.decoding import decode_lines
from simulator.floor import simulate
from streams.publish import publish
from tests.streams.pipeline import Pipeline, StoreProcess, alerts, await_takeover, offline, stop, took_over
from tests.streams.test_agents import broker_pipeline, check_against_audit


@dataclass
class Floor:
    """A pipeline, all that was sent into it so far, and the worker at work."""

    running: Pipeline
    server: StoreProcess
    lines: list[bytes] = field(default_factory=list)
    kills: int = 0
    worker: subprocess.Popen[bytes] | None = None

    def at_work(self) -> subprocess.Popen[bytes]:
        """A worker that has taken over both partitions."""
        if self.worker is None or self.worker.poll() is not None:
            before = took_over(self.running)
            self.worker = self.running.start_worker()
            await_takeover(self.running, before + 1)
        return self.worker

    def say(self, lines: Sequence[bytes], max_events: int = 20) -> None:
        """Tables say something."""
        publish(lines, self.running.broker, max_events=max_events)
        self.lines += lines

    def kill(self) -> None:
        """kill -9 of the worker at work."""
        assert self.worker is not None
        self.worker.kill()
        self.worker.wait()
        self.worker = None
        self.kills += 1

    def say_among_kills(self, lines: Sequence[bytes], kills: int, seed: int) -> None:
        """Tables say this while workers are killed at random moments; another follows each, as a supervisor has it."""
        rng = random.Random(seed)
        cuts = [0, *sorted(rng.sample(range(1, len(lines)), kills)), len(lines)]
        for begin, end in pairwise(cuts):
            self.at_work()
            self.say(lines[begin:end], max_events=rng.choice([1, 5, 20]))
            if end != len(lines):
                pause(rng, 1.0)
                self.kill()

    def say_while_one_of_two_dies(self, lines: Sequence[bytes]) -> None:
        """Tables say this to two workers that share, of which the first is killed."""
        first = self.at_work()
        before = took_over(self.running)
        second = self.running.start_worker()
        self.say(lines[: len(lines) // 2])
        await_takeover(self.running, before)
        self.say(lines[len(lines) // 2 :])
        assert self.worker is first
        self.kill()
        self.worker = second

    def check(self, seconds: float = 120.0) -> None:
        """Nothing is lost, nothing doubled, all is judged as an audit judges it, and people were told once of each
        finding's every state, but for one repeat for each kill."""
        self.running.await_done(seconds)
        check_against_audit(self.running, self.lines)
        told = alerts(self.running)
        repeated = Counter(orjson.dumps(finding, default=str) for finding in told)
        assert max(repeated.values(), default=0) <= 1 + self.kills, repeated.most_common(1)
        _, found = offline(self.lines)
        last = {finding.id: finding.cleared for finding in told}
        assert found.keys() == {name for name, cleared in last.items() if not cleared and name in found}

    def end(self) -> None:
        """Let the worker finish."""
        if self.worker is not None:
            assert stop(self.worker) == 0


@contextmanager
def floor(folder: Path, url: str, server: StoreProcess, **environment: str) -> Iterator[Floor]:
    """A floor on the broker that a URL names."""
    with broker_pipeline(folder, url, server) as running:
        running.environment |= environment
        playing = Floor(running, server)
        yield playing
        playing.end()


def play(name: str, tables: int, rounds: int, seed: int, faults: float = 0.3) -> list[bytes]:
    """The events of tables of this name, with some faults of people and devices among them."""
    lines = list(simulate(tables, rounds, seed, faults=faults))
    subjects = {event.subject for event in decode_lines(lines).events}
    for subject in subjects:
        lines = [line.replace(subject.encode(), f"{name}{subject}".encode()) for line in lines]
    return lines


def played_badly(lines: Sequence[bytes], seed: int) -> list[bytes]:
    """The same events as a bad network brings them: some twice, and many out of their order."""
    rng = random.Random(seed)
    twice = [*lines, *rng.sample(list(lines), len(lines) // 10)]
    return [line for _, line in sorted((place + rng.random() * 60, line) for place, line in enumerate(twice))]


def pause(rng: random.Random, seconds: float) -> None:
    """A random part of so many seconds."""
    time.sleep(rng.random() * seconds)
