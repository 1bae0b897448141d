"""What a player staked and won: one player's month."""

from dataclasses import dataclass
from decimal import Decimal

from store.connect import Store
from store.read.rounds import RoundFilter
from store.rows.verdicts import RoundKey


@dataclass(frozen=True, slots=True)
class StoredBet:
    """A bet in the last state of its round."""

    key: RoundKey
    opened: int
    """When the round was opened, in microseconds since 1970."""
    game: str | None
    status: str
    """Of the round."""
    bet: str
    position: int
    player: str | None
    wager: str
    stake: int
    """What stands."""
    expected_paid: Decimal | None
    """By the rules; None where it cannot be said."""
    expected_collected: Decimal | None
    paid: int | None
    """As settled; None where it was not."""
    collected: int | None


def bets(store: Store, wanted: RoundFilter) -> list[StoredBet]:
    """The bets of the rounds that meet a filter, by time; of one player or wager alone where it names one."""
    condition, parameters = wanted.conditions()
    if wanted.player is not None:
        condition += " AND b.player = %(player)s"
    if wanted.wager is not None:
        condition += " AND b.wager = %(wager)s"
    rows = store.query(
        "SELECT table, shoe, round, toUnixTimestamp64Micro(opened), game, status, b.bet, b.position, b.player, b.wager,"
        " b.stake, b.expected_paid, b.expected_collected, b.paid, b.collected FROM rounds FINAL ARRAY JOIN bets AS b"
        f" WHERE {condition} ORDER BY opened, table, shoe, round, b.bet",
        parameters,
    )
    return [
        StoredBet(
            key=RoundKey(table, shoe, round),
            opened=opened,
            game=game or None,
            status=status,
            bet=bet,
            position=position,
            player=player or None,
            wager=wager,
            stake=stake,
            expected_paid=expected_paid,
            expected_collected=expected_collected,
            paid=paid,
            collected=collected,
        )
        for (
            table,
            shoe,
            round,
            opened,
            game,
            status,
            bet,
            position,
            player,
            wager,
            stake,
            expected_paid,
            expected_collected,
            paid,
            collected,
        ) in rows
    ]


def player_bets(store: Store, player: str, start: int, end: int) -> list[StoredBet]:
    """One player's bets at all tables, in rounds opened from ``start`` until before ``end`` (microseconds)."""
    return bets(store, RoundFilter(player=player, start=start, end=end))
