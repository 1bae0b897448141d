"""The watches' book: entries of shoes in the store, with those in hand that are not written yet laid over them."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence

from audit.watches.expectation import Account
from audit.watches.summary import ShoeSummary
from store.connect import Store
from store.read.shoes import (
    LATELY_DAYS,
    ShoeKey,
    ShoePlace,
    parts_of_summaries,
    shoes_of_players,
    stored_shoes,
    telling_shoes_after,
    telling_shoes_before,
)
from streams.watching.entry import ACCOUNTS, AFTER, SUMMARY, Entry, TableAfter

CARDS_HELD = 4_000
"""The cards of so many shoes are held, to be looked through for slugs again: about 20 kB each."""
_LATELY = LATELY_DAYS * 24 * 3_600_000_000


class Book:
    """Reads how things stood before a shoe, and which shoes come next; holds what is not written yet."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._in_hand: dict[ShoeKey, Entry] = {}
        self._cards: OrderedDict[tuple[ShoeKey, int], ShoeSummary] = OrderedDict()

    def take(self, entry: Entry) -> None:
        """Lay an entry over the stored one."""
        self._in_hand[entry.key] = entry

    def written(self) -> None:
        """What was in hand is stored, or given up."""
        self._in_hand.clear()

    def entries(self, keys: Iterable[ShoeKey]) -> dict[ShoeKey, Entry]:
        """These entries, as far as there are any: in hand, else stored."""
        wanted = list(keys)
        found = {key: self._in_hand[key] for key in wanted if key in self._in_hand}
        rows = stored_shoes(self._store, [key for key in wanted if key not in found])
        return {**{key: Entry.from_row(row) for key, row in rows.items()}, **found}

    def before(self, place: ShoePlace, count: int) -> tuple[TableAfter, list[ShoeSummary]]:
        """How the table of a shoe stood before it, and the cards of so many shoes before it, in their order."""
        mine = [each for each in self._in_hand.values() if each.place.table == place.table]
        stored = telling_shoes_before(self._store, place, count + len(mine))
        last = {at: version for at, version in stored if at.key not in self._in_hand}
        last.update((each.place, 0) for each in mine if each.tells and each.place < place)
        places = sorted(last)[-count:]
        if not places:
            return TableAfter(), []
        newest = self._in_hand.get(places[-1].key)
        after = None if newest is None else newest.after
        if newest is None:
            found = parts_of_summaries(self._store, [places[-1].key], AFTER)[places[-1].key]
            after = None if found is None else TableAfter.from_json(found)
        return after or TableAfter(), self._cards_of([(at, last[at]) for at in places])

    def _cards_of(self, wanted: Sequence[tuple[ShoePlace, int]]) -> list[ShoeSummary]:
        missing = [at.key for at, version in wanted if version and (at.key, version) not in self._cards]
        versions = {at.key: version for at, version in wanted}
        for key, data in parts_of_summaries(self._store, missing, SUMMARY).items():
            bare = {**data, "rounds": [[number, cards, []] for number, cards, _ in data["rounds"]], "remaining": None}
            self._cards[key, versions[key]] = ShoeSummary.from_json(bare)
        found: list[ShoeSummary] = []
        for at, version in wanted:
            if version:
                self._cards.move_to_end((at.key, version))
                found.append(self._cards[at.key, version])
            else:
                summary = self._in_hand[at.key].summary
                if summary is not None:
                    found.append(summary.without_bets())
        while len(self._cards) > CARDS_HELD:
            self._cards.popitem(last=False)
        return found

    def accounts_before(self, players: Sequence[str], place: ShoePlace) -> dict[str, Account]:
        """How these players stood before a shoe; those who had not played yet are left out."""
        found: dict[str, Account] = {}
        for since in (place.ended - _LATELY, None):
            left = [player for player in players if player not in found]
            shoes = shoes_of_players(self._store, left, since, place.ended)
            found |= self._last_accounts(left, shoes, place)
        return found

    def _last_accounts(
        self, players: Sequence[str], shoes: Mapping[str, Sequence[ShoePlace]], place: ShoePlace
    ) -> dict[str, Account]:
        before: dict[str, list[ShoePlace]] = {}
        for player in players:
            stored = [at for at in shoes.get(player, ()) if at.key not in self._in_hand]
            mine = [each.place for each in self._in_hand.values() if player in each.accounts]
            before[player] = sorted(at for at in (*stored, *mine) if at < place)
        found: dict[str, Account] = {}
        while left := {player: at for player, at in before.items() if at and player not in found}:
            read = parts_of_summaries(
                self._store, {at[-1].key for at in left.values() if at[-1].key not in self._in_hand}, ACCOUNTS
            )
            for player, at in left.items():
                # A verdict may have named a player whom its next revision does not.
                key = at.pop().key
                if key in self._in_hand:
                    found[player] = self._in_hand[key].accounts[player]
                elif player in read.get(key, {}):
                    found[player] = Account.from_json(read[key][player])
        return found

    def next_of_table(self, place: ShoePlace) -> ShoePlace | None:
        """The shoe of its table after this one from which something can be told."""
        mine = [each for each in self._in_hand.values() if each.place.table == place.table]
        stored = [
            at for at in telling_shoes_after(self._store, place, 1 + len(mine)) if at.key not in self._in_hand
        ]  # fmt: skip
        later = [*stored, *(each.place for each in mine if each.tells and each.place > place)]
        return min(later, default=None)

    def next_of_players(self, players: Sequence[str], place: ShoePlace) -> set[ShoePlace]:
        """The next shoe of each of these players."""
        shoes = shoes_of_players(self._store, players, place.ended - _LATELY)
        found: set[ShoePlace] = set()
        for player in players:
            stored = [at for at in shoes.get(player, ()) if at.key not in self._in_hand]
            mine = [each.place for each in self._in_hand.values() if player in each.accounts]
            later = min((at for at in (*stored, *mine) if at > place), default=None)
            if later is not None:
                found.add(later)
        return found
