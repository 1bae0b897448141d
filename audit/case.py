"""One round on the judge's desk: its facts, its surroundings and all that follows from them, for the checks to read."""

from typing import Any

from audit.announced import lacks_closing_since
from audit.context import RoundContext
from audit.dealing import ENDLESS, Dealing, deal
from audit.facts import Fact, RoundFacts
from audit.settings import MILLISECOND, JudgeSettings
from audit.stakes import Stake, Stakes, standing_stakes
from audit.voids import VoidState, void_state
from games.documents import RuleDocument
from games.rulebook import Game
from schemas.findings import Finding, finding_about
from schemas.records import Configuration


class Case:
    """A round of a known game and shoe. ``early`` is a look at a round that goes on: what rests on something not being
    there is left for later."""

    __slots__ = (
        "configuration", "context", "dealing", "decks", "document", "early", "facts", "findings", "game", "lost",
        "settings", "stakes", "tolerance", "void",
    )  # fmt: skip

    def __init__(
        self,
        facts: RoundFacts,
        context: RoundContext,
        settings: JudgeSettings,
        game: Game,
        decks: int | None,
        *,
        early: bool = False,
    ) -> None:
        assert context.configuration is not None
        self.facts = facts
        self.context = context
        self.settings = settings
        self.early = early
        self.game = game
        self.document: RuleDocument = game.document
        self.configuration: Configuration = context.configuration.data
        self.decks = decks
        """None where the shoe was never loaded."""
        self.tolerance = settings.tolerance_ms * MILLISECOND
        self.findings: list[Finding] = []
        self.lost: list[str] = []
        """Facts that are not there and that a hole could hide, in plain words."""
        known_decks = decks if decks is not None else ENDLESS
        self.dealing: Dealing = deal(game, known_decks, facts, context.earlier, context.dealt_before)
        self.stakes: Stakes = standing_stakes(self.document, self.configuration, facts, self.tolerance)
        self.void: VoidState = void_state(game, self.configuration, facts, self.dealing, weighed=decks is not None)

    @property
    def cards_lost(self) -> bool:
        """Whether a card that is not there may have been lost on the way."""
        return self.could_be_lost("draw")

    @property
    def outcome_judged(self) -> bool:
        """Whether display and payouts are held against the cards: not where the cards are in doubt, incomplete or
        not of this shoe, nor in a round that is or should be void."""
        return (
            self.decks is not None
            and self.dealing.outcome is not None
            and self.void.declared is None
            and self.void.required is None
        )

    @property
    def needs_cards(self) -> bool:
        """Whether the round cannot be verified without all its cards: not where it was declared or had to be void."""
        return self.void.declared is None and self.void.required is None

    @property
    def only_cards_unclear(self) -> bool:
        """Whether nothing but lost or doubtful cards keeps the outcome from being known: what does not rest on them (a
        bet that was not settled, money on one that does not stand) is judged all the same."""
        dealing = self.dealing
        return (
            self.decks is not None
            and self.needs_cards
            and not self.early
            and (dealing.doubtful or (dealing.short and self.cards_lost))
        )

    def could_be_lost(self, kind: str) -> bool:
        """Whether a fact of this kind could have got lost in a hole of its source."""
        return self.context.obscurity.could_hide(kind, self.facts.ordered[0].at, self.context.until)

    def rests_on_lost_closing(self, bet: str) -> bool:
        """Whether a "No more bets" that is not on record may have been lost before an act on a bet: then nobody can say
        whether the act came too late, and what stands of the bet."""
        since = lacks_closing_since(self.facts, self.tolerance)
        return since is not None and any(
            self.context.obscurity.could_hide("announcement", since, min(act.at, self.context.until))
            for act in self.facts.acts.get(bet, ())
        )

    def standing(self) -> list[Stake]:
        """The bets that stand."""
        return [stake for stake in self.stakes.bets if stake.standing]

    def raise_finding(
        self,
        code: str,
        clause: str | None,
        message: str,
        *,
        expected: Any = None,
        actual: Any = None,
        bet: str | None = None,
        draw: int | None = None,
        about: str = "",
        corrected: bool = False,
    ) -> None:
        """Write a finding down; ``clause`` is one of the game's document, or None where none is behind it."""
        context = self.context
        self.findings.append(
            finding_about(
                code, context.table, message, rule=f"{self.document.name} {clause}" if clause else None,
                shoe=context.shoe, round=context.round, bet=bet, draw=draw, about=about, expected=expected,
                actual=actual, corrected=corrected,
            )
        )  # fmt: skip

    def clause(self, subject: str) -> str | None:
        """The document's clause on a subject; None where it is silent."""
        return self.document.clauses.get(subject)

    def about(self, fact: Fact) -> str:
        """What tells findings on several events of one kind apart."""
        return f"{fact.source} {fact.id}"
