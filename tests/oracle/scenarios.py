"""Small adversarial files of events from a seed: tables that are right but for a few things done to them."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.oracle import rules
from tests.oracle.odd_bets import ODD_BETS, below_minimum
from tests.oracle.odd_cards import ODD_CARDS, ran_out
from tests.oracle.odd_files import (
    GARBAGE,
    as_lines,
    contradict,
    heartbeats,
    jump,
    lose,
    spoil,
    without_count,
)
from tests.oracle.odd_floor import ODD_DISPLAY, ODD_FLOOR, ODD_MONEY
from tests.oracle.plan import DISPLAY, RoundPlan, TablePlan
from tests.oracle.script import number


def play(table: TablePlan, odd: bool = True) -> RoundPlan:
    """One round, with up to two peculiarities of different kinds."""
    dice = table.dice
    p = table.next_round()
    groups = dice.sample(["bets", "cards", "floor", "display", "money"], dice.choice([0, 0, 1, 1, 1, 2]) if odd else 0)
    if odd and table.misers and dice.random() < 0.7:
        below_minimum(p)
    for name, oddities in (("bets", ODD_BETS), ("cards", ODD_CARDS), ("floor", ODD_FLOOR)):
        if name in groups:
            dice.choice(oddities)(p)
    ran_out(p)
    if "void" not in p.tags:
        p.show()
    else:
        if dice.random() < 0.4:
            p.show()
        if dice.random() < 0.5:
            p.add(DISPLAY + 3_000, "result.displayed", winner="void", totals=None)
    if "display" in groups:
        dice.choice(ODD_DISPLAY)(p)
    if p.bets:
        p.settle()
    if p.tags & {"void"} and dice.random() < 0.3:
        for said in p.of("bet.settled")[:1]:
            said["data"] |= dice.choice([{"paid": 100}, {"collected": 50}])
    if "money" in groups:
        dice.choice(ODD_MONEY)(p)
    p.record()
    return p


def quiet(table: TablePlan) -> None:
    """A round without bets."""
    p = table.next_round()
    for bet in p.bets:
        p.drop(bet)
    p.bets.clear()
    p.show()
    p.record()


def ordinary_table(table: TablePlan) -> None:
    dice = table.dice
    known = "late" if dice.random() < 0.02 else "never" if dice.random() < 0.02 else "in time"
    if known == "in time":
        table.configure()
        if dice.random() < 0.1:
            table.configure()
    else:  # the plan needs a configuration to play by, also when nobody reports it in time
        table.configure()
        table.said.clear()
    for place in range(dice.choice([1, 1, 2])):
        out_of_range = dice.random() < 0.06
        decks = dice.choice([2, 3, 11, 9]) if out_of_range else dice.choice([4, 6, 8])
        report = dice.choice([True] * 24 + [False])
        table.load(f"{table.table}-s{place + 1}", decks, report)
        for _ in range(dice.choice([1, 2, 3, 4])):
            play(table, odd=known == "in time" and report)
            if known == "in time" and dice.random() < 0.06:
                table.now += 1_000
                table.configure()
        if dice.random() < 0.6:
            table.end_shoe(dice.choice(["right", "right", "wrong", "null"]))
        if known == "late" and place == 0:
            table.configure()


def shoe_to_its_end(table: TablePlan, decks: int) -> None:
    """A small shoe, dealt until it has no cards left."""
    table.configure()
    table.load(f"{table.table}-s1", decks)
    while len(table.stock) > 9:
        if table.dice.random() < 0.2:
            play(table)
        else:
            quiet(table)
    while True:
        last = play(table, odd=table.dice.random() < 0.3)
        if last.hands() is None or table.round > 300:
            break
    if table.dice.random() < 0.7:
        table.end_shoe(table.dice.choice(["right", "wrong", "null"]))


def build(dice: Random) -> tuple[list[dict[str, Any]], list[bytes]]:
    """The events of a scenario, and lines that are none."""
    tables = []
    for place in range(dice.choice([1, 1, 1, 1, 2, 3])):
        game = dice.choice(
            [*rules.GAMES, *["dragon_tiger_baccarat", "fa_fa_fabulous_4"] * 3]
        )  # most clauses are theirs
        table = TablePlan(dice, f"BT{place + 1}", game, dice.choice([0, 0, 7_300]))
        if dice.random() < 0.07:
            shoe_to_its_end(table, dice.choice([1, 1, 1, 2]))
        elif dice.random() < 0.01:
            shoe_to_its_end(table, 4)
        else:
            ordinary_table(table)
        if dice.random() < 0.1:  # the file ends in the middle of a round
            cut = dice.randint(table.now - 60_000, table.now)
            table.said = [said for said in table.said if said["at"] <= cut] or table.said
        if dice.random() < 0.2:
            heartbeats(table, dice)
        tables.append(table)
    events = number([said for table in tables for said in table.said])
    if dice.random() < 0.25:
        if dice.random() < 0.8:
            without_count(events)
        for disturb in dice.sample([lose, lose, spoil, contradict, jump], dice.choice([1, 1, 2])):
            events = disturb(events, dice)
    garbage = [dice.choice(GARBAGE) for _ in range(dice.choice([1, 1, 3]))] if dice.random() < 0.06 else []
    return events, garbage


def scenario(dice: Random) -> list[dict[str, Any]]:
    """A list of events, as dictionaries; some may be such that a judge must reject them."""
    return build(dice)[0]


def scenario_lines(dice: Random) -> list[bytes]:
    """The same as the lines of a file: shuffled, some repeated, some not JSON at all."""
    events, garbage = build(dice)
    lines = as_lines(events, dice) + garbage
    dice.shuffle(lines)
    return lines
