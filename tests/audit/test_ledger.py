"""The live ledger of a shoe."""

from __future__ import annotations

import pytest

from audit.ledger import ShoeLedger
from games.rulebook import GAMES

FIFTY_TWO, SIXTY_FIVE = GAMES["dragon_tiger"].deck, GAMES["fa_fa_fabulous_4"].deck


@pytest.mark.parametrize(("deck", "size"), [(FIFTY_TWO, 52), (SIXTY_FIVE, 65)])
def test_a_full_shoe_holds_its_decks(deck: object, size: int) -> None:
    ledger = ShoeLedger.loaded(FIFTY_TWO if size == 52 else SIXTY_FIVE, 8)
    assert ledger.remaining == 8 * size
    assert set(ledger.left().values()) == {8}
    assert set(ledger.left_by_rank().values()) == {8 * size // 13}
    assert ledger.too_many() == []
    assert ledger.deck is deck


def test_what_is_left_by_card_and_by_rank_at_every_moment() -> None:
    ledger = ShoeLedger.loaded(FIFTY_TWO, 4)
    after = ledger.after(["4H", "4S"]).after(["4H"])
    assert (after.left()["4H"], after.left()["4S"], after.left()["4D"]) == (2, 3, 4)
    assert (after.left_by_rank()["4"], after.left_by_rank()["5"]) == (13, 16)
    assert after.remaining == 205
    assert ledger.remaining == 208  # the ledger before is as it was


def test_the_copy_too_many_is_named_at_once() -> None:
    ledger = ShoeLedger.loaded(FIFTY_TWO, 4).after(["9H"] * 4)
    assert ledger.too_many() == []
    assert ledger.after(["9H"]).too_many() == ["9H"]
    assert ledger.after(["LG"]).too_many() == ["LG"]


def test_the_balance_at_the_end() -> None:
    ledger = ShoeLedger.loaded(FIFTY_TWO, 4).after(["9H", "2S"])
    rest = [card for card, count in ledger.left().items() for _ in range(count)]
    assert ledger.balance(rest) == ({}, {})
    assert ledger.balance(rest[1:]) == ({rest[0]: 1}, {})
    assert ledger.balance([*rest, "9H", "LG"]) == ({}, {"9H": 1, "LG": 1})
    assert ledger.balance([]) == (ledger.left(), {})
