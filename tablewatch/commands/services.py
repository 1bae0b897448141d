"""Broker and store for the commands that need them, by the settings; what is wrong is said with an exit code."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from store.errors import AccessRefused, SchemaTooNew, SchemaTooOld, StoreError, WrongAddress
from streams.broker_url import (
    Broker,
    BrokerUnavailable,
    InvalidBrokerUrl,
    RightsMissing,
    TopicsMissing,
    broker_of,
)
from tablewatch.settings import InvalidSetting, value_of

FLAGGED = 1
WRONG_USE = 2
UNREACHABLE = 3


def broker() -> Broker:
    """The broker of the settings."""
    return broker_of(value_of("BROKER") or None, data())


def data() -> Path:
    """The folder of all embedded parts."""
    return Path(value_of("DATA"))


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
        typer.echo(f"The broker cannot be reached. {error}", err=True)
        raise typer.Exit(UNREACHABLE) from error
    except StoreError as error:
        typer.echo(f"The store cannot be used: {error}", err=True)
        raise typer.Exit(UNREACHABLE) from error
