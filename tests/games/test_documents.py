"""The rule documents: dates, and the procedures in which they differ."""

from datetime import date

from games.documents import (
    DOCUMENTS,
    DRAGON_TIGER,
    DRAGON_TIGER_BACCARAT,
    ELECTRONIC_BACCARAT,
    FA_FA_FABULOUS_4,
    SANDS_ELEMENTS,
)
from games.rulebook import GAMES

METHOD_GAMES = {DRAGON_TIGER_BACCARAT.name, FA_FA_FABULOUS_4.name}
ONE_TABLE = {SANDS_ELEMENTS.name, DRAGON_TIGER.name}


def those(field: str) -> set[str]:
    """The documents of which this field is true."""
    return {document.name for document in DOCUMENTS if getattr(document, field)}


def test_each_document_is_in_force_from_its_date() -> None:
    assert {document.name: document.in_force for document in DOCUMENTS} == {
        "dragon-tiger-baccarat": date(2023, 12, 7),
        "fa-fa-fabulous-4": date(2020, 1, 23),
        "sands-elements-no-commission": date(2017, 5, 5),
        "dragon-tiger": date(2013, 7, 17),
        "electronic-baccarat": date(2021, 10, 28),
    }


def test_each_game_is_of_its_document() -> None:
    own = {game.name: game.document.name for game in GAMES.values() if game.document is not ELECTRONIC_BACCARAT}
    assert own == {
        "dragon_tiger_baccarat": "dragon-tiger-baccarat",
        "fa_fa_fabulous_4": "fa-fa-fabulous-4",
        "sands_elements_no_commission": "sands-elements-no-commission",
        "dragon_tiger": "dragon-tiger",
    }
    assert len(GAMES) - len(own) == 6


def test_dtb_3_9_and_ff4_3_8_alone_know_dealing_methods() -> None:
    assert those("methods") == METHOD_GAMES


def test_dtb_3_7_and_ff4_3_6_three_wagers_per_playing_area() -> None:
    assert {document.name: document.area_maximum for document in DOCUMENTS if document.area_maximum is not None} == (
        dict.fromkeys(METHOD_GAMES, 3)
    )


def test_5_14_and_5_15_of_dtb_and_ff4_settle_wagers_outside_the_limits() -> None:
    assert those("limits_settle") == METHOD_GAMES


def test_5_18_of_dtb_and_ff4_is_the_table_differential() -> None:
    assert those("differential") == METHOD_GAMES


def test_withdrawal_after_the_closing_by_six_clauses_of_dtb_and_ff4() -> None:
    assert those("withdrawal_clauses") == METHOD_GAMES
    for document in (DRAGON_TIGER_BACCARAT, FA_FA_FABULOUS_4):
        assert document.withdrawal_clauses == {"3.17.1", "5.8.1", "5.8.2.2", "5.9", "5.17.1", "5.18.1"}


def test_6_1_the_shift_manager_decides_in_dtb_ff4_and_eb() -> None:
    assert those("decided_by_shift_manager") == METHOD_GAMES | {ELECTRONIC_BACCARAT.name}


def test_5_1_missing_and_unshuffled_cards_void_the_round_in_dtb_ff4_and_eb() -> None:
    assert those("missing_or_unshuffled_void") == METHOD_GAMES | {ELECTRONIC_BACCARAT.name}


def test_se_5_2_and_dt_5_2_a_wrong_number_of_cards_may_void_the_round() -> None:
    assert those("wrong_count_void") == ONE_TABLE


def test_cards_drawn_together_void_the_round_in_the_initial_deal_and_in_dt_and_eb_always() -> None:
    assert {document.short: document.together_void for document in DOCUMENTS} == {
        "DTB": "initial-deal", "FF4": "initial-deal", "SE": "initial-deal", "DT": "always", "EB": "always",
    }  # fmt: skip


def test_eb_5_9_1_a_technical_interruption_voids_the_round() -> None:
    assert those("power_void") == {ELECTRONIC_BACCARAT.name}


def test_rulings_of_dtb_and_ff4_that_need_a_pit_manager_or_a_dealer() -> None:
    assert DRAGON_TIGER_BACCARAT.pit_manager_clauses == ("3.7.1", "5.8.2.2", "5.18.3")
    assert FA_FA_FABULOUS_4.pit_manager_clauses == ("3.6.1", "5.8.2.2", "5.18.3")
    assert those("pit_manager_clauses") == those("dealer_clauses") == METHOD_GAMES
    for document in (DRAGON_TIGER_BACCARAT, FA_FA_FABULOUS_4):
        assert document.dealer_clauses == ("3.17.1", "5.18.1")


def test_a_document_names_no_clause_for_what_it_is_silent_on() -> None:
    silent = {"limits": {"SE", "DT"}, "differential": {"SE", "DT", "EB"}, "display": {"SE", "DT"},
              "power-failure": {"DTB", "FF4", "SE", "DT"}, "wrong-count": {"DTB", "FF4", "EB"}}  # fmt: skip
    for subject, documents in silent.items():
        assert {document.short for document in DOCUMENTS if subject not in document.clauses} == documents
