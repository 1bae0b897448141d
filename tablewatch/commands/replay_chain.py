"""`tablewatch replay prove`, and the chain's part of `replay verify`: proofs, and whatever is not as it was sealed."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console

from replay.chain.note import CheckpointInvalid, NoCheckpoint, read_published
from replay.chain.prove import NotAsSealed, NotSealed, consistency_json, proof_json, prove_round
from replay.chain.tree import TreeIncomplete
from replay.chain.verify import ChainReport, verify_chain
from replay.rounds import load_round
from store.connect import Store
from store.read.proof import signing_keys
from store.rows.proof import Checkpoint, SigningKey
from tablewatch.commands.keys import about_keys, key_ring
from tablewatch.commands.replay_store import FLAGGED, Round, named_round, note, stored
from tablewatch.commands.services import WRONG_USE

Trust = Annotated[
    list[str] | None,
    typer.Option(
        "--trust",
        metavar="KEY",
        help="Believe this key, the first that its owner made, and those that it vouches for, and no other. May be"
        " repeated.",
    ),
]


def prove(round: Round, trust: Trust = None) -> None:
    """Examples:

    \b
      tablewatch replay prove BT12/S4/17 > proof.json
      tablewatch replay prove BT12/S4/17 --trust 5f0c9a3e7b21d864 > proof.json

    Proves that the round's records, verdicts and findings are under a signed checkpoint, and that the last checkpoint
    continues that one (RFC 6962 inclusion and consistency proofs, as JSON).

    The proof goes to the standard output, and what it proves, in a sentence, to the standard error.
    Exit code 1 if a row is not what was sealed, 2 if there is no such round or it is not sealed yet.
    """
    key = named_round(round)
    with about_keys(), stored() as store:
        _check_named(store, trust)
        found = load_round(store, key)
        note(store, "prove", [key])
        try:
            proof = prove_round(store, key, [event.key for event in found.events])
            consistency = consistency_json(store, proof.checkpoint, trust or (), key_ring().known())
            said = {**proof_json(proof), "consistency": consistency}
        except NotSealed as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(WRONG_USE) from error
        except (NotAsSealed, TreeIncomplete, ValueError) as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(FLAGGED) from error
        sys.stdout.buffer.write(orjson.dumps(said, option=orjson.OPT_INDENT_2) + b"\n")
        sys.stdout.buffer.flush()
        # The proof may be on its way into a file.
        last = said["consistency"]["checkpoint"]["size"]
        goes_on = "" if last == proof.checkpoint.size else f" The last checkpoint, {last}, continues that one."
        typer.echo(f"Proved: {proof.words}{goes_on}", err=True)


def check_chain(
    store: Store, trust: list[str] | None, checkpoints: Path | None, *, as_json: bool
) -> ChainReport:  # fmt: skip
    """Hold the whole store against its chain and say what is wrong, or that nothing is sealed; the caller ends with 1
    where the report is not whole."""
    _check_named(store, trust)
    elsewhere = [] if checkpoints is None else _kept_elsewhere(checkpoints)
    console = Console(stderr=True)
    with about_keys(), console.status("The chain …") as status:
        report = verify_chain(
            store,
            own=key_ring().known(),
            named=trust or (),
            elsewhere=elsewhere,
            told=lambda step: status.update(f"The chain: {step}"),
        )
    if as_json:
        sys.stdout.buffer.write(orjson.dumps(report_json(report)) + b"\n")
        sys.stdout.buffer.flush()
        return report
    for each in report.tampering:
        typer.echo(str(each))
    if not report.sealed and not report.tampering:
        how = "tablewatch chain run" if key_ring().known() else "tablewatch keys make, then: tablewatch chain run"
        typer.echo(
            f"Nothing is sealed yet: nothing is proved of the {report.rows} rows in the store. Seal them with: {how}"
        )
        return report
    many = "" if report.checkpoints == 1 else "s"
    # A sealer that is at work may have sealed it meanwhile.
    own = " (this look is one of them)" if report.waiting else ""
    typer.echo(
        f"{report.rows} rows against {report.size} leaves under {report.checkpoints} checkpoint{many}:"
        f" {len(report.tampering)} not as sealed, {report.waiting} not sealed yet{own},"
        f" {report.expired} past their retention, {report.superseded} replaced by a later version."
    )
    if elsewhere:
        held = "1 checkpoint" if report.elsewhere == 1 else f"{report.elsewhere} checkpoints"
        typer.echo(f"{checkpoints} holds {held}, the last of {elsewhere[-1].size} leaves; each was looked for here.")
    typer.echo(_believed(report, trust))
    typer.echo(
        "Whole: all that is sealed is as it was sealed."
        if report.whole
        else f"NOT whole: {len(report.tampering)} not as sealed; each is named above."
    )
    return report


def _kept_elsewhere(file: Path) -> list[Checkpoint]:
    """The checkpoints of a file; one that holds none would compare nothing, and the answer would look the same."""
    try:
        found = read_published(file.read_text("utf-8-sig"))
    except (NoCheckpoint, UnicodeDecodeError):
        found = []
    except CheckpointInvalid as error:
        typer.echo(f"{file}: {error}. Name a whole copy of the file.", err=True)
        raise typer.Exit(WRONG_USE) from error
    if not found:
        typer.echo(
            f"{file} holds no checkpoint: name the file that `tablewatch chain run` and `tablewatch chain checkpoint`"
            " append to (their --file; checkpoints.txt in the data folder where none was given), or a copy of it.",
            err=True,
        )
        raise typer.Exit(WRONG_USE)
    return found


def _check_named(store: Store, trust: list[str] | None) -> None:
    """End with a wrong use where a key is named that has signed nothing here."""
    there = {key.key_id: key for key in signing_keys(store)}
    for name in trust or ():
        if name not in there:
            typer.echo(f"--trust: the store knows no key {name}; it knows {', '.join(there) or 'none'}.", err=True)
            raise typer.Exit(WRONG_USE)
        if (earlier := _first_not_named(there, name, trust or ())) is not None:
            typer.echo(
                f"--trust: key {name} was made by rotating key {earlier}, whose checkpoints are believed only if you"
                " name it, too.",
                err=True,
            )


def _first_not_named(keys: Mapping[str, SigningKey], name: str, named: Sequence[str]) -> str | None:
    """The first of the keys from which this one came by rotating; None if one of them is named, or there is none."""
    first = None
    while (name := keys[name].previous) in keys:
        if name in named:
            return None
        first = name
    return first


def _believed(report: ChainReport, trust: list[str] | None) -> str:
    """Whose signatures were believed, and why."""
    names = ", ".join(report.keys) or "none"
    if trust:
        return f"Believed: {names}, as you named it or as vouched for."
    if key_ring().known():
        return f"Believed: {names}, of the key folder here or as vouched for."
    return (
        f"Believed: {names}, ON THE STORE'S OWN WORD: who can write to the store can have put it there."
        " Name the key that its owner told you: --trust KEY"
    )


def report_json(report: ChainReport) -> dict[str, Any]:
    """A report as JSON."""
    return {
        "whole": report.whole,
        "sealed": report.sealed,
        "rows": report.rows,
        "leaves": report.size,
        "checkpoints": report.checkpoints,
        "elsewhere": report.elsewhere,
        "waiting": report.waiting,
        "expired": report.expired,
        "superseded": report.superseded,
        "keys": list(report.keys),
        "tampering": [
            {"what": each.what, "kind": each.kind, "key": each.key, "table": each.table, "detail": each.detail}
            for each in report.tampering
        ],
    }
