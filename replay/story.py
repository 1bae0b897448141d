"""A round as a story: its moments in their order, in plain words, with the cards, reasons and findings of each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from audit.devices import follow
from audit.facts import Fact, RoundFacts, gather
from audit.filled import Filled
from audit.settings import readings_in
from games.rulebook import Game, rulebook
from games.settlement import Total
from replay.bets import BetLine, bet_json, bet_line
from replay.cards import Layout, Reason, asks_next, card_words, lay_out, outcome_words, reason_for
from replay.pinning import decided_by
from replay.taking_in import taken_in
from replay.words import KINDS, Teller
from schemas.findings import Finding, as_json, plain
from schemas.records import AnyEvent, Configuration
from schemas.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Moment:
    """One thing that happened in a round."""

    at: int
    """Effective time, in microseconds since 1970."""
    after: int
    """Microseconds since the first moment."""
    kind: str
    """opened, bet, closed, card, cutting-card, display, settlement, correction, ruling, incident or ended."""
    words: str
    """What happened, in one plain sentence."""
    source: str
    """The device or desk that said so."""
    event: str
    """The id of its event."""
    time: str
    """The event's own time, by the device's clock."""
    bet: str | None
    draw: int | None
    card: str | None
    hand: str | None
    """Where the card went; None where it belongs to no hand or nobody can say."""
    hands: Mapping[str, tuple[str, ...]]
    """The cards so far, in their hands."""
    totals: Mapping[str, Total | None]
    """The totals so far."""
    beside: tuple[str, ...]
    """Cards so far that belong to no hand."""
    reason: Reason | None
    """Of a card: why it was drawn and went there; of a settlement: what was due and why."""
    next: str | None
    """After a card: what the Table of Play asks for."""
    findings: tuple[Finding, ...]
    """What this moment decided."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a round's story needs from outside the round."""

    configuration: Configuration | None
    decks: int | None
    judge: str
    """Version of the judge; empty where the round was not judged."""
    judged: int | None
    """Milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class Story:
    """One round, told from its first moment to its last."""

    table: str
    shoe: str
    round: int
    game: str | None
    title: str | None
    """The game as people call it."""
    document: str | None
    document_title: str | None
    in_force: str | None
    status: str | None
    """None: no verdict on the round is stored, mostly since it is still open."""
    revision: int | None
    judge: str
    judged: int | None
    """Milliseconds since 1970."""
    digest: str | None
    currency: str | None
    pit: str | None
    area: str | None
    dealer: str | None
    cameras: tuple[str, ...]
    decks: int | None
    began: int
    """Microseconds since 1970, as ended is."""
    ended: int
    outcome: str | None
    """Who wins and by what."""
    verdict: Verdict | None
    moments: tuple[Moment, ...]
    bets: tuple[BetLine, ...]
    findings: tuple[Finding, ...]
    clauses: tuple[str, ...]
    """Every clause that the story cites, as document and number."""

    @property
    def is_over(self) -> bool:
        """Whether the round came to its end."""
        return any(moment.kind == "ended" for moment in self.moments)


def facts_of(events: Iterable[AnyEvent]) -> RoundFacts:
    """The facts of one round with their effective times: repeats count once, what contradicts itself not at all."""
    by_source: dict[str, list[AnyEvent]] = {}
    for event in taken_in(list(events))[0]:
        by_source.setdefault(event.source, []).append(event)
    return gather(fact for source, said in by_source.items() for fact in follow(source, said, Filled()).facts)


def tell(facts: RoundFacts, verdict: Verdict | None, around: Surroundings, where: tuple[str, str, int]) -> Story:
    """The story of a round from its facts and the verdict on it; None while it is open."""
    game = _game(verdict, around.configuration)
    configuration = around.configuration
    currency = None if configuration is None else configuration.currency
    bets = tuple(bet_line(bet, game, verdict, configuration) for bet in (verdict.bets if verdict else ()))
    moments = _moments(facts, game, currency, verdict, {line.bet.bet: line for line in bets})
    findings = verdict.findings if verdict else ()
    document = game.document if game else None
    return Story(
        *where,
        game=game.name if game else None,
        title=game.title if game else None,
        document=document.name if document else None,
        document_title=document.title if document else None,
        in_force=verdict.rules.in_force if verdict and verdict.rules else None,
        status=verdict.status if verdict else None,
        revision=verdict.revision if verdict else None,
        judge=around.judge,
        judged=around.judged,
        digest=verdict.digest if verdict else None,
        currency=currency,
        pit=None if configuration is None else configuration.pit,
        area=None if configuration is None else configuration.area,
        dealer=next((each.data.dealer for each in reversed(facts.openings) if each.data.dealer is not None), None),
        cameras=() if configuration is None else tuple(configuration.cameras or ()),
        decks=around.decks,
        began=facts.ordered[0].at,
        ended=facts.ordered[-1].at,
        outcome=_outcome_words(game, verdict),
        verdict=verdict,
        moments=moments,
        bets=bets,
        findings=findings,
        clauses=_clauses(moments, bets, findings),
    )


def _game(verdict: Verdict | None, configuration: Configuration | None) -> Game | None:
    if verdict is not None and verdict.game is not None:
        return rulebook(readings_in(verdict.settings))[verdict.game]
    return None if configuration is None else rulebook()[configuration.game]


def _outcome_words(game: Game | None, verdict: Verdict | None) -> str | None:
    if game is None or verdict is None or verdict.outcome is None:
        return None
    totals = " to ".join(str(verdict.outcome.totals[hand]) for hand in game.hands)
    winner = verdict.outcome.winner
    return f"Tie, {totals}" if winner == "tie" else f"{winner.capitalize()} wins, {totals}"


def _moments(
    facts: RoundFacts, game: Game | None, currency: str | None, verdict: Verdict | None, bets: Mapping[str, BetLine]
) -> tuple[Moment, ...]:
    pinned: dict[tuple[str, str], list[Finding]] = {}
    for finding in verdict.findings if verdict else ():
        fact = decided_by(finding, facts)
        pinned.setdefault((fact.source, fact.id), []).append(finding)
    teller, table = Teller(currency), _TableTop(game)
    began = facts.ordered[0].at
    moments = []
    for fact in facts.ordered:
        data, kind = fact.data, KINDS[fact.kind]
        words, reason, following, hand = teller.tell(fact), None, None, None
        table.take(fact)
        if kind == "card" and game is not None:
            reason, following, hand = table.of_card(data.draw)
            if hand is not None:
                words = f"Draw {data.draw} is {card_words(data.card)}, to {hand.capitalize()}."
        elif kind in ("settlement", "correction") and data.bet in bets:
            reason = bets[data.bet].reason
        layout = table.layout
        moments.append(
            Moment(
                at=fact.at,
                after=fact.at - began,
                kind=kind,
                words=words,
                source=fact.source,
                event=fact.id,
                time=fact.event.time,
                bet=getattr(data, "bet", None),
                draw=getattr(data, "draw", None),
                card=getattr(data, "card", None),
                hand=hand,
                hands=layout.hands,
                totals=layout.totals,
                beside=layout.beside,
                reason=reason,
                next=following,
                findings=tuple(pinned.get((fact.source, fact.id), ())),
            )
        )
    return tuple(moments)


class _TableTop:
    """The cards on the table as they come: read, replaced, put in their right order."""

    def __init__(self, game: Game | None) -> None:
        self._game = game
        self._cards: dict[int, str] = {}
        self._order: list[int] = []
        """By the last reconstruction."""
        hands = () if game is None else game.hands
        self.layout = Layout(dict.fromkeys(hands, ()), dict.fromkeys(hands), ())

    def take(self, fact: Fact) -> None:
        """Take what is about cards; the first reading of a draw counts, and a replacement over it."""
        data = fact.data
        if fact.kind == "card.drawn.v1":
            self._cards.setdefault(data.draw, data.card)
        elif fact.kind == "ruling.made.v1" and data.ruling == "replacement-card":
            self._cards[data.draw] = data.card
        elif fact.kind == "ruling.made.v1" and data.ruling == "reconstructed":
            self._order = list(dict.fromkeys(data.order))
        else:
            return
        if self._game is not None:
            self.layout = lay_out(self._game, self._cards, self._in_order())

    def _in_order(self) -> list[int]:
        return self._order + sorted(self._cards.keys() - set(self._order))

    def of_card(self, draw: int) -> tuple[Reason | None, str | None, str | None]:
        """Why a draw was made, what is asked for next, and the hand that the card is in."""
        assert self._game is not None
        order = [each for each in self._in_order() if each in self._cards]
        if sorted(order) != list(range(1, len(order) + 1)):
            return None, None, None
        cards = [self._cards[each] for each in order]
        place = order.index(draw)
        reason = reason_for(self._game, cards[: place + 1])
        placed = sum(map(len, self.layout.hands.values()))
        hand = None if place >= placed else _hand_of(self._game, cards, place)
        following = None
        if len(cards) >= self._game.initial_deal and place == len(cards) - 1 and place < placed:
            asked = asks_next(self._game, cards)
            ended = outcome_words(self._game, cards) if asked.complete else None
            following = asked.words if ended is None else f"{asked.words}. {ended}"
        return reason, following, hand


def _hand_of(game: Game, cards: Sequence[str], place: int) -> str:
    """The hand that takes the card at a place: the one that grew by it."""
    before, after = (lay_out(game, dict(enumerate(cards[:end], 1)), range(1, end + 1)) for end in (place, place + 1))
    return next(hand for hand in game.hands if len(after.hands[hand]) > len(before.hands[hand]))


def _clauses(moments: Iterable[Moment], bets: Iterable[BetLine], findings: Iterable[Finding]) -> tuple[str, ...]:
    cited: dict[str, None] = {}
    for reason in (*(moment.reason for moment in moments), *(line.reason for line in bets)):
        if reason is None:
            continue
        for clause in (reason.clause or "").split(", "):
            if clause:
                cited[f"{reason.document} {clause}"] = None
    for finding in findings:
        if finding.rule is not None:
            cited[finding.rule] = None
    return tuple(cited)


def story_json(story: Story) -> dict[str, Any]:
    """A story as JSON has it: what the web page shows is this very value."""
    fields = {name: getattr(story, name) for name in Story.__slots__ if name not in _OF_THEIR_OWN}
    return {
        **plain(fields),
        "moments": [_moment_json(moment) for moment in story.moments],
        "bets": [bet_json(line) for line in story.bets],
        "findings": [as_json(finding) for finding in story.findings],
    }


_OF_THEIR_OWN = frozenset({"verdict", "moments", "bets", "findings"})


def _moment_json(moment: Moment) -> dict[str, Any]:
    fields = {name: getattr(moment, name) for name in Moment.__slots__ if name not in ("findings", "reason")}
    return {
        **plain(fields),
        "reason": None if moment.reason is None else asdict(moment.reason),
        "findings": [finding.id for finding in moment.findings],
    }
