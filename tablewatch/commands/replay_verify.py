"""`tablewatch replay verify`: rounds judged anew from their raw events, against their verdicts, byte for byte."""

import gc
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import orjson
import typer
from rich.console import Console
from rich.text import Text

from audit.judge import JUDGE_VERSION
from replay.fields import field_words
from replay.verify import Deviation, Verified, verify
from store.read.identities import SharedId
from store.read.rounds import ALL, RoundFilter, count_rounds, currencies_of
from store.rows.verdicts import RoundKey
from tablewatch.commands import replay_filters as filters
from tablewatch.commands.replay_list import nothing_meant
from tablewatch.commands.replay_paper import sheet
from tablewatch.commands.replay_store import FLAGGED, note, rounds_bar, stored

SHOWN: Final = 20
"""So many deviating rounds are printed with their differences, of each kind."""
FIELDS_SHOWN: Final = 8
SETTLING_SECONDS: Final = 2.0
"""A worker stores verdicts before their events; so long after a deviation was seen it is looked at again."""

NOT_LOOKED_FOR: Final = (
    "Verdicts that were removed were not looked for: what meets --player, --code, --status and --wager is said by the"
    " verdict itself. To look for them: tablewatch replay verify, without these or with --table, --shoe, --game and"
    " times alone."
)

_KINDS: Final = {
    "verdict-differs": "the same facts give another verdict than the one stored",
    "facts-differ": "the stored verdict rests on other facts than those stored; tablewatch replay verify --chain tells"
    " what was changed",
    "events-gone": "a verdict is stored, and the events of its round are not",
    "event-rows-gone": "the records give the verdict that is stored, and rows of their events are gone; run: tablewatch"
    " replay verify --chain, which names them",
    "verdict-gone": "by the raw records the round came to its end, later ones were judged, and no verdict on it is"
    " stored; tablewatch replay verify --chain tells whether one was removed",
    "records-contradict": "a record of the shoe does not hold the event that is stored for it, or is not there;"
    " tablewatch replay verify --chain tells what was changed",
    "settings-unknown": "the settings of the verdict cannot be read",
    "other-judge": "judged by another version of the judge, which sees the same facts differently",
}


@filters.filtered
def verify_rounds(
    wanted: RoundFilter,
    chain: Annotated[
        bool, typer.Option("--chain", help="Hold every row of the store against its chain instead.")
    ] = False,
    trust: Annotated[
        list[str] | None,
        typer.Option(
            "--trust",
            metavar="KEY",
            help="With --chain: believe this key, the first that its owner made, and those that it vouches for, and no"
            " other. May be repeated. Without it: the keys of the key folder here, or else the store's own.",
        ),
    ] = None,
    checkpoints: Annotated[
        Path | None,
        typer.Option("--checkpoints", exists=True, dir_okay=False, help="With --chain: checkpoints kept elsewhere."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The result as one JSON object.")] = False,
) -> None:
    """Examples:

    \b
      tablewatch replay verify
      tablewatch replay verify --table BT12 --from-time 2026-01-31
      tablewatch replay verify --code payout-wrong --json | jq .deviating
      tablewatch replay verify --chain --checkpoints /mnt/elsewhere/checkpoints.txt
      tablewatch replay verify --chain --trust 5f0c9a3e7b21d864

    Judges stored rounds anew from their raw events, under the document in force at their time and the settings of their
    verdicts, and holds the result against the stored verdict, byte for byte. With --chain, finds any row that was
    changed, removed, inserted or moved in the store since it was sealed, and names it.

    Rounds that the raw records tell of and that have no verdict are missed, with --table, --shoe, the times and --game,
    too. Under --player, --code, --status and --wager they are not: the verdict says what meets these, so that one that
    was removed is not looked for, and the output says so.

    A difference that comes from another version of the judge is told apart. Without a filter, or with --table alone,
    ids that a source used for several tables are named, too: workers judge each table by itself and cannot see them.

    Exit code 0 if all rounds are as they are stored, 1 with the differences if one deviates or an id is shared, 2 for a
    wrong filter, 3 if the store cannot be reached. With --chain also 1 while nothing is sealed: then nothing is proved.
    """
    if chain:
        if wanted != ALL:
            raise typer.BadParameter("--chain looks at the whole store; leave out the filters.")
        _verify_chain(trust, checkpoints, as_json=as_json)
        return
    if trust or checkpoints is not None:
        raise typer.BadParameter("--trust and --checkpoints go with --chain.")
    # Facts hold no cycles: looking for some among millions of them takes longer than judging does.
    gc.disable()
    with stored() as store:
        note(store, "verify", **filters.asked_for(wanted))
        with rounds_bar("Verifying", lambda: count_rounds(store, wanted)) as advance:
            result = verify(store, wanted, advance, lambda: time.sleep(SETTLING_SECONDS))
        if as_json:
            sys.stdout.buffer.write(orjson.dumps(verified_json(result)) + b"\n")
            sys.stdout.buffer.flush()
        else:
            nothing = "" if result.rounds else nothing_meant(store, wanted)
            print_verified(sheet(), result, currencies_of(store, [each.key for each in _shown(result)]), nothing)
    if result.deviating or result.shared_ids:
        raise typer.Exit(FLAGGED)


def _verify_chain(trust: list[str] | None, checkpoints: Path | None, *, as_json: bool) -> None:
    from tablewatch.commands.replay_chain import check_chain  # noqa: PLC0415  # signatures take a library of their own

    with stored() as store:
        note(store, "verify --chain")
        report = check_chain(store, trust, checkpoints, as_json=as_json)
    if not report.whole:
        raise typer.Exit(FLAGGED)


def verified_json(result: Verified) -> dict[str, Any]:
    """The result as JSON has it."""
    return {
        "rounds": result.rounds,
        "tables": result.tables,
        "judge": str(JUDGE_VERSION),
        "removed_looked_for": result.removed_looked_for,
        "same": result.rounds - len([each for each in result.deviations if each.kind != "verdict-gone"]),
        "other_judge": [_deviation_json(each) for each in result.deviations if each.told_apart],
        "deviating": [_deviation_json(each) for each in result.deviating],
        "shared_ids": [{"source": s.source, "id": s.id, "tables": list(s.tables)} for s in result.shared_ids],
    }


def _deviation_json(each: Deviation) -> dict[str, Any]:
    return {
        "table": each.key.table,
        "shoe": each.key.shoe,
        "round": each.key.round,
        "kind": each.kind,
        "revision": each.revision,
        "judge": each.stored_judge,
        "differences": [{"path": d.path, "stored": d.stored, "judged": d.judged} for d in each.differences],
    }


def _shown(result: Verified) -> list[Deviation]:
    """The rounds that are printed with their differences."""
    return [each for kind in _KINDS for each in _of_kind(result, kind)[:SHOWN]]


def _of_kind(result: Verified, kind: str) -> list[Deviation]:
    return [each for each in result.deviations if each.kind == kind]


def print_verified(console: Console, result: Verified, currencies: Mapping[RoundKey, str], nothing: str) -> None:
    """The result for people: a sentence where all is well, else the differences, amounts in the rounds' currencies;
    ``nothing``: why no round was meant."""
    deviating, others = result.deviating, [each for each in result.deviations if each.told_apart]
    rounds, tables = "s" * (result.rounds != 1), "s" * (result.tables != 1)
    scope = f"{result.rounds:,} round{rounds} of {result.tables:,} table{tables}"
    for kind, meaning in _KINDS.items():
        of_kind = _of_kind(result, kind)
        if not of_kind:
            continue
        console.print(Text(f"{len(of_kind):,} × {kind}: {meaning}", "yellow" if kind == "other-judge" else "bold red"))
        for each in of_kind[:SHOWN]:
            _print_deviation(console, each, currencies.get(each.key))
        if len(of_kind) > SHOWN:
            console.print(f"  … and {len(of_kind) - SHOWN:,} more; --json lists them all.", style="dim")
    _print_shared(console, result.shared_ids)
    if not result.rounds and not deviating:
        console.print(f"{nothing} Nothing was verified.", markup=False, highlight=False)
    elif deviating:
        console.print(
            Text(f"{scope}: {len(deviating):,} deviate{'s' * (len(deviating) == 1)} from what is stored.", "bold red")
        )
    elif others:
        told = f"{scope}: as stored, but for {len(others):,} that another version of the judge judged."
        console.print(Text(told, "yellow"))
    else:
        console.print(Text(f"{scope}: every verdict is as it is stored, byte for byte.", "green"))
    if not result.removed_looked_for:
        console.print(Text(NOT_LOOKED_FOR, "yellow"))


def _print_shared(console: Console, shared: Sequence[SharedId]) -> None:
    if not shared:
        return
    meaning = "one source used an id for several tables; `tablewatch audit` of all of them refuses these events"
    console.print(Text(f"{len(shared):,} × shared id: {meaning}", "bold red"))
    for each in shared[:SHOWN]:
        console.print(f"  {each.source}, id {each.id}: {', '.join(each.tables)}", markup=False, highlight=False)
    if len(shared) > SHOWN:
        console.print(f"  … and {len(shared) - SHOWN:,} more; --json lists them all.", style="dim")


def _print_deviation(console: Console, each: Deviation, currency: str | None) -> None:
    judge = f"  revision {each.revision}, judge {each.stored_judge}" if each.revision is not None else ""
    console.print(Text.assemble((f"  {each.key}", "bold"), (judge, "dim")))
    for difference in each.differences[:FIELDS_SHOWN]:
        path = difference.path
        if each.kind == "records-contradict":
            console.print(f"    {difference.stored}", markup=False, highlight=False)
            continue
        stored, judged = (_short(field_words(path, each, currency)) for each in (difference.stored, difference.judged))
        console.print(Text.assemble((f"    {path}: ", "dim"), f"stored {stored}, judged {judged}"))
    if len(each.differences) > FIELDS_SHOWN:
        console.print(f"    … and {len(each.differences) - FIELDS_SHOWN} fields more", style="dim")


def _short(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:97]}…"
