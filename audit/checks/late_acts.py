"""Bets placed, increased, withdrawn or decreased after "No more bets" (DTB, FF4, EB 5.4, 5.5; SE, DT 5.6, 5.7)."""

from audit.case import Case


def check(case: Case) -> None:
    """``late-bet`` and ``late-withdrawal``, once for each bet."""
    for stake in case.stakes.bets:
        if stake.placed_late:
            case.raise_finding(
                "late-bet", case.clause("late-bet"),
                f'Bet {stake.bet} on {stake.wager} was placed or increased after "No more bets" and not refused.',
                bet=stake.bet,
            )  # fmt: skip
        if stake.withdrawn_late:
            case.raise_finding(
                "late-withdrawal", case.clause("late-withdrawal"),
                f'Bet {stake.bet} on {stake.wager} was withdrawn or decreased after "No more bets"; it still stands.',
                bet=stake.bet,
            )  # fmt: skip
