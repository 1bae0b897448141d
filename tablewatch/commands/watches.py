"""`tablewatch watches`: the statistical watches over the shoes in the store, until SIGTERM or once."""

import logging
import signal
from dataclasses import asdict
from typing import Annotated

import orjson
import typer

from store.connect import Patience, connect
from store.migrate import check as check_schema
from streams import metrics
from streams.logs import log_to_stderr
from streams.watching.service import WatchService
from tablewatch.commands.services import broker, explained
from tablewatch.commands.store_address import store_url
from tablewatch.settings import judge_settings, number_of, value_of, watch_settings

START_PATIENCE = Patience(total=60.0)
ONCE_SECONDS = 60.0
"""How long store and broker may be away while `once` runs."""

logger = logging.getLogger(__name__)

app = typer.Typer(no_args_is_help=True)


@app.callback()
def watches() -> None:
    """Examples:

    \b
      tablewatch watches run
      tablewatch watches once
      TABLEWATCH_WATCH_HOLD_RATE=1e-5 tablewatch watches run --port 9466

    Watches what many rounds show and no single one: a slug that comes again after a false shuffle, cards that are too
    rare, a table or a player that wins beyond chance. Shoes are summed up when they have ended and are judged.
    """


@app.command()
def run(
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, envvar="TABLEWATCH_WATCHES_PORT", help="Of /metrics, /healthz, /readyz; 0: a free one."
        ),
    ] = None,
) -> None:
    """Examples:

    \b
      tablewatch watches run
      TABLEWATCH_BROKER=kafka://broker:9092 tablewatch watches run --port 9466

    Sums up shoes as they end, watches them, and raises what is found as the workers do. One for a house is enough. On
    SIGTERM it finishes what it has in hand and exits with 0; what was not finished is taken up by the next one.
    """
    log_to_stderr()
    with explained():
        judge, settings = judge_settings(), watch_settings()
        store = connect(store_url(), patience=START_PATIENCE)
        check_schema(store)
        service = WatchService(broker(), store, judge, settings)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: service.stop())
    host = value_of("METRICS_HOST")
    server = metrics.serve(number_of("WATCHES_PORT") if port is None else port, lambda: service.ready, host)
    logger.info("metrics on port %d", server.server_port)
    service.run()


@app.command()
def once(
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
) -> None:
    """Examples:

    \b
      tablewatch watches once
      tablewatch watches once --json

    Sums up and watches all shoes in the store that have ended, are judged and have no summary yet, and says how many.
    """
    with explained():
        judge, settings = judge_settings(), watch_settings()
        store = connect(store_url(), patience=START_PATIENCE)
        check_schema(store)
        service = WatchService(
            broker(), store, judge, settings, grace_seconds=0.0, patience_seconds=ONCE_SECONDS
        )  # fmt: skip
        done = service.look(whole=True)
    if as_json:
        typer.echo(orjson.dumps(asdict(done)).decode())
    else:
        typer.echo(f"{done.shoes} shoes summed up, {done.again} watched again, {done.findings} findings told.")
