"""The routing file of the alerts, for the commands that tell people; what is wrong is said with an exit code."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from streams.alerting.delivery import unusable_addresses
from streams.alerting.journal_file import JournalInUse
from streams.alerting.rules import NOBODY, InvalidRouting, Routing, read_routing
from tablewatch.commands.services import WRONG_USE, data, explained
from tablewatch.settings import value_of

logger = logging.getLogger(__name__)


@contextmanager
def explained_routing() -> Iterator[None]:
    """Errors of the routing file, broker and store as one line and an exit code."""
    with explained():
        try:
            yield
        except (InvalidRouting, JournalInUse) as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(WRONG_USE) from error


def routes_file() -> Path:
    """The file that the settings name, or the usual one."""
    named = value_of("ALERTS_ROUTES")
    return Path(named) if named else data() / "alert-routes.toml"


def routing_or_nobody() -> Routing:
    """The routing file; without one that is named or in its usual place, nobody is told."""
    if value_of("ALERTS_ROUTES") or routes_file().exists():
        return chosen_routing()
    logger.warning("there is no routing file %s: alerts come to the desk, and no message is sent", routes_file())
    return NOBODY


def chosen_routing() -> Routing:
    """The routing file, with addresses that can be used."""
    path = routes_file()
    if not path.exists():
        raise InvalidRouting(
            f"{path} cannot be read: there is no such file. It says who is told of alerts; docs/operations.md has one "
            "to begin with, and TABLEWATCH_ALERTS_ROUTES may name another."
        )
    return read_routing(path, unusable_addresses)
