"""The two decks and the value of their cards."""

import pytest

from games.cards import DECKS, ELEMENTS, POINTS, RANK, STANDARD, Deck
from games.rulebook import GAMES


def test_2_1_a_deck_has_52_cards_in_four_suits() -> None:
    assert STANDARD.size == 52
    assert len(set(STANDARD.codes)) == 52
    assert {code[-1] for code in STANDARD.codes} == set("SHDC")
    assert {"AS", "10H", "JD", "QC", "KS"} <= set(STANDARD.codes)


def test_ff4_2_1_a_deck_has_65_cards_in_five_elements() -> None:
    assert ELEMENTS.size == 65
    assert len(set(ELEMENTS.codes)) == 65
    assert {code[-1] for code in ELEMENTS.codes} == set("FGEWA")
    assert {"AA", "10G", "SF", "LG", "FW"} <= set(ELEMENTS.codes)


def test_no_code_is_of_both_decks() -> None:
    assert not STANDARD.members & ELEMENTS.members
    assert set(RANK) == STANDARD.members | ELEMENTS.members


@pytest.mark.parametrize("deck", DECKS, ids=lambda deck: deck.name)
def test_a_card_is_numbered_by_its_place(deck: Deck) -> None:
    assert [deck.codes[place] for place in deck.index.values()] == list(deck.index)
    assert list(deck.index.values()) == list(range(deck.size))
    assert deck.members == set(deck.codes)


def test_3_3_1_ace_counts_one_and_two_to_nine_their_face_value() -> None:
    assert {POINTS["AS"], POINTS["AG"]} == {1}
    for pip in range(2, 10):
        assert {POINTS[f"{pip}{suit}"] for suit in "SHDCFGEWA"} == {pip}


def test_3_3_2_ten_and_picture_cards_count_nothing() -> None:
    pictures = [code for code in POINTS if RANK[code] in {"10", "J", "Q", "K", "S", "L", "F"}]
    assert len(pictures) == 4 * 4 + 4 * 5
    assert {POINTS[code] for code in pictures} == {0}


def test_2_1_each_game_uses_its_documents_deck() -> None:
    elements = {name for name, game in GAMES.items() if game.deck is ELEMENTS}
    assert elements == {"fa_fa_fabulous_4", "sands_elements_no_commission"}
    assert all(game.deck is STANDARD for name, game in GAMES.items() if name not in elements)


def test_2_1_four_to_ten_decks_and_in_dragon_tiger_four_to_eight() -> None:
    allowed = {name: [decks for decks in range(30) if decks in game.decks] for name, game in GAMES.items()}
    assert allowed.pop("dragon_tiger") == [4, 5, 6, 7, 8]
    assert all(decks == [4, 5, 6, 7, 8, 9, 10] for decks in allowed.values())
