"""Whose turn it is to be read from the store."""

from collections.abc import Sequence

from audit.live.table import LiveTable
from audit.settings import JudgeSettings
from streams import turns
from streams.partition import PartitionJudge
from streams.topic_layout import INPUTS
from streams.turns import LEFT_ALONE_SECONDS, READ_TOGETHER, SILENT_SECONDS, Turns


def _judge(number: int, tables: Sequence[str]) -> PartitionJudge:
    """A judge of a partition whose tables, which the store has heard of, are all to be read."""
    judge = PartitionJudge(number, JudgeSettings(), tables, dict.fromkeys(INPUTS, 0))
    for table in tables:
        judge.desk(table)
    return judge


def _names(chosen: Sequence[turns.Turn]) -> list[str]:
    return [turn.desk.table for turn in chosen]


def test_tables_with_something_to_judge_come_first() -> None:
    one, other = _judge(0, ["A", "B"]), _judge(1, ["C", "D"])
    other.desks["D"].waits_since = 7.0
    assert _names(Turns({0: one, 1: other}).next(10.0)) == ["D", "A", "B", "C"]


def test_a_table_that_has_waited_long_comes_before_those_of_which_there_is_news_just_now() -> None:
    judge = _judge(0, ["A"])
    waiting = Turns({0: judge})
    assert _names(waiting.next(10.0)) == ["A"]
    judge.desk("B").live = None
    judge.desks["B"].waits_since = 11.0
    assert _names(waiting.next(11.0)) == ["B", "A"]
    judge.desk("C").live = None
    judge.desks["C"].waits_since = 10.5 + SILENT_SECONDS
    assert _names(waiting.next(10.5 + SILENT_SECONDS)) == ["B", "A", "C"]


def test_a_table_that_could_not_be_read_is_left_alone_for_a_while() -> None:
    judge = _judge(0, ["A", "B"])
    waiting = Turns({0: judge})
    waiting.leave_alone(judge.desks["A"], 10.0)
    assert _names(waiting.next(10.0)) == ["B"]
    assert _names(waiting.next(10.0 + LEFT_ALONE_SECONDS)) == ["A", "B"]


def test_a_table_that_could_not_be_read_is_known_as_such_until_it_is_read() -> None:
    judge = _judge(0, ["A", "B"])
    waiting = Turns({0: judge})
    waiting.leave_alone(judge.desks["A"], 10.0)
    waiting.next(10.0 + LEFT_ALONE_SECONDS)
    assert waiting.unread() == {"A"}
    judge.desks["A"].live = LiveTable("A", JudgeSettings())
    assert waiting.unread() == set()
    judge.desks["A"].live = None
    judge.desk("A").reload.add("S1")
    assert waiting.unread() == set(), "it waits again, and has not failed since"


def test_so_many_are_read_together_and_each_table_once() -> None:
    names = [f"T{number:03}" for number in range(READ_TOGETHER)]
    judges = {0: _judge(0, names[:60]), 1: _judge(1, names)}
    chosen = Turns(judges).next(0.0)
    assert sorted(_names(chosen)) == names
    assert len(Turns({0: _judge(0, [*names, "one more"])}).next(0.0)) == READ_TOGETHER
