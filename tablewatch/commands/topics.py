"""`tablewatch topics`: make the contract's topics and rights on the broker, and name every difference."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import orjson
import typer

from store.connect import connect
from streams.principals import Principals
from streams.rewind import WorkersRun
from streams.rewind import rewind as set_back
from streams.topics import Difference, Layout
from streams.topics import check as check_topics
from streams.topics import create as create_topics
from tablewatch.commands.services import FLAGGED, broker_at, explained
from tablewatch.commands.store_address import store_url
from tablewatch.settings import number_of

_HELP = """Examples:

\b
  tablewatch topics create
  tablewatch topics check
  tablewatch topics rewind

Makes the topics of the contract, and checks them; sets the workers back after a restore of the store.
"""

topics = typer.Typer(no_args_is_help=True, help=_HELP)

Broker = Annotated[
    str | None,
    typer.Option(envvar="TABLEWATCH_BROKER", help="kafka://host:port, or tablelog:///folder; default: embedded."),
]
Data = Annotated[Path, typer.Option(envvar="TABLEWATCH_DATA", help="The folder of all embedded parts.")]
Copies = Annotated[
    int | None,
    typer.Option(min=1, envvar="TABLEWATCH_REPLICATION", help="Copies of each record; default: up to three."),
]
InputDays = Annotated[int, typer.Option(min=1, envvar="TABLEWATCH_INPUT_DAYS", help="Days that events are kept.")]
OutputDays = Annotated[int, typer.Option(min=1, envvar="TABLEWATCH_OUTPUT_DAYS", help="Days that verdicts are kept.")]
Readers = Annotated[str, typer.Option(envvar="TABLEWATCH_READERS", help="Users that write table.cards, with commas.")]
Sensors = Annotated[str, typer.Option(envvar="TABLEWATCH_SENSORS", help="Users that write table.bets.")]
Desks = Annotated[str, typer.Option(envvar="TABLEWATCH_DESKS", help="Users that write table.floor.")]
Gateways = Annotated[str, typer.Option(envvar="TABLEWATCH_GATEWAYS", help="Users that write all three.")]
Workers = Annotated[str, typer.Option(envvar="TABLEWATCH_WORKERS", help="Users that judge.")]
Sealers = Annotated[str, typer.Option(envvar="TABLEWATCH_SEALERS", help="Users that write audit.checkpoints.")]
Consoles = Annotated[str, typer.Option(envvar="TABLEWATCH_CONSOLES", help="Users that read everything.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


@topics.command()
def create(
    broker: Broker = None,
    data: Data = Path("data"),
    partitions: Annotated[
        int, typer.Option(min=1, envvar="TABLEWATCH_PARTITIONS", help="Of each topic; cannot change later.")
    ] = 12,
    replication: Copies = None,
    input_days: InputDays = 7,
    output_days: OutputDays = 30,
    readers: Readers = "",
    sensors: Sensors = "",
    desks: Desks = "",
    gateways: Gateways = "",
    workers: Workers = "",
    sealers: Sealers = "",
    consoles: Consoles = "",
) -> None:
    """Examples:

    \b
      tablewatch topics create
      tablewatch topics create --broker kafka://broker:9092 --partitions 24
      tablewatch topics create --readers reader1,reader2 --sensors rfid --desks pit --workers judge --sealers seal

    Makes the topics that are missing, sets the settings of the others right, and gives the named users their rights
    where the broker has an authorizer. What cannot be changed (the number of partitions) is named; exit code 1 then.
    """
    principals = _principals(readers, sensors, desks, gateways, workers, sealers, consoles)
    layout = Layout(partitions, replication, input_days, output_days, principals=principals)
    with explained():
        target = broker_at(broker, data)
        for done in create_topics(target, layout):
            typer.echo(done)
        left = check_topics(target, layout)
    _report(left, as_json=False)


@topics.command()
def check(
    broker: Broker = None,
    data: Data = Path("data"),
    partitions: Annotated[
        int | None, typer.Option(min=1, envvar="TABLEWATCH_PARTITIONS", help="Default: any, the same on all inputs.")
    ] = None,
    replication: Copies = None,
    input_days: InputDays = 7,
    output_days: OutputDays = 30,
    readers: Readers = "",
    sensors: Sensors = "",
    desks: Desks = "",
    gateways: Gateways = "",
    workers: Workers = "",
    sealers: Sealers = "",
    consoles: Consoles = "",
    as_json: AsJson = False,
) -> None:
    """Examples:

    \b
      tablewatch topics check
      tablewatch topics check --broker kafka://broker:9092 --json
      tablewatch topics check --readers reader1,reader2 --sensors rfid --desks pit --workers judge --sealers seal

    Names every difference between the broker and the contract: topics, settings, and, where users are named, rights
    that are missing or too wide. Exit code 1 if there is one.
    """
    principals = _principals(readers, sensors, desks, gateways, workers, sealers, consoles)
    with explained():
        target = broker_at(broker, data)
        found = check_topics(target, Layout(partitions, replication, input_days, output_days, principals=principals))
    _report(found, as_json=as_json)


@topics.command()
def rewind(
    broker: Broker = None,
    data: Data = Path("data"),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be set back.")] = False,
) -> None:
    """Examples:

    \b
      tablewatch topics rewind --dry-run
      tablewatch topics rewind

    Sets the workers back to the first record that the store does not have, of those that the broker still has: after a
    restore, what came since the backup is read again by the next worker. What the store has is skipped. While workers
    run it is refused, with exit code 1.
    """
    with explained():
        target, store = broker_at(broker, data), connect(store_url())
        try:
            found = set_back(target, store, number_of("SESSION_SECONDS"), only_look=dry_run)
        except WorkersRun as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(FLAGGED) from error
        finally:
            store.close()
    for each in found:
        typer.echo(f"{each.place.topic}, partition {each.place.partition}: from {each.acknowledged} to {each.missing}")
    if not found:
        typer.echo("The store has all that was acknowledged: nothing is to be set back.")
    elif dry_run:
        typer.echo("So it would be; nothing was done.")
    else:
        typer.echo("The next worker reads on from there.")


def _report(differences: list[Difference], *, as_json: bool) -> None:
    for difference in differences:
        typer.echo(orjson.dumps(asdict(difference)).decode() if as_json else str(difference))
    if differences:
        raise typer.Exit(FLAGGED)
    if not as_json:
        typer.echo("The topics are as they should be.")


def _principals(*listed: str) -> Principals:
    return Principals(*(tuple(user.strip() for user in users.split(",") if user.strip()) for users in listed))
