"""The settings of a Faust app that say where its broker is; apart from its URL, which is read by many without Faust."""

from typing import Any

from faust import SASLCredentials, SSLCredentials
from yarl import URL

from streams.broker_url import Broker, EmbeddedLog


def faust_options(broker: Broker) -> dict[str, Any]:
    """Where the broker is, and how to log in to it."""
    if isinstance(broker, EmbeddedLog):
        return {"broker": [URL(str(broker), encoded=True)]}
    options: dict[str, Any] = {"broker": [URL(f"kafka://{server}") for server in broker.servers]}
    context = broker.ssl_context() if broker.security.endswith("SSL") else None
    if broker.security.startswith("SASL"):
        options["broker_credentials"] = SASLCredentials(
            username=broker.user, password=broker.password, mechanism=broker.mechanism, ssl_context=context
        )
    elif context is not None:
        options["broker_credentials"] = SSLCredentials(context=context)
    return options
