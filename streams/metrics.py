"""What a worker counts and measures of itself, for Prometheus."""

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

_MOMENTS: Final = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)

EVENTS: Final = Counter("tablewatch_events", "Events taken in.", ["topic"])
REJECTED: Final = Counter("tablewatch_rejected", "Events that broke the contract.")
SKIPPED: Final = Counter("tablewatch_records_skipped", "Records that the store had already.")
VERDICTS: Final = Counter("tablewatch_verdicts", "Verdicts and revisions.", ["status"])
FINDINGS: Final = Counter("tablewatch_findings", "Findings raised, changed or cleared.", ["code"])
FAILED: Final = Counter("tablewatch_judge_failures", "Faults of the judge itself.")
LAG: Final = Gauge("tablewatch_lag_records", "Records left to read.", ["topic", "partition"])
BACKLOG: Final = Gauge("tablewatch_backlog_events", "Events judged and not yet stored.")
TABLES: Final = Gauge("tablewatch_tables", "Tables held in memory.")
OPEN_ROUNDS: Final = Gauge("tablewatch_open_rounds", "Rounds held without a verdict.")
STORE_AWAY: Final = Gauge("tablewatch_store_away", "1 while the store cannot be reached.")
UNJUDGED: Final = Gauge(
    "tablewatch_partitions_unjudged", "Partitions on which nothing is judged until the store has told what it has."
)
UNREAD: Final = Gauge(
    "tablewatch_tables_unread", "Tables of which nothing is judged because they could not be read from the store."
)
DECODE_SECONDS: Final = Histogram("tablewatch_decode_seconds", "Decoding a record.", buckets=_MOMENTS)
JUDGE_SECONDS: Final = Histogram("tablewatch_judge_seconds", "Judging a batch.", buckets=_MOMENTS)
STORE_SECONDS: Final = Histogram("tablewatch_store_seconds", "Storing a batch.", buckets=_MOMENTS)
ALERT_SECONDS: Final = Histogram(
    "tablewatch_alert_seconds", "From the arrival of the last record that a finding waited for to its alert.",
    buckets=_MOMENTS,
)  # fmt: skip

FETCH_SECONDS: Final = Histogram(
    "tablewatch_fetch_to_alert_seconds", "From the fetch of the first record that waited to an alert out of it.",
    buckets=(*(step / 20 for step in range(1, 41)), 2.5, 3, 4, 5, 7.5, 10, 15, 20, 30, 60),
)  # fmt: skip
