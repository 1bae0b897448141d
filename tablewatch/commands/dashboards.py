"""`tablewatch dashboards`: brings the dashboards to a Grafana, tells what differs there, takes changes out of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from dashboards.grafana import Grafana, GrafanaError, GrafanaUnavailable
from dashboards.installing import NOBODY_YET, Sources, differences
from dashboards.installing import export as export_all
from dashboards.installing import install as install_all
from store.address import parse_address
from store.errors import WrongAddress

FLAGGED = 1
WRONG_USE = 2
UNREACHABLE = 3

_HELP = """Examples:

\b
  tablewatch dashboards install --url http://localhost:3000 --token TOKEN
  tablewatch dashboards diff

Brings the dashboards to a Grafana, compares them, takes changes out.
"""

dashboards = typer.Typer(no_args_is_help=True, help=_HELP)

Url = Annotated[
    str, typer.Option(envvar="TABLEWATCH_GRAFANA_URL", help="Where Grafana is, e.g. http://localhost:3000.")
]
Token = Annotated[
    str,
    typer.Option(
        envvar="TABLEWATCH_GRAFANA_TOKEN", help="Of a service account with the role Admin.", show_default=False
    ),
]


@dashboards.command(short_help="Bring dashboards, alert rules and data sources to a Grafana.")
def install(
    url: Url,
    token: Token,
    store: Annotated[
        str | None,
        typer.Option(help="Where Grafana finds the store, clickhouse://reader:password@host:port/database."),
    ] = None,
    prometheus: Annotated[str | None, typer.Option(help="Where Grafana finds Prometheus, http://host:9090.")] = None,
    shift: Annotated[
        str | None,
        typer.Option(help=f"The e-mail address that alerts about the pipeline go to; a new one: {NOBODY_YET}."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace also what somebody changed in Grafana.")] = False,
) -> None:
    """Examples:

    \b
      tablewatch dashboards install --url http://localhost:3000 --token glsa_…
      tablewatch dashboards install --url https://grafana.casino/ --token glsa_… --shift shift@casino.example
      tablewatch dashboards install --url … --token … --store clickhouse://grafana:…@store:9000/tablewatch \\
          --prometheus http://prometheus:9090
      tablewatch dashboards install --url … --token … --force

    Makes the folder, the dashboards, the alert rules, their contact point and, where an address is given, the data
    sources. What is as it should be is not touched, so that it may be run again at any time. What somebody changed in
    Grafana is left alone and named, with exit code 1, unless --force is given.
    """
    with _explained():
        address = None if store is None else parse_address(store, "--store")
        left = 0
        for step in install_all(Grafana(url, token), Sources(address, prometheus), shift, force=force):
            typer.echo(str(step))
            left += step.done in ("left alone", "not there")
    if left:
        raise typer.Exit(FLAGGED)


@dashboards.command(short_help="What differs in a Grafana.")
def diff(
    url: Url,
    token: Token,
    brief: Annotated[bool, typer.Option("--brief", help="Only what differs, not how.")] = False,
) -> None:
    """Examples:

    \b
      tablewatch dashboards diff --url http://localhost:3000 --token glsa_…
      tablewatch dashboards diff --url http://localhost:3000 --token glsa_… --brief

    Names every dashboard and alert rule that is missing, older than ours or changed by a person, for dashboards with
    the lines that differ, and data sources and the contact point where they are missing. Exit code 1 if there is one.
    """
    found = False
    with _explained():
        for what, state, lines in differences(Grafana(url, token)):
            found = True
            typer.echo(f"{what}: {state}")
            if not brief:
                for line in lines:
                    typer.echo(line)
    if found:
        raise typer.Exit(FLAGGED)
    typer.echo("Grafana has what it should have.")


@dashboards.command(short_help="Take the dashboards out of a Grafana, with people's changes.")
def export(
    url: Url,
    token: Token,
    folder: Annotated[Path, typer.Argument(help="Where to write them.", file_okay=False)] = Path("grafana-export"),
) -> None:
    """Examples:

    \b
      tablewatch dashboards export --url http://localhost:3000 --token glsa_… my-dashboards

    Writes every dashboard with the tag tablewatch as a file, as people have it now. Grafana imports such files.
    """
    with _explained():
        for path in export_all(Grafana(url, token), folder):
            typer.echo(str(path))


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except GrafanaUnavailable as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(UNREACHABLE) from error
    except (GrafanaError, WrongAddress, OSError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(WRONG_USE) from error
