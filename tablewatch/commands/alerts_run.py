"""`tablewatch alerts run`: the service that tells people of findings."""

from typing import Annotated

import typer

from store.ending import on_asked_to_end
from streams.alerting.service import AlertService
from streams.logs import log_to_stderr
from tablewatch.commands.alerts_routes import explained_routing, routing_or_nobody
from tablewatch.commands.measured import measured
from tablewatch.commands.services import broker, data
from tablewatch.commands.store_address import awaited_store


def run(
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, envvar="TABLEWATCH_ALERTS_PORT", help="Of /metrics, /healthz, /readyz; 0: a free one."
        ),
    ] = None,
) -> None:
    """Examples:

    \b
      tablewatch alerts run
      TABLEWATCH_ALERTS_ROUTES=/etc/tablewatch/routes.toml tablewatch alerts run --port 9465

    Tells people of findings as they come, escalates what nobody acknowledges, and records every step. One for a site.
    On SIGTERM it finishes the messages on their way and exits with 0; what was not sent is sent by the next one.
    Without a routing file alerts are kept and come to the desk, and no message is sent.
    """
    log_to_stderr()
    with explained_routing():
        routing = routing_or_nobody()
        service = AlertService(broker(), awaited_store(), routing, data() / "alerts")
    on_asked_to_end(service.stop)
    with explained_routing():
        measured("ALERTS_PORT", port, lambda: service.ready)
        service.run()
