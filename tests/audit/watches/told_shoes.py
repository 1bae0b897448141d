"""Shoes as the events of a table tell them."""

from collections.abc import Iterable

from audit.watches.summary import SettledBet, ShoeSummary
from tests.audit.case import TABLE, Case


def lines_of(shoes: Iterable[ShoeSummary], table: str = TABLE, game: str = "no_commission") -> list[bytes]:
    """The lines of one table that plays these shoes to their ends; all bets of a round are of one player."""
    case = Case(game)
    for shoe in shoes:
        case.load(shoe.shoe, shoe.decks)
        for each in shoe.rounds:
            bets = {f"b{place}": bet for place, bet in enumerate(each.bets)}
            case.round(
                list(each.cards),
                bets={name: (bet.wager, bet.stake) for name, bet in bets.items()},
                settled={name: _settlement(bet) for name, bet in bets.items()},
                player=each.bets[0].player if each.bets else None,
            )
        case.end_shoe(None)
    return [line.replace(TABLE.encode(), table.encode()) for line in case.lines()]


def _settlement(bet: SettledBet) -> tuple[int, int]:
    return (bet.net, 0) if bet.net > 0 else (0, -bet.net)
