"""The table differential, judged once, at the first card (DTB 1.1.12, FF4 1.1.11, 5.18)."""

from audit.case import Case
from audit.stakes import MAIN_HANDS


def check(case: Case) -> None:
    """``differential-exceeded``."""
    differential = case.stakes.differential
    if differential is None or differential.limit is None or differential.first_card is None:
        return
    if differential.first_card > differential.limit:
        if _is_open(case):
            return
        case.raise_finding(
            "differential-exceeded", case.clause("differential"),
            f"Player and Banker wagers differed by {differential.first_card} at the first card; "
            f"the table allows {differential.limit}.",
            expected=differential.limit, actual=differential.first_card,
        )  # fmt: skip


def _is_open(case: Case) -> bool:
    """Whether nobody can say what stood: a bet was settled whose placing may have been lost, or what came too late is
    not known."""
    facts = case.facts
    placed = {stake.bet for stake in case.stakes.bets}
    if (facts.settlements.keys() | facts.corrections.keys()) - placed and case.could_be_lost("placing"):
        return True
    return any(stake.wager in MAIN_HANDS and case.rests_on_lost_closing(stake.bet) for stake in case.stakes.bets)
