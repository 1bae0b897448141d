"""The store for the replay commands: schema checked, every look written down, and errors as one line and a code."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Final

import typer

from replay.custody import note_access, who_looks
from replay.rounds import EventsGone, InvalidRoundName, RoundNotFound, round_key
from store.connect import Store, connect
from store.errors import MigrationEdited, StoreContradicts
from store.migrate import check
from store.rows.verdicts import RoundKey
from tablewatch.commands.services import WRONG_USE, explained
from tablewatch.commands.store_address import store_url
from tablewatch.settings import value_of

FLAGGED: Final = 1

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
    with explained():
        try:
            store = connect(store_url())
            check(store)
            yield store
        except (RoundNotFound, MigrationEdited) as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(WRONG_USE) from error
        except (EventsGone, StoreContradicts) as error:
            typer.echo(f"{error}", err=True)
            raise typer.Exit(FLAGGED) from error
        except BrokenPipeError:
            # Whoever reads has had enough. Python would complain once more when it flushes at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def note(store: Store, action: str, keys: Sequence[RoundKey] = (), **detail: Any) -> None:
    """Write a look down in the access log."""
    said: Mapping[str, Any] = {name: value for name, value in detail.items() if value not in (None, (), [], False)}
    note_access(store, who_looks(value_of("USER")), f"replay {action}", keys, said)
