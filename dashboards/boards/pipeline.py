"""Pipeline: how far the workers are behind, what goes through, how long each step takes, and how full the store is."""

from typing import Final

from dashboards.board import Board
from dashboards.choosing import EVERYWHERE, ROUNDS
from dashboards.panel import ORANGE, RED, Column, Panel
from dashboards.sources import Prom, Sql


def _quantiles(metric: str) -> list[Prom]:
    """Median and 99th percentile of a histogram, over all that report it."""
    buckets = f"sum by (le) (rate({metric}_bucket[$__rate_interval]))"
    return [
        Prom(f"histogram_quantile(0.5, {buckets})", "median"),
        Prom(f"histogram_quantile(0.99, {buckets})", "p99"),
    ]


_STANDING: Final = (
    Panel(
        kind="stat",
        title="Workers",
        about="Workers that answer Prometheus.",
        unit="none",
        queries=[Prom('sum(up{job="tablewatch-worker"})', "workers")],
        width=4,
        height=4,
    ),
    Panel(
        kind="stat",
        title="Records left to read",
        about="Over all topics and partitions. It must come back to nothing after every burst.",
        unit="none",
        queries=[Prom("sum(tablewatch_lag_records)", "left")],
        width=4,
        height=4,
        thresholds=[(1000, ORANGE), (100000, RED)],
    ),
    Panel(
        kind="stat",
        title="Judged and not yet stored",
        about="Events that wait for the store. Alerts have gone out already.",
        unit="none",
        queries=[Prom("sum(tablewatch_backlog_events)", "waiting")],
        width=4,
        height=4,
        thresholds=[(10000, ORANGE)],
    ),
    Panel(
        kind="stat",
        title="Store or broker away",
        about="Workers that cannot reach the store, and gateways that cannot reach the broker.",
        unit="none",
        queries=[
            Prom("sum(tablewatch_store_away)", "store"),
            Prom("sum(tablewatch_gateway_broker_away)", "broker"),
        ],
        width=4,
        height=4,
        thresholds=[(1, RED)],
    ),
    Panel(
        kind="stat",
        title="Faults of the judge",
        about="Rounds that the judge could not judge for a fault of its own, in the time shown. Must be none.",
        unit="none",
        queries=[Prom("sum(increase(tablewatch_judge_failures_total[$__range]))", "faults")],
        width=4,
        height=4,
        thresholds=[(1, RED)],
    ),
    Panel(
        kind="stat",
        title="Open rounds and tables in memory",
        about="Rounds without a verdict yet, and tables that workers hold.",
        unit="none",
        queries=[
            Prom("sum(tablewatch_open_rounds)", "rounds"),
            Prom("sum(tablewatch_tables)", "tables"),
        ],
        width=4,
        height=4,
    ),
)

_THROUGH: Final = (
    Panel(
        kind="timeseries",
        title="Events judged",
        about="Per second, by topic.",
        unit="eps",
        queries=[Prom("sum by (topic) (rate(tablewatch_events_total[$__rate_interval]))", "{{topic}}")],
    ),
    Panel(
        kind="timeseries",
        title="Records left to read",
        about="By topic. A line that keeps rising means that the workers do not keep up: start more.",
        unit="none",
        queries=[Prom("sum by (topic) (tablewatch_lag_records)", "{{topic}}")],
    ),
    Panel(
        kind="timeseries",
        title="Verdicts",
        about="Per second, revisions included, by status.",
        unit="ops",
        queries=[Prom("sum by (status) (rate(tablewatch_verdicts_total[$__rate_interval]))", "{{status}}")],
    ),
    Panel(
        kind="timeseries",
        title="Findings and rejected events",
        about="Per second: findings raised, changed or cleared, events that broke the contract, and records that were "
        "skipped because the store had them already.",
        unit="ops",
        queries=[
            Prom("sum(rate(tablewatch_findings_total[$__rate_interval]))", "findings"),
            Prom("sum(rate(tablewatch_rejected_total[$__rate_interval]))", "rejected"),
            Prom("sum(rate(tablewatch_records_skipped_total[$__rate_interval]))", "skipped"),
        ],
    ),
)

_SPEED: Final = (
    Panel(
        kind="timeseries",
        title="From arrival to alert",
        about="From the arrival of the last record that a finding waited for to its alert.",
        unit="s",
        queries=_quantiles("tablewatch_alert_seconds"),
        width=8,
    ),
    Panel(
        kind="timeseries",
        title="From the device to a person",
        about="From the device's time of what decided the finding until an address took the message.",
        unit="s",
        queries=_quantiles("tablewatch_alert_delivery_seconds"),
        width=8,
    ),
    Panel(
        kind="timeseries",
        title="Decoding a record",
        about="Reading a record's bytes and checking its events against the contract.",
        unit="s",
        queries=_quantiles("tablewatch_decode_seconds"),
        width=8,
    ),
    Panel(
        kind="timeseries",
        title="Judging a batch",
        about="The judge alone, without reading and storing.",
        unit="s",
        queries=_quantiles("tablewatch_judge_seconds"),
        width=8,
    ),
    Panel(
        kind="timeseries",
        title="Storing a batch",
        about="Writing verdicts, findings and raw events to the store.",
        unit="s",
        queries=_quantiles("tablewatch_store_seconds"),
        width=8,
    ),
    Panel(
        kind="timeseries",
        title="Gateway: from device to broker",
        about="From handing events over to the broker's acknowledgement; the device waits as long.",
        unit="s",
        queries=_quantiles("tablewatch_gateway_acknowledged_seconds"),
        width=8,
    ),
)

_BESIDE: Final = (
    Panel(
        kind="timeseries",
        title="Gateway: answers",
        about="Per second, by HTTP status. 429 and 503 ask devices to come again: nothing is lost.",
        unit="reqps",
        queries=[Prom("sum by (status) (rate(tablewatch_gateway_requests_total[$__rate_interval]))", "{{status}}")],
        width=8,
    ),
    Panel(
        kind="timeseries",
        title="Gateway: waiting for the broker",
        about="Bytes read or on their way, not yet acknowledged.",
        unit="bytes",
        queries=[Prom("sum(tablewatch_gateway_pending_bytes)", "waiting")],
        width=8,
    ),
    Panel(
        kind="timeseries",
        title="Messages to people",
        about="Per second: sent, failed at every address, held back to be told together; and alerts that are open.",
        unit="none",
        queries=[
            Prom("sum(rate(tablewatch_alert_messages_sent_total[$__rate_interval]))", "sent"),
            Prom("sum(rate(tablewatch_alert_messages_failed_total[$__rate_interval]))", "failed"),
            Prom("sum(rate(tablewatch_alert_messages_held_total[$__rate_interval]))", "held"),
            Prom("sum(tablewatch_alerts_open)", "open"),
        ],
        width=8,
    ),
)

_STORE: Final = (
    Panel(
        kind="timeseries",
        title="From the last fact of a round to its verdict",
        about="As stored, by the devices' clocks: median and 99th percentile.",
        unit="ms",
        queries=[
            Sql(
                "SELECT $__timeInterval(opened) AS time, quantile(0.5)(latency_ms) AS median,"
                " quantile(0.99)(latency_ms) AS p99 FROM round_figures FINAL"
                f" WHERE {ROUNDS} GROUP BY time ORDER BY time",
                series=True,
            )
        ],
    ),
    Panel(
        kind="table",
        title="The store",
        about="Rows and bytes on disk of each table of the store, largest first. Many parts mean that merges do not "
        "keep up.",
        unit="none",
        queries=[
            Sql(
                "SELECT table, sum(rows) AS stored, sum(bytes_on_disk) AS on_disk, count() AS parts,"
                " sum(data_uncompressed_bytes) / nullIf(sum(data_compressed_bytes), 0) AS compressed"
                " FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table"
                " ORDER BY on_disk DESC, table"
            )
        ],
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
