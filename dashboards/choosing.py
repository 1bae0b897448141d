"""What people choose by (pit, game, table, currency), the SQL conditions of these choices, and the marks on time.

Every condition names the time that Grafana shows, so that no query reads more of the store than is looked at. Rounds
lie in monthly partitions by when they were judged, which is never much before they were opened; the second condition
keeps older months out where rows need no merging. A day is left for clocks that run ahead.
"""

from typing import Final

from dashboards.board import Mark, Variable
from dashboards.panel import BLUE, RED

LATELY: Final = "$__fromTime - INTERVAL 1 DAY"

OPENED: Final = f"$__timeFilter(opened) AND judged >= {LATELY}"
"""Rounds and their figures, by when they were opened."""

CHOSEN: Final = (
    "$__conditionalAll(pit IN (${pit:singlequote}), $pit)"
    " AND $__conditionalAll(game IN (${game:singlequote}), $game)"
    " AND $__conditionalAll(table IN (${table:singlequote}), $table)"
)
"""What has a pit, a game and a table."""

ROUNDS: Final = f"{OPENED} AND {CHOSEN}"
MONEY: Final = f"{ROUNDS} AND currency = '${{currency}}'"
"""Amounts of two currencies are never added up."""

OF_TABLES: Final = "table IN (${table:singlequote})"
"""What has a table alone: the choices of tables go by pit and game already."""

FINDINGS: Final = (
    f"$__timeFilter(time) AND raised >= {LATELY} AND ({OF_TABLES} OR table = '') AND cleared = 0"
)  # fmt: skip
"""Findings that stand, those of no table included."""

ALERTS: Final = f"$__timeFilter(raised) AND {CHOSEN}"

PIT: Final = Variable(
    "pit", "Pit", "Only tables of these pits.",
    f"SELECT DISTINCT pit FROM round_figures WHERE {OPENED} ORDER BY pit",
)  # fmt: skip
GAME: Final = Variable(
    "game", "Game", "Only tables of these games.",
    f"SELECT DISTINCT game FROM round_figures WHERE {OPENED} AND game != '' ORDER BY game",
)  # fmt: skip
_TABLES: Final = (
    f"SELECT DISTINCT table FROM round_figures WHERE {OPENED}"
    " AND $__conditionalAll(pit IN (${pit:singlequote}), $pit)"
    " AND $__conditionalAll(game IN (${game:singlequote}), $game) ORDER BY table"
)
TABLE: Final = Variable("table", "Table", "Only these tables, of those of the pits and games.", _TABLES)
ONE_TABLE: Final = Variable("table", "Table", "The table that is shown.", _TABLES, several=False)
CURRENCY: Final = Variable(
    "currency", "Currency", "Amounts of two currencies are never added up.",
    f"SELECT DISTINCT currency FROM round_figures WHERE {OPENED} AND currency != '' ORDER BY currency", several=False,
)  # fmt: skip
MINOR: Final = Variable(
    "minor", "Minor units", "Minor units in one unit of the currency, e.g. 100 cents in a dollar.", text="100"
)
CONSOLE: Final = Variable(
    "console", "Console", "Where the console is, for links into the replay of a round.", text="http://localhost:8470"
)
EVERYWHERE: Final = (PIT, GAME, TABLE, CONSOLE)

REPLAY: Final = ("Replay the round", "${console}/rounds/${__data.fields.table}/${__data.fields.shoe}/${__value.raw}")
"""From a column `round` beside the columns `table` and `shoe`."""
TO_TABLE: Final = ("Show the table", "/d/tablewatch-table?var-table=${__value.raw}&${__url_time_range}")

SHOE_CHANGES: Final = (
    "SELECT time, concat('Shoe ', shoe, ' at table ', table) AS text, 'shoe' AS tags FROM events"
    f" WHERE type = 'shoe.loaded.v1' AND $__timeFilter(time) AND arrival >= {LATELY} AND {OF_TABLES}"
    " ORDER BY time LIMIT 1000"
)
CRITICAL: Final = (
    "SELECT time, concat(table, ': ', message) AS text, code AS tags FROM findings FINAL"
    f" WHERE severity = 'critical' AND {FINDINGS} ORDER BY time LIMIT 1000"
)


def marks(*, shoes: bool) -> tuple[Mark, Mark]:
    """Critical findings, and shoe changes where they do not crowd the picture."""
    return Mark("Critical findings", RED, CRITICAL, shown=True), Mark("Shoe changes", BLUE, SHOE_CHANGES, shown=shoes)
