"""`tablewatch keys`: the keys that checkpoints of the chain are signed with."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import orjson
import typer

from replay.chain.keys import KeyMissing, KeyNotWritten, KeyOfAnother, KeyRing, KeyThere, KeyUnreadable
from replay.chain.note import TREE, by_name, known_keys
from replay.custody import note_access, who_looks
from store.read.checkpoints import first_of_each_key
from store.read.proof import signing_keys
from store.rows.proof import SigningKey
from tablewatch.commands.listing import AsJson, listing, moment
from tablewatch.commands.replay_store import stored
from tablewatch.commands.services import WRONG_USE, data
from tablewatch.settings import value_of

_HELP = """Examples:

\b
  tablewatch keys make
  tablewatch keys list
  tablewatch keys rotate
  tablewatch keys lost 5f0c9a3e7b21d864

The keys that checkpoints of the chain are signed with.
"""

keys = typer.Typer(no_args_is_help=True, help=_HELP)


def key_ring() -> KeyRing:
    """The keys in the data folder."""
    return KeyRing(data() / "keys")


@contextmanager
def about_keys() -> Iterator[None]:
    """What is wrong with the keys, in one line and with an exit code."""
    try:
        yield
    except (KeyMissing, KeyNotWritten, KeyOfAnother, KeyThere, KeyUnreadable) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(WRONG_USE) from error


@keys.command()
def make() -> None:
    """Examples:

    \b
      tablewatch keys make

    Makes the first key, or one in place of a key that is lost: what that one signed stays provable, since every
    checkpoint and the store carry its public half. The private half stays in the data folder, readable for its owner
    alone; keep a copy in a safe. If the whole folder was lost, `tablewatch keys lost` comes next.
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
    Those who check go on naming the first key: it leads to all that were made by rotating it.
    """
    with about_keys():
        made = key_ring().rotate(who_looks(value_of("USER")))
        first = _first_of(made, key_ring().known())
    typer.echo(
        f"Key {made.key_id} signs from now on, for a running `tablewatch chain run` from its next start on; key"
        f" {made.previous} vouches for it."
        f" Those who check go on naming key {first.key_id}: --trust {first.key_id}"
    )


def _first_of(key: SigningKey, known: list[SigningKey]) -> SigningKey:
    """The key from which this one came by rotating."""
    by_name = {each.key_id: each for each in known}
    while key.previous in by_name:
        key = by_name[key.previous]
    return key


@keys.command()
def lost(key: Annotated[str, typer.Argument(metavar="KEY", help="The name of the key.")]) -> None:
    """Examples:

    \b
      tablewatch keys make
      tablewatch keys lost 5f0c9a3e7b21d864
      tablewatch chain checkpoint

    Says that a key of yours is lost with its folder: its public half is taken from the store, so that what it signed is
    still believed here, and a new key may seal on. Who said so is kept in the access log, which is sealed next. Say it
    only of a key that you know to be yours: without it, a store that was sealed by somebody else is not sealed on. Of a
    key that came by rotating another, the other was in that folder, too: it is named, and is to be said as well.

    Exit code 2 if the store knows no such key.
    """
    with about_keys(), stored() as store:
        ring = key_ring()
        there = by_name(known_keys(signing_keys(store), first_of_each_key(store, TREE)))
        if key in {each.key_id for each in ring.known()}:
            typer.echo(f"Key {key} is in {ring.folder}: nothing is to be done.")
            return
        if key not in there:
            typer.echo(f"The store knows no key {key}; it knows {', '.join(there) or 'none'}.", err=True)
            raise typer.Exit(WRONG_USE)
        note_access(store, who_looks(value_of("USER")), "keys lost", (), {"key": key})
        ring.keep_public(there[key])
        known = ring.known()
        firsts = sorted({_first_of(each, known).key_id for each in known})
        # Whoever can write to the store can name one there as well: it is believed when somebody says so.
        before = there[key].previous if there[key].previous in there.keys() - {each.key_id for each in known} else ""
    typer.echo(f"The public half of key {key} is in {ring.folder} now: what it signed is believed here.")
    if before:
        typer.echo(
            f"It came by rotating key {before}, which is not here: what that one signed is not believed yet. If you"
            f" know it to be yours, too: tablewatch keys lost {before}"
        )
    else:
        typer.echo(f"Those who check name {' and '.join(firsts)}: {' '.join(f'--trust {each}' for each in firsts)}")


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
            (key.key_id, moment(key.made), key.by, key.previous or "-", "here" if private else "gone")
            for key, private in known
        ]
        typer.echo(listing(("key", "made", "by", "vouched for by", "its private half"), rows))
    else:
        typer.echo(
            f"There is no key in {ring.folder}: `tablewatch keys make` makes the first. If there should be one, set"
            " TABLEWATCH_DATA to the data folder that has it."
        )


def _said(key: SigningKey, *, private: bool) -> dict[str, object]:
    return {
        "key_id": key.key_id,
        "public_key": key.public_key.hex(),
        "made": moment(key.made),
        "by": key.by,
        "previous": key.previous or None,
        "private": private,
    }
