"""The announcements of a round that have a place in it, and the "No more bets" that it lacks."""

from collections.abc import Sequence

from audit.facts import Fact, RoundFacts, surely_later


def resets(facts: RoundFacts) -> list[Fact]:
    """The rulings that reset the dealing device (5.9)."""
    return facts.rulings_of("device-reset") if facts.rulings else []


def in_place(facts: RoundFacts, announced: Sequence[Fact], tolerance: int) -> list[Fact]:
    """The announcements of one kind that have a place in the round: the first, and one more for each reset of the
    dealing device that it does not come before (5.9)."""
    after = resets(facts)
    again = [fact for fact in announced[1:] if after and not surely_later(after[0], fact, tolerance)]
    return [*announced[:1], *again[: len(after)]]


def lacks_closing_since(facts: RoundFacts, tolerance: int) -> int | None:
    """Since when a "No more bets" is missing: from the round's first fact on, or since the reset after which bets must
    be closed again. None where none is."""
    if not facts.closings:
        return facts.ordered[0].at
    after = resets(facts)
    if not after:
        return None
    closings = in_place(facts, facts.closings, tolerance)
    if len(closings) == 1 or surely_later(after[-1], facts.closings[-1], tolerance):
        return after[-1].at
    return None
