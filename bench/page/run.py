"""One run of many measurements: each in a process of its own, its figures kept with how it was called and ended."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.page import machine
from bench.page.figures import FILE, Figure, read
from bench.page.plan import Question, Step

CHECKOUT = Path(__file__).resolve().parent.parent.parent
KEPT_CHARACTERS = 10_000
SAID_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Done:
    """A measurement that was run."""

    question: str
    command: str
    seconds: int
    exit_code: int
    load: float
    """Of the machine, when it began."""
    figures: tuple[Figure, ...]
    said: str = ""
    """The end of what it printed, where it told no figures."""


@dataclass(frozen=True, slots=True)
class Run:
    """A whole run."""

    began: str
    seconds: int
    quick: bool
    """Whether the sizes were small ones, to try whether all of it works."""
    machine: dict[str, str]
    done: tuple[Done, ...] = field(default=())

    def of(self, question: str) -> tuple[Done, ...]:
        """What answers a question."""
        return tuple(done for done in self.done if done.question == question)

    def figures(self, question: str) -> list[Figure]:
        """All figures that answer a question."""
        return [figure for done in self.of(question) for figure in done.figures]


def run_all(questions: Sequence[Question], *, quick: bool) -> Run:
    """Run everything, one after the other."""
    began, start = datetime.now(UTC), time.monotonic()
    done = []
    for question in questions:
        for step in question.steps:
            done.append(_run(question, step, quick=quick))
            if done[-1].exit_code:
                print(f"  ended with {done[-1].exit_code}", flush=True)
    return Run(f"{began:%Y-%m-%d %H:%M} UTC", round(time.monotonic() - start), quick, machine.facts(), tuple(done))


def _run(question: Question, step: Step, *, quick: bool) -> Done:
    command = step.command(quick=quick)
    print(f"\n== {question.title}: python {' '.join(command)}", flush=True)
    start, load = time.monotonic(), machine.load()
    with tempfile.NamedTemporaryFile("r", suffix=".jsonl") as told:
        process = subprocess.Popen(
            [sys.executable, *command], cwd=CHECKOUT, env={**os.environ, FILE: told.name}, stdout=subprocess.PIPE,
            text=True, errors="replace",
        )  # fmt: skip
        said = ""
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            said = (said + line)[-KEPT_CHARACTERS:]
        code = process.wait()
        figures = tuple(read(json.loads(line)) for line in told) or tuple(_printed(step.name, said))
    return Done(
        question.name, f"python {' '.join(command)}", round(time.monotonic() - start), code, load, figures,
        "" if figures else said[-SAID_CHARACTERS:],
    )  # fmt: skip


def _printed(name: str, said: str) -> Iterator[Figure]:
    """The numbers of JSON objects that a measurement printed in place of telling its figures."""
    decoder, place = json.JSONDecoder(), 0
    while (place := said.find("{", place)) >= 0:
        try:
            found, length = decoder.raw_decode(said[place:])
        except json.JSONDecodeError:
            place += 1
            continue
        place += length
        yield from _numbers(name, found)


def _numbers(name: str, found: object) -> Iterator[Figure]:
    if isinstance(found, dict):
        for key, value in found.items():
            yield from _numbers(f"{name}: {key}".replace("_", " "), value)
    elif isinstance(found, int | float) and not isinstance(found, bool):
        yield Figure(name, found)


def to_json(run: Run) -> str:
    """A run as it is checked in, a line for each figure."""
    kept = asdict(run)
    for done in kept["done"]:
        done["figures"] = [
            {name: value for name, value in each.items() if value not in (None, "")} for each in done["figures"]
        ]
    return json.dumps(kept, ensure_ascii=False, indent=1) + "\n"


def from_json(text: str) -> Run:
    """The same run again."""
    kept: dict[str, Any] = json.loads(text)
    done = tuple(Done(**{**each, "figures": tuple(read(one) for one in each["figures"])}) for each in kept["done"])
    return Run(**{**kept, "done": done})
