"""Who is told is a matter of the mode a table was in when it happened, not of the one it was given since."""

from dataclasses import replace
from typing import Any

import orjson

from schemas.time import micros
from streams.news import News
from streams.partition import PartitionJudge
from streams.telling import Telling
from tests.audit.case import CLOSING, DEALER, DESK, FIRST_BET, RFID, ROUND_LENGTH, TABLE, Case, unsettled_round
from tests.oracle.script import clock, say, to_lines
from tests.streams.stored import NOW_MS, Floor, look

YEARS_AHEAD = 10 * 365 * 86_400_000
MINUTES_AHEAD = 10 * 60_000
SPARE_DESK = "/pits/P-BT1/spare"


def _configure(case: Case, at: int, mode: str, source: str | None = None, **other: Any) -> Case:
    case.said.append(say(TABLE, at, "table.configured", source, **{**case.config, "mode": mode, **other}))
    return case


def _late_bet(**config: Any) -> Case:
    """A round with a bet after its closing."""
    return Case(**config).round(**FIRST_BET).bet(CLOSING + 5_000, "late").settle("late", 0, 0)


def _after(case: Case) -> int:
    """A moment after the round at hand."""
    return case.opened + ROUND_LENGTH


def _hear(floor: Floor, lines: list[bytes]) -> News:
    for record in floor.records(lines):
        floor.judge.take(record, 1, 0.0)
    return look(floor.judge)


def _told(news: News) -> dict[str, bool]:
    """By code: whether people are told of its last state."""
    return {each.finding.code: each.for_people for each in news.findings}


def _silent() -> tuple[list[bytes], list[bytes]]:
    """A live table of which a device seems silent, and what shows later that it was not: its table is closed then."""
    case = Case()
    for minute in range(4):
        case.beat(minute * 50_000, RFID).beat(minute * 50_000 + 1_000, DEALER)
    events = _configure(case, 160_000, "closed").events()
    later = [e for e in events if (e["source"] == RFID and e["sequence"]) or e["data"].get("mode") == "closed"]
    return to_lines([event for event in events if event not in later]), to_lines(later)


def test_a_round_that_began_live_is_told_of_though_its_table_is_closed_when_it_is_read() -> None:
    case = _late_bet()
    told = _told(_hear(Floor(), _configure(case, _after(case), "closed").lines()))
    assert told["late-bet"]
    assert all(told.values())


def test_what_a_live_round_lacks_is_told_though_its_table_is_closed_within_the_wait() -> None:
    case = unsettled_round()
    assert _told(_hear(Floor(), _configure(case, case.opened + 41_000, "closed").lines())) == {"payout-missing": True}


def test_a_round_is_of_the_mode_in_which_it_began_until_it_is_over() -> None:
    case = _late_bet(mode="test")
    assert not any(_told(_hear(Floor(), _configure(case, case.opened + CLOSING, "live").lines())).values())
    case = _late_bet()
    assert all(_told(_hear(Floor(), _configure(case, case.opened + CLOSING, "test").lines())).values())


def test_a_round_before_the_first_configuration_is_of_the_mode_of_that_one() -> None:
    case = _late_bet(mode="test")
    case.said[0]["at"] = case.opened + 500
    found = _told(_hear(Floor(), case.lines()))
    assert found and not any(found.values())


def test_a_round_that_was_told_of_is_cleared_for_people_though_its_table_is_closed() -> None:
    case = _late_bet()
    floor, before = Floor(), case.lines()
    assert _told(_hear(floor, before))["late-bet"]
    case.rule(_after(case) - case.opened + 1_000, "bets-refused", "5.5", by="dealer", bets=["late"])
    after = [line for line in _configure(case, _after(case), "closed").lines() if line not in before]
    [cleared] = [each for each in _hear(floor, after).findings if each.finding.cleared]
    assert (cleared.finding.code, cleared.for_people) == ("late-bet", True)


def test_a_device_that_was_told_of_is_cleared_for_people_though_its_table_is_closed() -> None:
    floor, (before, after) = Floor(), _silent()
    assert _told(_hear(floor, before)) == {"device-silent": True}
    [cleared] = _hear(floor, after).findings
    assert (cleared.finding.code, cleared.finding.cleared, cleared.for_people) == ("device-silent", True, True)


def test_what_nobody_was_told_of_is_cleared_for_nobody() -> None:
    floor, (before, after) = Floor(), _silent()
    before = [line.replace(b'"positions"', b'"mode":"test","positions"') for line in before]
    assert _told(_hear(floor, before)) == {"device-silent": False}
    assert _told(_hear(floor, after)) == {"device-silent": False}


def test_a_configuration_dated_ahead_of_its_arrival_silences_nobody() -> None:
    floor, case = Floor(), _late_bet()
    told = _told(_hear(floor, _configure(case, YEARS_AHEAD, "test", SPARE_DESK).lines()))
    assert told["late-bet"]
    assert told["device-clock"], "that its clock is wrong is told as well"
    more = case.round(**FIRST_BET).bet(CLOSING + 5_000, "late").lines()
    assert _told(_hear(floor, [line for line in more if b'"round":2' in line]))["late-bet"]


def test_a_desk_whose_clock_was_put_right_is_believed_again() -> None:
    """Its later words keep the effective time of the wrong one; of what is told to whom, their own time decides."""
    case = Case()
    for at, mode in ((200, "live"), (300, "test")):
        _configure(case, at, mode)
    case.round(**FIRST_BET).bet(CLOSING + 5_000, "late")
    events = case.events()
    desk = [event for event in events if event["source"] == DESK]
    desk[1]["time"] = clock(YEARS_AHEAD)
    found = _told(_hear(Floor(), to_lines(events)))
    assert found and not any(found.values())
    desk[2]["data"]["mode"], desk[0]["data"]["mode"] = "live", "test"
    assert _told(_hear(Floor(), to_lines(events)))["late-bet"]


def test_the_mode_holds_on_when_a_configuration_dated_ahead_is_long_past() -> None:
    """What is over is let go of, but not the last configuration that counts."""
    floor, case = Floor(), _configure(Case(mode="test"), MINUTES_AHEAD, "live", SPARE_DESK)
    case.beat(2 * MINUTES_AHEAD, SPARE_DESK).beat(2 * MINUTES_AHEAD, DESK)
    for _ in range(30):
        case.round(**FIRST_BET)
    before = case.lines()
    [wrong] = [line for line in before if b"configured" in line and SPARE_DESK.encode() in line]
    [record] = floor.records([wrong])
    floor.judge.take(replace(record, arrival=micros(clock(1_000)) // 1_000), 1, 0.0)
    _hear(floor, [line for line in before if line != wrong])
    floor.judge.release(0.0, NOW_MS * 1_000)
    after = case.round(**FIRST_BET).bet(CLOSING + 5_000, "late").lines()
    assert _told(_hear(floor, [line for line in after if line not in before]))["late-bet"] is False


def test_bytes_are_refused_for_people_by_the_mode_of_the_table_now() -> None:
    for first, then, told in (("live", "closed", False), ("closed", "live", True)):
        floor, case = Floor(), _configure(Case(mode=first), 60_000, then)
        ahead = _configure(Case(), YEARS_AHEAD, "closed" if told else "live", SPARE_DESK).events()[-1]
        _hear(floor, [*case.lines(), *to_lines([ahead])])
        bad = orjson.dumps({**case.events()[0], "type": "table.unheard.v1", "sequence": 1_000, "id": "unheard"})
        [record] = floor.records([bad])
        assert [each.for_people for each in floor.judge.take(record, 2, 0.0).findings] == [told]


def test_of_a_table_that_waits_for_the_store_no_mode_is_heard_that_is_dated_ahead() -> None:
    telling, floor = Telling(), Floor()
    judge = PartitionJudge(0, floor.judge.settings, [TABLE], {}, telling)
    for at, mode, source in ((0, "live", None), (YEARS_AHEAD, "test", SPARE_DESK)):
        [event] = [e for e in _configure(Case(), at, mode, source).events() if e["data"].get("mode")]
        for record in floor.records(to_lines([event])):
            judge.take(record, 1, 0.0)
    assert telling.modes == {TABLE: "live"}
