"""Every finding code can be injected, and each fault gives exactly the findings that its truth announces."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest

from simulator.faults.catalogue import CODES, RULE_CODES, STATISTICAL_CODES, VARIANTS
from simulator.floor import simulate
from simulator.truth import Fault
from tests.oracle.judge import audit_lines
from tests.simulator.comparison import Place, audit, found, promised

pytestmark = pytest.mark.xdist_group("simulated faults")

CONTRACT = {
    "display-mismatch", "card-missing", "card-extra", "foreign-card", "card-conflict", "decks-not-allowed",
    "shoe-short", "insufficient-cards", "wager-not-offered", "position-not-on-layout", "below-minimum",
    "above-maximum", "too-many-wagers", "differential-exceeded", "late-bet", "late-withdrawal", "card-before-close",
    "round-out-of-order", "method-not-allowed", "ruling-not-authorised", "void-required", "void-unfounded",
    "void-not-returned", "payout-wrong", "payout-missing", "payout-unexpected", "device-gap", "device-clock",
    "device-silent", "event-rejected", "round-incomplete",
}  # fmt: skip
"""The finding codes of the contract whose basis is a rule."""


@dataclass(frozen=True)
class Judged:
    """A floor with faults, and what the judge says of it."""

    truth: list[Fault]
    promised: Counter[Place]
    found: Counter[Place]
    findings: list[dict[str, Any]]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    truth: list[Fault] = []
    lines = list(simulate(20, 110, seed=31, faults=0.34, truth=truth.append))
    findings = audit(lines, tmp_path_factory.mktemp("floor"))
    return Judged(truth, promised(truth), found(findings), findings)


def test_every_code_of_the_contract_can_be_injected() -> None:
    assert set(RULE_CODES) == CONTRACT
    assert set(STATISTICAL_CODES) == {
        "shuffle-repeat", "card-frequency", "hold-out-of-range", "player-over-expectation"
    }  # fmt: skip
    assert set(CODES) == CONTRACT | set(STATISTICAL_CODES)


@pytest.mark.parametrize("code", RULE_CODES)
def test_a_fault_gives_exactly_its_truth(judged: Judged, code: str) -> None:
    injected = [fault for fault in judged.truth if fault.code == code]
    assert injected
    assert all(fault.code in fault.consequences for fault in injected)
    wanted = Counter({place: count for place, count in judged.promised.items() if place[0] == code})
    assert Counter({place: count for place, count in judged.found.items() if place[0] == code}) == wanted


def test_the_truth_names_the_bet_and_the_draw_that_the_finding_names(judged: Judged) -> None:
    named = {
        (each["code"], each["table"], each["shoe"], each["round"], each["bet"], each["draw"])
        for each in judged.findings
    }
    of_rounds = [fault for fault in judged.truth if fault.round is not None]
    assert any(fault.bet for fault in of_rounds)
    assert any(fault.draw for fault in of_rounds)
    for fault in of_rounds:
        assert (fault.code, fault.table, fault.shoe, fault.round, fault.bet, fault.draw) in named, fault


def test_codes_are_drawn_evenly(judged: Judged) -> None:
    counts = Counter(fault.code for fault in judged.truth)
    # A code that not every game has, or that has to wait for the end of a shoe, comes less often.
    common = [counts[code] for code in ("payout-wrong", "late-bet", "card-extra", "device-gap", "void-unfounded")]
    assert max(common) <= 2 * min(common)


def test_codes_go_wrong_in_several_ways(judged: Judged) -> None:
    ways = {code: {fault.variant for fault in judged.truth if fault.code == code} for code in RULE_CODES}
    for code in ("payout-wrong", "round-out-of-order", "ruling-not-authorised", "void-required", "late-withdrawal"):
        assert len(ways[code]) >= 5, code
    assert sum(map(len, ways.values())) >= 90


def test_the_second_judge_agrees() -> None:
    truth: list[Fault] = []
    lines = list(simulate(10, 15, seed=32, faults=0.34, truth=truth.append))
    assert len(truth) > 30
    assert found(audit_lines(lines)["findings"]) == promised(truth)


def test_the_share_of_rounds_with_a_fault_is_the_one_asked_for() -> None:
    truth: list[Fault] = []
    for _ in simulate(10, 200, seed=33, faults=0.05, codes=["payout-wrong"], truth=truth.append):
        pass
    assert 70 <= len(truth) <= 130


def test_only_the_codes_named_are_injected() -> None:
    truth: list[Fault] = []
    for _ in simulate(4, 40, seed=34, faults=0.2, codes=["late-bet", "card-extra"], truth=truth.append):
        pass
    assert {fault.code for fault in truth} == {"late-bet", "card-extra"}


def test_without_faults_the_truth_is_empty() -> None:
    truth: list[Fault] = []
    for _ in simulate(4, 20, seed=35, truth=truth.append):
        pass
    assert truth == []


def test_a_line_of_truth_has_the_fields_that_others_read() -> None:
    fault = Fault("BT01", "S1", 4, "late-bet", "b3", None, ("late-bet", "payout-unexpected"), "placed")
    assert orjson.loads(fault.line()) == {
        "table": "BT01", "shoe": "S1", "round": 4, "code": "late-bet", "bet": "b3", "draw": None,
        "consequences": ["late-bet", "payout-unexpected"],
    }  # fmt: skip


def test_every_code_has_a_way_to_go_wrong() -> None:
    assert all(VARIANTS[code] for code in CODES)


@pytest.mark.parametrize("seed", [1, 16])
def test_faults_close_together_give_exactly_their_truth(seed: int, tmp_path: Path) -> None:
    """Lost placings beside a differential near its limit, and lost openings right after a new shoe."""
    truth: list[Fault] = []
    codes = ("round-incomplete", "foreign-card")
    lines = list(simulate(3, 90, seed, faults=0.7, codes=codes, truth=truth.append))
    assert promised(truth) == found(audit(lines, tmp_path))
