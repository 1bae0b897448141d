"""What the gateway tells about itself; no device is named, since whoever reaches the port may read it."""

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

REQUESTS: Final = Counter("tablewatch_gateway_requests", "Answers to POST /v1/events.", ["status"])
EVENTS: Final = Counter("tablewatch_gateway_events", "Events that the broker has acknowledged.", ["topic"])
REFUSED: Final = Counter("tablewatch_gateway_refused_events", "Events refused, by what was wrong.", ["fault"])
RECORDS: Final = Counter("tablewatch_gateway_records", "Records that the broker has acknowledged.")
PENDING: Final = Gauge("tablewatch_gateway_pending_bytes", "Bytes read or on their way, not yet acknowledged.")
AWAY: Final = Gauge("tablewatch_gateway_broker_away", "1 while the broker cannot be reached.")
ACKNOWLEDGED_SECONDS: Final = Histogram(
    "tablewatch_gateway_acknowledged_seconds",
    "From handing events over to the broker's acknowledgement.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
