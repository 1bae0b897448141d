"""Odd things done on the floor and at the display, and with settlements."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracle import rules
from tests.oracle.odd_bets import ruling
from tests.oracle.plan import CLOSED, DISPLAY, SETTLING, RoundPlan
from tests.oracle.validate import ROLES, WINNERS

BEYOND = [499, 500, 501, 3_000, 12_000]  # ms after the round's closing


def wrong_display(p: RoundPlan) -> None:
    """A wrong winner or total; sometimes put right by a later display."""
    hands = p.hands()
    if hands is None:
        return
    outcome = rules.outcome(p.game, hands)
    first, second = rules.hand_names(p.game)
    totals, winner = dict(outcome["totals"]), outcome["winner"]
    kind = p.dice.choice(["winner", "total", "one hand", "other game", "void"])
    if kind == "winner":
        winner = p.dice.choice([word for word in WINNERS if word != winner])
    elif kind == "total":
        totals[first] = "7" if totals[first] == "8" else "8" if p.game == "dragon_tiger" else (totals[first] + 1) % 10
    elif kind == "one hand":
        del totals[second]
    elif kind == "other game":
        totals = {first: 5, second: 5} if p.game == "dragon_tiger" else {first: "5", second: "5"}
    else:
        winner = "void"
    shown = None if kind in ("winner", "void") and p.dice.random() < 0.5 else totals
    for said in p.of("result.displayed"):
        p.drop(said)
    p.add(DISPLAY - 500, "result.displayed", winner=winner, totals=shown)
    if p.dice.random() < 0.4:
        p.add(DISPLAY + 800, "result.displayed", winner=outcome["winner"], totals=outcome["totals"])


def no_display(p: RoundPlan) -> None:
    for said in p.of("result.displayed"):
        p.drop(said)


def announcements(p: RoundPlan) -> None:
    """One of the three missing, doubled or out of order."""
    kind = p.dice.choice(["round.opened", "bets.closed", "round.closed"])
    said = p.of(kind)[0]
    how = p.dice.choice(["missing", "doubled", "order"])
    if how == "missing":
        p.drop(said)
    elif how == "doubled":
        p.add(
            said["at"] - p.opened + p.dice.choice([100, 900]),
            kind,
            **{k: v for k, v in said["data"].items() if k == "method"},
        )
    elif kind == "round.closed":
        said["at"] = p.closing - 1_000
    else:
        said["at"] = p.opened + CLOSED + 1_000


def method(p: RoundPlan) -> None:
    for said in p.of("round.opened"):
        said["data"]["method"] = p.dice.choice(["A", "B", "C", "C"])


def idle_ruling(p: RoundPlan) -> None:
    clause = p.dice.choice(["5.6", "5.11.2.1", "6.1", "5.18.3", "3.17.1", "5.8.2.2", "5.18.1", "3.7.1", "3.6.1", "5.1"])
    ruling(p, DISPLAY - 2_000, "stands", clause, p.dice.choice(ROLES))


def dealer_named(p: RoundPlan) -> None:
    p.of("round.opened")[0]["data"]["dealer"] = "d-17"


ODD_FLOOR: list[Callable[[RoundPlan], None]] = [
    announcements, announcements, announcements, method, method, idle_ruling, idle_ruling, dealer_named,
]  # fmt: skip
ODD_DISPLAY: list[Callable[[RoundPlan], None]] = [wrong_display, wrong_display, no_display]


def wrong_payout(p: RoundPlan) -> None:
    settled = p.of("bet.settled")
    if settled:
        data = p.dice.choice(settled)["data"]
        field = p.dice.choice(["paid", "collected"])
        data[field] = max(0, data[field] + p.dice.choice([-1, 1, 1, 2, 100, -100]))


def paid_for_nothing(p: RoundPlan) -> None:
    """Money on a bet that does not stand, or that was never placed."""
    idle = [
        bet["data"]["bet"]
        for bet in p.bets
        if bet["data"]["bet"] not in {s["data"]["bet"] for s in p.of("bet.settled")}
    ]
    bet = p.dice.choice([*idle, *idle, "nobody"])
    p.add(SETTLING + 2_000, "bet.settled", bet=bet, paid=p.dice.choice([0, 500]), collected=p.dice.choice([0, 0, 100]))


def unpaid(p: RoundPlan) -> None:
    if p.of("bet.settled"):
        p.drop(p.dice.choice(p.of("bet.settled")))


def twice(p: RoundPlan) -> None:
    if p.of("bet.settled"):
        data = p.dice.choice(p.of("bet.settled"))["data"]
        paid, collected = p.dice.choice([(data["paid"], data["collected"]), (0, 0), (data["paid"] + 5, 0)])
        p.add(SETTLING + 3_500, "bet.settled", bet=data["bet"], paid=paid, collected=collected)


def corrected(p: RoundPlan) -> None:
    """A settlement that is corrected: rightly or wrongly, at once or long after the round."""
    if not p.of("bet.settled"):
        return
    said = p.dice.choice(p.of("bet.settled"))
    data = said["data"]
    paid, collected = data["paid"], data["collected"]
    how = p.dice.choice(["right", "right", "wrong", "wrong twice", "instead", "needless"])
    if how == "instead":
        p.drop(said)
    elif how not in ("needless", "wrong"):
        data["paid"] = paid + p.dice.choice([10, 1_000])
    by = p.dice.choice(["dealer", "pit_supervisor", "pit_supervisor", "pit_manager"])
    at = p.dice.choice([SETTLING + 4_000, CLOSED + 5_000, CLOSED + 60_000])
    if how.startswith("wrong"):
        p.add(at, "bet.corrected", bet=data["bet"], paid=paid + 3, collected=collected, by=by)
    if how != "wrong":
        p.add(at + 1_500, "bet.corrected", bet=data["bet"], paid=paid, collected=collected, by=by)


def settled_late(p: RoundPlan) -> None:
    """A settlement, bet or card after the round was closed, around the tolerance and after the next opening."""
    at = p.opened + CLOSED + p.dice.choice(BEYOND)
    settled = p.of("bet.settled")
    kind = p.dice.choice(["settled", "settled", "card", "bet"])
    if kind == "settled" and settled:
        p.dice.choice(settled)["at"] = at
    elif kind == "card" and p.of("card.drawn"):
        p.of("card.drawn")[-1]["at"] = at
    elif kind == "bet":
        p.bet(at=at - p.opened)


ODD_MONEY: list[Callable[[RoundPlan], None]] = [
    wrong_payout, wrong_payout, wrong_payout, paid_for_nothing, unpaid, twice, corrected, corrected, settled_late,
    settled_late,
]  # fmt: skip
