"""`tablewatch alerts run`: the service that tells people of findings."""

import logging
import signal
from typing import Annotated

import typer

from store.connect import Patience, connect
from store.migrate import check as check_schema
from streams import metrics
from streams.alerting.service import AlertService
from streams.logs import log_to_stderr
from tablewatch.commands.alerts_routes import explained_routing, routing_or_nobody
from tablewatch.commands.services import broker, data
from tablewatch.commands.store_address import store_url
from tablewatch.settings import number_of, value_of

START_PATIENCE = Patience(total=60.0)

logger = logging.getLogger(__name__)


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
        store = connect(store_url(), patience=START_PATIENCE)
        check_schema(store)
        service = AlertService(broker(), store, routing, data() / "alerts")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: service.stop())
    host = value_of("METRICS_HOST")
    server = metrics.serve(number_of("ALERTS_PORT") if port is None else port, lambda: service.ready, host)
    logger.info("metrics on port %d", server.server_port)
    with explained_routing():
        service.run()
