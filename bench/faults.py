"""A floor that plays while things break, again and again; after each turn the store is held against the audit.

python -m bench.faults --kills 1000
python -m bench.faults --broker kafka --kills 200 --two 10 --broker-gone 3 --store-gone 3

A turn is the play of tables of its own: workers end by SIGKILL at random moments of it, one of two does, or the broker
or the store is away for a while. Then all that was sent until now must be stored once, and judged as `tablewatch audit`
judges it. Where it is not, the folder stays, with what was sent and all that the workers said.
"""

import argparse
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

from bench.page.figures import tell
from streams.publish import publish
from tests.faults.floor import Floor, floor, play
from tests.services.kafka import KafkaBroker
from tests.streams.forked_workers import ForkedWorker, nest
from tests.streams.pipeline import StoreProcess, offline

KILLS_A_TURN = 50
EARLY = 0.2
"""The share of workers that are killed before they are at work."""
OWN_FAULT = '"level":"error","logger":"streams.'
NAMES = ("first", "second")
AROUND_SECONDS = 5.0
"""So long tables speak before something is taken away, and after it is back."""


class Turns:
    """The turns on one floor, and what they came to."""

    def __init__(self, playing: Floor, chosen: argparse.Namespace) -> None:
        self.playing = playing
        self.chosen = chosen
        self.number = 0
        self.began = time.monotonic()
        self._told = self.began

    def next_play(self) -> list[bytes]:
        """What the tables of the next turn say."""
        self.number += 1
        chosen = self.chosen
        return play(f"{self.number}-", chosen.tables, chosen.rounds, chosen.seed + self.number, chosen.faults)

    def tell_progress(self, doing: str = "") -> None:
        """A line now and then for whoever waits."""
        if doing or time.monotonic() - self._told > 15.0:
            self._told = time.monotonic()
            elapsed = self._told - self.began
            playing = self.playing
            print(f"{elapsed:7.0f} s  {playing.kills} kills, {len(playing.lines)} events  {doing}".rstrip(), flush=True)

    def kills(self, count: int) -> None:
        """Workers are killed at random moments."""
        while count:
            some = min(count, KILLS_A_TURN)
            count -= some
            self.playing.say_among_kills(
                self.next_play(), some, self.chosen.seed + self.number, early=EARLY, told=self.tell_progress
            )
            self.check("after kills at random moments", shared=False)

    def one_of_two(self, count: int) -> None:
        """One of two workers is killed, and the other goes on."""
        for _ in range(count):
            self.playing.say_while_one_of_two_dies(self.next_play())
            self.check("after the death of one of two workers")

    def gone(self, what: str, count: int, take: Callable[[], None], bring: Callable[[], None]) -> None:
        """Something is away for a while, in which the tables go on."""
        for _ in range(count):
            lines = self.next_play()
            self.playing.at_work()
            seconds = self.chosen.gone_seconds
            speaking = _Speaking(self.playing, lines, 2 * AROUND_SECONDS + seconds)
            speaking.start()
            time.sleep(AROUND_SECONDS)
            take()
            self.tell_progress(f"{what} is gone")
            time.sleep(seconds)
            bring()
            self.tell_progress(f"{what} is back")
            speaking.join()
            self.check(f"after {what} was gone for {seconds:.0f} s")

    def check(self, after: str, *, shared: bool = True) -> None:
        """Hold the store against the audit."""
        self.playing.at_work()
        self.playing.check(600.0, shared=shared)
        self.tell_progress(f"as the audit has it, {after}")


class _Supervisor:
    """Starts workers, each under a name that no other has that runs: by it Kafka knows one again that was killed."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._workers: dict[str, ForkedWorker] = {}

    def start(self, environment: Mapping[str, str]) -> ForkedWorker:
        """One more worker."""
        free = (name for name in NAMES if name not in self._workers or self._workers[name].poll() is not None)
        name = next(free)
        self._workers[name] = nest().start({**environment, "TABLEWATCH_WORKER_NAME": name}, self._log)
        return self._workers[name]

    def end(self) -> None:
        """End all that still run."""
        for worker in self._workers.values():
            worker.kill()
            worker.wait()


class _Speaking(threading.Thread):
    """Tables that speak for so many seconds, whatever breaks."""

    def __init__(self, playing: Floor, lines: Sequence[bytes], seconds: float) -> None:
        super().__init__(daemon=True)
        self._playing = playing
        self._lines = lines
        self._pause = seconds / len(lines)
        self._fault: BaseException | None = None

    def run(self) -> None:
        try:
            counts = publish(self._paced(), self._playing.running.broker, max_events=20, patience_seconds=300.0)
            assert not counts.refused, f"the broker refused {counts.refused} events"
        except BaseException as fault:  # told where it is waited for
            self._fault = fault

    def _paced(self) -> Iterator[bytes | None]:
        began = time.monotonic()
        for place, line in enumerate(self._lines):
            early = began + place * self._pause - time.monotonic()
            if early > 0:
                yield None
                time.sleep(early)
            yield line

    def join(self, timeout: float | None = None) -> None:
        super().join(timeout)
        if self._fault is not None:
            raise self._fault
        self._playing.lines += self._lines


def main() -> None:
    """Break things, go on, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20, help="of workers, at random moments")
    parser.add_argument("--two", type=int, default=0, help="times that one of two workers is killed")
    parser.add_argument("--broker-gone", type=int, default=0, help="times that Kafka is away for a while")
    parser.add_argument("--store-gone", type=int, default=0, help="times that the store is away for a while")
    parser.add_argument("--gone-seconds", type=float, default=30.0)
    parser.add_argument("--broker", choices=["embedded", "kafka"], default="embedded")
    parser.add_argument("--tables", type=int, default=6, help="of a turn")
    parser.add_argument("--rounds", type=int, default=20, help="of a table in a turn")
    parser.add_argument("--faults", type=float, default=0.15)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    if chosen.broker_gone and chosen.broker != "kafka":
        parser.error("--broker-gone needs --broker kafka: the embedded log is no process")
    signal.signal(signal.SIGTERM, _end)
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    try:
        _run(chosen, folder)
    except Exception:
        print(f"what was there is kept in {folder}", flush=True)
        raise
    except BaseException:
        # Told to stop, processes that end may still take files away themselves.
        shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder)


def _end(_number: int, _frame: FrameType | None) -> None:
    sys.exit("told to stop")


def _run(chosen: argparse.Namespace, folder: Path) -> None:
    with ExitStack() as stack:
        url, kafka = f"tablelog://{folder}/log", None
        if chosen.broker == "kafka":
            kafka = stack.enter_context(KafkaBroker(folder / "kafka"))
            url = kafka.url
        server = StoreProcess(folder / "clickhouse")
        log = folder / "worker.log"
        supervisor = _Supervisor(log)
        stack.callback(supervisor.end)
        playing = stack.enter_context(floor(folder, url, server))
        playing.launch = lambda: supervisor.start(playing.running.environment)
        turns = Turns(playing, chosen)
        try:
            if kafka is not None:
                turns.gone("Kafka", chosen.broker_gone, kafka.kill, kafka.start)
            turns.gone("ClickHouse", chosen.store_gone, lambda: server.stop(signal.SIGKILL), server.start)
            turns.one_of_two(chosen.two)
            killing = time.monotonic()
            turns.kills(chosen.kills)
            killing = time.monotonic() - killing
        except Exception:
            (folder / "sent.jsonl").write_bytes(b"\n".join(playing.lines))
            raise
        failures = sum(OWN_FAULT in line for line in log.read_text().splitlines())
    _tell(chosen, playing, killing, failures)


def _tell(chosen: argparse.Namespace, playing: Floor, killing: float, failures: int) -> None:
    rounds, found = offline(playing.lines)
    whose = "Kafka" if chosen.broker == "kafka" else "the embedded log"
    if chosen.kills:
        tell("workers killed at random moments, and nothing lost, doubled or judged otherwise", chosen.kills, of=whose)
        tell("time of a kill, with all that it brings", killing / chosen.kills, "s", of=whose)
    for times, what in (
        (chosen.two, "one of two workers killed, and nothing lost, doubled or judged otherwise"),
        (chosen.broker_gone, f"Kafka gone for {chosen.gone_seconds:.0f} s, likewise"),
        (chosen.store_gone, f"ClickHouse gone for {chosen.gone_seconds:.0f} s, likewise"),
    ):
        if times:
            tell(what, times, "times", of=whose)
    tell("events sent among faults, and stored once", len(playing.lines), "events", of=whose)
    tell("verdicts among faults, as the audit has them", len(rounds), "verdicts", of=whose)
    tell("findings among faults, as the audit has them", len(found), "findings", of=whose)
    tell("faults of the worker itself in its log", failures, of=whose)


if __name__ == "__main__":
    main()
