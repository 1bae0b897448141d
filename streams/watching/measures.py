"""What the watch service tells Prometheus about itself."""

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

SHOES: Final = Counter("tablewatch_watched_shoes", "Shoes summed up, those made anew after a late fact included.")
AGAIN: Final = Counter("tablewatch_watched_again", "Shoes watched again because one before them changed.")
FINDINGS: Final = Counter("tablewatch_watch_findings", "Statistical findings raised, changed or cleared.", ["code"])
WAITING: Final = Gauge("tablewatch_watch_waiting_shoes", "Shoes that have ended and are not watched yet.")
LAST: Final = Gauge("tablewatch_watch_last_look", "When the service last looked for shoes, in seconds since 1970.")
LOOK_SECONDS: Final = Histogram(
    "tablewatch_watch_seconds",
    "Looking for shoes that have ended, and watching them.",
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300),
)
