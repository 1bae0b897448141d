"""`tablewatch keys`: the keys that checkpoints of the chain are signed with."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated

import orjson
import typer

from replay.chain.keys import KeyMissing, KeyRing, KeyThere, KeyUnreadable
from replay.custody import who_looks
from store.rows.proof import SigningKey
from tablewatch.commands.listing import listing
from tablewatch.commands.services import WRONG_USE, data
from tablewatch.settings import value_of

_HELP = """Examples:

\b
  tablewatch keys make
  tablewatch keys list
  tablewatch keys rotate

The keys that checkpoints of the chain are signed with.
"""

keys = typer.Typer(no_args_is_help=True, help=_HELP)

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


def key_ring() -> KeyRing:
    """The keys in the data folder."""
    return KeyRing(data() / "keys")


@contextmanager
def about_keys() -> Iterator[None]:
    """What is wrong with the keys, in one line and with an exit code."""
    try:
        yield
    except (KeyMissing, KeyThere, KeyUnreadable) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(WRONG_USE) from error


@keys.command()
def make() -> None:
    """Examples:

    \b
      tablewatch keys make

    Makes the first key, or one in place of a key that is lost: what the lost key signed stays provable, since every
    checkpoint and the store carry its public half. The private half stays in the data folder, readable for its owner
    alone; keep a copy in a safe.
    """
    with about_keys():
        made = key_ring().make(who_looks(value_of("USER")))
    typer.echo(f"Key {made.key_id} is in {key_ring().folder}. Tell those who will check your checkpoints this name.")


@keys.command()
def rotate() -> None:
    """Examples:

    \b
      tablewatch keys rotate

    Makes a new key that the one in use vouches for. A running `tablewatch chain run` takes it when it is started again.
    """
    with about_keys():
        made = key_ring().rotate(who_looks(value_of("USER")))
    typer.echo(f"Key {made.key_id} signs from now on; key {made.previous} vouches for it.")


@keys.command("list")
def list_keys(as_json: AsJson = False) -> None:
    """Examples:

    \b
      tablewatch keys list
      tablewatch keys list --json

    The keys of the data folder, the oldest first; the last one signs.
    """
    with about_keys():
        ring = key_ring()
        known = [(key, ring.has_private(key.key_id)) for key in ring.known()]
    if as_json:
        for key, private in known:
            sys.stdout.write(orjson.dumps(_said(key, private=private)).decode() + "\n")
    elif known:
        rows = [
            (key.key_id, _time(key.made), key.by, key.previous or "-", "here" if private else "gone")
            for key, private in known
        ]
        typer.echo(listing(("key", "made", "by", "vouched for by", "its private half"), rows))
    else:
        typer.echo("There is no key yet: `tablewatch keys make` makes the first.")


def _said(key: SigningKey, *, private: bool) -> dict[str, object]:
    return {
        "key_id": key.key_id,
        "public_key": key.public_key.hex(),
        "made": _time(key.made),
        "by": key.by,
        "previous": key.previous or None,
        "private": private,
    }


def _time(millis: int) -> str:
    return datetime.fromtimestamp(millis / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
