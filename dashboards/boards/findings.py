"""Findings and alerts: what was found, where, and how long people take to acknowledge and to resolve."""

from typing import Final

from dashboards.board import Board
from dashboards.choosing import ALERTS, EVERYWHERE, FINDINGS, REPLAY, TO_TABLE, marks
from dashboards.kinds import bars, course, figure, listing, shares
from dashboards.panel import BY_SEVERITY, ORANGE, RED, Column
from dashboards.pictures import findings_by_table, findings_in_time
from dashboards.sources import Sql
from schemas.findings import SEVERITIES

_LIVES: Final = (
    "SELECT alert, argMaxMerge(alert_states.state) AS state, argMaxMerge(alert_states.disposition) AS disposition,"
    " min(alert_states.acknowledged) AS acknowledged, max(alert_states.resolved) AS resolved FROM alert_states"
    f" WHERE month >= toStartOfMonth($__fromTime) AND alert IN (SELECT alert FROM alerts FINAL WHERE {ALERTS})"
    " GROUP BY alert"
)
_TOLD: Final = (
    "SELECT told.*, lives.state AS state, lives.disposition AS disposition,"
    " if(lives.acknowledged IS NULL, NULL, dateDiff('second', told.raised, assumeNotNull(lives.acknowledged)))"
    " AS to_acknowledge,"
    " if(state = 'resolved', dateDiff('second', told.raised, assumeNotNull(lives.resolved)), NULL) AS to_resolve"
    " FROM (SELECT alert, severity, code, pit, game, table, shoe, round, raised, message FROM alerts FINAL"
    f" WHERE {ALERTS}) AS told LEFT JOIN ({_LIVES}) AS lives ON lives.alert = told.alert"
)
"""Alerts with what became of them; seconds from when they were raised."""

_STANDING: Final = (
    figure(
        "Findings that stand",
        "Findings of the time shown that no later fact took back, by severity.",
        Sql(
            "SELECT countIf(severity = 'critical') AS critical, countIf(severity = 'high') AS high,"
            " countIf(severity = 'medium') AS medium, countIf(severity = 'low') AS low"
            f" FROM findings FINAL WHERE {FINDINGS}"
        ),
        width=9,
        colors=BY_SEVERITY,
    ),
    figure(
        "Alerts",
        "Alerts raised in the time shown: all, those that nobody has acknowledged, those that are not resolved.",
        Sql(
            "SELECT count() AS raised, countIf(state IN ('raised', 'reopened', 'escalated', '')) AS unattended,"
            f" countIf(state NOT IN ('resolved', 'cleared')) AS open FROM ({_TOLD})"
        ),
        width=7,
        colors={"unattended": RED, "open": ORANGE},
    ),
    figure(
        "Time to acknowledge",
        "From raising an alert to the first person who says that he has seen it: median and 95th percentile.",
        Sql(
            "SELECT quantileOrNull(0.5)(to_acknowledge) AS median, quantileOrNull(0.95)(to_acknowledge) AS p95"
            f" FROM ({_TOLD})"
        ),
        unit="s",
        width=4,
    ),
    figure(
        "Time to resolve",
        "From raising an alert to its resolution: median and 95th percentile of those resolved.",
        Sql(
            f"SELECT quantileOrNull(0.5)(to_resolve) AS median, quantileOrNull(0.95)(to_resolve) AS p95 FROM ({_TOLD})"
        ),
        unit="s",
        width=4,
    ),
)

_COURSE: Final = (
    findings_in_time(
        "Findings by code",
        "Findings that stand, by the device's time of the fact that decided them.",
        "code",
        FINDINGS,
        {},
    ),
    course(
        "Time to acknowledge and to resolve",
        "Medians of the alerts raised in each interval. The last intervals look better than they are: what is "
        "still open is not in them.",
        Sql(
            "SELECT $__timeInterval(raised) AS time, quantileOrNull(0.5)(to_acknowledge) AS acknowledge,"
            f" quantileOrNull(0.5)(to_resolve) AS resolve FROM ({_TOLD}) GROUP BY time ORDER BY time",
            series=True,
        ),
        unit="s",
    ),
    bars(
        "Time to acknowledge by severity",
        "Median and 95th percentile of the time shown.",
        Sql(
            "SELECT toString(severity) AS name, quantileOrNull(0.5)(to_acknowledge) AS median,"
            f" quantileOrNull(0.95)(to_acknowledge) AS p95 FROM ({_TOLD}) GROUP BY name"
            f" ORDER BY indexOf({list(SEVERITIES)}, name)"
        ),
        unit="s",
        width=8,
    ),
    shares(
        "How alerts ended",
        "What people found when they looked: confirmed, false alarm, test, training. Open ones are told apart.",
        Sql(
            "SELECT multiIf(disposition != '', disposition, state = 'cleared', 'cleared', 'open') AS ending,"
            f" count() AS alerts FROM ({_TOLD}) GROUP BY ending ORDER BY alerts DESC, ending"
        ),
        width=8,
    ),
    findings_by_table("Findings by table", "The ten tables with most findings that stand.", FINDINGS, 8),
)

_LISTS: Final = (
    listing(
        "Findings by code",
        "How often each code was found, how often a later fact took it back, and how often the payout was put "
        "right afterwards. A high share taken back points at a device rather than at people.",
        Sql(
            "SELECT code, any(severity) AS weight, countIf(cleared = 0) AS stand,"
            " countIf(cleared = 1) AS taken_back,"
            " countIf(corrected = 1) AS put_right, uniqExact(table) AS tables, max(time) AS latest"
            f" FROM findings FINAL WHERE {FINDINGS.replace(' AND cleared = 0', '')}"
            " GROUP BY code ORDER BY stand DESC, code"
        ),
        width=24,
        columns=[Column("latest", unit="dateTimeFromNow")],
    ),
    listing(
        "Alerts",
        "The latest alerts and what became of them. A click on the round replays it in the console.",
        Sql(
            "SELECT raised, table, shoe, round, severity, code, state, disposition, to_acknowledge, to_resolve,"
            f" message FROM ({_TOLD}) ORDER BY raised DESC LIMIT 500"
        ),
        width=24,
        height=12,
        columns=[
            Column("raised", unit="dateTimeAsIso"),
            Column("table", link=TO_TABLE),
            Column("round", link=REPLAY),
            Column("to_acknowledge", unit="s"),
            Column("to_resolve", unit="s"),
        ],
    ),
)

FINDINGS_BOARD: Final = Board(
    uid="tablewatch-findings",
    title="Findings and alerts",
    about="What was found, where, and how long people take to acknowledge and to resolve.",
    rows=[("Now", _STANDING), ("Course", _COURSE), ("Lists", _LISTS)],
    variables=EVERYWHERE,
    marks=marks(shoes=False),
    since="now-24h",
)
