"""card-frequency: cards gone from the decks are found within sixty shoes, and full decks spend at most the rate."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb
from random import Random

import numpy as np
import pytest

from audit.watches.frequency import (
    CARD_SHARE,
    DIRECTIONS,
    LONGEST,
    RANK_SHARE,
    WINDOWS,
    FrequencyState,
    card_frequency,
)
from audit.watches.hypergeometric import chances_of, chances_of_sum, tails
from audit.watches.settings import DEFAULT_SETTINGS, WatchSettings
from audit.watches.summary import DealtRound, ShoeSummary
from games.cards import STANDARD
from schemas.findings import Finding
from tests.audit.watches.dealt_shoes import deal, fair_shoe, full_shoe


def _fold(
    shoes: Sequence[ShoeSummary], settings: WatchSettings = DEFAULT_SETTINGS, state: FrequencyState | None = None
) -> tuple[FrequencyState, list[Finding]]:
    state, found = state or FrequencyState(), []
    for shoe in shoes:
        state, findings = card_frequency(state, shoe, settings)
        found += findings
    return state, found


def _subjects(findings: Sequence[Finding]) -> set[str]:
    return {finding.actual["subject"] for finding in findings}


def test_five_cards_of_one_rank_gone_and_half_dealt_are_found_within_sixty_shoes_nine_times_in_ten() -> None:
    random = Random(21)
    found = 0
    for _ in range(20):
        rank = random.choice(STANDARD.ranks)
        gone = random.sample([rank + suit for suit in STANDARD.suits for _ in range(8)], 5)
        _, findings = _fold([fair_shoe(random, f"S{n}", without=gone, stop_after=204) for n in range(60)])
        found += rank in {finding.actual["rank"] for finding in findings}
    assert found >= 18


def test_five_different_cards_gone_and_dealt_nearly_to_the_end_are_found_within_sixty_shoes() -> None:
    random = Random(22)
    for _ in range(6):
        gone = random.sample(STANDARD.codes, 5)
        _, findings = _fold([fair_shoe(random, f"S{n}", without=gone, stop_after=392) for n in range(60)])
        assert {f"card {card}" for card in gone} & _subjects(findings)
        assert all(finding.actual["direction"] == "missing" for finding in findings)


def test_cards_slipped_in_are_found_in_excess() -> None:
    random = Random(23)
    shoes = []
    for number in range(60):
        cards = [*full_shoe("no_commission", 8), *(["9H", "9S", "9D", "9C"] * 2)]
        random.shuffle(cards)
        shoes.append(deal(cards, f"S{number}", stop_after=204))
    _, findings = _fold(shoes)
    assert [(finding.actual["subject"], finding.actual["direction"]) for finding in findings][:1] == [
        ("rank 9", "in excess")
    ]


def test_the_finding_tells_card_count_and_expectation_and_what_it_rests_on() -> None:
    random = Random(24)
    gone = ["7H"] * 5
    _, (finding, *_) = _fold([fair_shoe(random, f"S{n}", without=gone) for n in range(24)])
    assert (finding.code, finding.severity, finding.rule, finding.basis) == (
        "card-frequency", "medium", None, "statistics",
    )  # fmt: skip
    assert (finding.table, finding.round) == ("T1", None)
    assert finding.actual["subject"] == "card 7H"
    assert finding.actual["count"] < finding.expected["count"]
    assert finding.p_value is not None and finding.p_value <= 1e-6
    assert finding.message.startswith("Card 7H came ")


def test_a_rank_and_its_cards_are_one_finding_and_only_new_shoes_raise_it_again() -> None:
    random = Random(25)
    shoes = [fair_shoe(random, f"S{n}", without=["7H"] * 6) for n in range(40)]
    state, findings = FrequencyState(), []
    raised_at = []
    for number, shoe in enumerate(shoes, start=1):
        state, now = card_frequency(state, shoe, DEFAULT_SETTINGS)
        findings += now
        raised_at += [number] * len(now)
    assert _subjects(findings) <= {"card 7H", "rank 7"}
    assert len(raised_at) == len(set(raised_at)) > 1
    assert [finding.actual["shoes"] for finding in findings[1:]] == list(np.diff(raised_at))
    assert len({finding.id for finding in findings}) == len(findings)


def test_the_schedule_never_spends_more_than_the_shoes_have_brought() -> None:
    of_a_look = sum(DIRECTIONS.values()) * (RANK_SHARE + CARD_SHARE)
    spent = 0.0
    for shoes in range(1, 2 * LONGEST + 1):
        spent += sum(window.share * window.every * of_a_look for window in WINDOWS if shoes % window.every == 0)
        assert spent <= shoes


@pytest.mark.parametrize(("cards", "copies", "dealt"), [(416, 32, 208), (416, 8, 400), (52, 4, 50), (520, 40, 7)])
def test_chances_are_the_exact_hypergeometric_ones(cards: int, copies: int, dealt: int) -> None:
    exact = [
        Fraction(comb(copies, count) * comb(cards - copies, dealt - count), comb(cards, dealt)) if count <= dealt else 0
        for count in range(copies + 1)
    ]
    np.testing.assert_allclose(chances_of(cards, copies, dealt), [float(chance) for chance in exact], rtol=1e-9)


def test_chances_of_several_shoes_and_their_tails_keep_their_digits_far_out() -> None:
    each = [chances_of(52, 4, 20), chances_of(104, 8, 30), chances_of(52, 4, 50)]
    exact = np.zeros(17)
    for counts in product(*(range(len(chances)) for chances in each)):
        exact[sum(counts)] += np.prod([chances[count] for chances, count in zip(each, counts, strict=True)])
    fewer, more = tails(chances_of_sum(each))
    np.testing.assert_allclose(fewer, np.minimum(1, np.cumsum(exact)), rtol=1e-12)
    np.testing.assert_allclose(more[-3:], [exact[-3:].sum(), exact[-2:].sum(), exact[-1]], rtol=1e-12)


@pytest.mark.parametrize("stop_after", [204, 396])
def test_full_decks_are_raised_no_oftener_than_a_raised_rate_allows(stop_after: int) -> None:
    random = Random(26)
    shoes = [fair_shoe(random, f"S{n}", stop_after=stop_after) for n in range(240)]
    _, findings = _fold(shoes, WatchSettings(card_frequency_rate=0.05))
    assert len(findings) <= 0.05 * 240
    assert _fold(shoes)[1] == []


def test_a_change_of_deck_begins_anew() -> None:
    random = Random(27)
    state, _ = _fold([fair_shoe(random, f"S{n}", stop_after=100) for n in range(3)])
    state, _ = card_frequency(state, fair_shoe(random, "E", "fa_fa_fabulous_4"), DEFAULT_SETTINGS)
    assert (state.deck, state.shoes, len(state.recent)) == ("65 cards", 1, 1)


def test_shoes_with_nothing_read_or_with_too_many_cards_are_not_counted() -> None:
    random = Random(28)
    shoe = fair_shoe(random, "S")
    state, _ = card_frequency(FrequencyState(), shoe, DEFAULT_SETTINGS)
    for other in (replace(shoe, rounds=()), replace(shoe, decks=4)):
        assert card_frequency(state, other, DEFAULT_SETTINGS) == (state, [])


def test_a_copy_more_than_the_shoe_has_in_every_shoe_has_no_chance_at_all() -> None:
    shoes = [ShoeSummary("T", f"S{n}", "no_commission", 8, (DealtRound(1, ("9H",) * 9),)) for n in range(4)]
    _, (finding,) = _fold(shoes)
    assert (finding.actual["subject"], finding.p_value) == ("card 9H", 1e-300)


def test_the_state_keeps_no_more_than_the_longest_window_and_survives_json() -> None:
    random = Random(29)
    shoe = fair_shoe(random, "S", stop_after=30)
    state, _ = _fold([shoe] * (LONGEST + 5))
    assert (state.shoes, len(state.recent)) == (LONGEST + 5, LONGEST)
    assert FrequencyState.from_json(state.to_json()) == state
