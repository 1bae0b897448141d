"""The ten games: deck, hands, number of decks, wagers and the rule document each comes from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from games import wagers
from games.cards import ELEMENTS, STANDARD, Deck
from games.documents import (
    DRAGON_TIGER,
    DRAGON_TIGER_BACCARAT,
    ELECTRONIC_BACCARAT,
    FA_FA_FABULOUS_4,
    SANDS_ELEMENTS,
    RuleDocument,
)
from games.features import InitialHand, initial_hands
from games.paytable import Wager
from games.readings import DEFAULT_READINGS, Readings


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """One game, as its document has it; two games are the same only if they are one object."""

    name: str
    title: str
    document: RuleDocument
    deck: Deck
    decks: range
    """The numbers of decks that 2.1 allows."""
    hands: tuple[str, str]
    """The two hands; the first one gets the first card."""
    wagers: Mapping[str, Wager]
    readings: Readings
    is_baccarat: bool
    """Whether hands are played by the Table of Play; Dragon Tiger deals one card to each hand."""
    initial_hands: Mapping[tuple[str, str], InitialHand] = field(init=False)
    """What the first two cards of a hand come to, by their codes, under this game's readings."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "initial_hands", initial_hands(self.readings.pair))

    @property
    def initial_deal(self) -> int:
        """How many cards the initial deal has."""
        return 4 if self.is_baccarat else 2


_BACCARAT_HANDS = ("player", "banker")
_FOUR_TO_TEN = range(4, 11)


def _game(
    name: str,
    title: str,
    document: RuleDocument,
    deck: Deck,
    offered: tuple[Wager, ...],
    readings: Readings,
    decks: range = _FOUR_TO_TEN,
    hands: tuple[str, str] = _BACCARAT_HANDS,
) -> Game:
    by_name = {wager.name: wager for wager in offered}
    return Game(name, title, document, deck, decks, hands, by_name, readings, hands == _BACCARAT_HANDS)


def _dragon_tiger_baccarat(readings: Readings) -> Game:
    return _game(
        "dragon_tiger_baccarat", "Dragon Tiger Baccarat", DRAGON_TIGER_BACCARAT, STANDARD,
        (
            wagers.player("4.1", "3.15.1"),
            wagers.banker_with_commission("4.1", "3.15.1"),
            wagers.tie("4.1"),
            wagers.dragon_tiger_seven_over_six(),
            wagers.sized_win("big_dragon", "Big Dragon", "player", 7, 3, 30, "4.3"),
            wagers.sized_win("small_dragon", "Small Dragon", "player", 7, 2, 15, "4.3"),
            wagers.sized_win("big_tiger", "Big Tiger", "banker", 6, 3, 50, "4.3"),
            wagers.sized_win("small_tiger", "Small Tiger", "banker", 6, 2, wagers.small_tiger_odds(readings), "4.3"),
        ),
        readings,
    )  # fmt: skip


def _fa_fa_fabulous_4(readings: Readings) -> Game:
    return _game(
        "fa_fa_fabulous_4", "Fa Fa Fabulous 4 Baccarat", FA_FA_FABULOUS_4, ELEMENTS,
        (
            *wagers.fabulous_main_wagers(),
            wagers.precious_pair("player"),
            wagers.precious_pair("banker"),
            wagers.fabulous_4("player", 50),
            wagers.fabulous_4("banker", 25),
        ),
        readings,
    )  # fmt: skip


def _sands_elements(readings: Readings) -> Game:
    return _game(
        "sands_elements_no_commission", "Sands Elements No Commission Baccarat", SANDS_ELEMENTS, ELEMENTS,
        (
            wagers.player("4.1", "3.10.1"),
            wagers.banker_half_on_six("4.1", "3.10.1"),
            wagers.tie("4.1"),
            wagers.hand_pair("player", "4.1"),
            wagers.hand_pair("banker", "4.1"),
            wagers.banker_six("fortune_six", "Fortune Six", "4.1"),
        ),
        readings,
    )  # fmt: skip


def _dragon_tiger(readings: Readings) -> Game:
    return _game(
        "dragon_tiger", "Dragon Tiger", DRAGON_TIGER, STANDARD,
        (
            wagers.dragon_tiger_main("dragon"),
            wagers.dragon_tiger_main("tiger"),
            wagers.tie("4.1", odds=11),
            *(wagers.big_or_small(hand, size) for hand in ("dragon", "tiger") for size in ("big", "small")),
        ),
        readings,
        decks=range(4, 9),
        hands=("dragon", "tiger"),
    )  # fmt: skip


def _no_commission_wagers(clause: str) -> tuple[Wager, ...]:
    """EB 4.1 to 4.4: the wagers that these four games share."""
    return (
        wagers.player(clause, "3.9.1"),
        wagers.banker_half_on_six(clause, "3.9.1"),
        wagers.tie(clause),
        wagers.hand_pair("player", clause),
        wagers.hand_pair("banker", clause),
    )


def _dragon_bonuses() -> tuple[Wager, ...]:
    """EB 4.5, 4.6: in Fortune Six and Super 6 alone (reading A-11)."""
    return (wagers.dragon_bonus("banker", "4.5"), wagers.dragon_bonus("player", "4.6"))


def _tiger_wagers(readings: Readings) -> tuple[Wager, ...]:
    """EB 4.9, 4.10: in the two Tiger games alone (reading A-11)."""
    return (
        wagers.tiger_pair(readings),
        wagers.banker_six("tiger", "Tiger", "4.10"),
        wagers.sized_win("small_tiger", "Small Tiger", "banker", 6, 2, 22, "4.10"),
        wagers.sized_win("big_tiger", "Big Tiger", "banker", 6, 3, 50, "4.10"),
        wagers.tiger_tie(),
    )


def _electronic_baccarat(readings: Readings) -> tuple[Game, ...]:
    tiger_banker = wagers.banker_with_commission if readings.tiger_banker == "rule" else wagers.banker_half_on_six
    offers: tuple[tuple[str, str, tuple[Wager, ...]], ...] = (
        (
            "super_six_no_commission", "Super Six No Commission Baccarat",
            (*_no_commission_wagers("4.1"), wagers.super_six("super_six", "Super Six", "4.1")),
        ),
        (
            "fortune_six_no_commission", "Fortune Six No Commission Baccarat",
            (*_no_commission_wagers("4.2"), wagers.banker_six("fortune_six", "Fortune Six", "4.2"), *_dragon_bonuses()),
        ),
        (
            "super_6_no_commission", "Super 6 No Commission Baccarat",
            (*_no_commission_wagers("4.3"), wagers.super_six("super_6", "Super 6", "4.3"), *_dragon_bonuses()),
        ),
        ("no_commission", "No Commission Baccarat", _no_commission_wagers("4.4")),
        (
            "tiger", "Tiger Baccarat",
            (wagers.player("4.7", "3.9.1"), tiger_banker("4.7", "3.9.1"), wagers.tie("4.7"), *_tiger_wagers(readings)),
        ),
        (
            "tiger_no_commission", "Tiger No Commission Baccarat",
            (
                wagers.player("4.8", "3.9.1"), wagers.banker_half_on_six("4.8", "3.9.1"), wagers.tie("4.8"),
                *_tiger_wagers(readings),
            ),
        ),
    )  # fmt: skip
    return tuple(_game(name, title, ELECTRONIC_BACCARAT, STANDARD, offer, readings) for name, title, offer in offers)


def rulebook(readings: Readings = DEFAULT_READINGS) -> Mapping[str, Game]:
    """The ten games by name, under these readings; the same objects each time."""
    return _rulebook(readings)


@cache
def _rulebook(readings: Readings) -> Mapping[str, Game]:
    games = (
        _dragon_tiger_baccarat(readings),
        _fa_fa_fabulous_4(readings),
        _sands_elements(readings),
        _dragon_tiger(readings),
        *_electronic_baccarat(readings),
    )
    return {game.name: game for game in games}


GAMES: Mapping[str, Game] = rulebook()
"""The ten games under the readings in force."""

WAGERS: Mapping[str, str] = {name: wager.title for game in GAMES.values() for name, wager in game.wagers.items()}
"""Every wager that some game has, by its name: its title, as the layout prints it, which is the same in all of them."""
