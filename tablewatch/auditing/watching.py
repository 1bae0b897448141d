"""The statistical watches over what was filed: each table's shoes at once, the players of all tables at the end."""

from collections import Counter
from collections.abc import Iterator, Mapping

import orjson

from audit.outline import RoundKey
from audit.settings import JudgeSettings
from audit.table import TableFacts
from audit.watches.players import PlayersState, watch_players
from audit.watches.settings import WatchSettings
from audit.watches.summarise import Bets, summaries
from audit.watches.summary import ShoeSummary
from audit.watches.watch import WatchState, watch_shoe
from schemas.findings import Finding
from tablewatch.auditing.spool import Shelf


class Watching:
    """The shoes of all tables. Those that may tell of a player wait on the shelf for those of later tables, as players
    are watched in the order in which the shoes of all tables ended."""

    def __init__(self, shelf: Shelf, settings: WatchSettings) -> None:
        self._shelf = shelf
        self._settings = settings
        self._waiting: list[tuple[int, str, str, tuple[int, int]]] = []
        """When a shoe ended, its table, its name, and where it lies on the shelf."""
        self._played: Counter[str] = Counter()
        """By player: the rounds with a bet of his in all these shoes."""

    def table(self, facts: TableFacts, bets: Mapping[RoundKey, Bets], settings: JudgeSettings) -> Iterator[Finding]:
        """The findings of one table."""
        state = WatchState()
        # The exact odds of a game take a moment, and over so few rounds no win is told anyhow.
        enough = sum(map(bool, bets.values())) >= self._settings.fewest_rounds
        for ended, shoe in summaries(facts, bets, settings):
            state, findings = watch_shoe(state, shoe if enough else shoe.without_bets(), self._settings)
            yield from findings
            if shoe.tells_enough:
                self._keep_for_players(ended, shoe)

    def _keep_for_players(self, ended: int, shoe: ShoeSummary) -> None:
        played = Counter(
            player for each in shoe.rounds for player in {bet.player for bet in each.bets} if player is not None
        )
        if played:
            self._played.update(played)
            self._waiting.append((ended, shoe.table, shoe.shoe, self._shelf.put(orjson.dumps(shoe.to_json()))))

    def players(self) -> Iterator[Finding]:
        """The findings of players, once all tables are known."""
        if max(self._played.values(), default=0) < self._settings.fewest_rounds:
            return
        state = PlayersState()
        for *_, place in sorted(self._waiting):
            shoe = ShoeSummary.from_json(orjson.loads(self._shelf.get(place)))
            state, findings = watch_players(state, shoe, self._settings)
            yield from findings
