"""One panel of a dashboard: what it shows, in which unit, from which queries, and how to read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from dashboards.sources import CLICKHOUSE, PROMETHEUS, Prom, Query

Kind = Literal["stat", "timeseries", "table", "barchart", "piechart"]

RED: Final = "red"
ORANGE: Final = "orange"
GREEN: Final = "green"
YELLOW: Final = "yellow"
BLUE: Final = "blue"

BY_SEVERITY: Final = {"critical": RED, "high": ORANGE, "medium": YELLOW, "low": BLUE}
BY_STATUS: Final = {"verified": GREEN, "flagged": RED, "unverifiable": ORANGE, "void": BLUE}

_LEGEND: Final = {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []}
_REDUCE: Final = {"calcs": ["lastNotNull"], "fields": "", "values": False}
_TOOLTIP: Final = {"mode": "multi", "sort": "desc"}

OPTIONS: Final[Mapping[Kind, Mapping[str, Any]]] = {
    "stat": {
        "colorMode": "value",
        "graphMode": "none",
        "justifyMode": "auto",
        "orientation": "auto",
        "textMode": "auto",
        "wideLayout": True,
        "showPercentChange": False,
        "percentChangeColorMode": "standard",
        "reduceOptions": _REDUCE,
    },
    "timeseries": {"legend": _LEGEND, "tooltip": _TOOLTIP},
    "table": {"frameIndex": 0, "showHeader": True, "cellHeight": "sm"},
    "barchart": {
        "orientation": "auto",
        "xTickLabelRotation": -45,
        "xTickLabelMaxLength": 24,
        "stacking": "none",
        "showValue": "auto",
        "barWidth": 0.9,
        "groupWidth": 0.7,
        "fullHighlight": False,
        "legend": _LEGEND,
        "tooltip": _TOOLTIP,
    },
    "piechart": {
        "pieType": "donut",
        "displayLabels": ["name", "percent"],
        "orientation": "auto",
        "reduceOptions": {**_REDUCE, "values": True},
        "legend": {**_LEGEND, "placement": "right", "values": ["value"]},
        "tooltip": _TOOLTIP,
    },
}
"""What Grafana's own editor writes for a new panel of each kind."""

CUSTOM: Final[Mapping[Kind, Mapping[str, Any]]] = {
    "stat": {},
    "timeseries": {"drawStyle": "line", "lineWidth": 1, "fillOpacity": 10, "showPoints": "auto", "spanNulls": False},
    "table": {"align": "auto", "cellOptions": {"type": "auto"}, "inspect": False},
    "barchart": {"lineWidth": 1, "fillOpacity": 80},
    "piechart": {},
}


@dataclass(frozen=True, slots=True)
class Column:
    """How one column of a table or one series is shown, where that differs from its panel."""

    name: str
    unit: str | None = None
    link: tuple[str, str] | None = None
    """Title and address."""
    color: str | None = None
    thresholds: Sequence[tuple[float, str]] = ()
    """From which value on a cell has which colour."""
    hidden: bool = False
    custom: Mapping[str, Any] = field(default_factory=dict)
    """What else the kind of panel knows, by its name there."""

    def override(self) -> dict[str, Any]:
        """As a panel has it."""
        properties: list[dict[str, Any]] = []
        if self.unit is not None:
            properties.append({"id": "unit", "value": self.unit})
        if self.link is not None:
            title, url = self.link
            properties.append({"id": "links", "value": [{"title": title, "url": url, "targetBlank": True}]})
        if self.color is not None:
            properties.append({"id": "color", "value": {"mode": "fixed", "fixedColor": self.color}})
        if self.thresholds:
            properties.append({"id": "thresholds", "value": thresholds(self.thresholds)})
            properties.append({"id": "custom.cellOptions", "value": {"type": "color-text"}})
        if self.hidden:
            properties.append({"id": "custom.hidden", "value": True})
        properties += [{"id": f"custom.{name}", "value": value} for name, value in self.custom.items()]
        return {"matcher": {"id": "byName", "options": self.name}, "properties": properties}


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A panel before it has its place."""

    kind: Kind
    title: str
    about: str
    """How to read it, for the person in front of it."""
    queries: Sequence[Query]
    unit: str = "none"
    width: int = 12
    """Of 24."""
    height: int = 8
    decimals: int | None = None
    thresholds: Sequence[tuple[float, str]] = ()
    """From which value on it has which colour; below the first it is green."""
    columns: Sequence[Column] = ()
    colors: Mapping[str, str] = field(default_factory=dict)
    """Of series, by name."""
    options: Mapping[str, Any] = field(default_factory=dict)
    custom: Mapping[str, Any] = field(default_factory=dict)
    empty: str = "none"
    """What is shown where there is nothing."""

    def json(self, number: int, x: int, y: int) -> dict[str, Any]:
        """As a dashboard has it, at its place."""
        defaults: dict[str, Any] = {
            "unit": self.unit,
            "color": {"mode": "thresholds" if self.thresholds else "palette-classic"},
            "thresholds": thresholds(self.thresholds),
            "noValue": self.empty,
            "custom": {**CUSTOM[self.kind], **self.custom},
        }
        if self.decimals is not None:
            defaults["decimals"] = self.decimals
        columns = [*self.columns, *(Column(name, color=color) for name, color in self.colors.items())]
        return {
            "id": number,
            "type": self.kind,
            "title": self.title,
            "description": self.about,
            "datasource": PROMETHEUS if isinstance(self.queries[0], Prom) else CLICKHOUSE,
            "gridPos": {"x": x, "y": y, "w": self.width, "h": self.height},
            "targets": [query.target(chr(ord("A") + place)) for place, query in enumerate(self.queries)],
            "fieldConfig": {"defaults": defaults, "overrides": [column.override() for column in columns]},
            "options": {**OPTIONS[self.kind], **self.options},
        }


def thresholds(steps: Sequence[tuple[float, str]]) -> dict[str, Any]:
    """Green below the first step."""
    below = [{"value": None, "color": GREEN}]
    return {"mode": "absolute", "steps": below + [{"value": value, "color": color} for value, color in steps]}
