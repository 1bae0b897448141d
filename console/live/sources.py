"""Where the picture comes from: all topics that say something of tables, from a few minutes ago on."""

import time
from collections.abc import Callable
from typing import Final

from schemas.topics import ALERTS, INPUT, VERDICTS
from streams.broker_url import Broker
from streams.feed import Feed
from streams.lag import lag_of

TOPICS: Final = (*(topic.name for topic in INPUT), VERDICTS.name, ALERTS.name)
BEFORE_MS: Final = 5 * 60 * 1000
"""What the workers have not stored yet is read from the topics: repeats of what the store told change nothing."""


def feed_of(broker: Broker) -> Callable[[], Feed]:
    """Opens the feed of a console that starts now."""
    return lambda: Feed(broker, TOPICS, start=time.time_ns() // 1_000_000 - BEFORE_MS)


def lag_at(broker: Broker) -> Callable[[], int]:
    """Asks how many records the workers have not judged and stored yet."""
    return lambda: lag_of(broker)
