"""What the console tells Prometheus about itself; nobody is named, since whoever reaches the port may read it."""

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

REQUESTS: Final = Counter("tablewatch_console_requests", "Answers, by status.", ["status"])
ANSWER_SECONDS: Final = Histogram(
    "tablewatch_console_answer_seconds",
    "From a request to the beginning of its answer.",
    buckets=(0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
SIGN_INS: Final = Counter("tablewatch_console_sign_ins", "Attempts to sign in.", ["outcome"])
STREAMS: Final = Gauge("tablewatch_console_streams", "Pages that are open and told what changes.")
TABLES: Final = Gauge("tablewatch_console_tables", "Tables on the wall.")
OPEN_ALERTS: Final = Gauge("tablewatch_console_open_alerts", "Alerts on the desk that are open.")
NOT_OK: Final = Gauge("tablewatch_console_part_not_ok", "1 while pages say that a part is not well.", ["part"])
TOLD_SECONDS: Final = Histogram(
    "tablewatch_console_told_seconds",
    "From the arrival of the oldest record of a change on the log until pages are told of it.",
    buckets=(0.05, 0.1, 0.2, 0.3, 0.5, 1, 2.5, 5, 10, 30, 300),
)
