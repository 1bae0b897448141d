"""`tablewatch bench`: the measurements of bench/, from a checkout."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

import tablewatch

CHECKOUT: Final = Path(tablewatch.__file__).resolve().parent.parent
WITH_PEERS: Final = CHECKOUT / ".venv-bench" / "bin" / "python"
"""Made by `make bench-peers`."""
WRONG_USE: Final = 2


def bench(
    names: Annotated[
        list[str] | None, typer.Argument(help="Only these, printed and not kept; all of the page if none is named.")
    ] = None,
    long: Annotated[bool, typer.Option("--long", help="What takes longer than half an hour.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes, to try whether it works; with --out.")] = False,
    only: Annotated[str | None, typer.Option(help="One question of the page, e.g. judge; with --out.")] = None,
    page: Annotated[bool, typer.Option("--page", help="Run nothing: make page and pictures anew.")] = False,
    out: Annotated[Path | None, typer.Option(help="The folder of the page, in place of docs/.")] = None,
) -> None:
    """Examples:

    \b
      tablewatch bench
      tablewatch bench settle odds
      tablewatch bench --quick --only judge --out /tmp/bench

    Runs what bench/ measures, in one go on this machine, and makes docs/benchmarks.md of it. Each prints what it is,
    its figures, and what they are held against in the same run.
    """
    if not (CHECKOUT / "bench" / "__main__.py").is_file():
        typer.echo("The measurements are not part of an installed package: run this in a checkout.", err=True)
        raise typer.Exit(WRONG_USE)
    words = [*(names or []), *(word for word, said in (("--long", long), ("--quick", quick), ("--page", page)) if said)]
    words += [*(("--only", only) if only else ()), *(("--out", str(out.absolute())) if out else ())]
    # What draws the pictures, and what Tablewatch is held against, is in an environment of its own.
    python = str(WITH_PEERS) if WITH_PEERS.exists() else sys.executable
    raise typer.Exit(subprocess.run([python, "-m", "bench", *words], cwd=CHECKOUT, check=False).returncode)
