"""The wagers of the ten games as data: for each an ordered list of lines with odds and clause."""

from fractions import Fraction

from games.paytable import Condition, Feature, Line, Wager
from games.readings import Readings

COMMISSION = Fraction(95, 100)
"""0.95 to 1 is the net payment of a winning Banker wager (reading A-14)."""


def _line(clause: str, label: str, net: Fraction | int, **features: Feature) -> Line:
    return Line(tuple(Condition(name, "=", value) for name, value in features.items()), Fraction(net), clause, label)


def player(clause: str, tie: str) -> Wager:
    """Player at even money; returned on a tie."""
    return Wager(
        "player", "Player",
        (_line(clause, "Player wins", 1, winner="player"), _line(tie, "Tie", 0, winner="tie")), clause,
    )  # fmt: skip


def banker_with_commission(clause: str, tie: str) -> Wager:
    """Banker at 0.95 to 1; returned on a tie (DTB 4.1, EB 4.7)."""
    return Wager(
        "banker", "Banker",
        (_line(clause, "Banker wins", COMMISSION, winner="banker"), _line(tie, "Tie", 0, winner="tie")), clause,
    )  # fmt: skip


def banker_half_on_six(clause: str, tie: str) -> Wager:
    """Banker without commission: 1 to 2 when it wins with six, else even money; returned on a tie."""
    return Wager(
        "banker", "Banker",
        (
            _line(clause, "Banker wins with six", Fraction(1, 2), winner="banker", banker_total=6),
            _line(clause, "Banker wins otherwise", 1, winner="banker"),
            _line(tie, "Tie", 0, winner="tie"),
        ),
        clause,
    )  # fmt: skip


def tie(clause: str, odds: int = 8) -> Wager:
    """A tie of the two hands."""
    return Wager("tie", "Tie", (_line(clause, "Tie", odds, winner="tie"),), clause)


def fabulous_main_wagers() -> tuple[Wager, ...]:
    """FF4 4.1: Player 1 to 2 on four and 2 to 1 on one; Banker a push on four and 2 to 1 on one; Tie, and Tie on
    Element Eights at 800 to 1 only (reading A-07: both hands are a pair of fours)."""
    return (
        Wager(
            "player", "Player",
            (
                _line("4.1", "Player wins with four", Fraction(1, 2), winner="player", player_total=4),
                _line("4.1", "Player wins with one", 2, winner="player", player_total=1),
                _line("4.1", "Player wins otherwise", 1, winner="player"),
                _line("3.15.1", "Tie", 0, winner="tie"),
            ),
            "4.1",
        ),
        Wager(
            "banker", "Banker",
            (
                _line("4.1", "Banker wins with four", 0, winner="banker", banker_total=4),
                _line("4.1", "Banker wins with one", 2, winner="banker", banker_total=1),
                _line("4.1", "Banker wins otherwise", 1, winner="banker"),
                _line("3.15.1", "Tie", 0, winner="tie"),
            ),
            "4.1",
        ),
        Wager(
            "tie", "Tie",
            (
                _line("4.1", "Tie on Element Eights", 800, winner="tie", player_pair_rank="4", banker_pair_rank="4"),
                _line("4.1", "Tie", 8, winner="tie"),
            ),
            "4.1",
        ),
    )  # fmt: skip


def precious_pair(hand: str) -> Wager:
    """FF4 1.1.8.1, 4.2: the hand's own first two cards (reading A-08), paid once and to the highest line."""
    title = hand.capitalize()
    rank, gold, pair = f"{hand}_pair_rank", f"{hand}_gold_pair", f"{hand}_pair"
    gold_fours: dict[str, Feature] = {rank: "4", gold: True}
    return Wager(
        f"{hand}_precious_pair", f"{title} Precious Pair",
        (
            _line("4.2", "Pair of Gold fours", 30, **gold_fours),
            _line("4.2", "Other pair of fours", 15, **{rank: "4"}),
            _line("4.2", "Gold pair", 12, **{gold: True}),
            _line("4.2", "Other pair", 9, **{pair: True}),
        ),
        "4.2",
    )  # fmt: skip


def fabulous_4(hand: str, odds: int) -> Wager:
    """FF4 1.1.1, 1.1.7, 4.1: the hand wins with four (reading A-13: it must win)."""
    title = hand.capitalize()
    line = _line("4.1", f"{title} wins with four", odds, winner=hand, **{f"{hand}_total": 4})
    return Wager(f"{hand}_fabulous_4", f"{title} Fabulous 4", (line,), "4.1")


def hand_pair(hand: str, clause: str) -> Wager:
    """The hand's first two cards are a pair: 11 to 1 (SE 4.1, EB 4.1 to 4.4)."""
    title = hand.capitalize()
    return Wager(
        f"{hand}_pair", f"{title} Pair", (_line(clause, f"{title} has a pair", 11, **{f"{hand}_pair": True}),), clause
    )


def banker_six(name: str, title: str, clause: str) -> Wager:
    """Banker wins with six: 12 to 1 on two cards, 20 to 1 on three (Fortune Six, and Tiger in EB 4.10)."""
    return Wager(
        name, title,
        (
            _line(clause, "Banker wins with six on two cards", 12, winner="banker", banker_total=6, banker_cards=2),
            _line(clause, "Banker wins with six on three cards", 20, winner="banker", banker_total=6, banker_cards=3),
        ),
        clause,
    )  # fmt: skip


def super_six(name: str, title: str, clause: str) -> Wager:
    """Banker wins with six: 15 to 1 (EB 4.1, 4.3)."""
    return Wager(name, title, (_line(clause, "Banker wins with six", 15, winner="banker", banker_total=6),), clause)


def dragon_bonus(hand: str, clause: str) -> Wager:
    """EB 4.5, 4.6: natural win 1 to 1; other wins by the margin; natural tie a push (reading A-02); else it loses."""
    title = hand.capitalize()
    by_margin = {9: 30, 8: 10, 7: 6, 6: 4, 5: 2, 4: 1}
    return Wager(
        f"{hand}_dragon_bonus", f"{title} Dragon Bonus",
        (
            _line("1.1.8", "Natural tie", 0, natural_tie=True),
            _line(clause, f"{title} wins with a natural", 1, winner=hand, **{f"{hand}_natural": True}),
            *(
                _line(clause, f"{title} wins by {margin}, not a natural", odds, winner=hand, margin=margin)
                for margin, odds in by_margin.items()
            ),
        ),
        clause,
    )  # fmt: skip


def sized_win(name: str, title: str, hand: str, total: int, cards: int, odds: int, clause: str) -> Wager:
    """A hand wins with this total on this many cards (Big and Small Dragon, Big and Small Tiger)."""
    label = (
        f"{hand.capitalize()} wins with {'six' if total == 6 else 'seven'} on {'two' if cards == 2 else 'three'} cards"
    )
    features: dict[str, Feature] = {"winner": hand, f"{hand}_total": total, f"{hand}_cards": cards}
    return Wager(name, title, (_line(clause, label, odds, **features),), clause)


def dragon_tiger_seven_over_six() -> Wager:
    """DTB 1.1.3, 4.2: Player wins seven against Banker's six, paid by the number of cards."""
    return Wager(
        "dragon_tiger", "Dragon Tiger",
        tuple(
            _line("4.2", f"Player seven over Banker six on {cards} cards", odds,
                  winner="player", player_total=7, banker_total=6, cards=cards)
            for cards, odds in ((6, 100), (5, 40), (4, 30))
        ),
        "4.2",
    )  # fmt: skip


def small_tiger_odds(readings: Readings) -> int:
    """DTB 4.3 has 22 to 1; the layout of Appendix K prints 25 to 1 (reading A-04)."""
    return 22 if readings.small_tiger == "rule" else 25


def tiger_pair(readings: Readings) -> Wager:
    """EB 1.1.19, 4.9: twin 100, double 20, single 4 to 1; only the highest line (reading A-03)."""
    return Wager(
        "tiger_pair", "Tiger Pair",
        (
            _line("4.9", "Twin Tiger Pair", 100, same_pair=True),
            _line("4.9", "Double Tiger Pair", 20, both_pairs=True),
            _line("4.9", "Single Tiger Pair", 4, any_pair=True),
        ),
        "4.9",
        cumulative=readings.tiger_pair == "cumulative",
    )  # fmt: skip


def tiger_tie() -> Wager:
    """EB 1.1.20, 4.10: a tie on six."""
    return Wager("tiger_tie", "Tiger Tie", (_line("4.10", "Tie on six", 35, winner="tie", player_total=6),), "4.10")


def dragon_tiger_main(hand: str) -> Wager:
    """DT 3.6, 3.8, 4.1: the higher card wins at even money; half the stake is lost on a tie."""
    title = hand.capitalize()
    return Wager(
        hand, title,
        (_line("4.1", f"{title} wins", 1, winner=hand), _line("3.8", "Tie", Fraction(-1, 2), winner="tie")), "4.1",
    )  # fmt: skip


def big_or_small(hand: str, size: str) -> Wager:
    """DT 3.9 to 3.12: eight or higher is Big, six or lower is Small, seven loses both."""
    rank = f"{hand}_total"
    size_of_card = Condition(rank, ">=", 8) if size == "big" else Condition(rank, "<=", 6)
    title = f"{hand.capitalize()} {size.capitalize()}"
    label = f"{hand.capitalize()}'s card is {'eight or higher' if size == 'big' else 'six or lower'}"
    return Wager(f"{hand}_{size}", title, (Line((size_of_card,), Fraction(1), "4.1", label),), "4.1")
