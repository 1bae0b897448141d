"""Every query of every panel, variable, mark and alert rule runs, gives the shape its picture needs, and reads no more
of the store than the time that is shown."""

import re

import pytest

from dashboards.board import Board
from dashboards.choosing import CRITICAL
from dashboards.generate import BOARDS
from dashboards.panel import Panel
from dashboards.rules import RULES
from dashboards.sources import Sql
from tests.dashboards.conftest import Filled

PANELS = [
    pytest.param(board, panel, query.sql, id=f"{board.uid} {panel.title} {place}")
    for board in BOARDS
    for panel in board.panels
    for place, query in enumerate(panel.queries)
    if isinstance(query, Sql)
]
OTHERS = {
    **{f"variable {variable.name} of {board.uid}": variable.sql for board in BOARDS for variable in board.variables},
    **{f"mark {mark.name} of {board.uid}": mark.sql for board in BOARDS for mark in board.marks},
    **{f"rule {rule.uid}": rule.query.sql for rule in RULES if isinstance(rule.query, Sql)},
}
EVERY = {str(each.id): str(each.values[2]) for each in PANELS} | {name: sql for name, sql in OTHERS.items() if sql}

NUMBER = re.compile(r"(Nullable\()?(U?Int\d+|Float\d+|Decimal.*)\)?")
TEXT = re.compile(r"(LowCardinality\()?String\)?")
TIME = re.compile(r"DateTime(64)?(\(.*\))?")


def of_one_table(board: Board) -> bool:
    """Whether a table has to be chosen."""
    return any(each.name == "table" and not each.several for each in board.variables)


@pytest.mark.parametrize(("board", "panel", "sql"), PANELS)
def test_the_query_of_a_panel_gives_what_its_picture_needs(
    filled: Filled, board: Board, panel: Panel, sql: str
) -> None:
    choice = {"table": filled.known["table"][0]} if of_one_table(board) else {}
    rows, columns = filled.ask(sql, **choice)
    assert rows
    names, kinds = zip(*columns, strict=True)
    assert len(set(names)) == len(names)
    assert all(NUMBER.fullmatch(kind) or TEXT.fullmatch(kind) or TIME.fullmatch(kind) for kind in kinds), kinds
    if panel.kind == "timeseries":
        assert TIME.fullmatch(kinds[0])
        assert any(NUMBER.fullmatch(kind) for kind in kinds)
        times = [row[0] for row in rows]
        assert times == sorted(times), "points come in the order of time"
        labels = [tuple(v for v, kind in zip(row, kinds, strict=True) if not NUMBER.fullmatch(kind)) for row in rows]
        assert len(set(labels)) == len(labels), "one point for each moment and series"
    elif panel.kind == "stat":
        assert len(rows) == 1
        assert all(NUMBER.fullmatch(kind) for kind in kinds)
    elif panel.kind in ("barchart", "piechart"):
        assert TEXT.fullmatch(kinds[0])
        assert len(kinds) > 1
        assert all(NUMBER.fullmatch(kind) for kind in kinds[1:])
    else:
        assert panel.kind == "table"
    shown = {column.name for column in panel.columns}
    labelled = (
        {value for row in rows for value in row if isinstance(value, str)} if panel.kind == "timeseries" else set()
    )
    assert shown <= set(names) | labelled, "a column that is set up is there"


@pytest.mark.parametrize(
    ("board", "panel", "sql"), [each for each in PANELS if "table" in str(each.values[2]).split(" FROM")[0]]
)
def test_a_list_of_tables_has_the_chosen_ones_alone(filled: Filled, board: Board, panel: Panel, sql: str) -> None:
    if "system.parts" in sql:
        return
    chosen = filled.known["table"][-1]
    ((pit, game),) = filled.ask_as_sent(f"SELECT any(pit), any(game) FROM round_figures WHERE table = '{chosen}'")[0]
    rows, columns = filled.ask(sql, table=chosen, pit=(pit,), game=(game,))
    names = [name for name, _ in columns]
    if "table" in names:
        assert {row[names.index("table")] for row in rows} <= {chosen, ""}


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_variables_marks_and_rules_run(filled: Filled, name: str) -> None:
    sql = OTHERS[name]
    if not sql:
        return
    rows, columns = filled.ask(sql)
    assert rows
    if name.startswith("variable"):
        assert [TEXT.fullmatch(kind) is not None for _, kind in columns] == [True]
        assert len(set(rows)) == len(rows)
    elif name.startswith("mark"):
        assert [column for column, _ in columns] == ["time", "text", "tags"]
    else:
        ((value,),) = rows
        assert value > 0, "all is well on this floor"


BIG = {
    "events": {"time", "arrival"},
    "records": {"arrival"},
    "rejected": {"arrival"},
    "rounds": {"opened", "judged"},
    "round_figures": {"opened", "judged"},
    "verdicts": {"judged"},
    "findings": {"time", "raised"},
    "alerts": {"raised"},
    "alert_states": {"month", "alert"},
    "source_hours": {"hour"},
}
"""Tables that grow with the floor, and the columns by which a query may keep to the time that is shown."""


def _depth(line: str) -> int:
    """Of a line in the tree of a plan."""
    return len(line) - len(line.lstrip(" │└├─"))


def unbounded(filled: Filled, sql: str) -> list[str]:
    """Tables that a query reads without looking at the time, as the store's own plan has it."""
    plan = [row[0] for row in filled.client.execute(f"EXPLAIN indexes = 1 {sql}")]
    found: list[str] = []
    for place, line in enumerate(plan):
        if not (read := re.search(r"ReadFromMergeTree \((?:\w+\.)?(\w+)\)", line)):
            continue
        keys: set[str] = set()
        for below in plan[place + 1 :]:
            if _depth(below) <= _depth(line):
                break
            if "Condition: " in below:
                keys |= set(re.findall(r"\w+", below))
        if read[1] not in BIG:
            assert read[1] in ("wager_odds", "wager_covariances", "parts"), f"say by what {read[1]} may be kept small"
        elif not keys & BIG[read[1]]:
            found.append(read[1])
    return found


@pytest.mark.parametrize("name", EVERY)
def test_no_query_reads_a_growing_table_without_the_time_shown(filled: Filled, name: str) -> None:
    sql = EVERY[name]
    assert unbounded(filled, filled.sent(sql, **({} if ":singlequote" in sql else {"table": "BT1"}))) == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count() FROM events WHERE type = 'card.drawn.v1'",
        "SELECT count() FROM rounds FINAL WHERE game = 'tiger'",
        CRITICAL.replace("$__timeFilter(time)", "1").replace("raised >=", "now() >="),
    ],
)
def test_a_query_without_the_time_shown_is_told(filled: Filled, sql: str) -> None:
    assert unbounded(filled, filled.sent(sql))
