"""A rich console for tables that keep their full width when they are piped into a file."""

from rich.console import Console

PIPED_WIDTH = 160
"""Columns of a table that no terminal limits."""


def paper() -> Console:
    """The console to print tables on: as wide as the terminal, or wide enough where there is none."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=PIPED_WIDTH)
