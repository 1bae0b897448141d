"""Conditions, lines and wagers on their own."""

from fractions import Fraction

import pytest

from games.paytable import Condition, Line, Wager


def line(net: int, *conditions: Condition) -> Line:
    """A line that pays so much when all conditions hold."""
    return Line(conditions, Fraction(net), "1.1", "")


SIX = Condition("total", "=", 6)
TOTALS: dict[int, dict[str, str | int | bool]] = {total: {"total": total, "winner": "banker"} for total in range(10)}


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (SIX, [6]),
        (Condition("total", ">=", 8), [8, 9]),
        (Condition("total", "<=", 1), [0, 1]),
        (Condition("winner", "=", "banker"), list(range(10))),
        (Condition("winner", "=", "player"), []),
    ],
)
def test_a_condition_holds_of_these_totals(condition: Condition, holds: list[int]) -> None:
    assert [total for total, features in TOTALS.items() if condition.holds(features)] == holds


@pytest.mark.parametrize("condition", [Condition("winner", ">=", 8), Condition("total", "<=", "6")])
def test_words_have_no_order(condition: Condition) -> None:
    with pytest.raises(TypeError, match="only numbers have an order"):
        condition.holds(TOTALS[6])


def test_a_line_applies_when_all_its_conditions_hold() -> None:
    both = line(1, SIX, Condition("winner", "=", "banker"))
    assert both.applies({"total": 6, "winner": "banker"})
    assert not both.applies({"total": 6, "winner": "player"})
    assert not both.applies({"total": 5, "winner": "banker"})
    assert line(1).applies({})


def test_the_first_line_that_applies_decides() -> None:
    six, any_total = line(12, SIX), line(3, Condition("total", "<=", 9))
    wager = Wager("w", "W", (six, any_total), "4.1")
    assert (wager.net(TOTALS[6]), wager.deciding_lines(TOTALS[6])) == (12, [six])
    assert (wager.net(TOTALS[5]), wager.deciding_lines(TOTALS[5])) == (3, [any_total])


def test_without_a_line_that_applies_the_stake_is_lost() -> None:
    wager = Wager("w", "W", (line(12, SIX),), "4.1")
    assert (wager.net(TOTALS[5]), wager.deciding_lines(TOTALS[5])) == (-1, [])


def test_a_cumulative_wager_is_paid_by_every_line_that_applies() -> None:
    six, any_total = line(12, SIX), line(3, Condition("total", "<=", 7))
    wager = Wager("w", "W", (six, any_total), "4.9", cumulative=True)
    assert (wager.net(TOTALS[6]), wager.deciding_lines(TOTALS[6])) == (15, [six, any_total])
    assert (wager.net(TOTALS[5]), wager.net(TOTALS[8])) == (3, -1)
