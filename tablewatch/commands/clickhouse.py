"""`tablewatch clickhouse`: the embedded ClickHouse server, until it is told to stop."""

import typer

from store.address import parse_address
from store.embedded.faults import CannotStart
from store.embedded.server import serve
from tablewatch.commands.services import UNREACHABLE, data, explained
from tablewatch.commands.store_address import store_url


def clickhouse() -> None:
    """Examples:

    \b
      tablewatch clickhouse
      TABLEWATCH_CLICKHOUSE_URL=clickhouse://audit:secret@127.0.0.1:9001/tablewatch tablewatch clickhouse

    Serves ClickHouse from the data folder, at the address and with the user and password of TABLEWATCH_CLICKHOUSE_URL,
    to this machine alone; any ClickHouse client can use it. SIGTERM stops it when the queries in hand are finished.
    """
    with explained():
        address = parse_address(store_url())
    folder = data() / "clickhouse"

    def tell(port: int) -> None:
        typer.echo(f"ready {port}")

    try:
        serve(folder, address.host, address.port, address.user, address.password, address.database, ready=tell)
    except CannotStart as reason:
        typer.echo(str(reason), err=True)
        raise typer.Exit(UNREACHABLE) from reason
