"""What docs/operations.md says it takes: each figure has a command, and what follows from figures follows from them."""

import re
import subprocess

from simulator.floor import simulate
from tests.operations.places import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text()
COUNT = ROOT / "deploy" / "count-floor"
SECONDS_A_DAY = 86_400
UNITS = {"GB": 1e9, "TB": 1e12}


def rows(head: str) -> list[list[str]]:
    """The cells of the table whose first column is called so."""
    found: list[list[str]] = []
    for line in PAGE[PAGE.index(f"| {head} |") :].splitlines()[2:]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return found


FIGURES = {name.partition(",")[0]: (float(value.replace(",", "")), command) for name, value, command in rows("figure")}


def counted(lines: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([COUNT], input=lines, capture_output=True, check=False, timeout=120)


def test_every_figure_names_its_command() -> None:
    assert len(FIGURES) == 9
    commands = [command for _, command in FIGURES.values()]
    assert all(re.match(r"`(python -m bench\.\w+|tablewatch simulate)", command) or command == "the same"
               for command in commands)  # fmt: skip


def test_the_floors_figures_are_those_of_its_command() -> None:
    (options,) = re.findall(r"`tablewatch simulate --tables (\d+) --rounds (\d+) --seed (\d+) --faults ([\d.]+)`", PAGE)
    tables, rounds, seed = (int(each) for each in options[:3])
    said = counted(b"\n".join(simulate(tables, rounds, seed, faults=float(options[3]))) + b"\n")
    assert said.returncode == 0, said.stderr
    told = dict(re.findall(r"^(.+) ([\d.]+)$", said.stdout.decode(), re.MULTILINE))
    assert told.pop("tables") == options[0]
    assert told.pop("bytes of an event") == f"{FIGURES['bytes of an event as sent'][0]:.0f}"
    assert len(told) == 3
    assert {name: float(value) for name, value in told.items()} == {name: FIGURES[name][0] for name in told}


def test_what_is_no_event_is_counted_apart_and_a_file_without_rounds_is_refused() -> None:
    lines = b"\n".join([b"nonsense", b"[]", *simulate(1, 2, 5), b'{"subject": 1}'])
    assert counted(lines).stderr == b"3 lines are no events.\n"
    refused = counted(b"{}\n")
    assert refused.returncode == 1
    assert b"There is no round in it" in refused.stderr


def test_events_and_bytes_of_a_floor_follow_from_the_figures() -> None:
    a_second, stored = FIGURES["events a second of a table"][0], FIGURES["bytes of an event in the store"][0]
    assert abs(a_second - FIGURES["events a round"][0] / FIGURES["seconds a round"][0]) < 0.005
    sizes = rows("tables")
    assert [tables for tables, *_ in sizes] == ["50", "500", "5,000"]
    for tables, events, a_day, a_year, seven in sizes:
        busy = float(tables.replace(",", "")) * a_second
        for said, meant in (
            (float(events.replace(",", "")), busy),
            (float(a_day.removesuffix(" million")) * 1e6, busy * SECONDS_A_DAY),
            (_bytes(a_year), busy * SECONDS_A_DAY * 365 * stored),
            (_bytes(seven), busy * SECONDS_A_DAY * 365 * 7 * stored),
        ):
            assert abs(said / meant - 1) < 0.05, (tables, said, meant)


def _bytes(said: str) -> float:
    value, unit = said.split()
    return float(value) * UNITS[unit]
