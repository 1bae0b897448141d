"""Devices: gaps in what they say, clocks that are off, silence, and what they send that breaks the contract."""

from typing import Final

from dashboards.board import Board
from dashboards.choosing import EVERYWHERE, FINDINGS, OF_TABLES, TO_TABLE, marks
from dashboards.kinds import course, figure, listing
from dashboards.panel import ORANGE, RED, YELLOW, Column
from dashboards.pictures import findings_by_table, findings_in_time
from dashboards.sources import Sql

_HEARD: Final = f"hour >= toStartOfHour($__fromTime) AND hour <= $__toTime AND {OF_TABLES}"
_ARRIVED: Final = f"$__timeFilter(arrival) AND {OF_TABLES}"
_OF_DEVICES: Final = f"code IN ('device-gap', 'device-clock', 'device-silent', 'event-rejected') AND {FINDINGS}"
_COLORS: Final = {"device-gap": ORANGE, "device-clock": YELLOW, "device-silent": RED}

_STANDING: Final = (
    figure(
        "Sources heard",
        "Devices and desks that sent anything in the time shown.",
        Sql(f"SELECT uniqExact(source) AS sources FROM source_hours WHERE {_HEARD}"),
        width=4,
    ),
    figure(
        "Gaps, clocks, silence, rejected",
        "Findings about devices that stand: holes in a sequence, clocks beyond tolerance, no heartbeat for too "
        "long, events that broke the contract.",
        Sql(
            "SELECT countIf(code = 'device-gap') AS gaps, countIf(code = 'device-clock') AS clocks,"
            " countIf(code = 'device-silent') AS silent, countIf(code = 'event-rejected') AS rejected"
            f" FROM findings FINAL WHERE {_OF_DEVICES}"
        ),
        width=12,
        thresholds=[(1, ORANGE)],
    ),
    figure(
        "Longest silence",
        "Seconds since the source that has been quiet longest was heard, counted to the end of the time shown.",
        Sql(
            "SELECT max(quiet) AS longest FROM (SELECT source,"
            " dateDiff('second', max(last_arrival), least(now64(3), toDateTime64($__toTime, 3))) AS quiet"
            f" FROM source_hours WHERE {_HEARD} GROUP BY table, source)"
        ),
        unit="s",
        width=4,
        thresholds=[(60, ORANGE), (600, RED)],
    ),
    figure(
        "Clock farthest ahead",
        "How far the fastest event seems to arrive before its own device time. Nothing arrives before it "
        "happens: the device's clock is ahead by at least that much.",
        Sql(f"SELECT greatest(0, -min(fastest_ms)) AS ahead FROM source_hours WHERE {_HEARD}"),
        unit="ms",
        width=4,
        thresholds=[(500, ORANGE), (2000, RED)],
    ),
)

_COURSE: Final = (
    findings_in_time(
        "Findings about devices",
        "Gaps, clocks, silences and rejected events by the device's time.",
        "code",
        _OF_DEVICES,
        _COLORS,
    ),
    course(
        "Events by topic",
        "Events as they arrived. A topic that falls to nothing while the others go on points at its devices.",
        Sql(
            "SELECT $__timeInterval(arrival) AS time, topic, count() AS received FROM events"
            f" WHERE {_ARRIVED} GROUP BY time, topic ORDER BY time",
            series=True,
        ),
    ),
    course(
        "From the device's time to arrival",
        "The slowest event of each hour and kind of source. A device that keeps events while its line is down "
        "shows as a peak.",
        Sql(
            "SELECT hour AS time, arrayElement(splitByChar('/', toString(source)), -1) AS kind,"
            " toInt64(max(slowest_ms)) AS slowest FROM source_hours"
            f" WHERE {_HEARD} GROUP BY time, kind ORDER BY time",
            series=True,
        ),
        unit="ms",
    ),
    findings_by_table(
        "Findings about devices by table",
        "The ten tables whose devices need a technician first.",
        _OF_DEVICES,
        12,
    ),
)

_LISTS: Final = (
    listing(
        "Sources",
        "Every source: when it was last heard, how long it has been quiet at the end of the time shown, and the "
        "shortest and longest way from its own time to arrival. Below zero its clock runs ahead.",
        Sql(
            "SELECT table, source, toDateTime64(max(last_arrival), 3) AS heard,"
            " dateDiff('second', max(last_arrival), least(now64(3), toDateTime64($__toTime, 3))) AS quiet,"
            " toInt64(min(fastest_ms)) AS shortest, toInt64(max(slowest_ms)) AS longest,"
            " toUInt64(max(last_sequence)) AS sequence"
            f" FROM source_hours WHERE {_HEARD} GROUP BY table, source"
            " ORDER BY quiet DESC, table, source LIMIT 1000"
        ),
        width=24,
        height=11,
        columns=[
            Column("table", link=TO_TABLE),
            Column("heard", unit="dateTimeAsIso"),
            Column("quiet", unit="s", thresholds=[(60, ORANGE), (600, RED)]),
            Column("shortest", unit="ms"),
            Column("longest", unit="ms"),
        ],
    ),
    listing(
        "Holes in sequences",
        "Sources whose numbers have holes among what arrived in the time shown. What came just before or after "
        "may fill one at its edges.",
        Sql(
            "SELECT table, source, min(sequence) AS first, max(sequence) AS last, uniqExact(sequence) AS heard,"
            f" last - first + 1 - heard AS missing FROM events WHERE {_ARRIVED}"
            " GROUP BY table, source HAVING missing > 0 ORDER BY missing DESC, table, source LIMIT 200"
        ),
        columns=[Column("table", link=TO_TABLE), Column("missing", thresholds=[(1, ORANGE)])],
    ),
    listing(
        "Rejected events",
        "Events that broke the contract, newest first, with the reason. Their bytes are kept in the store.",
        Sql(
            "SELECT arrival, table, source, type, reason FROM rejected FINAL"
            f" WHERE $__timeFilter(arrival) AND ({OF_TABLES} OR table = '') ORDER BY arrival DESC LIMIT 200"
        ),
        columns=[Column("arrival", unit="dateTimeAsIso")],
    ),
)

DEVICES: Final = Board(
    uid="tablewatch-devices",
    title="Devices",
    about="Gaps in what devices say, clocks that are off, silence, and what breaks the contract.",
    rows=[("Now", _STANDING), ("Course", _COURSE), ("Lists", _LISTS)],
    variables=EVERYWHERE,
    marks=marks(shoes=False),
)
