"""Pipeline: how far the workers are behind, what goes through, how long each step takes, and how full the store is."""

from typing import Final

from dashboards.board import Board
from dashboards.choosing import EVERYWHERE, ROUNDS
from dashboards.kinds import course, figure, listing
from dashboards.panel import ORANGE, RED, Column, Panel
from dashboards.sources import Prom, Sql


def _how_long(title: str, about: str, metric: str) -> Panel:
    """Median and 99th percentile of a histogram, over all that report it."""
    buckets = f"sum by (le) (rate({metric}_bucket[$__rate_interval]))"
    median = Prom(f"histogram_quantile(0.5, {buckets})", "median")
    p99 = Prom(f"histogram_quantile(0.99, {buckets})", "p99")
    return course(title, about, median, p99, unit="s", width=8)


_STANDING: Final = (
    figure(
        "Workers",
        "Workers that answer Prometheus.",
        Prom('sum(up{job="tablewatch-worker"})', "workers"),
        width=4,
    ),
    figure(
        "Records left to read",
        "Over all topics and partitions. It must come back to nothing after every burst.",
        Prom("sum(tablewatch_lag_records)", "left"),
        width=4,
        thresholds=[(1000, ORANGE), (100000, RED)],
    ),
    figure(
        "Judged and not yet stored",
        "Events that wait for the store. Alerts have gone out already.",
        Prom("sum(tablewatch_backlog_events)", "waiting"),
        width=4,
        thresholds=[(10000, ORANGE)],
    ),
    figure(
        "Store or broker away",
        "Workers that cannot reach the store, and gateways that cannot reach the broker.",
        Prom("sum(tablewatch_store_away)", "store"),
        Prom("sum(tablewatch_gateway_broker_away)", "broker"),
        width=4,
        thresholds=[(1, RED)],
    ),
    figure(
        "Faults of the judge",
        "Rounds that the judge could not judge for a fault of its own, in the time shown. Must be none.",
        Prom("sum(increase(tablewatch_judge_failures_total[$__range]))", "faults"),
        width=4,
        thresholds=[(1, RED)],
    ),
    figure(
        "Open rounds and tables in memory",
        "Rounds without a verdict yet, and tables that workers hold.",
        Prom("sum(tablewatch_open_rounds)", "rounds"),
        Prom("sum(tablewatch_tables)", "tables"),
        width=4,
    ),
)

_THROUGH: Final = (
    course(
        "Events judged",
        "Per second, by topic.",
        Prom("sum by (topic) (rate(tablewatch_events_total[$__rate_interval]))", "{{topic}}"),
        unit="eps",
    ),
    course(
        "Records left to read",
        "By topic. A line that keeps rising means that the workers do not keep up: start more.",
        Prom("sum by (topic) (tablewatch_lag_records)", "{{topic}}"),
    ),
    course(
        "Verdicts",
        "Per second, revisions included, by status.",
        Prom("sum by (status) (rate(tablewatch_verdicts_total[$__rate_interval]))", "{{status}}"),
        unit="ops",
    ),
    course(
        "Findings and rejected events",
        "Per second: findings raised, changed or cleared, events that broke the contract, and records that were "
        "skipped because the store had them already.",
        Prom("sum(rate(tablewatch_findings_total[$__rate_interval]))", "findings"),
        Prom("sum(rate(tablewatch_rejected_total[$__rate_interval]))", "rejected"),
        Prom("sum(rate(tablewatch_records_skipped_total[$__rate_interval]))", "skipped"),
        unit="ops",
    ),
)

_SPEED: Final = (
    _how_long(
        "From arrival to alert",
        "From the arrival of the last record that a finding waited for to its alert.",
        "tablewatch_alert_seconds",
    ),
    _how_long(
        "From the device to a person",
        "From the device's time of what decided the finding until an address took the message.",
        "tablewatch_alert_delivery_seconds",
    ),
    _how_long(
        "Decoding a record",
        "Reading a record's bytes and checking its events against the contract.",
        "tablewatch_decode_seconds",
    ),
    _how_long(
        "Judging a batch",
        "The judge alone, without reading and storing.",
        "tablewatch_judge_seconds",
    ),
    _how_long(
        "Storing a batch",
        "Writing verdicts, findings and raw events to the store.",
        "tablewatch_store_seconds",
    ),
    _how_long(
        "Gateway: from device to broker",
        "From handing events over to the broker's acknowledgement; the device waits as long.",
        "tablewatch_gateway_acknowledged_seconds",
    ),
)

_BESIDE: Final = (
    course(
        "Gateway: answers",
        "Per second, by HTTP status. 429 and 503 ask devices to come again: nothing is lost.",
        Prom("sum by (status) (rate(tablewatch_gateway_requests_total[$__rate_interval]))", "{{status}}"),
        unit="reqps",
        width=8,
    ),
    course(
        "Gateway: waiting for the broker",
        "Bytes read or on their way, not yet acknowledged.",
        Prom("sum(tablewatch_gateway_pending_bytes)", "waiting"),
        unit="bytes",
        width=8,
    ),
    course(
        "Messages to people",
        "Per second: sent, failed at every address, held back to be told together; and alerts that are open.",
        Prom("sum(rate(tablewatch_alert_messages_sent_total[$__rate_interval]))", "sent"),
        Prom("sum(rate(tablewatch_alert_messages_failed_total[$__rate_interval]))", "failed"),
        Prom("sum(rate(tablewatch_alert_messages_held_total[$__rate_interval]))", "held"),
        Prom("sum(tablewatch_alerts_open)", "open"),
        width=8,
    ),
)

_STORE: Final = (
    course(
        "From the last fact of a round to its verdict",
        "As stored, by the devices' clocks: median and 99th percentile.",
        Sql(
            "SELECT $__timeInterval(opened) AS time, quantile(0.5)(latency_ms) AS median,"
            " quantile(0.99)(latency_ms) AS p99 FROM round_figures FINAL"
            f" WHERE {ROUNDS} GROUP BY time ORDER BY time",
            series=True,
        ),
        unit="ms",
    ),
    listing(
        "The store",
        "Rows and bytes on disk of each table of the store, largest first. Many parts mean that merges do not keep up.",
        Sql(
            "SELECT table, sum(rows) AS stored, sum(bytes_on_disk) AS on_disk, count() AS parts,"
            " sum(data_uncompressed_bytes) / nullIf(sum(data_compressed_bytes), 0) AS compressed"
            " FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table"
            " ORDER BY on_disk DESC, table"
        ),
        columns=[Column("on_disk", unit="bytes"), Column("parts", thresholds=[(300, ORANGE), (1000, RED)])],
    ),
)

PIPELINE: Final = Board(
    uid="tablewatch-pipeline",
    title="Pipeline",
    about="How far the workers are behind, what goes through, how long each step takes, and how full the store is.",
    rows=[
        ("Now", _STANDING),
        ("What goes through", _THROUGH),
        ("How long it takes", _SPEED),
        ("Gateway and messages", _BESIDE),
        ("Store", _STORE),
    ],
    variables=EVERYWHERE,
    since="now-3h",
)
