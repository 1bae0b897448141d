"""The port on which a service tells its metrics and whether it is ready, by the settings."""

import logging
from collections.abc import Callable

import typer

from tablewatch.commands.answering import serve
from tablewatch.commands.services import WRONG_USE
from tablewatch.settings import number_of, value_of

logger = logging.getLogger(__name__)


def measured(
    setting: str, port: int | None, ready: Callable[[], bool], lacks: Callable[[], str | None] = lambda: None
) -> int:
    """Answers on the port that was asked for, or else on that of the setting, and says which; ends the command where
    it is taken."""
    host = value_of("METRICS_HOST")
    asked = number_of(setting) if port is None else port
    try:
        server = serve(asked, ready, host, lacks=lacks)
    except OSError as error:
        why = f"{error.strerror or error}. Set TABLEWATCH_{setting} to another (0: a free one)."
        typer.echo(f"{host} port {asked} cannot be used for metrics: {why}", err=True)
        raise typer.Exit(WRONG_USE) from error
    logger.info("metrics on port %d", server.server_port)
    return server.server_port
