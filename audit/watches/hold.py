"""hold-out-of-range: the table's win is beyond the exact expectation and spread of the wagers placed, either way."""

from math import sqrt

from audit.watches.evidence import once_in, p_value_of, statistical_finding
from audit.watches.expectation import TILTS, Account, add_shoe, exposure_of
from audit.watches.settings import WatchSettings
from audit.watches.summary import ShoeSummary
from games.rulebook import GAMES
from schemas.findings import Finding

TEST = "exponential likelihood ratios with the exact distribution of the wagers placed, summed over starting shoes"
BOTH_WAYS = (*TILTS, *(-tilt for tilt in TILTS))


def hold_out_of_range(account: Account, shoe: ShoeSummary, settings: WatchSettings) -> tuple[Account, list[Finding]]:
    """Add a shoe to the table's account; once it is out of range it is told and opened anew."""
    if shoe.decks not in GAMES[shoe.game].decks:
        return account, []
    bets = [exposure for each in shoe.rounds if (exposure := exposure_of(shoe.game, each.bets, settings.readings))]
    if not bets:
        return account, []
    account = add_shoe(account, shoe.game, shoe.decks, bets, BOTH_WAYS, readings=settings.readings)
    p_value = p_value_of(account.log_evidence)
    if p_value > settings.hold_rate or account.rounds < settings.fewest_rounds:
        return account, []
    win, expected = -account.net, round(-account.expected)
    deviation = round(sqrt(account.variance))
    finding = statistical_finding(
        "hold-out-of-range",
        shoe,
        about="",
        p_value=p_value,
        test=TEST,
        expected={"win": expected, "standard_deviation": deviation},
        actual={"win": win, "staked": account.staked, "rounds": account.rounds, "shoes": account.shoes},
        message=(
            f"Table {shoe.table} has won {win:,} over its last {account.shoes} shoes where its wagers give "
            f"{expected:,} on average, with a deviation of {deviation:,}; chance takes it so far {once_in(p_value)}."
        ),
    )
    return Account(), [finding]
