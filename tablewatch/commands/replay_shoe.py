"""`tablewatch replay shoe`: the roads of a shoe as a scoreboard shows them, and the account of its cards."""

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated

import orjson
import typer
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from games.rulebook import GAMES
from replay.cards import card_words
from replay.roads import ROWS, BigCell, DerivedCell, Place
from replay.shoe import CardAccount, StoredShoe, load_shoe, shoe_json
from tablewatch.commands.replay_paper import STATUS_STYLE, sheet
from tablewatch.commands.replay_store import note, stored


def shoe(
    name: Annotated[str, typer.Argument(metavar="TABLE/SHOE", help="The shoe, e.g. BT12/S4.")],
    as_json: Annotated[bool, typer.Option("--json", help="Roads and account as one JSON object.")] = False,
) -> None:
    """Examples:

    \b
      tablewatch replay shoe BT12/S4
      tablewatch replay shoe BT12/S4 --json | jq .roads.big_road

    A shoe as its table's scoreboard shows it: bead plate, big road, big eye boy, small road and cockroach pig, all from
    the cards; then the account of its cards: how many of each rank should be left, and what the count at its end says.
    """
    table, _, shoe_name = name.partition("/")
    if not table or not shoe_name:
        raise typer.BadParameter(f"{name!r} is no shoe; write it as TABLE/SHOE, e.g. BT12/S4.")
    with stored() as store:
        found = load_shoe(store, table, shoe_name)
        note(store, "shoe", asked_table=table, asked_shoe=shoe_name)
        if as_json:
            sys.stdout.buffer.write(orjson.dumps(shoe_json(found)) + b"\n")
            sys.stdout.buffer.flush()
        else:
            print_shoe(sheet(), found)


def print_shoe(console: Console, shoe: StoredShoe) -> None:
    """The whole shoe."""
    title = GAMES[shoe.game].title if shoe.game else "game not known"
    state = "ended" if shoe.ended else "in play"
    console.print(Text.assemble((f"{shoe.table} · shoe {shoe.shoe}", "bold"), f"  {title}, {state}"))
    console.print(_counts(shoe))
    console.print()
    roads, width = shoe.roads, console.width
    console.print(road_text("Bead plate", _bead_marks(shoe), width))
    console.print(road_text("Big road", _big_marks(roads.big_road), width))
    if roads.leading_ties:
        console.print(f"{roads.leading_ties} ties, and nobody has won yet.", style="dim")
    for heading, marks in (
        ("Big eye boy", _derived_marks(roads.big_eye_boy)),
        ("Small road", _derived_marks(roads.small_road)),
        ("Cockroach pig", _derived_marks(roads.cockroach_pig)),
    ):
        console.print(road_text(heading, marks, width))
    console.print(_legend(shoe.hands))
    console.print()
    if shoe.account is None:
        console.print("Without the loading of the shoe there is no account of its cards.", style="dim")
    else:
        print_account(console, shoe.account)


def _counts(shoe: StoredShoe) -> Text:
    statuses: dict[str, int] = {}
    winners: dict[str, int] = {}
    for verdict in shoe.rounds:
        statuses[verdict.status] = statuses.get(verdict.status, 0) + 1
        if verdict.outcome is not None and verdict.status != "void":
            winners[verdict.outcome.winner] = winners.get(verdict.outcome.winner, 0) + 1
    by_status = Text(", ").join(Text(f"{count} {status}", STATUS_STYLE[status]) for status, count in statuses.items())
    by_winner = ", ".join(f"{winner} {count}" for winner, count in sorted(winners.items()))
    return Text.assemble(f"{len(shoe.rounds)} rounds: ", by_status, f" · {by_winner}" if by_winner else "")


Marks = Mapping[Place, Text]


def road_text(heading: str, marks: Marks, width: int) -> Group:
    """A road as a grid of marks, its last columns where it is wider than the paper."""
    columns = max((place.column for place in marks), default=-1) + 1
    fits = max((width - 2) // 2, 1)
    first = max(columns - fits, 0)
    left_out = f" (from column {first + 1})" if first else ""
    lines = [Text.assemble((heading, "bold"), (left_out, "dim"))]
    depth = max((place.row for place in marks), default=-1) + 1
    for row in range(min(depth, ROWS)):
        line = Text("  ")
        for column in range(first, columns):
            line.append(marks.get(Place(column, row), Text("·", "dim")))
            line.append(" ")
        lines.append(line)
    return Group(*lines)


_COLOURS = {"player": "blue", "banker": "red", "dragon": "red", "tiger": "blue", "tie": "green"}


def _bead_marks(shoe: StoredShoe) -> Marks:
    """A letter for the winner; underlined where a hand had a pair."""
    return {
        beaded.place: Text(
            beaded.bead.winner[0].upper() if beaded.bead.winner != "tie" else "=",
            f"bold {_COLOURS[beaded.bead.winner]}{' underline' if beaded.bead.pairs else ''}",
        )
        for beaded in shoe.roads.bead_plate
    }


def _big_marks(cells: Sequence[BigCell]) -> Marks:
    """A letter for the winner, a small one where ties followed it."""
    return {
        cell.place: Text(
            cell.bead.winner[0] if cell.ties else cell.bead.winner[0].upper(), f"bold {_COLOURS[cell.bead.winner]}"
        )
        for cell in cells
    }


def _derived_marks(cells: Sequence[DerivedCell]) -> Marks:
    """Filled and red where the shoe repeats itself, hollow and blue where it does not."""
    return {cell.place: Text("●" if cell.colour == "red" else "○", cell.colour) for cell in cells}


def _legend(hands: Sequence[str]) -> Text:
    names = ", ".join(f"{hand[0].upper()} {hand}" for hand in hands)
    return Text(
        f"{names}, = tie; underlined: a hand had a pair; small letter on the big road: ties followed."
        " Derived roads: ● repeats, ○ does not.",
        "dim",
    )


def print_account(console: Console, account: CardAccount) -> None:
    """The ledger of a shoe."""
    unclear = f", {account.unclear} draws unclear" if account.unclear else ""
    counts = f"  {account.decks} decks, {account.dealt} dealt, {account.remaining} should be left{unclear}"
    console.print(Text.assemble(("Cards", "bold"), counts))
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim")
    table.add_column("Rank")
    for rank in account.left_by_rank:
        table.add_column(rank, justify="right")
    table.add_row("left", *(_left(count) for count in account.left_by_rank.values()))
    suits: dict[str, list[Text]] = {}
    for card, count in account.left.items():
        suits.setdefault(card[-1], []).append(_left(count))
    for suit, of_suit in suits.items():
        table.add_row(Text(card_words("A" + suit)[1:].strip(), "dim"), *of_suit)
    console.print(table)
    if account.foreign:
        cards = ", ".join(card_words(card) for card in account.foreign)
        console.print(Text(f"Cannot be of this shoe, or a copy too many: {cards}", "bold red"))
    if account.counted is not None:
        console.print(_balance(account))


def _left(count: int) -> Text:
    return Text(str(count), "bold red" if count < 0 else "dim" if count == 0 else "")


def _balance(account: CardAccount) -> Text:
    if not account.missing and not account.over:
        return Text(f"At the end {account.counted} cards were counted: the account balances.", "green")
    parts = []
    if account.missing:
        parts.append("missing " + ", ".join(f"{card_words(c)} ×{n}" for c, n in account.missing.items()))
    if account.over:
        parts.append("left over " + ", ".join(f"{card_words(c)} ×{n}" for c, n in account.over.items()))
    return Text(f"At the end {account.counted} cards were counted: {'; '.join(parts)}.", "bold red")
