"""The number of cards in the hands."""

from __future__ import annotations

import pytest

from tests.audit.case import ALL, CARDS, DT, DTB, EB, FF4, SE, Case, settled_round, unsettled_round

EXTRA = {DTB: "9C", FF4: "9W", SE: "9W", DT: "9C", EB: "9C"}
THIRD_CARDS = {DTB: "2H 3S KH KS", FF4: "2G 3E LG LE", SE: "2G 3E LG LE", EB: "2H 3S KH KS"}
"""Player 2, Banker 3: both draw."""


@pytest.mark.parametrize("game", ALL)
def test_3_14_fewer_cards_than_asked_for(game: str) -> None:
    """DTB 3.13, 3.14; FF4 3.12, 3.14; SE 3.6, 3.7, 3.9; DT 3.4; EB 3.6, 3.8"""
    cards = CARDS[game][:1] if game == DT else THIRD_CARDS[game].split()
    case = Case(game).round(cards, {"b1": ("tie", 100)}, {"b1": (7, 7)}).show("void")
    assert case.judged() == ("flagged", ["card-missing"])  # display and payouts are not judged
    verdict = case.verdict()
    assert (verdict["outcome"], verdict["bets"][0]["expected"]) == (None, None)


@pytest.mark.parametrize("game", ALL)
def test_3_14_more_cards_than_asked_for_and_the_outcome_of_those_that_belong(game: str) -> None:
    """DTB 1.1.7, 3.14; FF4 1.1.6, 3.14; SE 1.1.4, 3.9, 5.2; DT 3.4, 5.2; EB 1.1.7, 3.8"""
    place = len(CARDS[game]) + 1
    case = settled_round(game).draw(place, EXTRA[game]).draw(place + 1, CARDS[game][0])
    assert case.judged() == ("flagged", ["card-extra"])
    verdict = case.verdict()
    assert verdict["findings"][0]["draw"] == place
    assert verdict["outcome"]["winner"] == ("dragon" if game == DT else "player")
    assert verdict["bets"][0]["expected"] == {"paid": 100, "collected": 0}


@pytest.mark.parametrize(
    ("cards", "complete"),
    [
        ("2H 6S 3D KS KC", True),  # Player 5 draws a Ten, Banker 6 stands
        ("2H 6S 3D KS 7C", False),  # Player 5 draws a Seven, Banker 6 draws
        ("2H 6S 3D KS 7C 2D", True),
        ("2H 2S 4D 3S", False),  # Player 6 stands, Banker 5 draws
        ("2H 2S 4D 3S KD", True),
        ("4H 2S 5D KS", True),  # Player has a natural
        ("2H 4S KD 5S", True),  # Banker has a natural
        ("2H KS KD 3S 8C", True),  # Banker 3 stands on an Eight
        ("2H KS KD 3S 9C", False),
    ],
)
def test_dtb_3_14_third_cards_follow_the_table(cards: str, complete: bool) -> None:
    """FF4 3.14; SE 3.9; EB 3.8; DTB, EB 1.1.7"""
    for game in (DTB, EB):
        assert Case(game).round(cards.split()).codes() == ([] if complete else ["card-missing"])


def test_dtb_3_13_which_hand_a_card_belongs_to_follows_from_its_draw() -> None:
    """DTB 3.13 to 3.13.2; FF4 3.12 to 3.12.2; SE 3.6 to 3.7.2; EB 3.6 to 3.6.2"""
    for game in (DTB, FF4, SE, EB):
        first, second, third, fourth = CARDS[game]
        hands = Case(game).round().verdict()["outcome"]["hands"]
        assert hands == {"player": [first, third], "banker": [second, fourth]}
    case = Case().round(["2H", "2S", "3D", "KS", "2C", "4D"])
    assert case.verdict()["outcome"]["hands"] == {"player": ["2H", "3D", "2C"], "banker": ["2S", "KS", "4D"]}
    assert Case(DT).round().verdict()["outcome"]["hands"] == {"dragon": ["9H"], "tiger": ["2S"]}


def test_naturals_and_pairs_are_told() -> None:
    outcome = Case().round(["4H", "4S", "4D", "5S"]).verdict()["outcome"]
    assert (outcome["naturals"], outcome["pairs"]) == (["player", "banker"], ["player"])


def test_card_missing_is_not_raised_in_a_void_round() -> None:
    case = Case().round(["4H", "2S"]).incident("cards-drawn-together", 1, 2)
    assert case.judged() == ("void", [])  # void by the rules, and nothing was settled
    assert case.rule(31_000, "void", "5.8.2.1").judged() == ("void", [])


@pytest.mark.parametrize("game", [DTB, FF4, EB])
def test_dtb_3_17_after_the_cutting_card_the_round_is_completed(game: str) -> None:
    """FF4 3.17; EB 3.10"""
    case = settled_round(game).tell(23_000, "shoe.cutting_card", before_draw=3)
    assert case.judged() == ("verified", [])
    case = Case(game).round(CARDS[game][:2]).tell(23_000, "shoe.cutting_card", before_draw=3)
    assert case.codes() == ["card-missing"]
    case = unsettled_round(game).tell(23_000, "shoe.cutting_card", before_draw=3).rule(31_000, "void", "3.17")
    assert case.codes() == ["void-unfounded"]


@pytest.mark.parametrize("incident", ["face-up-card", "exposed-card"])
@pytest.mark.parametrize("game", [DTB, FF4, EB])
def test_dtb_5_6_a_card_face_up_is_played(game: str, incident: str) -> None:
    """DTB, FF4, EB 5.6; DTB, FF4 5.7.1, 5.12, 5.12.1"""
    assert settled_round(game).incident(incident, 3).judged() == ("verified", [])
    case = unsettled_round(game).incident(incident, 3).rule(31_000, "void", "5.6")
    assert case.codes() == ["void-unfounded"]
