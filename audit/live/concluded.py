"""A verdict with what the judge knew of its round that the verdict does not say."""

from dataclasses import dataclass

from audit.context import RoundContext
from audit.dealing import cards_that_count
from audit.facts import RoundFacts
from schemas.verdicts import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Concluded:
    """A round that was judged."""

    verdict: Verdict
    opened: int
    """Effective time of the opening, or of the first fact, in microseconds since 1970."""
    ended: int
    """Effective time of the last fact."""
    cards: tuple[str, ...]
    """In the order that counts."""
    decks: int | None
    """Of the shoe; None: not known."""
    pit: str | None
    currency: str | None
    dealer: str | None


def conclude(verdict: Verdict, facts: RoundFacts, context: RoundContext) -> Concluded:
    """Put beside a verdict what else is known of its round."""
    configuration = None if context.configuration is None else context.configuration.data
    dealers = [opening.data.dealer for opening in facts.openings if opening.data.dealer is not None]
    return Concluded(
        verdict=verdict,
        opened=facts.beginning.at,
        ended=facts.ordered[-1].at,
        cards=cards_that_count(facts),
        decks=None if context.loaded is None else context.loaded.data.decks,
        pit=None if configuration is None else configuration.pit,
        currency=None if configuration is None else configuration.currency,
        dealer=dealers[-1] if dealers else None,
    )
