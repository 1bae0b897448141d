"""At most three wagers on one playing area, or fewer by ruling (DTB 3.7, FF4 3.6; elsewhere as the table is set up)."""

from collections import Counter

from audit.case import Case


def allowed(case: Case) -> int | None:
    """The most wagers on one playing area: the table's number, never more than the game's own, or what a Pit Manager
    restricted it to in this round or an earlier one of the shoe (3.7.1)."""
    bounds = [case.document.area_maximum, case.configuration.max_wagers_per_area, case.context.restriction]
    if case.facts.rulings:
        for ruling in case.facts.rulings_of("wagers-restricted"):
            bounds[2] = ruling.data.max_wagers_per_area
    known = [bound for bound in bounds if bound is not None]
    return min(known) if known else None


def check(case: Case) -> None:
    """``too-many-wagers``, once for each area (position and wager, reading A-19)."""
    most = allowed(case)
    if most is None:
        return
    areas = [(stake.position, stake.wager) for stake in case.stakes.bets if stake.standing]
    if len(areas) - len(set(areas)) < most:
        # Too few wagers beyond the first on their areas for any area to have too many.
        return
    for (position, wager), count in Counter(areas).items():
        if count > most:
            case.raise_finding(
                "too-many-wagers", case.clause("area-maximum"),
                f"Position {position} has {count} wagers on {wager}; {most} are allowed.",
                expected=most, actual=count, about=f"{position} {wager}",
            )  # fmt: skip
