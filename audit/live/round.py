"""One round of a live table: its facts as they come, and what was said of it."""

from dataclasses import dataclass, field

from audit.facts import Fact, RoundFacts, gather
from audit.live.awaited import AwaitedCards
from audit.settings import JudgeSettings
from schemas.findings import Finding
from schemas.verdicts import Settled, Verdict

_BETS_CLOSED = "bets.closed.v1"
_SETTLED = "bet.settled.v1"
_DRAWN = "card.drawn.v1"
_OPENED = "round.opened.v1"
_ENDED = "round.closed.v1"
_DECIDING = frozenset(
    {_DRAWN, "result.displayed.v1", "bet.settled.v1", "bet.corrected.v1", _BETS_CLOSED, "ruling.made.v1",
     "incident.reported.v1", _OPENED, _ENDED}
)  # fmt: skip
"""What can decide a finding at once."""


@dataclass(slots=True)
class LiveRound:
    """A round that is held."""

    shoe: str
    number: int
    settings: JudgeSettings
    """What it is judged by."""
    facts: list[Fact] = field(default_factory=list)
    gathered: RoundFacts | None = None
    """None while facts have come that are not gathered yet."""
    closed: bool = False
    """Whether "No more bets" was announced."""
    ripe: bool = False
    """Something came that can decide a finding."""
    changed: bool = False
    """Something came since the last verdict."""
    raised: dict[str, Finding] = field(default_factory=dict)
    """What people have been told."""
    verdict: Verdict | None = None
    lacks_a_draw: bool = False
    """Whether a card that it needs is not there and may have been lost on the way, by its verdict's facts."""
    used: frozenset[str] = frozenset()
    """Players who used their one time under the minimum in it."""
    due: dict[str, Settled] | None = None
    """By bet: the settlement that would be in order next, as far as all was in order at the last look."""
    awaited: AwaitedCards | None = None
    """The cards that would be in order next, as far as all was in order at the last look."""
    ended: bool = False
    """Whether its end was announced."""
    passed_over: bool = False
    """Whether the last look left it to the next one."""
    next_opening: Fact | None = None
    """The opening of the round that came next at the table, at the last look."""
    next_in_shoe: Fact | None = None
    """The opening of the round that came next of its shoe, at the last look."""

    def gather(self) -> RoundFacts:
        """Its facts, keyed by what they are about."""
        if self.gathered is None:
            self.gathered = gather(self.facts)
        return self.gathered

    def file(self, fact: Fact, *, on_offer: bool) -> None:
        """Take a fact. Before the closing a bet decides nothing but whether its wager and position are on offer; and
        what is in order decides nothing: a card, a settlement, the end of a round."""
        self.facts.append(fact)
        self.gathered = None
        self.changed = True
        kind = fact.kind
        if kind == _DRAWN and self.awaited is not None and self.awaited.takes(fact):
            return
        if kind == _SETTLED and self.due and self._is_due(fact):
            return
        if kind not in _DECIDING:
            self.due = self.awaited = None
            if self.closed or not on_offer or (self.raised and self._may_be_changed_by(fact)):
                self.ripe = True
            return
        in_order = self._begins(fact) if kind == _OPENED else kind == _ENDED and self._ends(fact)
        self.ended = self.ended or kind == _ENDED
        self.due = self.awaited = None
        self.ripe = self.ripe or not in_order
        if kind == _BETS_CLOSED:
            self.closed = True

    def _may_be_changed_by(self, fact: Fact) -> bool:
        """Whether something that was told may be otherwise with an act before the closing: what was told of another bet
        is not."""
        bet = getattr(fact.data, "bet", None)
        return any(told.bet is None or bet in (None, told.bet) for told in self.raised.values())

    def _begins(self, fact: Fact) -> bool:
        """Whether an opening is the first that is heard of a round, and names no dealing method, which could be one
        that is not allowed."""
        return len(self.facts) == 1 and fact.data.method is None

    def _ends(self, fact: Fact) -> bool:
        """Whether the end of a round in which all was in order is its last fact."""
        return self.due is not None and not self.ended and all(other.at <= fact.at for other in self.facts)

    def _is_due(self, fact: Fact) -> bool:
        """Whether a settlement is the one that would be in order next of its bet; a second one is not."""
        data = fact.data
        due = self.due.pop(data.bet, None) if self.due else None
        return due is not None and due.paid == data.paid and due.collected == data.collected

    def mark(self) -> None:
        """It must be judged again."""
        self.changed = self.ripe = True
        self.due = self.awaited = None

    def follow(self, opening: Fact | None) -> None:
        """The next opening at the table is this one. A verdict with a finding may rest on it: what a hole behind it
        hides is nothing of this round, and what comes behind it is out of order."""
        if self.verdict is not None and _place(opening) != _place(self.next_opening):
            behind = opening is not None and self.last >= opening.at
            self.changed = self.changed or behind or bool(self.verdict.findings)
        self.next_opening = opening

    @property
    def news(self) -> bool:
        """Whether something came that is worth a look now: the rest waits for that, or for the end of the round."""
        return self.ripe or self.ended or self.verdict is not None or len(self.facts) == 1

    def moment_of(self, finding: Finding) -> int:
        """The effective time of the fact that decides a finding: the last of its draw, the last display, what was last
        paid on its bet or done with it; where it rests on something that did not come, or on the round as a whole, the
        round's last fact."""
        facts, bet = self.gather(), finding.bet
        about: list[Fact] = []
        if finding.draw is not None:
            about = [fact for fact in facts.cards if fact.data.draw == finding.draw]
        elif bet is not None and (finding.code.startswith("payout-") or finding.code == "void-not-returned"):
            about = [*facts.settlements.get(bet, ()), *facts.corrections.get(bet, ())]
        elif bet is not None:
            about = facts.acts.get(bet, [])
        elif finding.code == "display-mismatch":
            about = facts.displays
        return max((fact.at for fact in about), default=self.last)

    @property
    def place_in_time(self) -> tuple[int, str, int, str]:
        """Rounds are in the order of this."""
        beginning = self.gather().beginning
        return beginning.at, beginning.source, beginning.sequence, beginning.id

    @property
    def last(self) -> int:
        """Effective time of its last fact."""
        return self.gather().ordered[-1].at


def _place(opening: Fact | None) -> tuple[int, str, int, str] | None:
    return None if opening is None else opening[:4]
