"""Section 6, Live: what rests on facts that are there is found before the round ends, under the verdict's id."""

from __future__ import annotations

import pytest

from audit.judge import findings_so_far
from schemas.findings import Finding
from tests.audit.both_judges import SETTINGS, judge_lines, table_facts
from tests.audit.case import CLOSED, CLOSING, FIRST_CARD, SETTLED, Case, settled_round, unsettled_round


def so_far(case: Case, until: int) -> list[Finding]:
    """What can be said of the round at hand when nothing later than this has happened."""
    in_time = sorted(case.said, key=lambda said: int(said["at"]))
    until += case.opened
    known = [line for said, line in zip(in_time, case.lines(), strict=True) if said["at"] <= until]
    [facts] = table_facts(known)
    key = case.shoe, case.number
    if key not in facts.rounds:
        return []
    return findings_so_far(facts.rounds[key], facts.surroundings.context(key, frozenset()), SETTINGS)


def codes(case: Case, until: int) -> list[str]:
    return [finding.code for finding in so_far(case, until)]


@pytest.mark.parametrize(
    ("case", "known_at", "code"),
    [
        (settled_round().show("banker"), 31_000, "display-mismatch"),
        (settled_round().bet(CLOSING + 2_000, "b2"), CLOSING + 2_000, "late-bet"),
        (settled_round().withdraw(CLOSING + 2_000, "b1"), CLOSING + 2_000, "late-withdrawal"),
        (Case().round(["LG", "2S", "5H", "KS"]), FIRST_CARD, "foreign-card"),
        (Case().round().draw(1, "9C", at=FIRST_CARD + 100), FIRST_CARD + 100, "card-conflict"),
        (Case().round().draw(5, "9C"), FIRST_CARD + 6_000, "card-extra"),
        (Case().round(bets={"b1": ("player", 50)}), CLOSING, "below-minimum"),
        (Case().round(bets={"b1": ("player", 50_000)}), CLOSING, "above-maximum"),
        (Case().round(bets=dict.fromkeys("abcd", ("player", 100))), CLOSING, "too-many-wagers"),
        (Case(differential_limit=0).round(bets={"b1": ("player", 100)}), FIRST_CARD, "differential-exceeded"),
        (Case().round(bets={"b1": ("tiger_tie", 100)}), 2_000, "wager-not-offered"),
        (Case().round(bets={"b1": ("player", 100)}, position=8), 2_000, "position-not-on-layout"),
        (Case().round(method="C"), 0, "method-not-allowed"),
        (unsettled_round().settle("b1", 99, 0), SETTLED, "payout-wrong"),
        (settled_round().incident("foreign-card"), SETTLED, "void-required"),
        (settled_round().rule(31_000, "stands", "6.1", "dealer"), 31_000, "ruling-not-authorised"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_finding_is_raised_as_soon_as_the_facts_that_decide_it_are_there(
    case: Case, known_at: int, code: str
) -> None:
    assert code not in codes(case, known_at - 1)
    [early] = [finding for finding in so_far(case, known_at) if finding.code == code]
    final = [finding for verdict in judge_lines(case.lines()).verdicts for finding in verdict.findings]
    assert early.id in {finding.id for finding in final}


@pytest.mark.parametrize(
    "case",
    [
        Case().round(["2H", "3S", "KH", "KS"]),
        unsettled_round(),
        settled_round().without("bets.closed"),
        settled_round().without("card.drawn", 1),
        settled_round().without("round.opened"),
        unsettled_round().rule(31_000, "void", "5.2"),
        settled_round().settle("b9", 5, 0),
    ],
)
def test_what_rests_on_something_not_being_there_waits_for_the_end(case: Case) -> None:
    """A card, a settlement, an announcement, a ground for a void, the placing of a bet"""
    assert case.codes() != []
    assert codes(case, CLOSED - 1) == []


def test_limits_hold_for_what_stands_at_the_closing() -> None:
    case = Case().round().bet(2_000, "b1", "player", 50).change(5_000, "b1", 100).settle("b1", 100, 0)
    assert codes(case, 3_000) == []
    assert codes(case, CLOSING) == []


def test_a_refusal_clears_what_was_called_late() -> None:
    case = settled_round().bet(CLOSING + 2_000, "b2")
    case.rule(CLOSING + 4_000, "bets-refused", "5.4", "dealer", bets=["b2"])
    assert codes(case, CLOSING + 3_000) == ["late-bet"]
    assert codes(case, CLOSING + 4_000) == []
    assert case.judged() == ("verified", [])


def test_a_void_clears_what_was_called_unpaid_or_required() -> None:
    case = settled_round().incident("foreign-card").rule(SETTLED + 2_000, "void", "5.1.1")
    assert codes(case, SETTLED) == ["void-required"]
    assert codes(case, SETTLED + 2_000) == ["void-not-returned"]


def test_a_corrected_settlement_stays_a_finding_and_says_so() -> None:
    case = unsettled_round().settle("b1", 99, 0).correct("b1", 100, 0, at=SETTLED + 2_000)
    [before], [after] = so_far(case, SETTLED), so_far(case, SETTLED + 2_000)
    assert (before.id, before.corrected, after.corrected) == (after.id, False, True)
