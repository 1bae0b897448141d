"""`tablewatch replay export`: the evidence of rounds in one file that a stranger can check."""

from pathlib import Path
from typing import Annotated

import typer

from replay.bundle.contents import bundle
from replay.chain.prove import NotAsSealed, NotInChain, NotSealed, belief
from replay.chain.tree import TreeIncomplete
from tablewatch.commands.keys import about_keys, key_ring
from tablewatch.commands.replay_chain import Trust, check_named
from tablewatch.commands.replay_store import FLAGGED, named_round, note, stored
from tablewatch.commands.services import WRONG_USE


def export(
    rounds: Annotated[list[str], typer.Argument(metavar="TABLE/SHOE/ROUND…", help="The rounds, e.g. BT12/S4/17.")],
    output: Annotated[Path, typer.Option("--output", "-o", dir_okay=False, help="The file to write.")],
    trust: Trust = None,
) -> None:
    """Examples:

    \b
      tablewatch replay export BT12/S4/17 -o case.zip
      tablewatch replay export BT12/S4/17 BT12/S4/18 -o case.zip
      unzip case.zip -d case && python case/verify.py

    Raw events, every revision of the verdicts, the rules in force with the clauses cited, proofs under the first signed
    checkpoint that covers them, the clocks of the devices, a report that prints well, and a program that checks all of
    it. The same rounds give the same bytes.

    What was judged just now can be exported once it is sealed: within ten minutes, while `chain run` is at work.

    At its end it says whose signatures it goes by, as `replay prove` does.

    Exit code 1 if a row is not what was sealed, or may have been put in, or if nobody vouches for the key under
    the last checkpoint, 2 if there is no such round or
    it is not sealed yet.
    """
    keys = [named_round(each) for each in rounds]
    with about_keys(), stored() as store:
        if foreign := check_named(store, trust):
            typer.echo(f"--trust: {foreign}", err=True)
            raise typer.Exit(FLAGGED)
        note(store, "export", keys, file=output.name)
        try:
            own = key_ring().known()
            content = bundle(store, keys, trust or (), own)
        except NotSealed as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(FLAGGED if isinstance(error, NotInChain) else WRONG_USE) from error
        except (NotAsSealed, TreeIncomplete) as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(FLAGGED) from error
        believed = belief(store, trust or (), own)
    try:
        output.write_bytes(content)
    except OSError as error:
        typer.echo(f"{output} cannot be written: {error.strerror}", err=True)
        raise typer.Exit(WRONG_USE) from error
    count = len(set(keys))
    typer.echo(f"{count} {'round is' if count == 1 else 'rounds are'} in {output}, {len(content):,} bytes.")
    typer.echo(believed)
