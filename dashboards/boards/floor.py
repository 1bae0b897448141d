"""Floor overview: is the floor playing, is it judged, and where should somebody look."""

from typing import Final

from dashboards.board import Board
from dashboards.choosing import ALERTS, EVERYWHERE, FINDINGS, ROUNDS, TO_TABLE, marks
from dashboards.kinds import bars, course, figure, listing
from dashboards.panel import BY_STATUS, ORANGE, RED, Column
from dashboards.pictures import findings_by_severity, rounds_by_status
from dashboards.sources import Sql

_STATES: Final = (
    "SELECT alert, argMaxMerge(alert_states.state) AS state FROM alert_states"
    f" WHERE alert IN (SELECT alert FROM alerts FINAL WHERE {ALERTS}) GROUP BY alert"
)

_STANDING: Final = (
    figure(
        "Tables",
        "Tables that opened a round in the time shown.",
        Sql(f"SELECT uniqExact(table) AS tables FROM round_figures WHERE {ROUNDS}"),
        width=3,
    ),
    figure(
        "Rounds",
        "Rounds opened in the time shown and judged since.",
        Sql(f"SELECT count() AS rounds FROM round_figures FINAL WHERE {ROUNDS}"),
        width=3,
    ),
    figure(
        "Verified",
        "Share of the rounds without any finding. Void rounds are left out: they were neither right nor wrong.",
        Sql(
            "SELECT countIf(status = 'verified') / nullIf(countIf(status != 'void'), 0) AS verified"
            f" FROM round_figures FINAL WHERE {ROUNDS}"
        ),
        unit="percentunit",
        decimals=2,
        width=3,
    ),
    figure(
        "Flagged and unverifiable",
        "Rounds with a finding, and rounds whose facts do not suffice to judge them.",
        Sql(
            "SELECT countIf(status = 'flagged') AS flagged, countIf(status = 'unverifiable') AS unverifiable"
            f" FROM round_figures FINAL WHERE {ROUNDS}"
        ),
        width=6,
        colors={name: BY_STATUS[name] for name in ("flagged", "unverifiable")},
    ),
    figure(
        "Alerts that wait for a person",
        "Alerts raised in the time shown that nobody has acknowledged, by severity.",
        Sql(
            "SELECT countIf(severity = 'critical') AS critical, countIf(severity = 'high') AS high,"
            " countIf(severity IN ('medium', 'low')) AS other"
            f" FROM (SELECT alert, severity FROM alerts FINAL WHERE {ALERTS}) AS told"
            f" INNER JOIN ({_STATES}) AS states USING (alert) WHERE state IN ('raised', 'reopened', 'escalated')"
        ),
        width=9,
        colors={"critical": RED, "high": ORANGE},
    ),
)

_COURSE: Final = (
    rounds_by_status(
        "Rounds by the time they were opened. A gap means that no round was opened, or that none is judged yet.",
        ROUNDS,
    ),
    findings_by_severity(FINDINGS),
    course(
        "From the last fact of a round to its verdict",
        "By the devices' clocks: a device that runs behind makes it look longer. Median and 95th percentile.",
        Sql(
            "SELECT $__timeInterval(opened) AS time, quantile(0.5)(latency_ms) AS median,"
            " quantile(0.95)(latency_ms) AS p95 FROM round_figures FINAL"
            f" WHERE {ROUNDS} GROUP BY time ORDER BY time",
            series=True,
        ),
        unit="ms",
    ),
    bars(
        "Rounds by pit",
        "How many rounds each pit dealt, and how many of them were flagged.",
        Sql(
            "SELECT if(pit = '', 'no pit', pit) AS name, count() AS rounds, countIf(status = 'flagged') AS flagged"
            f" FROM round_figures FINAL WHERE {ROUNDS} GROUP BY name ORDER BY name"
        ),
        colors={"flagged": RED},
    ),
)

_TABLES: Final = listing(
    "Tables",
    "The tables that need a look first: by critical findings, then by flagged rounds. A click shows the table.",
    Sql(
        "SELECT table, any(pit) AS in_pit, argMax(game, opened) AS plays, count() AS rounds,"
        " max(opened) AS last_round, countIf(status = 'flagged') AS flagged,"
        " countIf(status = 'unverifiable') AS unverifiable, countIf(status = 'void') AS void,"
        " sum(critical) AS critical_findings, sum(high) AS high_findings,"
        " quantile(0.95)(latency_ms) AS p95_latency"
        f" FROM round_figures FINAL WHERE {ROUNDS} GROUP BY table"
        " ORDER BY critical_findings DESC, flagged DESC, table LIMIT 500"
    ),
    width=24,
    height=12,
    columns=[
        Column("table", link=TO_TABLE),
        Column("last_round", unit="dateTimeFromNow"),
        Column("p95_latency", unit="ms"),
        Column("critical_findings", thresholds=[(1, RED)]),
        Column("flagged", thresholds=[(1, ORANGE)]),
    ],
)

FLOOR: Final = Board(
    uid="tablewatch-floor",
    title="Floor overview",
    about="Is the floor playing, is it judged, and where should somebody look.",
    rows=[("Now", _STANDING), ("Course", _COURSE), ("Tables", [_TABLES])],
    variables=EVERYWHERE,
    marks=marks(shoes=False),
)
