"""Whether a round is void: what on record founds a void, what makes one necessary, and what was declared."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from audit.dealing import Dealing
from audit.established import outcome_established
from audit.facts import Fact, RoundFacts
from audit.roles import may_act, within
from games.documents import RuleDocument
from games.rulebook import Game
from schemas.records import Configuration


class Ground(NamedTuple):
    """Something on record by which the round is, or may be declared, void."""

    reason: str
    """In plain words, for messages."""
    clause: str
    requires: bool
    """Whether the rules leave no choice; otherwise the ground only allows a void (SE, DT 5.2)."""


@dataclass(frozen=True, slots=True)
class VoidState:
    """How a round stands as to being void."""

    declared: Fact | None
    """The first void ruling."""
    grounds: tuple[Ground, ...]
    by_shift_manager: bool
    """6.1: declared by one who may, where nothing else covers it."""
    settled: bool
    """Whether any bet was settled."""

    @property
    def founded(self) -> bool:
        """Whether a void would be, or is, right."""
        return bool(self.grounds) or self.by_shift_manager

    @property
    def rightly_void(self) -> bool:
        """Declared and founded, or void by the rules and not settled."""
        if self.declared is not None:
            return self.founded
        return not self.settled and self.required is not None

    @property
    def required(self) -> Ground | None:
        """The ground by which the rules make the round void, although nobody declared it."""
        if self.declared is not None or not self.grounds:
            return None
        return next((ground for ground in self.grounds if ground.requires), None)


def _in_initial_deal(game: Game, draws: tuple[int, ...]) -> bool:
    return not draws or any(draw <= game.initial_deal for draw in draws)


def _incident_ground(game: Game, incident: Fact, order_known: bool) -> Ground | None:
    """The ground that an incident is, as the game's document has it (readings, part 2)."""
    document, kind = game.document, incident.data.incident
    clauses = document.clauses
    if kind == "foreign-card":
        return Ground("a foreign card was reported", clauses["foreign-card"], True)
    if kind in ("missing-card", "unshuffled-cards") and document.missing_or_unshuffled_void:
        words = "a missing card was reported" if kind == "missing-card" else "unshuffled cards were reported"
        return Ground(words, clauses[kind], True)
    if order_known:
        return None
    if kind == "order-altered":
        return Ground("the order of the cards was altered and not reconstructed", clauses["order-altered"], True)
    if kind == "cards-drawn-together" and (
        document.together_void == "always" or _in_initial_deal(game, incident.data.draws)
    ):
        return Ground("cards were drawn together in an unknown order", clauses["drawn-together"], True)
    return None


def _power_grounds(game: Game, configuration: Configuration, facts: RoundFacts, dealing: Dealing) -> Iterator[Ground]:
    """EB 5.9.1: an interruption before an outcome is established; of the whole table it leaves no choice (5.10). Where
    the cards are doubtful it allows a void, as nobody can tell whether there was an outcome."""
    for ruling in facts.rulings_of("power-failure"):
        drawn = {card.data.draw for card in facts.cards if card < ruling}
        cards = [card for draw, card in zip(dealing.draws, dealing.cards, strict=False) if draw in drawn]
        foreign = any(card not in game.deck.index for card in cards)
        if dealing.doubtful or foreign or not outcome_established(game, tuple(configuration.limits), cards):
            yield Ground(
                "the power failed before an outcome was established",
                game.document.clauses["power-failure"],
                ruling.data.scope == "table" and not dealing.doubtful,
            )


def _grounds(game: Game, configuration: Configuration, facts: RoundFacts, dealing: Dealing) -> Iterator[Ground]:
    document = game.document
    if dealing.foreign:
        yield Ground("a card cannot be of this shoe", document.clauses["foreign-card"], True)
    if dealing.ran_out:
        yield Ground("the shoe ran out", document.clauses["insufficient-cards"], True)
    if facts.incidents:
        order_known = bool(facts.rulings_of("reconstructed"))
        # 5.11 prevails over 5.1: cards that a player left with are replaced (reading A-34).
        replaced = document.methods and any(each.data.incident == "player-left-with-cards" for each in facts.incidents)
        for incident in facts.incidents:
            if replaced and incident.data.incident == "missing-card":
                continue
            ground = _incident_ground(game, incident, order_known)
            if ground is not None:
                yield ground
    if document.power_void and facts.rulings:
        yield from _power_grounds(game, configuration, facts, dealing)
    if document.wrong_count_void and (dealing.short or dealing.over):
        yield Ground("a hand had the wrong number of cards", document.clauses["wrong-count"], False)


def _decided_by_shift_manager(document: RuleDocument, void: Fact) -> bool:
    return (
        document.decided_by_shift_manager
        and within(void.data.clause, "6.1")
        and may_act(void.data.by, "gaming_shift_manager")
    )


_NOT_VOID = VoidState(None, (), False, settled=False)
"""As nearly every round is: whether it was settled tells nothing of being void then."""


def void_state(
    game: Game, configuration: Configuration, facts: RoundFacts, dealing: Dealing, *, weighed: bool = True
) -> VoidState:
    """Weigh a round; of a shoe that was never loaded (not ``weighed``) nothing tells what it is void by."""
    voids = facts.rulings_of("void") if facts.rulings else []
    grounds = tuple(_grounds(game, configuration, facts, dealing)) if weighed else ()
    if not voids and not grounds:
        return _NOT_VOID
    return VoidState(
        voids[0] if voids else None,
        grounds,
        weighed and any(_decided_by_shift_manager(game.document, void) for void in voids),
        facts.settled,
    )
