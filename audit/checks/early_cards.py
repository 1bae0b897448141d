"""Cards drawn before "No more bets" (3.2 of all documents, DT 3.4, reading A-41)."""

from audit.case import Case
from audit.facts import Fact, surely_later


def _before_the_closing(case: Case, card: Fact) -> bool:
    closings = case.facts.closings
    if surely_later(closings[0], card, case.tolerance):
        return True
    for reset in case.facts.rulings_of("device-reset"):
        # 5.9: after a reset the dealing goes on when bets have been closed again.
        following = next((closing for closing in closings if closing > reset), None)
        if (
            following is not None
            and surely_later(card, reset, case.tolerance)
            and surely_later(following, card, case.tolerance)
        ):
            return True
    return False


def check(case: Case) -> None:
    """``card-before-close``, once for each draw."""
    facts = case.facts
    if not facts.closings or not facts.cards:
        return
    if not facts.rulings and facts.cards[0].at > facts.closings[0].at:
        # The rule: all cards came later, and no reset asks for a second closing.
        return
    early = {card.data.draw for card in facts.cards if _before_the_closing(case, card)}
    for draw in sorted(early):
        case.raise_finding(
            "card-before-close", case.clause("card-before-close"),
            f'Draw {draw} left the dealing device before "No more bets".', draw=draw,
        )  # fmt: skip
