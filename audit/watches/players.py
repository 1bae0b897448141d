"""player-over-expectation: one player wins beyond the exact expectation of his wagers, over rounds and tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from audit.watches.evidence import once_in, p_value_of, statistical_finding
from audit.watches.expectation import TILTS, Account, Exposure, add_shoe, exposure_of
from audit.watches.settings import DEFAULT_SETTINGS, WatchSettings
from audit.watches.summary import SettledBet, ShoeSummary
from games.readings import Readings
from schemas.findings import Finding

TEST = "exponential likelihood ratios with the exact distribution of the player's wagers, summed over starting shoes"
FEWEST_SHARES = 8
"""The rate of a shoe is shared by at least so many players."""
REMEMBERED = 50
"""So many last shoes of a table are known by name, so that one told again is counted once."""


@dataclass(frozen=True, slots=True)
class TableSeen:
    """What the watch over players keeps of a table."""

    shoes: tuple[str, ...] = ()
    """The last ones that were counted."""
    players: int = 0
    """How many known players the last one had."""


@dataclass(frozen=True, slots=True)
class PlayersState:
    """The accounts of all known players, whichever tables they play at."""

    accounts: Mapping[str, Account] = field(default_factory=dict)
    tables: Mapping[str, TableSeen] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "accounts": {player: account.to_json() for player, account in self.accounts.items()},
            "tables": {table: [list(seen.shoes), seen.players] for table, seen in self.tables.items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "PlayersState":
        """Read back what ``to_json`` wrote."""
        return cls(
            {player: Account.from_json(account) for player, account in data["accounts"].items()},
            {table: TableSeen(tuple(shoes), players) for table, (shoes, players) in data["tables"].items()},
        )


def watch_players(
    state: PlayersState, shoe: ShoeSummary, settings: WatchSettings = DEFAULT_SETTINGS
) -> tuple[PlayersState, list[Finding]]:
    """Add a shoe to the accounts of its known players; one that is out of range is told and opened anew.

    Shoes are given in the order in which they ended; one that was given before changes nothing.
    """
    seen = state.tables.get(shoe.table, TableSeen())
    if not shoe.tells_enough or shoe.shoe in seen.shoes:
        return state, []
    played = _exposures_by_player(shoe, settings.readings)
    # The shoe's rate is shared out as players sit down, by how many the table's shoe before had: both are known
    # before the cards are, and no more than one whole share is ever given.
    shares = max(FEWEST_SHARES, 2 * seen.players)
    accounts = dict(state.accounts)
    findings = []
    for place, (player, bets) in enumerate(played.items()):
        start = 1 / shares if place < shares else 0.0
        before = accounts.get(player, Account())
        account = add_shoe(before, shoe.game, shoe.decks, bets, TILTS, start, settings.readings)
        p_value = p_value_of(account.log_evidence)
        if p_value <= settings.player_rate and account.rounds >= settings.fewest_rounds:
            findings.append(_finding(shoe, player, account, p_value))
            account = Account()
        accounts[player] = account
    told = TableSeen((*seen.shoes, shoe.shoe)[-REMEMBERED:], len(played))
    return PlayersState(accounts, {**state.tables, shoe.table: told}), findings


def _exposures_by_player(shoe: ShoeSummary, readings: Readings) -> dict[str, list[Exposure]]:
    """The bets of each known player round by round, players in the order of their first bet."""
    played: dict[str, list[Exposure]] = {}
    for each in shoe.rounds:
        by_player: dict[str, list[SettledBet]] = {}
        for bet in each.bets:
            if bet.player is not None:
                by_player.setdefault(bet.player, []).append(bet)
        for player, bets in by_player.items():
            if exposure := exposure_of(shoe.game, bets, readings):
                played.setdefault(player, []).append(exposure)
    return played


def _finding(shoe: ShoeSummary, player: str, account: Account, p_value: float) -> Finding:
    expected, deviation = round(account.expected), round(sqrt(account.variance))
    return statistical_finding(
        "player-over-expectation",
        shoe,
        about=player,
        p_value=p_value,
        test=TEST,
        expected={"net": expected, "standard_deviation": deviation},
        actual={
            "player": player,
            "net": account.net,
            "staked": account.staked,
            "rounds": account.rounds,
            "shoes": account.shoes,
        },
        message=(
            f"Player {player} is {account.net:,} ahead after {account.rounds} rounds where the wagers give "
            f"{expected:,} on average, with a deviation of {deviation:,}; chance takes a player so far "
            f"{once_in(p_value)}."
        ),
    )
