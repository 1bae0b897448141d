"""Broker and store for the commands that need them, by the settings; what is wrong is said with an exit code."""

import errno
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from store.errors import AccessRefused, SchemaTooNew, SchemaTooOld, StoreError, StoreUnreachable, WrongAddress
from streams.broker_url import (
    Broker,
    BrokerUnavailable,
    EmbeddedLog,
    InvalidBrokerUrl,
    RightsMissing,
    TopicsMissing,
    broker_of,
)
from tablewatch.settings import InvalidSetting, value_of

FLAGGED = 1
WRONG_USE = 2
UNREACHABLE = 3

_BROKER = "TABLEWATCH_BROKER"
BROKER_HINT = "Is TABLEWATCH_BROKER right, and the broker running?"
STORE_HINT = (
    "Is TABLEWATCH_CLICKHOUSE_URL right, and the store running? The embedded one is started by: tablewatch clickhouse"
)


def broker() -> Broker:
    """The broker of the settings."""
    return broker_at(value_of("BROKER") or None, data(), named=_BROKER)


def broker_at(url: str | None, folder: Path, *, named: str = f"{_BROKER}, or --broker,") -> Broker:
    """The broker that the URL names, which people have set as ``named``; without one the log in the data folder, which
    has to be usable: whoever named no broker would look in vain for what is wrong with it."""
    try:
        target = broker_of(url, folder)
    except InvalidBrokerUrl as error:
        raise InvalidBrokerUrl(f"{named} names no broker: {error}") from error
    if not url and isinstance(target, EmbeddedLog):
        made(target.folder)
    return target


def data() -> Path:
    """The folder of all embedded parts."""
    return Path(value_of("DATA"))


def made(folder: Path) -> Path:
    """A folder that embedded parts write to, as it is or new; InvalidSetting where it cannot be used."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        why = "it is a file" if isinstance(error, FileExistsError) else error.strerror
        raise InvalidSetting(
            f"The folder {folder} cannot be used: {why}. Check the path and its rights, or name another data folder in"
            " TABLEWATCH_DATA."
        ) from error
    return folder


def broker_away(error: BrokerUnavailable) -> str:
    """What is said where the broker does not answer, with what to do."""
    return f"The broker cannot be reached. {error}. {BROKER_HINT}"


def store_away(error: StoreError) -> str:
    """What is said where the store cannot be used, with what to do where nothing answers."""
    hint = f". {STORE_HINT}" if isinstance(error, StoreUnreachable) else ""
    return f"The store cannot be used: {error}{hint}"


def quiet_drivers() -> None:
    """What the drivers log with a trace is said by our own errors in one line."""
    for name in ("clickhouse_driver", "kafka"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


@contextmanager
def explained() -> Iterator[None]:
    """Errors of broker and store as one line and an exit code."""
    quiet_drivers()
    try:
        yield
    except (InvalidBrokerUrl, TopicsMissing, RightsMissing, InvalidSetting) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(WRONG_USE) from error
    except (WrongAddress, AccessRefused, SchemaTooOld, SchemaTooNew) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(WRONG_USE) from error
    except BrokerUnavailable as error:
        typer.echo(broker_away(error), err=True)
        raise typer.Exit(UNREACHABLE) from error
    except StoreError as error:
        typer.echo(store_away(error), err=True)
        raise typer.Exit(UNREACHABLE) from error
