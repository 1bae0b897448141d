"""The ten games once more, written straight down from the documents as plain code: the rulebook is held against it."""

from fractions import Fraction

HALF, COMMISSION = Fraction(1, 2), Fraction(19, 20)
PIPS = {"A": 1, **{str(pip): pip for pip in range(2, 10)}}
ORDER = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]


def points(card: str) -> int:
    """Ace one, Two to Nine as they are, the rest nothing."""
    return PIPS.get(card[:-1], 0)


def total(hand: list[str]) -> int:
    """The right digit of the sum."""
    return int(str(sum(points(card) for card in hand))[-1])


def baccarat_hands(cards: list[str]) -> tuple[list[str], list[str]] | None:
    """The two complete hands, or None while a card is missing."""
    if len(cards) < 4:
        return None
    left = list(cards[4:])
    player, banker = [cards[0], cards[2]], [cards[1], cards[3]]
    if total(player) in (8, 9) or total(banker) in (8, 9):
        return player, banker
    if total(player) in (6, 7):
        if total(banker) not in (6, 7):
            if not left:
                return None
            banker.append(left.pop(0))
        return player, banker
    if not left:
        return None
    third = left.pop(0)
    draws_on = {
        0: "0123456789", 1: "0123456789", 2: "0123456789", 3: "012345679", 4: "234567", 5: "4567", 6: "67", 7: "",
    }[total(banker)]  # fmt: skip
    player.append(third)
    if str(points(third)) in draws_on:
        if not left:
            return None
        banker.append(left.pop(0))
    return player, banker


def is_pair(hand: list[str]) -> bool:
    """Two cards of one rank (reading A-01)."""
    return hand[0][:-1] == hand[1][:-1]


def even_money(won: bool, tied: bool, pays: Fraction | int = 1) -> Fraction:
    """A main wager that is returned on a tie."""
    return Fraction(0) if tied else Fraction(pays) if won else Fraction(-1)


def side(*lines: tuple[bool, Fraction | int]) -> Fraction:
    """The first line that fits is paid; otherwise the wager is lost."""
    return next((Fraction(pays) for fits, pays in lines if fits), Fraction(-1))


def baccarat_nets(game: str, player: list[str], banker: list[str]) -> dict[str, Fraction]:
    """Net win of one unit on each wager of a baccarat game."""
    p, b = total(player), total(banker)
    tied, player_wins, banker_wins = p == b, p > b, b > p
    two, three = len(banker) == 2, len(banker) == 3
    six = banker_wins and b == 6
    nets = {
        "player": even_money(player_wins, tied),
        "banker": even_money(banker_wins, tied),
        "tie": side((tied, 8)),
    }
    if game in ("dragon_tiger_baccarat", "tiger"):
        nets["banker"] = even_money(banker_wins, tied, COMMISSION)
    elif game != "fa_fa_fabulous_4":
        nets["banker"] = even_money(banker_wins, tied, HALF if b == 6 else 1)
    if game == "dragon_tiger_baccarat":
        seven_over_six, cards = player_wins and p == 7 and b == 6, len(player) + len(banker)
        nets["dragon_tiger"] = side(
            (seven_over_six and cards == 6, 100), (seven_over_six and cards == 5, 40), (seven_over_six, 30)
        )
        nets["big_dragon"] = side((player_wins and p == 7 and len(player) == 3, 30))
        nets["small_dragon"] = side((player_wins and p == 7 and len(player) == 2, 15))
    if game in ("dragon_tiger_baccarat", "tiger", "tiger_no_commission"):
        nets["big_tiger"] = side((six and three, 50))
        nets["small_tiger"] = side((six and two, 22))
    if game == "fa_fa_fabulous_4":
        nets["player"] = even_money(player_wins, tied, {4: HALF, 1: Fraction(2)}.get(p, Fraction(1)))
        nets["banker"] = even_money(banker_wins, tied, {4: Fraction(0), 1: Fraction(2)}.get(b, Fraction(1)))
        fours = all(card[:-1] == "4" for card in player[:2] + banker[:2])
        nets["tie"] = side((tied and fours, 800), (tied, 8))
        for name, hand in (("player", player), ("banker", banker)):
            gold, four, pair = hand[0][-1] == hand[1][-1] == "G", hand[0][:-1] == "4", is_pair(hand)
            nets[f"{name}_precious_pair"] = side(
                (pair and four and gold, 30), (pair and four, 15), (pair and gold, 12), (pair, 9)
            )
        nets["player_fabulous_4"] = side((player_wins and p == 4, 50))
        nets["banker_fabulous_4"] = side((banker_wins and b == 4, 25))
    if game.startswith(("sands", "super", "fortune", "no_")):
        nets["player_pair"], nets["banker_pair"] = side((is_pair(player), 11)), side((is_pair(banker), 11))
    if game in ("sands_elements_no_commission", "fortune_six_no_commission"):
        nets["fortune_six"] = side((six and two, 12), (six and three, 20))
    if game in ("super_six_no_commission", "super_6_no_commission"):
        nets[game.removesuffix("_no_commission")] = side((six, 15))
    if game in ("fortune_six_no_commission", "super_6_no_commission"):
        naturals = len(player) == len(banker) == 2 and tied and p in (8, 9)
        for name, wins, hand in (("player", player_wins, player), ("banker", banker_wins, banker)):
            natural = len(hand) == 2 and total(hand) in (8, 9)
            margin = {4: 1, 5: 2, 6: 4, 7: 6, 8: 10, 9: 30}.get(abs(p - b))
            nets[f"{name}_dragon_bonus"] = side(
                (naturals, 0), (wins and natural, 1), (wins and margin is not None, margin or 0)
            )
    if game.startswith("tiger"):
        pairs = is_pair(player) + is_pair(banker)
        twin = pairs == 2 and player[0][:-1] == banker[0][:-1]
        nets["tiger_pair"] = side((twin, 100), (pairs == 2, 20), (pairs == 1, 4))
        nets["tiger"] = side((six and two, 12), (six and three, 20))
        nets["tiger_tie"] = side((tied and p == 6, 35))
    return nets


def dragon_tiger_nets(dragon: str, tiger: str) -> dict[str, Fraction]:
    """Net win of one unit on each wager of Dragon Tiger."""
    d, t = ORDER.index(dragon[:-1]), ORDER.index(tiger[:-1])
    seven = ORDER.index("7")
    return {
        "dragon": -HALF if d == t else Fraction(1 if d > t else -1),
        "tiger": -HALF if d == t else Fraction(1 if t > d else -1),
        "tie": side((d == t, 11)),
        "dragon_big": side((d > seven, 1)),
        "dragon_small": side((d < seven, 1)),
        "tiger_big": side((t > seven, 1)),
        "tiger_small": side((t < seven, 1)),
    }
