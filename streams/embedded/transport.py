"""The Faust transport `tablelog:///folder`: the agents that run on Kafka run on the embedded log unchanged."""

from pathlib import Path
from typing import ClassVar

from faust.exceptions import ImproperlyConfigured
from faust.transport import base
from faust.types.transports import ConsumerT, ProducerT

from streams.embedded.consumer import Consumer as _Consumer
from streams.embedded.layout import FORMAT
from streams.embedded.log import Log
from streams.embedded.producer import Producer as _Producer


class Transport(base.Transport):  # type: ignore[misc]  # faust has no types
    """Named in the entry point `faust.transports`; consumer and producer each open the folder for themselves."""

    Consumer: ClassVar[type[ConsumerT]] = _Consumer
    Producer: ClassVar[type[ProducerT]] = _Producer

    default_port = 0
    driver_version = f"tablelog={FORMAT}"

    def open_log(self) -> Log:
        """The log in the folder that the broker URL names."""
        if len(self.url) != 1 or self.url[0].host or not self.url[0].path.strip("/"):
            raise ImproperlyConfigured(f"{self.url} is not tablelog:///path/to/folder")
        return Log(Path(self.url[0].path))
