"""`tablewatch watches`: the statistical watches over the shoes in the store, until SIGTERM or once."""

from dataclasses import asdict
from typing import Annotated

import orjson
import typer

from store.ending import on_asked_to_end
from streams.logs import log_to_stderr
from streams.watching.service import WatchService
from tablewatch.commands.measured import measured
from tablewatch.commands.services import broker, explained
from tablewatch.commands.store_address import awaited_store
from tablewatch.settings import judge_settings, watch_settings

ONCE_SECONDS = 60.0
"""How long store and broker may be away while `once` runs."""

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
        service = WatchService(broker(), awaited_store(), judge, settings)
    on_asked_to_end(service.stop)
    with explained():
        measured("WATCHES_PORT", port, lambda: service.ready)
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
        service = WatchService(
            broker(), awaited_store(), judge, settings, grace_seconds=0.0, patience_seconds=ONCE_SECONDS
        )  # fmt: skip
        done = service.look(whole=True)
    if as_json:
        typer.echo(orjson.dumps(asdict(done)).decode())
    else:
        typer.echo(f"{done.shoes} shoes summed up, {done.again} watched again, {done.findings} findings told.")
