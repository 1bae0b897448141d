"""A dashboard: its panels row by row, variables to choose by, links to the others, and marks on the time axis."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from dashboards.panel import Panel
from dashboards.sources import CLICKHOUSE, Sql

TAG: Final = "tablewatch"
COLUMNS: Final = 24
SCHEMA_VERSION: Final = 39
"""Of classic dashboard JSON; Grafana 11 and later take it."""


@dataclass(frozen=True, slots=True)
class Variable:
    """Something to choose at the top of a dashboard."""

    name: str
    label: str
    about: str
    sql: str = ""
    """Gives the choices; empty: a text that people may change."""
    several: bool = True
    """Whether one may choose several, or all."""
    text: str = ""
    """Of a text."""

    def json(self) -> dict[str, Any]:
        """As a dashboard has it."""
        same: dict[str, Any] = {"name": self.name, "label": self.label, "description": self.about}
        if not self.sql:
            chosen = {"selected": True, "text": self.text, "value": self.text}
            return same | {"type": "textbox", "query": self.text, "current": chosen, "options": [chosen], "hide": 0}
        query = Sql(self.sql).target(self.name)
        every = {"selected": True, "text": ["All"], "value": ["$__all"]}
        return same | {
            "type": "query",
            "datasource": CLICKHOUSE,
            "query": query,
            "definition": self.sql,
            "refresh": 2,
            "sort": 1,
            "multi": self.several,
            "includeAll": self.several,
            "current": every if self.several else {},
            "hide": 0,
        }


@dataclass(frozen=True, slots=True)
class Mark:
    """Moments that are drawn over the panels."""

    name: str
    color: str
    sql: str
    """Gives time, text and tags."""
    shown: bool
    """At first; people can switch it."""

    def json(self) -> dict[str, Any]:
        """As a dashboard has it."""
        return {
            "name": self.name,
            "datasource": CLICKHOUSE,
            "enable": self.shown,
            "hide": False,
            "iconColor": self.color,
            "target": Sql(self.sql).target("Anno"),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A dashboard before it is JSON."""

    uid: str
    title: str
    about: str
    rows: Sequence[tuple[str, Sequence[Panel]]]
    """Headings, and the panels below each."""
    variables: Sequence[Variable]
    marks: Sequence[Mark] = ()
    since: str = "now-8h"
    refresh: str = "30s"

    @property
    def panels(self) -> list[Panel]:
        """All panels in their order."""
        return [panel for _, panels in self.rows for panel in panels]

    def json(self, others: Sequence["Board"]) -> dict[str, Any]:
        """As Grafana reads it; ``others`` are the dashboards to link to."""
        return {
            "uid": self.uid,
            "title": f"Tablewatch: {self.title}",
            "description": self.about,
            "tags": [TAG],
            "timezone": "browser",
            "editable": True,
            "graphTooltip": 1,
            "time": {"from": self.since, "to": "now"},
            "refresh": self.refresh,
            "schemaVersion": SCHEMA_VERSION,
            "templating": {"list": [variable.json() for variable in self.variables]},
            "annotations": {"list": [mark.json() for mark in self.marks]},
            "links": [_link(other) for other in others if other.uid != self.uid],
            "panels": self._placed(),
        }

    def _placed(self) -> list[dict[str, Any]]:
        placed: list[dict[str, Any]] = []
        y = 0
        for heading, panels in self.rows:
            place = {"x": 0, "y": y, "w": COLUMNS, "h": 1}
            placed.append(
                {
                    "id": len(placed) + 1,
                    "type": "row",
                    "title": heading,
                    "collapsed": False,
                    "gridPos": place,
                    "panels": [],
                }
            )
            y += 1
            x = height = 0
            for panel in panels:
                if x + panel.width > COLUMNS:
                    x, y, height = 0, y + height, 0
                placed.append(panel.json(len(placed) + 1, x, y))
                x += panel.width
                height = max(height, panel.height)
            y += height
        return placed


def _link(other: Board) -> dict[str, Any]:
    return {
        "title": other.title,
        "type": "link",
        "url": f"/d/{other.uid}",
        "icon": "dashboard",
        "tooltip": other.about,
        "tags": [],
        "asDropdown": False,
        "targetBlank": False,
        "includeVars": True,
        "keepTime": True,
    }
