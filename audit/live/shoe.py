"""One shoe of a live table: what it has dealt round by round, also of rounds that are no longer held."""

from bisect import bisect_left, insort
from collections.abc import Mapping

from audit.facts import Fact

Read = Mapping[int, tuple[str, ...]]
"""By draw: the different cards that were reported for it."""


class LiveShoe:
    """The account of a shoe in play."""

    __slots__ = (
        "_certain", "_count", "_dealt", "_numbers", "ended", "loaded", "reads", "released", "restrictions",
        "short_of_draws",
    )  # fmt: skip

    def __init__(self) -> None:
        self.loaded: list[Fact] = []
        self.ended: list[Fact] = []
        self.reads: dict[int, Read] = {}
        """By round."""
        self.restrictions: dict[int, int] = {}
        """By round: the wagers per playing area that a ruling restricted the shoe to from there on."""
        self.released: set[int] = set()
        """Rounds that are judged and no longer held."""
        self.short_of_draws: set[int] = set()
        """Released rounds that lacked a draw which may have been lost."""
        self._numbers: list[int] = []
        """The rounds that have dealt, rising."""
        self._certain: dict[int, list[str]] = {}
        """By round: the cards that were read in one way; a draw read as two cards counts as neither."""
        self._dealt: dict[str, int] = {}
        self._count = 0

    @property
    def count(self) -> int:
        """How many cards it has dealt, by its account."""
        return self._count

    def copies(self, card: str) -> int:
        """How many copies of a card it has dealt, by its account."""
        return self._dealt.get(card, 0)

    def note(self, number: int, read: Read) -> bool:
        """Note the cards of a round; whether that changes what later rounds can know of it."""
        known = self.reads.get(number)
        if (known or {}) == read:
            return False
        dealt = self._dealt
        if known is None:
            insort(self._numbers, number)
        else:
            self._count -= len(known)
            for card in self._certain[number]:
                dealt[card] -= 1
        certain = [cards[0] for cards in read.values() if len(cards) == 1]
        for card in certain:
            dealt[card] = dealt.get(card, 0) + 1
        self._count += len(read)
        self._certain[number] = certain
        self.reads[number] = read
        return True

    def before(self, number: int) -> tuple[dict[str, int], int]:
        """The copies of the round's own cards dealt in earlier rounds, and how many cards these dealt in all."""
        count = self._count
        copies = {card: self._dealt[card] for card in self._certain.get(number, ())}
        for other in self._numbers[bisect_left(self._numbers, number) :]:
            count -= len(self.reads[other])
            for card in self._certain[other]:
                if card in copies:
                    copies[card] -= 1
        return {card: copied for card, copied in copies.items() if copied}, count

    def restriction_before(self, number: int) -> int | None:
        """What an earlier round of the shoe restricted the wagers to."""
        earlier = [other for other in self.restrictions if other < number]
        return self.restrictions[max(earlier)] if earlier else None
