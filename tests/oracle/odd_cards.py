"""Odd things done with cards: wrong reads, incidents, voids right and wrong, reconstructions, power failures."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracle import rules
from tests.oracle.odd_bets import ruling
from tests.oracle.plan import CARD_STEP, CLOSING, DISPLAY, FIRST_CARD, RoundPlan
from tests.oracle.rules import DT, DTB, EB, FF4, SE
from tests.oracle.script import Said

AFTER_CARDS = FIRST_CARD + 6 * CARD_STEP  # a moment after the last card and before the display


def another(p: RoundPlan, card: str) -> str:
    return p.dice.choice([other for other in rules.deck(p.game) if other != card])


def some_draw(p: RoundPlan) -> Said | None:
    drawn = p.of("card.drawn")
    return p.dice.choice(drawn) if drawn else None


def conflict(p: RoundPlan) -> None:
    drawn = some_draw(p)
    if drawn:
        at = drawn["at"] - p.opened + 200
        p.add(at, "card.drawn", draw=drawn["data"]["draw"], card=another(p, drawn["data"]["card"]))


def read_twice(p: RoundPlan) -> None:
    """The same card for the same draw by two readers: nothing odd."""
    drawn = some_draw(p)
    if drawn:
        source = f"/tables/{p.table.table}/reader-2"
        p.add(drawn["at"] - p.opened + 100, "card.drawn", source, **{k: drawn["data"][k] for k in ("draw", "card")})


def skipped(p: RoundPlan) -> None:
    drawn = p.of("card.drawn")
    if len(drawn) > 1:
        p.drop(p.dice.choice(drawn[:-1]))


def missing(p: RoundPlan) -> None:
    drawn = p.of("card.drawn")
    if drawn:
        for said in drawn[-p.dice.choice([1, 1, 2]) :]:
            p.drop(said)
        maybe_void(p, "5.2")


def extra(p: RoundPlan) -> None:
    if p.hands() and p.table.stock:
        for _ in range(p.dice.choice([1, 1, 2])):
            draw = len(p.of("card.drawn")) + 1
            card = p.table.stock.pop() if p.table.stock else another(p, "")
            p.add(FIRST_CARD + CARD_STEP * (draw - 1), "card.drawn", draw=draw, card=card)
        maybe_void(p, "5.2")


def maybe_void(p: RoundPlan, clause: str, chance: float = 0.4) -> bool:
    if p.dice.random() < chance:
        p.tags.add("void")
        by = p.dice.choice(["dealer", "pit_supervisor", "pit_supervisor", "gaming_shift_manager"])
        ruling(p, p.dice.choice([AFTER_CARDS, DISPLAY + 1_000]), "void", clause, by)
        return True
    p.some_bet()  # a round that is settled has something to settle
    return False


def off_deck(p: RoundPlan) -> None:
    drawn = some_draw(p)
    if drawn:
        other = rules.DECK_65 if rules.deck(p.game) is rules.DECK_52 else rules.DECK_52
        drawn["data"]["card"] = p.dice.choice(other)
        maybe_void(p, "5.1.1")


def copy_too_many(p: RoundPlan) -> None:
    """A card of which the shoe has dealt all copies already (likely in a shoe of one deck)."""
    dealt = [
        s["data"]["card"]
        for s in [*p.table.said, *p.said]
        if s["type"] == "card.drawn.v1" and s["data"]["shoe"] == p.shoe
    ]
    gone = sorted({card for card in dealt if dealt.count(card) >= p.table.decks})
    drawn = some_draw(p)
    if drawn and gone:
        drawn["data"]["card"] = p.dice.choice(gone)
        p.cards[drawn["data"]["draw"] - 1] = drawn["data"]["card"]
        maybe_void(p, "5.1.1")


def early(p: RoundPlan) -> None:
    """Some cards before, or within the tolerance of, "No more bets"."""
    for said in p.of("card.drawn")[: p.dice.choice([1, 2])]:
        said["at"] = p.closing - p.dice.choice([499, 500, 501, 3_000])


def order_of(p: RoundPlan) -> list[int]:
    """The right order of the draws made so far: two neighbours changed."""
    order = [said["data"]["draw"] for said in p.of("card.drawn")]
    swap = p.dice.randrange(len(order) - 1)
    order[swap], order[swap + 1] = order[swap + 1], order[swap]
    return order


def reconstruct(p: RoundPlan, clause: str) -> None:
    """The draws were read in a wrong order, and the ruling puts them right: the cards stay those of the plan."""
    drawn = p.of("card.drawn")
    if len(drawn) < 2:
        return
    order = order_of(p)
    for place, draw in enumerate(order):
        drawn[draw - 1]["data"]["card"] = p.cards[place]
    ruling(
        p, AFTER_CARDS, "reconstructed", clause, p.dice.choice(["dealer", "pit_supervisor", "pit_manager"]), order=order
    )


def incident(p: RoundPlan) -> None:
    """Any incident, with or without a reconstruction, declared void or settled."""
    document = rules.DOCUMENT[p.game]
    kind = p.dice.choice(
        ["cards-drawn-together"] * 5 + ["order-altered"] * 3
        + ["foreign-card", "missing-card", "unshuffled-cards", "wrong-order", "exposed-card", "other"]
    )  # fmt: skip
    draws = p.dice.choice([[], [1, 2], [2, 3], [4, 5], [5, 6], [5]])
    at = FIRST_CARD + p.dice.choice([200, 3_200, 7_000])
    p.add(at, "incident.reported", incident=kind, draws=draws, text=p.dice.choice(["", "seen by the supervisor"]))
    clauses = {"cards-drawn-together": {DTB: "5.8.2.1", FF4: "5.8.2.1", EB: "5.8.1", SE: "5.3", DT: "5.3"}[document]}
    if kind in ("cards-drawn-together", "order-altered", "wrong-order") and p.dice.random() < 0.5:
        reconstruct(p, p.dice.choice(["5.7", "5.8", "5.8.2.2"]))
        if p.dice.random() < 0.7:
            p.some_bet()
            return
    maybe_void(p, clauses.get(kind, "5.1.1"), 0.5)


def replaced(p: RoundPlan) -> None:
    """5.11: a Player left with a card; one of the same rank takes its place, read or not."""
    drawn = some_draw(p)
    if drawn:
        p.add(
            FIRST_CARD + 500,
            "incident.reported",
            incident="player-left-with-cards",
            draws=[drawn["data"]["draw"]],
            text="",
        )
        same_rank = [card for card in rules.deck(p.game) if rules.rank(card) == rules.rank(drawn["data"]["card"])]
        card = p.dice.choice(same_rank)
        p.cards[drawn["data"]["draw"] - 1] = card
        by = p.dice.choice(["gaming_shift_manager", "gaming_shift_manager", "pit_manager"])
        ruling(p, AFTER_CARDS, "replacement-card", "5.11.3", by, draw=drawn["data"]["draw"], card=card)
        if p.dice.random() < 0.6:
            p.drop(drawn)


def power_failure(p: RoundPlan) -> None:
    """Before the cards, between two of them or after all; in EB void unless an outcome was established."""
    known = p.dice.randint(0, 5)
    at = FIRST_CARD + CARD_STEP * known - (800 if known else 2_000)
    table = p.dice.random() < 0.8
    scope = "table" if table else [1, 2]
    ruling(p, at, "power-failure", p.dice.choice(["5.9.1", "5.17.1"]), "pit_supervisor", scope=scope)
    if table and p.dice.random() < 0.5:
        p.tags.add("void")
        ruling(p, at + 400 if p.table.one_source else AFTER_CARDS, "void", "5.9.1", "pit_supervisor")
        if p.dice.random() < 0.5 and rules.DOCUMENT[p.game] == EB:
            for said in p.of("card.drawn")[known:]:
                p.drop(said)
    else:
        p.some_bet()


def void_by_6_1(p: RoundPlan) -> None:
    p.tags.add("void")
    by = p.dice.choice(
        ["dealer", "pit_manager", "assistant_casino_manager", "gaming_shift_manager", "gaming_shift_manager"]
    )
    ruling(p, AFTER_CARDS, "void", "6.1", by)


def void_for_nothing(p: RoundPlan) -> None:
    p.tags.add("void")
    at = p.dice.choice([AFTER_CARDS, DISPLAY + 1_000, CLOSING + 3_000])
    ruling(p, at, "void", p.dice.choice(["5.1.1", "5.2", "5.3"]), "pit_supervisor")


def cutting_card(p: RoundPlan) -> None:
    p.add(CLOSING + 2_000, "shoe.cutting_card", before_draw=p.dice.choice([1, 2, 5]))


def ran_out(p: RoundPlan) -> None:
    """The shoe ended before the round was complete: called so, or settled as if nothing were."""
    if p.hands() is None and not p.tags & {"void"}:
        maybe_void(p, "5.3", 0.6)


ODD_CARDS: list[Callable[[RoundPlan], None]] = [
    conflict, read_twice, skipped, missing, extra, off_deck, copy_too_many, early, incident, incident, incident,
    incident, replaced, power_failure, power_failure, void_by_6_1, void_for_nothing, cutting_card,
]  # fmt: skip
