"""One shoe of a live table: what it has dealt round by round, also of rounds that are no longer held."""

from collections.abc import Iterable, Mapping

from audit.facts import Fact

Read = Mapping[int, tuple[str, ...]]
"""By draw: the different cards that were reported for it."""


class LiveShoe:
    """The account of a shoe in play."""

    __slots__ = ("_count", "_dealt", "ended", "loaded", "reads", "released", "restrictions", "short_of_draws")

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
        self._dealt: dict[str, int] = {}
        self._count = 0

    def note(self, number: int, read: Read) -> bool:
        """Note the cards of a round; whether that changes what later rounds can know of it."""
        known = self.reads.get(number, {})
        if known == read:
            return False
        self._add(known, -1)
        self._add(read, 1)
        self.reads[number] = read
        return True

    def _add(self, read: Read, sign: int) -> None:
        self._count += sign * len(read)
        for card in _certain(read):
            self._dealt[card] = self._dealt.get(card, 0) + sign

    def before(self, number: int) -> tuple[dict[str, int], int]:
        """The copies of the round's own cards dealt in earlier rounds, and how many cards these dealt in all."""
        later = [read for other, read in self.reads.items() if other >= number]
        count = self._count - sum(len(read) for read in later)
        copies = {}
        for card in set(_certain(self.reads.get(number, {}))):
            earlier = self._dealt.get(card, 0) - sum(1 for read in later for each in _certain(read) if each == card)
            if earlier:
                copies[card] = earlier
        return copies, count

    def restriction_before(self, number: int) -> int | None:
        """What an earlier round of the shoe restricted the wagers to."""
        earlier = [other for other in self.restrictions if other < number]
        return self.restrictions[max(earlier)] if earlier else None


def _certain(read: Read) -> Iterable[str]:
    """The cards that were read in one way; a draw read as two cards counts as neither."""
    return [cards[0] for cards in read.values() if len(cards) == 1]
