"""One step of the watches: from how a table and its players stood to how they stand after one more shoe; pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from audit.watches.expectation import Account
from audit.watches.players import PlayersState, TableSeen, watch_players
from audit.watches.settings import WatchSettings
from audit.watches.summary import ShoeSummary
from audit.watches.watch import WatchState, watch_shoe
from schemas.findings import Finding
from streams.watching.entry import TableAfter, dealt_mark


class Watched(NamedTuple):
    """What a shoe brought."""

    after: TableAfter
    accounts: Mapping[str, Account]
    findings: Sequence[Finding]


def players_of(shoe: ShoeSummary) -> list[str]:
    """The known players who bet in a shoe."""
    return sorted({bet.player for each in shoe.rounds for bet in each.bets if bet.player is not None})


def watch(
    shoe: ShoeSummary,
    past: Sequence[ShoeSummary],
    before: TableAfter,
    accounts: Mapping[str, Account],
    settings: WatchSettings,
) -> Watched:
    """Watch one shoe that tells enough. ``past`` are the table's last such shoes without their bets, in their order;
    ``accounts`` those of the shoe's players."""
    state, findings = watch_shoe(WatchState(tuple(past), before.frequency, before.hold), shoe, settings)
    players = before.players
    changed: dict[str, Account] = {}
    if players_of(shoe):
        seen = PlayersState(accounts, {shoe.table: TableSeen((), players)})
        told, more = watch_players(seen, shoe, settings)
        findings += more
        players = told.tables[shoe.table].players
        changed = {player: account for player, account in told.accounts.items() if account != accounts.get(player)}
    dealt = (*before.dealt, dealt_mark(shoe))[-settings.slug_shoes :]
    return Watched(TableAfter(state.frequency, state.hold, players, dealt), changed, findings)
