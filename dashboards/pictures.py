"""Pictures that several dashboards have: stacked bars in time, rounds by status, findings, win against expectation."""

from collections.abc import Mapping

from dashboards.expected_win import so_far
from dashboards.kinds import bars, course
from dashboards.panel import BLUE, BY_SEVERITY, BY_STATUS, GREEN, Column, Panel
from dashboards.sources import Sql


def stacked(title: str, about: str, sql: str, colors: Mapping[str, str]) -> Panel:
    """Counts in time, one bar on the other."""
    return course(
        title,
        about,
        Sql(sql, series=True),
        custom={"drawStyle": "bars", "fillOpacity": 60, "stacking": {"mode": "normal", "group": "A"}},
        colors=colors,
    )


def rounds_by_status(about: str, condition: str) -> Panel:
    """How rounds were judged."""
    return stacked(
        "Rounds by status",
        about,
        "SELECT $__timeInterval(opened) AS time, status, count() AS rounds FROM round_figures FINAL"
        f" WHERE {condition} GROUP BY time, status ORDER BY time",
        BY_STATUS,
    )


def findings_in_time(title: str, about: str, by: str, condition: str, colors: Mapping[str, str]) -> Panel:
    """Findings by a column of theirs."""
    return stacked(
        title,
        about,
        f"SELECT $__timeInterval(time) AS at, {by}, count() AS findings FROM findings FINAL"
        f" WHERE {condition} GROUP BY at, {by} ORDER BY at",
        colors,
    )


def findings_by_severity(condition: str) -> Panel:
    """How weighty what was found is."""
    about = "Findings that stand, by the device's time of the fact that decided them."
    return findings_in_time("Findings by severity", about, "severity", condition, BY_SEVERITY)


def findings_by_table(title: str, about: str, condition: str, width: int) -> Panel:
    """The ten tables with most findings."""
    return bars(
        title,
        about,
        Sql(
            "SELECT if(table = '', 'no table', table) AS name, count() AS findings FROM findings FINAL"
            f" WHERE {condition} GROUP BY name ORDER BY findings DESC, name LIMIT 10"
        ),
        width=width,
    )


def win_so_far(about: str, condition: str, width: int, height: int) -> Panel:
    """Win added up, its expectation, and the band around it."""
    return course(
        "Win so far against its expectation (${currency})",
        about,
        Sql(so_far(condition), series=True),
        unit="locale",
        width=width,
        height=height,
        columns=[
            Column("upper", color=BLUE, custom={"fillBelowTo": "lower", "lineWidth": 0, "fillOpacity": 15}),
            Column("lower", color=BLUE, custom={"lineWidth": 0}),
        ],
        colors={"won": GREEN, "expectation": BLUE},
        custom={"fillOpacity": 0},
    )
