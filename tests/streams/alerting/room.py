"""The alert service at work in this process: the embedded log, the real store, a webhook for every person."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from schemas.findings import Finding, finding_json
from schemas.topics import ALERTS
from store.connect import Store
from streams.alerting.rules import Routing, parse_routing
from streams.alerting.service import AlertService
from streams.broker_url import Broker, EmbeddedLog
from streams.embedded.log import Log, NewRecord
from streams.topics import Layout, create
from tests.streams.alerting.webhook import Webhook

PLAIN = """
time_zone = "Asia/Singapore"
otherwise = ["administrator"]

[people.anna]
name = "Anna Tan"
roles = ["shift_manager"]
urls = ["{anna}"]

[people.ada]
roles = ["administrator"]
urls = ["{ada}"]

[[rules]]
severity = ["critical", "high"]
tell = ["shift_manager"]

[self_test]
at = []
"""


@dataclass
class Room:
    """What a test needs."""

    folder: Path
    store: Store
    hook: Webhook = field(default_factory=Webhook)

    def __post_init__(self) -> None:
        embedded = EmbeddedLog(self.folder / "log")
        create(embedded, Layout(partitions=2))
        self.broker: Broker = embedded
        self.log = Log(embedded.folder)

    def text(self, more: str = "", base: str = PLAIN) -> str:
        """A routing file whose people are reached at the webhook."""
        names = ("anna", "ada", "bob", "carl")
        return base.format(**{name: self.hook.url(name) for name in names}) + more.format(
            **{name: self.hook.url(name) for name in names}
        )

    def routing(self, more: str = "", base: str = PLAIN) -> Routing:
        return parse_routing(self.text(more, base))

    def say(self, *findings: Finding) -> None:
        """The findings as the workers publish them."""
        self.log.append([NewRecord(ALERTS.name, 0, finding_json(each)) for each in findings])

    @contextmanager
    def service(self, routing: Routing | None = None, store: Store | None = None) -> Iterator[AlertService]:
        """The service in a thread, from its start to its clean end."""
        serving = AlertService(self.broker, store or self.store, routing or self.routing(), self.folder / "alerts")
        thread = threading.Thread(target=serving.run)
        thread.start()
        try:
            yield serving
        finally:
            serving.stop()
            thread.join(120)
            assert not thread.is_alive()

    def close(self) -> None:
        self.hook.down()
        self.log.close()
