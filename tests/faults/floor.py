"""A floor that plays while things break, and what must hold after each of them."""

import random
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import httpx
import orjson

from schemas.decoding import decode_lines
from simulator.floor import simulate
from store.read.rounds import count_rounds
from streams.publish import publish
from streams.sink import LINGER_SECONDS
from tests.streams.alerting.webhook import until
from tests.streams.forked_workers import WorkerProcess
from tests.streams.pipeline import Pipeline, StoreProcess, alerts, await_takeover, offline, took_over
from tests.streams.test_agents import broker_pipeline, check_against_audit, standing_of


@dataclass
class Floor:
    """A pipeline, all that was sent into it so far, and the worker at work."""

    running: Pipeline
    server: StoreProcess
    lines: list[bytes] = field(default_factory=list)
    kills: int = 0
    worker: WorkerProcess | None = None
    launch: Callable[[], WorkerProcess] | None = None
    """How a worker is started, if not under a name of its own each time."""

    def start_worker(self) -> WorkerProcess:
        """One more worker."""
        return self.running.start_worker() if self.launch is None else self.launch()

    def at_work(self) -> WorkerProcess:
        """A worker that has taken over both partitions."""
        if self.worker is None or self.worker.poll() is not None:
            before = took_over(self.running)
            self.worker = self.start_worker()
            await_takeover(self.running, before + 1)
        return self.worker

    def readiness(self) -> httpx.Response:
        """What the worker that was started last answers to whoever asks whether it is ready."""
        port = re.findall(r"metrics on port (\d+)", (self.running.folder / "worker.log").read_text())[-1]
        return httpx.get(f"http://127.0.0.1:{port}/readyz")

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

    def say_among_kills(
        self,
        lines: Sequence[bytes],
        kills: int,
        seed: int,
        *,
        early: float = 0.0,
        told: Callable[[], None] | None = None,
    ) -> None:
        """Tables say this while workers are killed at random moments, a share of them (``early``) before they are at
        work; another follows each, as a supervisor has it. ``told`` is called after each kill."""
        rng = random.Random(seed)
        cuts = [0, *sorted(rng.sample(range(1, len(lines)), kills)), len(lines)]
        took = 1.0
        for begin, end in pairwise(cuts):
            if rng.random() < early and self.worker is None:
                self.worker = self.start_worker()
            else:
                began = time.monotonic()
                self.at_work()
                took = max(1.0, time.monotonic() - began)
            self.say(lines[begin:end], max_events=rng.choice([1, 5, 20]))
            if end != len(lines):
                # On a loaded machine a worker takes long to begin, and as long to store something.
                pause(rng, took)
                self.kill()
                if told is not None:
                    told()

    def say_while_one_of_two_dies(self, lines: Sequence[bytes]) -> None:
        """Tables say this to two workers that share, of which the first is killed."""
        first = self.at_work()
        before = took_over(self.running)
        second = self.start_worker()
        self.say(lines[: len(lines) // 2])
        await_takeover(self.running, before)
        self.say(lines[len(lines) // 2 :])
        assert self.worker is first
        self.kill()
        self.worker = second

    def say_while_one_stands_still(self, lines: Sequence[bytes]) -> None:
        """Tables say this to a worker that stands still in the middle of storing, for longer than its session; another
        one has its partitions when it goes on."""
        some = len(lines) // 3
        first = self.at_work()
        before, told = took_over(self.running), len(alerts(self.running))
        self.server.pause()
        self.say(lines[:some])
        until(lambda: len(alerts(self.running)) > told, "no alert came")
        time.sleep(2 * LINGER_SECONDS)
        first.send_signal(signal.SIGSTOP)
        self.server.resume()
        self.worker = self.start_worker()
        self.kills += 1  # both tell people of what they have both read
        await_takeover(self.running, before + 1)
        self.say(lines[some : 2 * some])
        self.running.await_done()
        before = took_over(self.running)
        first.send_signal(signal.SIGCONT)
        # Both have a share when it is a member again, and what it had in hand was stored or let go of until then.
        await_takeover(self.running, before + 1)
        self.say(lines[2 * some :])
        self.check(shared=True)
        first.send_signal(signal.SIGTERM)
        assert first.wait(120) == 0

    def check(self, seconds: float = 240.0, *, shared: bool = False) -> None:
        """Nothing is lost, nothing doubled, all is judged as an audit judges it, and people were told once of each
        finding's every state, but for one repeat for each kill. Where partitions were ``shared`` out anew, what the one
        worker has stored is acknowledged, and the next one may still have to judge it."""
        self.running.await_done(seconds)
        if shared:
            self._await_judged(seconds)
        check_against_audit(self.running, self.lines)
        told = alerts(self.running)
        repeated = Counter(orjson.dumps(finding, default=str) for finding in told)
        assert max(repeated.values(), default=0) <= 1 + self.kills, repeated.most_common(1)
        _, found = offline(self.lines)
        last = {finding.id: finding.cleared for finding in told}
        assert found.keys() == {name for name, cleared in last.items() if not cleared and name in found}

    def _await_judged(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        verdicts, found = offline(self.lines)
        store = self.running.store
        while count_rounds(store) < len(verdicts) or standing_of(store, verdicts, found).keys() != found.keys():
            assert time.monotonic() < deadline, "what one worker has stored was not judged by the next"
            time.sleep(0.2)

    def end(self) -> None:
        """Let the worker finish."""
        if self.worker is not None:
            self.worker.send_signal(signal.SIGTERM)
            assert self.worker.wait(120) == 0


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


def await_word(log: Path, word: str) -> None:
    """Wait until a worker says this."""
    until(lambda: word in log.read_text(), f"the worker did not say: {word}")
