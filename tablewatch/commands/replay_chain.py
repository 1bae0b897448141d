"""`tablewatch replay prove`, and the chain's part of `replay verify`: proofs, and whatever is not as it was sealed."""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import orjson
import typer
from rich.console import Console

from replay.chain.compare import Tampering
from replay.chain.note import (
    TREE,
    CheckpointInvalid,
    belief_words,
    by_name,
    known_keys,
    vouched_keys,
)
from replay.chain.prove import NotAsSealed, NotInChain, NotSealed, belief, consistency_json, proof_json, prove_round
from replay.chain.published import NoCheckpoint, read_published
from replay.chain.tree import TreeIncomplete
from replay.chain.verify import ChainReport, verify_chain
from replay.rounds import load_round
from store.connect import Store
from store.read.checkpoints import first_of_each_key, last_checkpoints, signers
from store.read.proof import signing_keys
from store.rows.proof import Checkpoint, SigningKey
from tablewatch.commands.keys import about_keys, key_ring
from tablewatch.commands.replay_store import FLAGGED, Round, named_round, note, stored
from tablewatch.commands.services import WRONG_USE
from tablewatch.commands.visible import visible_lines

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

    The proof goes to the standard output, and what it proves and whose signatures it goes by, in a sentence each, to
    the standard error.
    Exit code 1 if a row is not what was sealed, or may have been put in, 2 if there is no such round or
    it is not sealed yet.
    """
    key = named_round(round)
    with about_keys(), stored() as store:
        if foreign := check_named(store, trust):
            typer.echo(f"--trust: {foreign}", err=True)
            raise typer.Exit(FLAGGED)
        found = load_round(store, key)
        note(store, "prove", [key])
        own = key_ring().known()
        try:
            proof = prove_round(store, key, [event.key for event in found.events])
            consistency = consistency_json(store, proof.checkpoint, trust or (), own)
            said = {**proof_json(proof), "consistency": consistency}
        except NotSealed as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(FLAGGED if isinstance(error, NotInChain) else WRONG_USE) from error
        except (NotAsSealed, TreeIncomplete, ValueError) as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(FLAGGED) from error
        sys.stdout.buffer.write(orjson.dumps(said, option=orjson.OPT_INDENT_2) + b"\n")
        sys.stdout.buffer.flush()
        # The proof may be on its way into a file.
        last = said["consistency"]["checkpoint"]["size"]
        goes_on = "" if last == proof.checkpoint.size else f" The last checkpoint, {last}, continues that one."
        typer.echo(f"Proved: {proof.words}{goes_on}", err=True)
        typer.echo(belief(store, trust or (), own), err=True)


def check_chain(
    store: Store, trust: list[str] | None, checkpoints: Path | None, *, as_json: bool
) -> ChainReport:  # fmt: skip
    """Hold the whole store against its chain and say what is wrong, or that nothing is sealed; the caller ends with 1
    where the report is not whole."""
    foreign = check_named(store, trust)
    elsewhere = None if checkpoints is None else _KeptElsewhere(checkpoints)
    if foreign:
        if as_json:
            _print_json(ChainReport(tampering=[Tampering("inserted", "checkpoint", "all", "", foreign)]))
        else:
            typer.echo(f"--trust: {foreign}", err=True)
        raise typer.Exit(FLAGGED)
    console = Console(stderr=True)
    with about_keys(), console.status("The chain …") as status:
        report = verify_chain(
            store,
            own=key_ring().known(),
            named=trust or (),
            elsewhere=() if elsewhere is None else elsewhere,
            told=lambda step: status.update(f"The chain: {step}"),
        )
    if as_json:
        _print_json(report, 0 if elsewhere is None else elsewhere.count)
        return report
    for each in report.tampering:
        typer.echo(visible_lines(str(each)))
    if not report.sealed and not report.tampering:
        how = "tablewatch chain run" if key_ring().known() else "tablewatch keys make, then: tablewatch chain run"
        typer.echo(
            f"Nothing is sealed yet: nothing is proved of the {report.rows} rows in the store. Seal them with: {how}"
        )
        if report.under_no_checkpoint:
            typer.echo(_behind(report))
        return report
    many = "" if report.checkpoints == 1 else "s"
    # A sealer that is at work may have sealed it meanwhile.
    own = " (this look is one of them)" if report.waiting else ""
    typer.echo(
        f"{report.rows} rows against {report.size} leaves under {report.checkpoints} checkpoint{many}:"
        f" {len(report.tampering)} not as sealed, {report.waiting} not sealed yet{own},"
        f" {report.expired} past their retention, {report.superseded} replaced by a later version."
    )
    if elsewhere is not None and elsewhere.last is not None:
        held = "1 checkpoint" if elsewhere.count == 1 else f"{elsewhere.count} checkpoints"
        typer.echo(
            f"{elsewhere.file} holds {held}, the last of {elsewhere.last.size} leaves; each was looked for here."
        )
    typer.echo(belief_words(report.keys, trust or (), key_ring().known()))
    if report.under_no_checkpoint:
        typer.echo(_behind(report))
    typer.echo(_whole(report))
    return report


class _KeptElsewhere:
    """The checkpoints of a file, one after another. One that holds none would compare nothing, and the answer would
    look the same."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.count = 0
        self.last: Checkpoint | None = None
        if next(iter(self), None) is None:
            self._end_without()

    def __iter__(self) -> Iterator[Checkpoint]:
        self.count, self.last = 0, None
        try:
            with self.file.open(encoding="utf-8-sig") as lines:
                for self.last in read_published(lines):
                    self.count += 1
                    yield self.last
        except (NoCheckpoint, UnicodeDecodeError):
            self._end_without()
        except CheckpointInvalid as error:
            typer.echo(f"{self.file}: {error}. Name a whole copy of the file.", err=True)
            raise typer.Exit(WRONG_USE) from error

    def _end_without(self) -> NoReturn:
        typer.echo(
            f"{self.file} holds no checkpoint: name the file that `tablewatch chain run` and `tablewatch chain"
            " checkpoint` append to (their --file; checkpoints.txt in the data folder where none was given), or a copy"
            " of it.",
            err=True,
        )
        raise typer.Exit(WRONG_USE)


def check_named(store: Store, trust: list[str] | None) -> str:
    """End with a wrong use where no key can be named so, or nothing is signed; else what is wrong where nothing in the
    store is signed with a key that is named."""
    if not trust:
        return ""
    signed = signers(store, TREE)
    there = by_name(known_keys(signing_keys(store), first_of_each_key(store, TREE)))
    for name in trust:
        if not re.fullmatch("[0-9a-f]{16}", name):
            wrong = f"{name} is no name of a key, which is 16 digits from 0 to f"
        elif name not in there and not signed:
            wrong = f"the store knows no key {name}"
        else:
            continue
        typer.echo(f"--trust: {wrong}; it knows {', '.join(there) or 'none'}.", err=True)
        raise typer.Exit(WRONG_USE)
    for name in (each for each in trust if each in there):
        if (earlier := _first_not_named(there, name, trust)) is not None:
            typer.echo(
                f"--trust: key {name} was made by rotating key {earlier}, whose checkpoints are believed only if you"
                " name it, too.",
                err=True,
            )
    unknown = [name for name in trust if name not in there]
    believed = vouched_keys(there.values(), trust)
    if unknown or (signed and signed.keys().isdisjoint(believed)):
        return _nothing_signed_with(unknown or trust, signed, last_checkpoints(store, TREE)[0])
    return ""


def _nothing_signed_with(names: Sequence[str], signed: Counter[str], last: Checkpoint) -> str:
    """A chain that somebody made anew looks so, and a mistyped name: what tells them apart."""
    keys = f"key {names[0]}" if len(names) == 1 else f"keys {', '.join(names)}"
    many = signed.total()
    are = "its 1 checkpoint is" if many == 1 else f"its {many} checkpoints are"
    return (
        f"nothing in the store is signed with {keys}: {are} signed with {', '.join(signed)}. Either the name is"
        " mistyped: compare it with what its owner told you. Or the chain was made anew by somebody else: compare its"
        f" checkpoints with those that were kept elsewhere; the last is of {last.size} leaves, root {last.root.hex()}."
    )


def _first_not_named(keys: Mapping[str, SigningKey], name: str, named: Sequence[str]) -> str | None:
    """The first of the keys from which this one came by rotating; None if one of them is named, or there is none."""
    first = None
    while (name := keys[name].previous) in keys:
        if name in named:
            return None
        first = name
    return first


def _behind(report: ChainReport) -> str:
    """What it means where leaves are under no checkpoint."""
    many = report.under_no_checkpoint
    leaves, them = ("1 leaf is", "it") if many == 1 else (f"{many} leaves are", "them")
    return (
        f"{leaves} under no checkpoint. A sealer may be at work on {them}, or was stopped before it signed: then the"
        f" next `tablewatch chain checkpoint` covers {them}. Else checkpoints were removed: compare with those"
        " that were kept elsewhere, by --checkpoints FILE."
    )


def _whole(report: ChainReport) -> str:
    """What a check came to, in the last of its sentences."""
    if not report.whole:
        return f"NOT whole: {len(report.tampering)} not as sealed; each is named above."
    many = report.under_no_checkpoint
    if many:
        leaves = "1 leaf" if many == 1 else f"{many} leaves"
        return (
            f"Whole as far as the last checkpoint, of {report.size} leaves: all that it covers is as it was sealed;"
            f" of the {leaves} behind it nothing is proved."
        )
    return "Whole: all that is sealed is as it was sealed."


def _print_json(report: ChainReport, elsewhere: int = 0) -> None:
    sys.stdout.buffer.write(orjson.dumps(report_json(report, elsewhere)) + b"\n")
    sys.stdout.buffer.flush()


def report_json(report: ChainReport, elsewhere: int = 0) -> dict[str, Any]:
    """A report as JSON, with how many checkpoints were kept elsewhere and compared."""
    return {
        "whole": report.whole,
        "sealed": report.sealed,
        "rows": report.rows,
        "leaves": report.size,
        "under_no_checkpoint": report.under_no_checkpoint,
        "checkpoints": report.checkpoints,
        "elsewhere": elsewhere,
        "waiting": report.waiting,
        "expired": report.expired,
        "superseded": report.superseded,
        "keys": list(report.keys),
        "tampering": [
            {"what": each.what, "kind": each.kind, "key": each.key, "table": each.table, "detail": each.detail}
            for each in report.tampering
        ],
    }
