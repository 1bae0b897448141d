"""Where panels get their data: the two data sources by their uids, and a query to either."""

from dataclasses import dataclass
from typing import Any, Final

CLICKHOUSE: Final = {"type": "grafana-clickhouse-datasource", "uid": "tablewatch-clickhouse"}
PROMETHEUS: Final = {"type": "prometheus", "uid": "tablewatch-prometheus"}
PLUGIN_VERSION: Final = "4.20.0"
"""Of the ClickHouse plugin that the queries were written for."""


@dataclass(frozen=True, slots=True)
class Sql:
    """A query to the store, with the macros and variables of Grafana and its ClickHouse plugin."""

    sql: str
    series: bool = False
    """Whether it gives points in time; rows otherwise."""

    def target(self, ref: str) -> dict[str, Any]:
        """As a panel has it."""
        return {
            "refId": ref,
            "datasource": CLICKHOUSE,
            "editorType": "sql",
            "queryType": "timeseries" if self.series else "table",
            "format": 0 if self.series else 1,
            "pluginVersion": PLUGIN_VERSION,
            "rawSql": self.sql,
        }


@dataclass(frozen=True, slots=True)
class Prom:
    """A query to Prometheus."""

    expression: str
    legend: str
    """How a series is called; labels in double braces."""

    def target(self, ref: str) -> dict[str, Any]:
        """As a panel has it."""
        return {
            "refId": ref,
            "datasource": PROMETHEUS,
            "expr": self.expression,
            "legendFormat": self.legend,
            "range": True,
            "instant": False,
        }


Query = Sql | Prom
