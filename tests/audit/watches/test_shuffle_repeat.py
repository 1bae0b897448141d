"""shuffle-repeat: a slug of 24 or more cards that comes again is found, permuted and reversed, and chance is not."""

from collections.abc import Sequence
from dataclasses import replace
from math import exp, factorial, isclose, log
from random import Random

import pytest

from audit.watches.settings import DEFAULT_SETTINGS, WatchSettings
from audit.watches.shuffle import shuffle_repeat
from audit.watches.slugs import SEAMLESS, repeated_slug
from audit.watches.summary import DealtRound, ShoeSummary
from audit.watches.watch import WatchState, watch_shoe
from tests.audit.watches.dealt_shoes import cut, deal, fair_shoe, picked_up, with_slug


def _past(random: Random, shoes: int, game: str = "no_commission") -> list[ShoeSummary]:
    return [fair_shoe(random, f"S{number}", game) for number in range(shoes)]


def _later(random: Random, slug: Sequence[str], at: int, game: str = "no_commission") -> ShoeSummary:
    return deal(with_slug(random, slug, game, 8, at), "later", game)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("game", ["no_commission", "fa_fa_fabulous_4", "dragon_tiger"])
def test_a_slug_of_24_cards_permuted_within_its_rounds_and_cut_anywhere_is_found(game: str, reverse: bool) -> None:
    random = Random(11)
    past = _past(random, 50, game)
    for _ in range(8):
        source = random.choice(past)
        slug = cut(random, picked_up(random, source.rounds, reverse), 24)
        (finding,) = shuffle_repeat(past, _later(random, slug, random.randrange(360), game), DEFAULT_SETTINGS)
        assert finding.actual["earlier_shoe"] == source.shoe
        assert finding.actual["reversed"] is reverse


def test_the_finding_names_the_later_shoe_and_tells_the_earlier_one_and_where() -> None:
    random = Random(3)
    past = _past(random, 5)
    slug = picked_up(random, past[2].rounds[9:16], reverse=False)
    (finding,) = shuffle_repeat(past, _later(random, slug, 0), DEFAULT_SETTINGS)
    assert (finding.code, finding.severity, finding.rule, finding.basis) == (
        "shuffle-repeat", "high", None, "statistics",
    )  # fmt: skip
    assert (finding.table, finding.shoe, finding.round) == ("T1", "later", None)
    assert finding.actual["earlier_shoe"] == "S2"
    assert finding.actual["earlier_rounds"] == [10, 16]
    assert finding.actual["repeated_cards"] >= len(slug)
    assert finding.actual["cards"][0] == 1
    assert finding.actual["rounds"][0] == 1
    assert finding.p_value is not None and finding.p_value < 1e-12
    assert "S2" in finding.message and "later" in finding.message


def test_a_slug_is_found_though_a_card_of_it_was_not_read() -> None:
    random = Random(4)
    past = _past(random, 50)
    for _ in range(8):
        slug = cut(random, picked_up(random, random.choice(past).rounds, reverse=True), 34)
        del slug[17]
        assert shuffle_repeat(past, _later(random, slug, random.randrange(340)), DEFAULT_SETTINGS)


def test_a_slug_is_looked_for_in_the_next_fifty_shoes_and_no_longer() -> None:
    random = Random(5)
    first = fair_shoe(random, "first")
    slug = picked_up(random, first.rounds[20:30], reverse=False)
    for between, found in ((49, True), (50, False)):
        state, _ = watch_shoe(WatchState(), first)
        for number in range(between):
            state, _ = watch_shoe(state, fair_shoe(random, f"B{number}", stop_after=104))
        _, findings = watch_shoe(state, _later(random, slug, 100))
        assert [finding.code for finding in findings] == (["shuffle-repeat"] if found else [])


def test_a_shorter_slug_than_the_settings_ask_for_is_not_told() -> None:
    random = Random(6)
    past = _past(random, 10)
    slug = cut(random, picked_up(random, past[3].rounds, reverse=False), 20)
    later = _later(random, slug, 50)
    found = repeated_slug(past, later, 1)
    assert found is not None and 20 <= found.cards < 24
    assert shuffle_repeat(past, later, DEFAULT_SETTINGS) == []
    assert len(shuffle_repeat(past, later, WatchSettings(slug_cards=20))) == 1


def test_the_evidence_is_the_exact_likelihood_ratio_times_the_weight_of_its_way() -> None:
    old = (DealtRound(1, ("2S", "3H", "2S", "9C")), DealtRound(2, ("KD", "KD", "5C", "AH", "7S")))
    earlier = ShoeSummary("T", "old", "no_commission", 8, old)
    later = ShoeSummary(
        "T", "new", "no_commission", 8, (DealtRound(1, ("2S", "9C", "2S", "3H", "5C", "KD", "7S", "AH", "KD")),)
    )
    slug = repeated_slug([earlier], later, 9)
    assert slug is not None and not slug.reverse
    # Chance: the copies left of each card over the cards left. A repeat: every order of a round alike.
    by_chance = 8 * 8 * 7 * 8 * 8 * 8 * 8 * 8 * 7 / (416 * 415 * 414 * 413 * 412 * 411 * 410 * 409 * 408)
    as_repeat = 1 / (factorial(4) / 2) / (factorial(5) / 2)
    # One shoe, two directions, the first of two rounds, 416 places, two whole rounds (1/2 * 1/3) without a break.
    weight = 1 / 2 / 2 / 416 / 6 * SEAMLESS
    assert isclose(slug.log_evidence, log(as_repeat / by_chance * weight), rel_tol=1e-9)


def test_the_order_within_the_earlier_rounds_does_not_matter() -> None:
    random = Random(7)
    past = _past(random, 6)
    later = _later(random, cut(random, picked_up(random, past[1].rounds, reverse=True), 40), 30)
    stirred = [
        replace(
            shoe, rounds=tuple(replace(each, cards=tuple(picked_up(random, [each], False))) for each in shoe.rounds)
        )
        for shoe in past
    ]
    assert shuffle_repeat(past, later, DEFAULT_SETTINGS) == shuffle_repeat(stirred, later, DEFAULT_SETTINGS)


def test_fair_shoes_reach_a_raised_rate_no_oftener_than_it_says() -> None:
    random = Random(8)
    settings = WatchSettings(shuffle_repeat_rate=0.2, slug_cards=1)
    past = _past(random, 25)
    reached = sum(len(shuffle_repeat(past, fair_shoe(random, f"N{number}"), settings)) for number in range(120))
    assert reached <= 0.2 * 120
    strongest = repeated_slug(past, fair_shoe(random, "N"), 1)
    assert strongest is None or exp(-strongest.log_evidence) > 1e-6


def test_a_table_that_changed_its_deck_and_cards_that_cannot_be_of_the_shoe_are_no_repeat() -> None:
    random = Random(9)
    past = _past(random, 3)
    elements = fair_shoe(random, "elements", "fa_fa_fabulous_4")
    assert shuffle_repeat(past, elements, DEFAULT_SETTINGS) == []
    foreign = replace(elements, game="no_commission", shoe="foreign")
    assert shuffle_repeat([elements], foreign, DEFAULT_SETTINGS) == []
    overfull = replace(past[0], decks=1, shoe="overfull", rounds=(*foreign.rounds, *past[0].rounds))
    assert shuffle_repeat(past[1:], overfull, DEFAULT_SETTINGS) == []
    assert shuffle_repeat([], past[0], DEFAULT_SETTINGS) == []
    assert shuffle_repeat(past, replace(past[0], rounds=(), shoe="empty"), DEFAULT_SETTINGS) == []
