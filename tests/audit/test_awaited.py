"""Cards, settlements and ends that are in order are not looked at one by one; nothing is found later for it."""

import pytest

from audit.live.awaited import AwaitedCards
from audit.live.table import LiveTable
from audit.settings import JudgeSettings
from schemas.decoding import decode_lines
from schemas.findings import finding_json
from schemas.verdicts import verdict_json
from simulator.floor import simulate
from tests.audit.case import CLOSING, FIRST_CARD, TABLE, Case

Told = list[tuple[int, bytes]]


def _told(lines: list[bytes], *, look_always: bool) -> tuple[Told, list[bytes], int]:
    """What is told after which event, the verdicts, and how often a table was looked at."""
    tables: dict[str, LiveTable] = {}
    told: Told = []
    verdicts: list[bytes] = []
    looks = 0
    waits: dict[str, int | None] = {}
    for number, event in enumerate(decode_lines(lines).events):
        table = tables.setdefault(event.subject, LiveTable(event.subject, JudgeSettings()))
        table.take(event)
        due = waits.get(event.subject)
        if look_always or not table.calm or (due is not None and due <= table.latest):
            looks += 1
            seen = table.look(table.latest)
            waits[event.subject] = seen.next_at
            told += [(number, finding_json(finding)) for finding in seen.findings]
            verdicts += [verdict_json(concluded.verdict) for concluded in seen.verdicts]
    for table in tables.values():
        seen = table.look(table.latest + 10**12)
        told += [(len(lines), finding_json(finding)) for finding in seen.findings]
        verdicts += [verdict_json(concluded.verdict) for concluded in seen.verdicts]
    return told, verdicts, looks


@pytest.mark.parametrize("seed", range(12))
def test_whatever_goes_wrong_is_told_at_the_same_event_as_if_every_one_were_looked_at(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = list(simulate(3, 16, seed, faults=0.5))
    told, verdicts, looks = _told(lines, look_always=False)
    monkeypatch.setattr(AwaitedCards, "after", lambda *_: None)
    every_told, every_verdict, every_look = _told(lines, look_always=True)
    assert told == every_told
    assert sorted(verdicts) == sorted(every_verdict)
    assert looks < 0.7 * every_look
    assert told


def _card_by_card(case: Case) -> list[tuple[str, list[str]]]:
    """By event, in the order of time: its type, and the codes that are told after it."""
    table = LiveTable(TABLE, JudgeSettings())
    found = []
    for event in decode_lines(case.lines()).events:
        table.take(event)
        codes = [] if table.calm else [finding.code for finding in table.look(table.latest).findings]
        found.append((event.type, codes))
    return found


@pytest.mark.parametrize(
    ("case", "draw", "code"),
    [
        (Case().round(["8H", "2S", "KH", "KS"]).draw(5, "9C"), 5, "card-extra"),
        (Case().round(["8H", "LG", "KH", "KS"]), 2, "foreign-card"),
        (Case().round(["8H", "2S", "KH", "KS"]).draw(3, "9C", at=FIRST_CARD + 6_000), 5, "card-conflict"),
    ],
    ids=["3.14 an extra card", "5.1 a foreign card", "3.13 a draw read twice"],
)
def test_a_card_out_of_order_is_told_at_once_after_some_in_order(case: Case, draw: int, code: str) -> None:
    cards = [codes for kind, codes in _card_by_card(case) if kind == "card.drawn.v1"]
    assert [code in codes for codes in cards] == [number == draw for number in range(1, len(cards) + 1)]


def test_5_1_the_copy_too_many_is_told_at_once_though_the_cards_before_it_were_in_order() -> None:
    case = Case(decks=1).round(["8H", "2S", "KH", "2S"])
    cards = [codes for kind, codes in _card_by_card(case) if kind == "card.drawn.v1"]
    assert cards == [[], [], [], ["foreign-card"]]


def test_dtb_3_2_a_card_from_before_the_closing_is_told_at_once_though_it_comes_last() -> None:
    """By another reader, whose record comes after those in order"""
    case = Case().round(["8H", "2S", "KH"]).draw(4, "KS", at=CLOSING - 4_000, source="second-reader")
    lines = case.lines()
    [early] = [line for line in lines if b"second-reader" in line]
    lines.remove(early)
    in_order = [line for line in lines if b"round.closed" not in line]
    table = LiveTable(TABLE, JudgeSettings())
    for event in decode_lines(in_order).events:
        table.take(event)
        assert table.calm or table.look(table.latest).findings == []
    table.take(decode_lines([early]).events[0])
    assert not table.calm
    assert [finding.code for finding in table.look(table.latest).findings] == ["card-before-close"]


def test_dtb_3_5_a_position_that_the_table_has_not_is_told_once_and_holds_nothing_else_up() -> None:
    """What is found of the layout stays as it is: other bets, cards and settlements in order give nothing new"""
    case = Case().round(["8H", "2S", "KH", "KS"]).bet(1_000, "wrong", position=99).bet(2_000, "right", position=1)
    case = case.show("player", {"player": 8, "banker": 2}).settle("wrong", 100, 0).settle("right", 100, 0)
    table = LiveTable(TABLE, JudgeSettings())
    looked_at, told = [], []
    for event in decode_lines(case.lines()).events:
        table.take(event)
        if not table.calm:
            looked_at.append(event.type)
            told += [(event.type, finding.code) for finding in table.look(table.latest).findings]
    assert told == [("bet.placed.v1", "position-not-on-layout")]
    # The first of a kind is looked at because its device had not sent any before.
    assert {looked_at.count(kind) for kind in ("bet.placed.v1", "card.drawn.v1", "bet.settled.v1")} == {1}
