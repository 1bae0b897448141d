"""What the sealing tells Prometheus about itself."""

from typing import Final

from prometheus_client import Gauge

LEAVES: Final = Gauge("tablewatch_sealed_leaves", "Rows that the last checkpoint stands for.")
LAST: Final = Gauge(
    "tablewatch_seal_last_look", "When all that was new in the store was last sealed, in seconds since 1970."
)
UNSENT: Final = Gauge("tablewatch_seal_unsent", "Checkpoints that the broker does not have yet.")
