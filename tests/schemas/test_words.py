"""The words that the contract lists, and no others."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from schemas.words import ROLES, Card, GameName, Incident, Role, WagerName, Winner


def words(kind: Any) -> list[str]:
    listed: list[str] = TypeAdapter(kind).json_schema()["enum"]
    return listed


def test_the_games_are_the_ten_of_the_contract() -> None:
    assert set(words(GameName)) == {
        "dragon_tiger_baccarat",
        "fa_fa_fabulous_4",
        "sands_elements_no_commission",
        "dragon_tiger",
        "super_six_no_commission",
        "fortune_six_no_commission",
        "super_6_no_commission",
        "no_commission",
        "tiger",
        "tiger_no_commission",
    }


def test_the_wagers_are_those_of_the_contract() -> None:
    listed = """player banker tie dragon_tiger big_dragon small_dragon
        big_tiger small_tiger player_precious_pair banker_precious_pair player_fabulous_4 banker_fabulous_4
        player_pair banker_pair fortune_six super_six super_6 player_dragon_bonus banker_dragon_bonus tiger
        tiger_pair tiger_tie dragon dragon_big dragon_small tiger_big tiger_small"""
    assert set(words(WagerName)) == set(listed.split())


def test_the_cards_are_those_of_both_decks() -> None:
    pips = ["A", *map(str, range(2, 11))]
    standard = {rank + suit for rank in [*pips, "J", "Q", "K"] for suit in "SHDC"}
    elements = {rank + suit for rank in [*pips, "S", "L", "F"] for suit in "FGEWA"}
    assert set(words(Card)) == standard | elements
    assert len(words(Card)) == 52 + 65


def test_the_roles_stand_in_rising_order() -> None:
    assert list(ROLES) == words(Role)
    assert ROLES.index("dealer") < ROLES.index("pit_supervisor") < ROLES.index("pit_manager")
    assert ROLES[-1] == "gaming_shift_manager"


@pytest.mark.parametrize(("kind", "count"), [(Incident, 11), (Winner, 6)])
def test_other_words_are_as_many_as_the_contract_has(kind: Any, count: int) -> None:
    assert len(words(kind)) == count
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python("no such word")
