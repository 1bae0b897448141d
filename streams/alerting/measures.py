"""What the alert service tells Prometheus about itself."""

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

SENT: Final = Counter("tablewatch_alert_messages_sent", "Messages that an address took.", ["kind", "severity"])
FAILED: Final = Counter("tablewatch_alert_messages_failed", "Attempts that no address took.", ["kind"])
HELD: Final = Counter(
    "tablewatch_alert_messages_held", "Messages held back, to be told together.", ["why"]
)  # fmt: skip
ESCALATED: Final = Counter("tablewatch_alerts_escalated", "Alerts that nobody acknowledged in time.", ["severity"])
OPEN: Final = Gauge("tablewatch_alerts_open", "Alerts that somebody has to do something about.", ["severity"])
DELIVERY_SECONDS: Final = Histogram(
    "tablewatch_alert_delivery_seconds",
    "From the device's time of what decided the finding until an address took the message.",
    ["severity"],
    buckets=(0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600),
)
OWED: Final = Gauge("tablewatch_alert_steps_owed", "Rows that wait for the store.")
LET_GO: Final = Counter("tablewatch_alert_steps_let_go", "Rows that the bounded journal had to let go.")
UNREADABLE: Final = Counter("tablewatch_alert_records_unreadable", "Records of audit.alerts that are no findings.")
SELF_TEST_SECONDS: Final = Gauge("tablewatch_alert_self_test_seconds", "What the last self-test's alert took.")
STANDING_STILL: Final = Gauge(
    "tablewatch_alert_partitions_standing_still", "Partitions of which people were told that nothing is judged on them."
)
SELF_TEST_FAILED: Final = Counter("tablewatch_alert_self_test_failures", "Self-tests whose alert did not come.")
