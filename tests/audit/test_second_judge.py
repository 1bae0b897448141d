"""Two judges, written apart, over the same files: they must agree on every field of every verdict and finding."""

from __future__ import annotations

from random import Random

import pytest

from tests.audit.both_judges import differences
from tests.oracle.scenarios import scenario_lines
from tests.oracle.wild import wild_lines


@pytest.mark.parametrize("seeds", [range(start, start + 12) for start in range(0, 120, 12)], ids=str)
def test_both_judges_agree_on_scenarios(seeds: range) -> None:
    assert {seed: found for seed in seeds if (found := differences(scenario_lines(Random(seed))))} == {}


@pytest.mark.parametrize("seeds", [range(start, start + 12) for start in range(0, 60, 12)], ids=str)
def test_both_judges_agree_where_a_closing_of_bets_is_lost(seeds: range) -> None:
    assert {seed: found for seed in seeds if (found := differences(_without_closings(Random(seed))))} == {}


def _without_closings(dice: Random) -> list[bytes]:
    """Many a "No more bets" is lost in a hole, or where nothing shows that it was ever said."""
    lines = scenario_lines(dice)
    return [line for line in lines if b'"bets.closed.v1"' not in line or dice.random() < 0.4]


@pytest.mark.parametrize("seeds", [range(start, start + 12) for start in range(0, 60, 12)], ids=str)
def test_both_judges_agree_on_files_that_no_table_would_make(seeds: range) -> None:
    assert {seed: found for seed in seeds if (found := differences(wild_lines(Random(seed))))} == {}
