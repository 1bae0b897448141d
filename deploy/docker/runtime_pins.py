"""Prints the part of the pinned constraints that a running system needs: the project's own dependencies and theirs.

    python runtime_pins.py pyproject.toml constraints.txt > runtime.txt
    python runtime_pins.py pyproject.toml constraints.txt hatchling > build.txt     what hatchling needs

The constraints were compiled with the names of those that need each package (`# via`), which is followed from the
project's dependencies; what only tests and lint need stays out of the image.
"""

import re
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple


def normal(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


class Pin(NamedTuple):
    """One pinned version of a package."""

    name: str
    needed_by: frozenset[str]
    lines: str


def pins(constraints: str) -> list[Pin]:
    """All of them; a package has several where its version depends on the Python that is there."""
    found: list[Pin] = []
    for block in re.split(r"\n(?=[A-Za-z0-9])", constraints):
        if not (named := re.match(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==", block)):
            continue
        via = re.findall(r"^ +# +(?:via )?(.+)$", block, re.MULTILINE)
        needed_by = frozenset(normal(each) if "(" not in each else each for each in via)
        found.append(Pin(normal(named[1]), needed_by, block))
    return found


def needed(pyproject: str, constraints: str, roots: list[str] | None = None) -> list[str]:
    """The lines of every package that the project (or ``roots``) needs, in the order of the constraints."""
    pinned = pins(constraints)
    declared = roots or tomllib.loads(pyproject)["project"]["dependencies"]
    wanted = {normal(named[0]) for each in declared if (named := re.match(r"[A-Za-z0-9._-]+", each))}
    if missing := wanted - {pin.name for pin in pinned}:
        raise SystemExit(f"not pinned: {', '.join(sorted(missing))}")
    while more := {pin.name for pin in pinned if pin.name not in wanted and pin.needed_by & wanted}:
        wanted |= more
    return [pin.lines for pin in pinned if pin.name in wanted]


if __name__ == "__main__":
    texts = (Path(path).read_text("utf-8") for path in sys.argv[1:3])
    sys.stdout.write("\n".join(needed(*texts, roots=sys.argv[3:])) + "\n")
