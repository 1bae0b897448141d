"""`tablewatch bench`: the measurements of bench/, from a checkout."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

import tablewatch

CHECKOUT: Final = Path(tablewatch.__file__).resolve().parent.parent
WRONG_USE: Final = 2


def bench(
    names: Annotated[list[str] | None, typer.Argument(help="Which; all of the short ones if none is named.")] = None,
) -> None:
    """Examples:

    \b
      tablewatch bench
      tablewatch bench settle odds

    Runs what bench/ measures, in one go on this machine. Each prints what it is, its figures, and what they are held
    against in the same run.
    """
    if not (CHECKOUT / "bench" / "__main__.py").is_file():
        typer.echo("The measurements are not part of an installed package: run this in a checkout.", err=True)
        raise typer.Exit(WRONG_USE)
    raise typer.Exit(
        subprocess.run([sys.executable, "-m", "bench", *(names or [])], cwd=CHECKOUT, check=False).returncode
    )
