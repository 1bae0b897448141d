"""`tablewatch gateway`: events of devices over HTTP, and the tokens that let them in."""

from pathlib import Path
from typing import Annotated

import orjson
import typer

from streams.broker_url import InvalidBrokerUrl
from streams.gateway.app import make_app
from streams.gateway.kinds import KINDS
from streams.gateway.pressure import Pressure
from streams.gateway.sender import Sender
from streams.gateway.tokens import Device, Devices, InvalidDevice, TokenFile, TokensUnreadable
from streams.topics import Layout
from tablewatch.commands.listening import Place, check_place, listen, wrong_use
from tablewatch.commands.listing import AsJson, listing
from tablewatch.commands.services import broker_at
from tablewatch.settings import InvalidSetting

_HELP = """Examples:

\b
  tablewatch gateway token add reader-12 --table BT12 --source /tables/BT12/reader --kind card-reader
  tablewatch gateway token list

The tokens of the devices.
"""

gateway = typer.Typer(invoke_without_command=True)
token = typer.Typer(no_args_is_help=True, help=_HELP, short_help="The tokens of the devices.")
gateway.add_typer(token, name="token")

Data = Annotated[Path, typer.Option(envvar="TABLEWATCH_DATA", help="The folder of all embedded parts.")]
Tokens = Annotated[
    Path | None,
    typer.Option(
        envvar="TABLEWATCH_GATEWAY_TOKENS",
        help="The file of hashed tokens; default: in the data folder.",
        dir_okay=False,
    ),
]


@gateway.callback(invoke_without_command=True)
def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(envvar="TABLEWATCH_GATEWAY_HOST", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, envvar="TABLEWATCH_GATEWAY_PORT", help="0: a free one.")
    ] = 8480,
    certificate: Annotated[
        Path | None,
        typer.Option(envvar="TABLEWATCH_GATEWAY_CERTIFICATE", exists=True, dir_okay=False, help="For TLS, as PEM."),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(envvar="TABLEWATCH_GATEWAY_KEY", exists=True, dir_okay=False, help="Of the certificate."),
    ] = None,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain", envvar="TABLEWATCH_GATEWAY_PLAIN", help="Listen beyond this machine without TLS: a proxy has it."
        ),
    ] = False,
    broker: Annotated[
        str | None,
        typer.Option(envvar="TABLEWATCH_BROKER", help="kafka://host:port, or tablelog:///folder; default: embedded."),
    ] = None,
    data: Data = Path("data"),
    tokens: Tokens = None,
    linger_ms: Annotated[
        int,
        typer.Option(min=0, max=1000, envvar="TABLEWATCH_GATEWAY_LINGER_MS", help="Events wait so long for company."),
    ] = 5,
    pending_bytes: Annotated[
        int,
        typer.Option(min=1, envvar="TABLEWATCH_GATEWAY_PENDING_BYTES", help="May wait for the broker; beyond it: 429."),
    ] = 32 << 20,
    patience: Annotated[
        float,
        typer.Option(min=1, envvar="TABLEWATCH_GATEWAY_PATIENCE", help="Seconds the broker may take; then: 503."),
    ] = 10.0,
    partitions: Annotated[
        int, typer.Option(min=1, envvar="TABLEWATCH_PARTITIONS", help="Of the topics of a new embedded log.")
    ] = 12,
) -> None:
    """Examples:

    \b
      tablewatch gateway token add reader-12 --table BT12 --source /tables/BT12/reader --kind card-reader
      tablewatch gateway --port 8480
      tablewatch gateway --host 0.0.0.0 --certificate gateway.pem --key gateway.key
      curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/cloudevents-batch+json" \\
           --data-binary @events.json http://127.0.0.1:8480/v1/events

    Takes events of devices that do not speak Kafka. It answers 202 when the broker has acknowledged all events of the
    request; until then the device keeps them. /openapi.json says the rest; beside it are /healthz, /readyz, /metrics.

    It starts without a broker, and is ready when there is one. On SIGTERM it finishes what it has in hand.
    """
    if context.invoked_subcommand is not None:
        return
    place = Place(host, port, certificate, key, plain)
    pair = "--certificate (TABLEWATCH_GATEWAY_CERTIFICATE) and --key (TABLEWATCH_GATEWAY_KEY)"
    check_place(place, "Tokens", pair, "--plain")
    path = _file(tokens, data)
    try:
        target = broker_at(broker, data)
        known = any(device.revoked is None for device in TokenFile(path).devices())
    except (InvalidBrokerUrl, InvalidSetting, TokensUnreadable) as error:
        wrong_use(str(error))
    sender = Sender(
        target, linger_seconds=linger_ms / 1000, patience_seconds=patience, layout=Layout(partitions=partitions)
    )
    app = make_app(Devices(path), sender, Pressure(pending_bytes), answer_seconds=patience + 5)
    warning = None if known else f"no device has a token in {path}: `tablewatch gateway token add` makes one"
    listen(app, place, settings="TABLEWATCH_GATEWAY", grace_seconds=int(patience) + 10, warning=warning)


@token.command(short_help="Make the token of a device.")
def add(
    name: Annotated[str, typer.Argument(help="What people call the device.")],
    table: Annotated[list[str], typer.Option(help="A table that it may speak about; again for more.")],
    source: Annotated[list[str], typer.Option(help="A source that it may speak as; again for more.")],
    kind: Annotated[str, typer.Option(help=f"One of {', '.join(KINDS)}.")],
    types: Annotated[
        list[str] | None, typer.Option("--type", help="An event type, in place of those of its kind; again for more.")
    ] = None,
    data: Data = Path("data"),
    tokens: Tokens = None,
    as_json: AsJson = False,
) -> None:
    """Examples:

    \b
      tablewatch gateway token add reader-12 --table BT12 --source /tables/BT12/reader --kind card-reader
      tablewatch gateway token add pit-3 --table BT12 --table BT13 --source /pits/P3/desk --kind pit-desk
      tablewatch gateway token add board --table BT12 --source /tables/BT12/display --kind display --json

    Makes the token of a device and prints it, once: what is kept is its hash. A running gateway knows it at once.
    """
    try:
        device, secret = TokenFile(_file(tokens, data)).add(name, kind, table, source, types)
    except (InvalidDevice, TokensUnreadable) as error:
        wrong_use(str(error))
    if as_json:
        typer.echo(orjson.dumps({"id": device.id, "name": device.name, "token": secret}).decode())
        return
    typer.echo(secret)
    typer.echo(f"{device.name} ({device.id}): write the token down, it is not shown again.", err=True)


@token.command("list", short_help="The devices that have or had a token.")
def list_tokens(data: Data = Path("data"), tokens: Tokens = None, as_json: AsJson = False) -> None:
    """Examples:

    \b
      tablewatch gateway token list
      tablewatch gateway token list --json

    The devices that have or had a token, and what each may send; never the token.
    """
    try:
        devices = TokenFile(_file(tokens, data)).devices()
    except TokensUnreadable as error:
        wrong_use(str(error))
    if as_json:
        for device in devices:
            shown = device.model_dump(exclude={"digest"}) | {"types": sorted(device.allowed)}
            typer.echo(orjson.dumps(shown).decode())
    elif devices:
        typer.echo(listing(("id", "device", "may send", "tables", "sources", "token"), list(map(_cells, devices))))
    else:
        typer.echo("No device has a token. `tablewatch gateway token add --help` shows how to make one.")


def _cells(device: Device) -> tuple[str, ...]:
    narrowed = f" only {','.join(device.types)}" if device.types else ""
    state = f"revoked {device.revoked}" if device.revoked else f"since {device.made}"
    kinds = f"{device.kind}{narrowed}"
    return device.id, device.name, kinds, ",".join(device.tables), ",".join(device.sources), state


@token.command(short_help="Refuse a token from now on.")
def revoke(
    name: Annotated[str, typer.Argument(help="The device, by name or id.")],
    data: Data = Path("data"),
    tokens: Tokens = None,
) -> None:
    """Examples:

    \b
      tablewatch gateway token revoke reader-12

    Refuses the device's token from now on; a running gateway does so at once.
    """
    try:
        device = TokenFile(_file(tokens, data)).revoke(name)
    except (InvalidDevice, TokensUnreadable) as error:
        wrong_use(str(error))
    typer.echo(f"{device.name} ({device.id}) is revoked.", err=True)


def _file(tokens: Path | None, data: Path) -> Path:
    return tokens or data / "gateway-tokens.json"
