"""Wagers and positions that the game or the table has not (DTB, FF4, SE 3.5, DT 3.3, EB 2.2; DTB, FF4 layouts)."""

from audit.case import Case


def check(case: Case) -> None:
    """``wager-not-offered`` and ``position-not-on-layout``, for each bet that was placed, whether it stands or not."""
    offered, positions = case.configuration.limits, case.configuration.positions
    wagers = case.game.wagers
    for stake in case.stakes.bets:
        if stake.wager not in wagers or stake.wager not in offered:
            who = "game" if stake.wager not in wagers else "table"
            case.raise_finding(
                "wager-not-offered", case.clause("wagers-offered"),
                f"Bet {stake.bet} is on {stake.wager}, which this {who} does not offer.",
                expected=sorted(set(wagers) & set(offered)), actual=stake.wager, bet=stake.bet,
            )  # fmt: skip
        if stake.position > positions:
            case.raise_finding(
                "position-not-on-layout", case.clause("positions"),
                f"Bet {stake.bet} is on position {stake.position} of a table with {positions}.",
                expected=positions, actual=stake.position, bet=stake.bet,
            )  # fmt: skip
