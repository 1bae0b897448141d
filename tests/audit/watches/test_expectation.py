"""The evidence of an account rests on the exact joint distribution of the wagers placed."""

from fractions import Fraction
from math import exp, isclose, log
from random import Random

import numpy as np
import pytest

from audit.watches.expectation import TILTS, Account, Exposure, add_shoe, exposure_of
from audit.watches.hold import BOTH_WAYS
from audit.watches.summary import SettledBet
from games.odds import net_distribution, odds
from games.rulebook import GAMES


def _stakes(random: Random, game: str) -> dict[str, int]:
    wagers = list(GAMES[game].wagers)
    return {wager: 100 * random.randint(1, 1000) for wager in random.sample(wagers, random.randint(1, len(wagers)))}


@pytest.mark.parametrize("game", GAMES)
def test_each_likelihood_ratio_has_expectation_one_under_the_exact_odds(game: str) -> None:
    random = Random(game)
    before = add_shoe(Account(), game, 8, [Exposure({"tie": 100}, 0, -100)], BOTH_WAYS)
    for account in (Account(), before):
        stakes = _stakes(random, game)
        joint = net_distribution(GAMES[game], 8)
        outcomes = sum(joint.values())
        mean = np.zeros(len(BOTH_WAYS))
        for nets, count in joint.items():
            by_wager = dict(zip(GAMES[game].wagers, nets, strict=True))
            net = sum((stake * by_wager[wager] for wager, stake in stakes.items()), Fraction(0))
            assert net.denominator == 1
            after = add_shoe(account, game, 8, [Exposure(stakes, 0, int(net))], BOTH_WAYS)
            begun = np.logaddexp(account.log_ratios or -np.inf, 0.0)
            mean += count / outcomes * np.exp(np.array(after.log_ratios) - begun)
        np.testing.assert_allclose(mean, 1.0, rtol=1e-9)


@pytest.mark.parametrize("game", GAMES)
def test_expectation_and_variance_are_exact_with_wagers_on_one_round_taken_together(game: str) -> None:
    random = Random(game)
    exact = odds(GAMES[game], 8)
    rounds = [_stakes(random, game) for _ in range(5)]
    account = add_shoe(Account(), game, 8, [Exposure(stakes, 0, 7) for stakes in rounds], TILTS)
    assert account.expected == sum((exact.mean_of(stakes) for stakes in rounds), Fraction(0))
    assert isclose(account.variance, float(sum(exact.variance_of(stakes) for stakes in rounds)), rel_tol=1e-9)
    assert (account.shoes, account.rounds, account.net) == (1, 5, 35)
    assert account.staked == sum(sum(stakes.values()) for stakes in rounds)


def test_a_settlement_that_may_be_rounded_is_taken_at_what_favours_the_accused() -> None:
    # 0.95 to 1 on 10 minor units is 9.5: 9 and 10 are both right, and a house that always pays 10 accuses nobody.
    joint = net_distribution(GAMES["tiger"], 8)
    place = list(GAMES["tiger"].wagers).index("banker")
    outcomes = sum(joint.values())
    mean = 0.0
    for nets, count in joint.items():
        exposure = exposure_of(
            "tiger", [SettledBet("P", "banker", 10, 10 if nets[place] > 0 else int(10 * nets[place]))]
        )
        assert exposure is not None and exposure.roundable == 1
        mean += count / outcomes * exp(add_shoe(Account(), "tiger", 8, [exposure], (1.0,)).log_ratios[0])
    assert mean < 1
    whole = exposure_of("tiger", [SettledBet("P", "banker", 20, 19)])
    assert whole is not None and whole.roundable == 0


def test_sums_begun_at_each_shoe_add_up_and_a_scale_of_money_changes_nothing() -> None:
    bet, again = Exposure({"player": 100}, 0, 100), Exposure({"player": 100}, 0, -100)
    first = add_shoe(Account(), "tiger", 8, [bet], (0.5,)).log_ratios[0]
    second = add_shoe(Account(), "tiger", 8, [again], (0.5,)).log_ratios[0]
    both = add_shoe(add_shoe(Account(), "tiger", 8, [bet], (0.5,)), "tiger", 8, [again], (0.5,))
    assert isclose(both.log_ratios[0], log((exp(first) + 1) * exp(second)), rel_tol=1e-12)
    large = add_shoe(Account(), "tiger", 8, [Exposure({"player": 2**40}, 0, 2**40)], (0.5,))
    assert isclose(large.log_ratios[0], first, rel_tol=1e-12)


def test_an_account_without_a_share_of_the_rate_counts_and_gathers_no_evidence() -> None:
    account = add_shoe(Account(), "tiger", 8, [Exposure({"tie": 100}, 0, 800)], TILTS, start=0.0)
    assert (account.net, account.log_ratios, account.log_evidence) == (800, (), 0.0)
    shared = add_shoe(Account(), "tiger", 8, [Exposure({"tie": 100}, 0, 800)], TILTS, start=0.25)
    full = add_shoe(Account(), "tiger", 8, [Exposure({"tie": 100}, 0, 800)], TILTS)
    assert isclose(full.log_evidence - shared.log_evidence, log(4), rel_tol=1e-12)


def test_bets_that_were_never_at_risk_are_left_out() -> None:
    assert exposure_of("tiger", [SettledBet("P", "fortune_six", 100, 0), SettledBet("P", "tie", 0, 0)]) is None
    assert exposure_of("tiger", []) is None
    taken = exposure_of("tiger", [SettledBet("P", "tie", 100, -100), SettledBet(None, "tie", 50, -50)])
    assert taken == Exposure({"tie": 150}, 0, -150)


def test_an_account_survives_json_with_its_exact_expectation() -> None:
    account = add_shoe(Account(), "fa_fa_fabulous_4", 8, [Exposure({"tie": 100, "player": 3}, 1, 800)], TILTS)
    assert account.expected.denominator > 1
    assert Account.from_json(account.to_json()) == account
    assert Account.from_json(Account().to_json()) == Account()
