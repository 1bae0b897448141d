"""Dealing: cards leave the device one by one, with the cutting card where it lies, until the Table of Play is met."""

from games.settlement import required_cards
from simulator.acts import CUTTING_CARD, DRAWN, READER
from simulator.round import Round


def draw(round: Round) -> str:
    """The next card leaves the device; it counts in the order of the draws unless somebody rules otherwise."""
    show_cutting_card(round)
    card = round.shoe.draw()
    round.drawn += 1
    round.cards.append(card)
    round.acts.append(
        (round.now, READER, DRAWN,
         {"shoe": round.shoe.id, "round": round.number, "draw": round.drawn, "card": card})
    )  # fmt: skip
    round.now += pace(round)
    return card


def show_cutting_card(round: Round) -> None:
    """3.17 of DTB and FF4, EB 3.10: the cutting card is removed and the round goes on."""
    shoe = round.shoe
    if shoe.place == shoe.cut and not shoe.cut_seen:
        shoe.cut_seen = True
        round.say(READER, CUTTING_CARD, before_draw=round.drawn + 1)
        round.now += 600 + round.chance.below(400)


def pace(round: Round) -> int:
    """The time from one card to the next (ms): a player who squeezes or draws takes longer."""
    slow = 1200 if round.method in {"A", "C"} else 0
    return 900 + slow + int(round.chance.random() * 800)


def deal(round: Round, upto: int | None = None) -> None:
    """Draw until the Table of Play is met, or until so many cards have left the device."""
    if upto is not None:
        while round.drawn < upto:
            draw(round)
        return
    while len(round.cards) < round.required():
        draw(round)


def deal_all(round: Round) -> None:
    """Deal a whole round of which nothing has been dealt yet."""
    shoe = round.shoe
    count = required_cards(round.game, shoe.peek(6))
    for _ in range(count):
        draw(round)


def coming(round: Round) -> list[str]:
    """The cards that this round will take if nothing goes wrong."""
    cards = round.shoe.peek(6)
    return cards[: required_cards(round.game, cards)]
