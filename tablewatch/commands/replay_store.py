"""The store for the replay commands: schema checked, every look written down, and errors as one line and a code."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from replay.custody import note_access, who_looks
from replay.rounds import EventsGone, InvalidRoundName, RoundNotFound, round_key
from store.connect import Store, connect
from store.errors import (
    AccessRefused,
    MigrationEdited,
    SchemaTooNew,
    SchemaTooOld,
    StoreContradicts,
    StoreError,
    WrongAddress,
)
from store.migrate import check
from store.rows.verdicts import RoundKey
from tablewatch.commands.services import store_away
from tablewatch.commands.store_address import store_url
from tablewatch.commands.visible import visible_lines
from tablewatch.settings import InvalidSetting, value_of

FLAGGED: Final = 1
WRONG_USE: Final = 2
UNREACHABLE: Final = 3

Round = Annotated[str, typer.Argument(metavar="TABLE/SHOE/ROUND", help="The round, e.g. BT12/S4/17.")]


def named_round(name: str) -> RoundKey:
    """The round of a name; ends the command with exit code 2 if it is none."""
    try:
        return round_key(name)
    except InvalidRoundName as error:
        raise typer.BadParameter(str(error)) from None


@contextmanager
def stored() -> Iterator[Store]:
    """The store, with what can go wrong in it and in what was asked for said in one line."""
    try:
        store = connect(store_url())
        check(store)
        yield store
    except EventsGone as error:
        raise _ended(str(error), FLAGGED) from error
    except StoreContradicts as error:
        raise _ended(error.sentences, FLAGGED) from error
    except (RoundNotFound, InvalidSetting, *_TO_CORRECT) as error:
        raise _ended(str(error), WRONG_USE) from error
    except StoreError as error:
        raise _ended(store_away(error), UNREACHABLE) from error


_TO_CORRECT: Final = (WrongAddress, AccessRefused, SchemaTooOld, SchemaTooNew, MigrationEdited)


def _ended(message: str, code: int) -> typer.Exit:
    # It may name what is near, by names that devices gave.
    typer.echo(visible_lines(message), err=True)
    return typer.Exit(code)


@contextmanager
def rounds_bar(what: str, total: Callable[[], int]) -> Iterator[Callable[[int], None]]:
    """A progress bar in rounds, if a person is watching; yields the function to call with each number more."""
    if not sys.stderr.isatty():
        yield lambda _count: None
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total())
        yield lambda count: progress.advance(task, count)


def note(store: Store, action: str, keys: Sequence[RoundKey] = (), **detail: Any) -> None:
    """Write a look down in the access log."""
    said: Mapping[str, Any] = {name: value for name, value in detail.items() if value not in (None, (), [], False)}
    note_access(store, who_looks(value_of("USER")), f"replay {action}", keys, said)
