"""`tablewatch replay prove`, and the chain's part of `replay verify`: proofs, and whatever is not as it was sealed."""

import sys
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console

from replay.chain.note import CheckpointInvalid, read_published
from replay.chain.prove import NotAsSealed, NotSealed, consistency_json, proof_json, prove_round
from replay.chain.tree import TreeIncomplete
from replay.chain.verify import ChainReport, verify_chain
from replay.rounds import load_round
from store.connect import Store
from tablewatch.commands.keys import about_keys, key_ring
from tablewatch.commands.replay_store import FLAGGED, Round, named_round, note, stored
from tablewatch.commands.services import WRONG_USE

Trust = Annotated[
    list[str] | None,
    typer.Option("--trust", metavar="KEY", help="Believe this key (its name), as told by its owner; may be repeated."),
]
Checkpoints = Annotated[
    Path | None,
    typer.Option("--checkpoints", exists=True, dir_okay=False, help="The file of checkpoints that was kept elsewhere."),
]


def prove(round: Round) -> None:
    """Examples:

    \b
      tablewatch replay prove BT12/S4/17 > proof.json

    Proves that the round's records, verdicts and findings are under a signed checkpoint, and that the last checkpoint
    continues that one (RFC 6962 inclusion and consistency proofs, as JSON).

    The proof goes to the standard output, and what it proves, in a sentence, to the standard error.
    Exit code 1 if a row is not what was sealed, 2 if there is no such round or it is not sealed yet.
    """
    key = named_round(round)
    with stored() as store:
        found = load_round(store, key)
        note(store, "prove", [key])
        try:
            proof = prove_round(store, key, [event.key for event in found.events])
            said = {**proof_json(proof), "consistency": consistency_json(store, proof.checkpoint)}
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
    elsewhere = []
    if checkpoints is not None:
        try:
            elsewhere = read_published(checkpoints.read_text("utf-8"))
        except (CheckpointInvalid, UnicodeDecodeError) as error:
            typer.echo(f"{checkpoints}: {error}", err=True)
            raise typer.Exit(WRONG_USE) from error
    console = Console(stderr=True)
    with about_keys(), console.status("The chain …") as status:
        report = verify_chain(
            store,
            trusted=key_ring().known(),
            trusted_ids=trust or (),
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
        typer.echo(
            f"Nothing is sealed yet: nothing is proved of the {report.rows} rows in the store."
            " Seal them with: tablewatch keys make, then: tablewatch chain run"
        )
        return report
    typer.echo(
        f"{report.rows} rows against {report.size} leaves under {report.checkpoints} checkpoints:"
        f" {len(report.tampering)} not as sealed, {report.waiting} not sealed yet, {report.expired} past their"
        f" retention, {report.superseded} replaced by a later version."
    )
    return report


def report_json(report: ChainReport) -> dict[str, Any]:
    """A report as JSON."""
    return {
        "whole": report.whole,
        "sealed": report.sealed,
        "rows": report.rows,
        "leaves": report.size,
        "checkpoints": report.checkpoints,
        "waiting": report.waiting,
        "expired": report.expired,
        "superseded": report.superseded,
        "tampering": [
            {"what": each.what, "kind": each.kind, "key": each.key, "table": each.table, "detail": each.detail}
            for each in report.tampering
        ],
    }
