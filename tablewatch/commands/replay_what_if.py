"""`tablewatch replay what-if`: the same rounds with something otherwise, and what that changes."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Final

import orjson
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from games.cards import RANK
from games.documents import DOCUMENTS
from games.readings import choices
from games.rulebook import GAMES, WAGERS
from replay.changes import Changes, InvalidChange, Pay, check_pay, read_changes
from replay.rounds import not_there
from replay.what_if import Compared, RoundChange, compared_json, what_if
from schemas.money import amount_words, signed_words
from store.connect import Store
from store.read.bulk import round_keys
from store.read.rounds import ALL, RoundFilter, currencies, currencies_of, opened_at
from store.rows.verdicts import RoundKey
from tablewatch.commands import replay_filters as filters
from tablewatch.commands.game_argument import Reading
from tablewatch.commands.replay_paper import STATUS_STYLE, by_number, finding_text, sheet
from tablewatch.commands.replay_store import named_round, note, rounds_bar, stored

SHOWN: Final = 20
"""So many rounds are printed one by one."""
_TOLERANCES: Final = {
    "tolerance": "tolerance_ms",
    "clock": "clock_tolerance_ms",
    "silence": "silence_ms",
}

Rounds = Annotated[
    list[str] | None, typer.Argument(metavar="TABLE/SHOE/ROUND…", help="The rounds; without any, those of the filters.")
]


@filters.filtered
def what_if_rounds(
    wanted: RoundFilter,
    rounds: Rounds = None,
    reading: Reading = None,
    pays: Annotated[
        list[str] | None,
        typer.Option("--pays", metavar="WAGER[:LINE]=ODDS", help="Other odds, e.g. tie=9 or banker:six=1/2."),
    ] = None,
    document: Annotated[
        str | None, typer.Option("--document", help="Procedures, limits and voids by this rule document.")
    ] = None,
    as_game: Annotated[str | None, typer.Option("--as-game", help="As if the table had played this game.")] = None,
    limits: Annotated[
        list[str] | None, typer.Option("--limits", metavar="WAGER=MIN:MAX", help="Other limits, in minor units.")
    ] = None,
    differential: Annotated[
        str | None, typer.Option("--differential", metavar="AMOUNT", help="Another limit of the differential, or none.")
    ] = None,
    tolerance: Annotated[
        list[str] | None,
        typer.Option("--tolerance", metavar="[NAME=]MS", help=f"Milliseconds; of {', '.join(_TOLERANCES)}."),
    ] = None,
    card: Annotated[
        list[str] | None, typer.Option("--card", metavar="DRAW=CARD", help="Another card for a draw, e.g. 3=8H.")
    ] = None,
    change: Annotated[
        Path | None, typer.Option("--change", help='Events to put in or replace, or {"remove": {"source", "id"}}.')
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The result as one JSON object, in minor units.")] = False,
) -> None:
    """Examples:

    \b
      tablewatch replay what-if --reading small_tiger=layout --game dragon_tiger_baccarat
      tablewatch replay what-if BT12/S4/17 --card 3=8H
      tablewatch replay what-if --table BT12 --pays tie=9 --from-time 2026-01-31
      tablewatch replay what-if --table BT12 --limits player=5000:200000 --json
      tablewatch replay what-if BT12/S4/17 --change facts.jsonl

    The same rounds under another reading, paytable, rule document, limit or tolerance, or with one fact changed: what
    differs in outcomes, findings and money, in total and per bet. Nothing that is stored changes.

    With a fact changed, the whole shoe is looked at. Exit code 2 for a round that is not there or a change that cannot
    be.
    """
    keys = [named_round(name) for name in rounds or ()]
    if keys and wanted != ALL:
        raise typer.BadParameter("Name the rounds, or filter them; not both.")
    if card and len(keys) != 1:
        raise typer.BadParameter("--card needs the one round that it is about: name it.")
    try:
        changes = _changes(reading, pays, document, as_game, limits, differential, tolerance, card, change)
    except InvalidChange as error:
        raise typer.BadParameter(str(error)) from None
    if not changes.any:
        raise typer.BadParameter("What is to be otherwise? Say one of --reading, --pays, --document, … (see --help).")
    with stored() as store:
        meant = [_known(store, key) for key in keys] or round_keys(store, wanted)
        note(store, "what-if", keys, what=" ".join(sys.argv[3:]), **filters.asked_for(wanted))
        try:
            with rounds_bar("Judging", lambda: len(meant)) as advance:
                result = what_if(store, meant, changes, advance, meant=keys[0] if len(keys) == 1 else None)
        except InvalidChange as error:
            typer.echo(f"This cannot be: {error}", err=True)
            raise typer.Exit(2) from None
        if as_json:
            sys.stdout.buffer.write(orjson.dumps(compared_json(result)) + b"\n")
            sys.stdout.buffer.flush()
        else:
            named = sorted(currencies(store, sorted({key.table for key in meant})))
            shown = currencies_of(store, [each.key for each in result.changed[:SHOWN]])
            print_compared(sheet(), result, named, shown)


def _known(store: Store, key: RoundKey) -> RoundKey:
    if opened_at(store, key) is None:
        raise not_there(store, key, "judged round")
    return key


def _changes(
    reading: list[str] | None,
    pays: list[str] | None,
    document: str | None,
    as_game: str | None,
    limits: list[str] | None,
    differential: str | None,
    tolerance: list[str] | None,
    card: list[str] | None,
    change: Path | None,
) -> Changes:
    put, removed = _file(change)
    setup: dict[str, Any] = {}
    if as_game is not None:
        setup["game"] = _one_of(as_game, GAMES, "game")
    if differential is not None:
        setup["differential_limit"] = None if differential == "none" else _whole(differential, "--differential")
    return Changes(
        readings=dict(_reading(each) for each in reading or ()),
        tolerances=dict(_tolerance(each) for each in tolerance or ()),
        pays=tuple(_pay(each) for each in pays or ()),
        document=None if document is None else _one_of(document, [each.name for each in DOCUMENTS], "rule document"),
        setup=setup,
        limits=dict(_limit(each) for each in limits or ()),
        cards=dict(_card(each) for each in card or ()),
        put=put,
        removed=removed,
    )


def _one_of(name: str, known: Iterable[str], what: str) -> str:
    names = list(known)
    if name not in names:
        raise InvalidChange(f"there is no {what} {name!r}; there are {', '.join(names)}.")
    return name


def _pair(text: str, form: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise InvalidChange(f"{text!r}: write it as {form}.")
    return name, value


def _whole(text: str, what: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise InvalidChange(f"{what}: {text!r} is no whole number.")
    return int(text)


def _reading(text: str) -> tuple[str, str]:
    name, choice = _pair(text, "NAME=CHOICE, e.g. pair=literal")
    allowed = choices()
    if choice not in allowed.get(name, ()):
        known = "; ".join(f"{each}={' or '.join(chosen)}" for each, chosen in allowed.items())
        raise InvalidChange(f"there is no reading {text!r}; there are {known}.")
    return name, choice


def _tolerance(text: str) -> tuple[str, int]:
    name, value = _pair(text, "NAME=MS") if "=" in text else ("tolerance", text)
    return _TOLERANCES[_one_of(name, _TOLERANCES, "tolerance")], _whole(value, "--tolerance")


def _pay(text: str) -> Pay:
    name, value = _pair(text, "WAGER=ODDS or WAGER:LINE=ODDS, e.g. tie=9 or banker:six=1/2")
    wager, colon, line = name.partition(":")
    try:
        net = Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise InvalidChange(
            f"--pays {text!r}: {value!r} are no odds; write 9, 0.95 or 1/2 for 9 to 1 and so on."
        ) from None
    if net < -1 or net.denominator not in _FINITE:
        raise InvalidChange(f"--pays {text!r}: odds are a finite decimal, and no more than the stake can be lost.")
    pay = Pay(_one_of(wager, WAGERS, "wager"), line if colon else None, net)
    check_pay(pay)
    return pay


_FINITE: Final = frozenset(2**twos * 5**fives for twos in range(7) for fives in range(5))


def _limit(text: str) -> tuple[str, tuple[int, int]]:
    wager, value = _pair(text, "WAGER=MIN:MAX, e.g. player=5000:200000")
    low, colon, high = value.partition(":")
    if not colon:
        raise InvalidChange(f"--limits {text!r}: write it as WAGER=MIN:MAX, e.g. player=5000:200000.")
    return _one_of(wager, WAGERS, "wager"), (_whole(low, "--limits"), _whole(high, "--limits"))


def _card(text: str) -> tuple[int, str]:
    draw, card = _pair(text, "DRAW=CARD, e.g. 3=8H")
    if card not in RANK:
        raise InvalidChange(f"--card {text!r}: there is no card {card!r}; write rank and suit, e.g. 8H, 10S or LG.")
    return _whole(draw, "--card"), card


def _file(path: Path | None) -> tuple[Any, Any]:
    if path is None:
        return (), frozenset()
    try:
        return read_changes(path.read_bytes().splitlines())
    except OSError as error:
        raise InvalidChange(f"{path} cannot be read: {error.strerror}.") from error


def print_compared(
    console: Console, result: Compared, named: Sequence[str], currency_of: Mapping[RoundKey, str]
) -> None:
    """What differs, for people: the sums first, then the rounds, each in its currency. ``named`` are the currencies of
    all that was looked at: amounts of several are not summed up."""
    rounds = "1 round" if result.rounds == 1 else f"{result.rounds:,} rounds"
    if not result.rounds:
        console.print("No stored round is meant by this.")
        return
    if not result.changed:
        console.print(Text(f"{rounds}: nothing would come out otherwise.", "green"))
        return
    console.print(Text(f"{rounds}, of which {len(result.changed):,} would come out otherwise.", "bold"))
    currency = named[0] if len(named) == 1 else None
    if len(named) > 1:
        console.print(f"Amounts are in {', '.join(named)} and not summed up: ask for the tables of one at a time.")
    elif result.difference:
        said = amount_words(abs(result.difference), currency)
        side = "Players would be due" if result.difference > 0 else "The house would keep"
        console.print(f"{side} {said}{f' {currency}' if currency else ''} more in all.")
    elif not result.uncertain:
        console.print("Nothing changes in what is due in all.")
    if result.uncertain:
        bets = "1 bet" if result.uncertain == 1 else f"{result.uncertain:,} bets"
        console.print(f"Of {bets} it cannot be said what is due before or then, so that no sum has them.")
    _print_totals(console, result, currency, summed=len(named) <= 1)
    for each in result.changed[:SHOWN]:
        console.print()
        _print_round(console, each, currency_of.get(each.key))
    if len(result.changed) > SHOWN:
        console.print(f"\n… and {len(result.changed) - SHOWN:,} rounds more; --json lists them all.", style="dim")


def _print_totals(console: Console, result: Compared, currency: str | None, *, summed: bool) -> None:
    wagers = result.by_wager() if summed else {}
    if wagers:
        table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim")
        for name in ("Wager", "Bets", "Stakes", "Players, difference"):
            table.add_column(name, justify="left" if name == "Wager" else "right")
        for wager, total in wagers.items():
            stakes, difference = amount_words(total.stake, currency), signed_words(total.difference, currency)
            table.add_row(WAGERS[wager], f"{total.bets:,}", stakes, difference)
        console.print(table)
    for code, (appear, go) in result.by_code().items():
        parts = [f"{appear:,} appear" if appear else "", f"{go:,} go" if go else ""]
        console.print(f"{code}: {', '.join(filter(None, parts))}")


def _print_round(console: Console, each: RoundChange, currency: str | None) -> None:
    status = Text(each.status[0], STATUS_STYLE[each.status[0]])
    if each.status[0] != each.status[1]:
        status = Text.assemble(status, " → ", (each.status[1], STATUS_STYLE[each.status[1]]))
    console.print(Text.assemble((str(each.key), "bold"), "  ", status, f"  {_outcomes(each)}"))
    for finding in each.gone:
        console.print(Text.assemble("  goes: ", finding_text(finding, currency)))
    for finding in each.appeared:
        console.print(Text.assemble("  appears: ", finding_text(finding, currency)))
    if not each.bets:
        return
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim")
    for name in ("  Bet", "Player", "Wager", "Stake", "Due", "Then", "Moved"):
        table.add_column(name, justify="right" if name in ("Stake", "Due", "Then", "Moved") else "left")
    for bet in sorted(each.bets, key=lambda bet: by_number(bet.bet)):
        amounts = [_amount(amount, currency) for amount in (bet.due, bet.due_then, bet.moved)]
        who = f"{bet.player or 'unknown'} @{bet.position}"
        table.add_row(f"  {bet.bet}", who, WAGERS[bet.wager], amount_words(bet.stake, currency), *amounts)
    console.print(table)


def _outcomes(each: RoundChange) -> str:
    is_now, then = (outcome or "no outcome" for outcome in each.outcome)
    return is_now if is_now == then else f"{is_now} → {then}"


def _amount(amount: Fraction | None, currency: str | None) -> str:
    return "–" if amount is None else signed_words(amount, currency)
