"""`tablewatch doctor`: what is reachable, how far the workers are behind, and what to do."""

from dataclasses import asdict, dataclass
from typing import Annotated

import orjson
import typer

from store.connect import Patience, connect
from store.errors import StoreError
from store.migrate import check as check_schema
from streams.broker_url import BrokerUnavailable, InvalidBrokerUrl, RightsMissing, TopicsMissing
from streams.lag import lag_of
from streams.topics import check as check_topics
from tablewatch.commands.services import UNREACHABLE, broker, quiet_drivers
from tablewatch.commands.store_address import store_url


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    ok: bool
    says: str
    """What was found, or what to do."""


def doctor(as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False) -> None:
    """Examples:

    \b
      tablewatch doctor
      tablewatch doctor --json | jq .lag

    Checks broker, topics, store and schema, and how far the workers are behind: `lag` is 0 when all that was sent is
    judged and stored. Says what to do where something is wrong. Exit code 3 if a service cannot be reached.
    """
    quiet_drivers()
    checks, lag = [], None
    try:
        target = broker()
        differences = check_topics(target)
        checks.append(Check("broker", True, str(target)))
        missing = [str(each) for each in differences]
        says = "as they should be" if not missing else f"{'; '.join(missing)}. Run: tablewatch topics create"
        checks.append(Check("topics", not missing, says))
        lag = lag_of(target)
        checks.append(Check("lag", True, f"{lag} records are not yet judged and stored"))
    except (BrokerUnavailable, RightsMissing, InvalidBrokerUrl) as error:
        checks.append(Check("broker", False, f"{error}. Is TABLEWATCH_BROKER right, and the broker running?"))
    except TopicsMissing as error:
        checks.append(Check("lag", False, str(error)))
    store = connect(store_url(), patience=Patience(total=0.0))
    try:
        store.query("SELECT 1")
        checks.append(Check("store", True, str(store.address)))
        try:
            check_schema(store)
            checks.append(Check("schema", True, "as this version needs it"))
        except StoreError as error:
            checks.append(Check("schema", False, str(error)))
    except StoreError as error:
        says = f"{error}. Run: tablewatch clickhouse, or set TABLEWATCH_CLICKHOUSE_URL"
        checks.append(Check("store", False, says))
    well = all(check.ok for check in checks)
    if as_json:
        typer.echo(orjson.dumps({"ok": well, "lag": lag, "checks": [asdict(check) for check in checks]}).decode())
    else:
        for check in checks:
            typer.echo(f"{'ok ' if check.ok else 'BAD'} {check.name}: {check.says}")
    if any(not check.ok and check.name in ("broker", "store") for check in checks):
        raise typer.Exit(UNREACHABLE)
