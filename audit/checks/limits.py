"""Minimum and maximum of each wager (DTB, FF4 3.5.1, 5.14, 5.15; EB 2.2; elsewhere as shown, reading A-35)."""

from audit.case import Case


def check(case: Case) -> None:
    """``below-minimum`` and ``above-maximum``, for each bet that stands."""
    limits = case.configuration.limits
    for stake in case.stakes.bets:
        limit = limits.get(stake.wager)
        if limit is None or not stake.standing:
            continue
        if stake.standing < limit.min:
            case.raise_finding(
                "below-minimum", case.clause("under-minimum") or case.clause("limits"),
                f"Bet {stake.bet} on {stake.wager} is {stake.standing}, under the minimum of {limit.min}.",
                expected=limit.min, actual=stake.standing, bet=stake.bet,
            )  # fmt: skip
        elif stake.standing > limit.max:
            case.raise_finding(
                "above-maximum", case.clause("over-maximum") or case.clause("limits"),
                f"Bet {stake.bet} on {stake.wager} is {stake.standing}, over the maximum of {limit.max}.",
                expected=limit.max, actual=stake.standing, bet=stake.bet,
            )  # fmt: skip
