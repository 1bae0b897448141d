"""Queries as the ClickHouse plugin and Grafana send them: macros and variables expanded, by the plugin's own rules."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

ALL = "$__all"

_CALLS: dict[str, Callable[[Any, str], str]] = {
    "timeFilter": lambda span, column: f"{column} >= {span.lower} AND {column} <= {span.upper}",
    "timeInterval": lambda span, column: f"toStartOfInterval(toDateTime({column}), INTERVAL {span.step} second)",
}
_WORDS: dict[str, Callable[[Any], str]] = {"fromTime": lambda span: span.lower, "toTime": lambda span: span.upper}


@dataclass(frozen=True)
class Span:
    """The time that a dashboard shows, and the width of a point."""

    start: datetime
    end: datetime
    step: int = 60

    @property
    def lower(self) -> str:
        return f"toDateTime({int(self.start.timestamp())})"

    @property
    def upper(self) -> str:
        return f"toDateTime({int(self.end.timestamp())})"


def expanded(
    sql: str, span: Span, chosen: Mapping[str, str | tuple[str, ...]], known: Mapping[str, tuple[str, ...]]
) -> str:
    """``chosen`` has the value of each variable, or ``ALL``; ``known`` all values that each can have."""
    sql = _conditional_all(sql, chosen)
    sql = re.sub(r"\$\{(\w+):singlequote\}", lambda found: _quoted(chosen[found[1]], known.get(found[1], ())), sql)
    sql = re.sub(r"\$\{(\w+)\}", lambda found: str(chosen[found[1]]), sql)
    for name, call in _CALLS.items():
        sql = re.sub(rf"\$__{name}\((\w+)\)", partial(_called, call, span), sql)
    for name, word in _WORDS.items():
        sql = re.sub(rf"\$__{name}\b", word(span), sql)
    if left := re.search(r"\$[{_\w]+", sql):
        raise ValueError(f"{left[0]} is neither a macro of the plugin nor a variable of the dashboard")
    return sql


def _called(call: Callable[[Any, str], str], span: Span, found: re.Match[str]) -> str:
    return call(span, found[1])


def _conditional_all(sql: str, chosen: Mapping[str, str | tuple[str, ...]]) -> str:
    """`$__conditionalAll(condition, $variable)` is the condition, or true where all are chosen."""
    macro = "$__conditionalAll("
    while (start := sql.rfind(macro)) != -1:
        depth, comma, place = 1, -1, start + len(macro)
        while depth:
            depth += {"(": 1, ")": -1}.get(sql[place], 0)
            if sql[place] == "," and depth == 1:
                comma = place
            place += 1
        variable = sql[comma + 1 : place - 1].strip().lstrip("$")
        condition = sql[start + len(macro) : comma]
        sql = sql[:start] + ("1=1" if chosen[variable] == ALL else condition) + sql[place:]
    return sql


def _quoted(value: str | tuple[str, ...], known: tuple[str, ...]) -> str:
    values = known if value == ALL else (value,) if isinstance(value, str) else value
    return ",".join("'" + each.replace("'", "\\'") + "'" for each in values)
