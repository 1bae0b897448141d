"""Odd things done with bets: around the closing, under rulings, outside limits and counts, over the differential."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle import rules
from tests.oracle.plan import CLOSING, FIRST_CARD, LAST_BET, RoundPlan
from tests.oracle.script import Said
from tests.oracle.validate import ROLES

AROUND = [1, 499, 500, 501, 700, 2_500, 4_000]  # ms after "No more bets"
CLAUSES = ["3.17.1", "5.8.1", "5.8.2.2", "5.9", "5.17.1", "5.18.1"]
OTHER_CLAUSES = ["5.8", "5.10", "5.11.3", "5.18", "5.18.3", "6.1"]


def ruling(p: RoundPlan, at: int, kind: str, clause: str, by: str | None = None, **more: Any) -> Said:
    role = by or p.dice.choice([*ROLES, "pit_supervisor", "gaming_shift_manager"])
    return p.add(at, "ruling.made", ruling=kind, clause=clause, by=role, **more)


def late_placing(p: RoundPlan) -> None:
    at = CLOSING + p.dice.choice(AROUND)
    bet = p.bet(at=at)["data"]["bet"]
    follow_late(p, at, bet, 0)


def follow_late(p: RoundPlan, at: int, bet: str, back_to: int) -> None:
    """What may become of a late bet: nothing, taken back before or after the first card, or refused."""
    follow = p.dice.choice(["", "", "back", "back late", "refused"])
    moment = {"back": at + 1_500, "back late": FIRST_CARD + 3_000}.get(follow)
    if moment is not None and back_to:
        p.add(moment, "bet.changed", bet=bet, amount=back_to)
    elif moment is not None:
        p.add(moment, "bet.withdrawn", bet=bet)
    elif follow == "refused":
        ruling(p, at + 2_500, "bets-refused", "5.4", bets=[bet])


def late_increase(p: RoundPlan) -> None:
    data = p.some_bet()["data"]
    at = CLOSING + p.dice.choice(AROUND)
    more = p.dice.randint(1, 500)
    p.add(at, "bet.changed", bet=data["bet"], amount=data["amount"] + more)
    back_to = data["amount"] + p.dice.choice([0, 0, more // 2, -min(10, data["amount"] - 1)])
    follow_late(p, at, data["bet"], back_to)


def late_decrease(p: RoundPlan) -> None:
    data = p.some_bet()["data"]
    at = CLOSING + p.dice.choice([*AROUND, 13_000])
    if data["amount"] == 1 or p.dice.random() < 0.5:
        p.add(at, "bet.withdrawn", bet=data["bet"])
    else:
        p.add(at, "bet.changed", bet=data["bet"], amount=p.dice.randint(1, data["amount"] - 1))


def offered_withdrawal(p: RoundPlan) -> None:
    """A withdrawal-offered ruling, and a withdrawal after it or too soon."""
    clause = p.dice.choice(CLAUSES * 2 + ["3.17.1"] * 3 + OTHER_CLAUSES)
    data = p.some_bet()["data"]
    if clause == "3.17.1" and p.dice.random() < 0.8:
        p.add(CLOSING + 1_000, "shoe.cutting_card", before_draw=p.dice.choice([1, 1, 2]))
    moment = p.dice.choice([CLOSING + 3_000, FIRST_CARD + 2_000])
    ruling(p, moment, "withdrawal-offered", clause)
    at = moment + p.dice.choice([2_000, 2_000, 2_000, -1_200])
    if p.dice.random() < 0.6:
        p.add(at, "bet.withdrawn", bet=data["bet"])
    else:
        p.add(at, "bet.changed", bet=data["bet"], amount=max(1, data["amount"] - p.dice.randint(1, 100)))


def device_reset(p: RoundPlan) -> None:
    """5.9: reset after the closing, an option to withdraw, new bets, and "No more bets" again before the cards."""
    ruling(p, CLOSING + 1_500, "device-reset", "5.9")
    if p.dice.random() < 0.6:
        ruling(p, CLOSING + 2_500, "withdrawal-offered", "5.9")
        if p.bets and p.dice.random() < 0.5:
            p.add(CLOSING + 4_000, "bet.withdrawn", bet=p.some_bet()["data"]["bet"])
    if p.dice.random() < 0.6:
        method = p.of("round.opened")[0]["data"]["method"]
        if p.dice.random() < 0.2:
            method = p.dice.choice(["A", "B", "C"])
        p.add(CLOSING + 3_500, "round.opened", method=method)
    if p.dice.random() < 0.6:
        p.bet(at=CLOSING + 4_500)
    if p.dice.random() < 0.85:
        p.add(CLOSING + 6_000, "bets.closed")
        if p.dice.random() < 0.3:
            p.bet(at=CLOSING + 6_000 + p.dice.choice([499, 500, 501, 1_500]))


def removed(p: RoundPlan) -> None:
    at = p.dice.choice([LAST_BET + 800, CLOSING + 3_000, FIRST_CARD + 3_800])
    clause = p.dice.choice(["5.18.3", "5.18.3", "5.4", "3.7"])
    ruling(p, at, "bets-removed", clause, bets=[p.some_bet()["data"]["bet"]])


def refused_in_time(p: RoundPlan) -> None:
    ruling(p, LAST_BET + 500, "bets-refused", "5.4", bets=[p.some_bet()["data"]["bet"]])


def below_minimum(p: RoundPlan) -> None:
    for _ in range(p.dice.randint(1, 2)):
        wager = p.dice.choice(sorted(p.table.config["limits"]))
        limit = p.table.config["limits"][wager]
        if wager in rules.WAGERS[p.game] and limit["min"] > 1:
            p.bet(wager=wager, amount=p.dice.randint(1, limit["min"] - 1))


def above_maximum(p: RoundPlan) -> None:
    wager = p.dice.choice(sorted(p.table.config["limits"]))
    if wager in rules.WAGERS[p.game]:
        p.bet(wager=wager, amount=p.table.config["limits"][wager]["max"] + p.dice.randint(1, 3_000))


def crowd(p: RoundPlan) -> None:
    """Several wagers on one playing area, with or without a restriction of their number."""
    first = p.some_bet()["data"]
    for _ in range(p.dice.randint(1, 4)):
        p.bet(wager=first["wager"], position=first["position"])
    if p.dice.random() < 0.4 and p.shoe not in p.table.restricted:
        p.table.restricted.add(p.shoe)  # one a shoe: whether a second one could loosen the first is not written
        clause = "3.6.1" if p.game == "fa_fa_fabulous_4" else "3.7.1"
        most = 1 if (p.table.config["max_wagers_per_area"] or 3) < 3 else p.dice.choice([1, 2])
        ruling(p, 500, "wagers-restricted", clause, max_wagers_per_area=most)


def not_offered(p: RoundPlan) -> None:
    unknown = sorted(rules.ALL_WAGERS - set(rules.WAGERS[p.game]))
    kept_back = sorted(set(rules.WAGERS[p.game]) - set(p.table.config["limits"]))
    p.bet(wager=p.dice.choice(kept_back if kept_back and p.dice.random() < 0.7 else unknown))


def off_layout(p: RoundPlan) -> None:
    p.bet(position=p.table.config["positions"] + p.dice.choice([1, 1, 4]))


def churn(p: RoundPlan) -> None:
    """Changes and withdrawals before the closing: nothing odd."""
    bet = p.bet(at=1_000)["data"]
    limit = p.table.config["limits"].get(bet["wager"])
    if limit and p.dice.random() < 0.7:
        p.add(2_000, "bet.changed", bet=bet["bet"], amount=p.dice.randint(limit["min"], limit["max"]))
    if p.dice.random() < 0.5:
        p.add(LAST_BET, "bet.withdrawn", bet=bet["bet"])


def differential(p: RoundPlan) -> None:
    """Over the differential at the closing; left so, or brought back one way or another."""
    limits, limit = p.table.config["limits"], p.table.config["differential_limit"] or 6_000
    if "player" not in limits or "banker" not in limits:
        return
    heavy, light = p.dice.choice([("player", "banker"), ("banker", "player")])
    top = limits[heavy]["max"]
    placed: list[Said] = []
    while sum(bet["data"]["amount"] for bet in placed) <= limit:
        placed.append(p.bet(wager=heavy, amount=top))
    amount = placed[0]["data"]["amount"]
    follow = p.dice.choice(["", "more", "new", "heavier", "offered", "removed", "late more"])
    if follow == "more":
        small = p.bet(wager=light, amount=limits[light]["min"])["data"]
        p.add(CLOSING + 3_000, "bet.changed", bet=small["bet"], amount=limits[light]["max"])
    elif follow == "new":
        p.bet(at=CLOSING + p.dice.choice([499, 501, 3_000]), wager=light)
    elif follow == "heavier":
        p.bet(at=CLOSING + 3_000, wager=heavy)
    elif follow == "offered":
        ruling(p, CLOSING + 2_000, "withdrawal-offered", "5.18.1", p.dice.choice(["dealer", "pit_supervisor"]))
        p.add(CLOSING + 4_000, "bet.changed", bet=placed[0]["data"]["bet"], amount=max(1, amount // 2))
    elif follow == "removed":
        role = p.dice.choice(["pit_supervisor", "pit_manager"])
        ruling(p, CLOSING + 3_000, "bets-removed", "5.18.3", role, bets=[placed[0]["data"]["bet"]])
    elif follow == "late more":
        p.bet(at=FIRST_CARD + 2_000, wager=light)


ODD_BETS: list[Callable[[RoundPlan], None]] = [
    late_placing, late_placing, late_increase, late_increase, late_decrease, late_decrease, offered_withdrawal,
    offered_withdrawal, device_reset, device_reset, removed, refused_in_time, below_minimum, below_minimum,
    below_minimum, above_maximum, crowd, not_offered, off_layout, churn, differential, differential,
]  # fmt: skip
