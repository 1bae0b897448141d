"""`tablewatch doctor`: what is reachable, how far the workers and the services are behind, and what to do."""

import sqlite3
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Final

import orjson
import typer

from store.connect import Patience, Store, connect
from store.errors import AccessRefused, SchemaTooOld, StoreError
from store.migrate import check as check_schema
from store.read.checkpoints import last_checkpoint_ms
from store.read.disks import fullest_disk, not_on_disk
from store.read.shoes import newest_arrival
from streams.alerting.standing import standing as alerts_standing
from streams.broker_url import Broker, BrokerUnavailable, InvalidBrokerUrl, KafkaBroker, RightsMissing, TopicsMissing
from streams.lag import lag_of, overdue_of, workers_of
from streams.topics import Layout
from streams.topics import check as check_topics
from streams.watching.standing import standing as watches_standing
from tablewatch.commands.certificates import Named, belongs, named_by, validity
from tablewatch.commands.services import BROKER_HINT, FLAGGED, UNREACHABLE, broker, data, quiet_drivers
from tablewatch.commands.store_address import store_url
from tablewatch.settings import PREFIX, InvalidSetting, is_set, mistyped, number_of, unusable, value_of

SEALED_MS: Final = 600_000
"""What came after a checkpoint that is so old should have been sealed."""
LEAST_FREE: Final = 0.05
"""With a smaller share of its disk, merges and a busy hour may fill what is left."""
LATE_SECONDS: Final = 60
"""What waits for longer is not on its way: the workers are behind."""
_NEEDED: Final = ("broker", "store")
"""Without these nothing works."""
_OF_THE_BROKER: Final = Named(f"certificate= in {PREFIX}BROKER", f"key= in {PREFIX}BROKER")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    ok: bool
    says: str
    """What was found, or what to do."""
    at_work: bool = True
    """Whether it was seen at work: a service that was never started is no fault, and is not called well."""


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 where anything else is not well.")] = False,
) -> None:
    """Examples:

    \b
      tablewatch doctor
      tablewatch doctor --json | jq .lag
      tablewatch doctor --strict || echo "somebody has to look"

    Checks broker, topics, store and schema, whether a worker is at work, and how far the workers are behind: `lag`
    is 0 when all that was sent is judged and stored, and not well where some of it came more than a minute ago.
    Then the services beside them: how old the last checkpoint of the chain is, and how far the watches and the
    alert service are behind; and how long the certificates that the settings name are valid, and whether the keys
    beside them are theirs. Says what to do where something is wrong. A service that was never started is no fault,
    and is named as such. Exit code 3 if broker or store cannot be reached; what else is not well, `--strict` tells
    by 1.
    """
    quiet_drivers()
    checks = [Check("settings", False, wrong) for wrong in (*mistyped(), *unusable())]
    target, lag = _look_at_broker(checks)
    store = _look_at_store(checks)
    if store is not None:
        checks += _asked(store)
    if target is not None:
        checks.append(_alerts(target))
    checks += _certificates()
    well = all(check.ok for check in checks)
    if as_json:
        typer.echo(orjson.dumps({"ok": well, "lag": lag, "checks": [asdict(check) for check in checks]}).decode())
    else:
        for check in checks:
            mark = "BAD" if not check.ok else "ok " if check.at_work else "-- "
            typer.echo(f"{mark} {check.name}: {check.says}")
        typer.echo(_in_the_end(checks))
    if any(not check.ok and check.name in _NEEDED for check in checks):
        raise typer.Exit(UNREACHABLE)
    if strict and not well:
        raise typer.Exit(FLAGGED)


def _in_the_end(checks: list[Check]) -> str:
    """All of it in one sentence."""
    bad = sum(not check.ok for check in checks)
    if bad:
        return f"Not well: {bad} of {len(checks)}."
    unseen = [check.name for check in checks if not check.at_work]
    return f"All that is at work is well; not seen at work: {', '.join(unseen)}." if unseen else "All is well."


def _look_at_broker(checks: list[Check]) -> tuple[Broker | None, int | None]:
    """The broker, if it has the topics, and the lag."""
    try:
        target = broker()
        topics = _topics(target)
        checks += [Check("broker", True, str(target)), topics]
        lag = lag_of(target)
        checks.append(_behind(target, lag))
        checks.append(_workers(target, lag))
        return target, lag
    except RightsMissing as error:
        checks.append(Check("lag", False, f"{error}. Ask as the user of a worker or of the console"))
    except (BrokerUnavailable, InvalidBrokerUrl) as error:
        checks.append(Check("broker", False, f"{error}. {BROKER_HINT}"))
    except InvalidSetting as error:
        checks.append(Check("broker", False, str(error)))
    except TopicsMissing as error:
        checks.append(Check("lag", False, str(error)))
    return None, None


def _behind(target: Broker, lag: int) -> Check:
    """Whether the workers keep up: what was just sent is always on its way."""
    says = f"{lag} {'record is' if lag == 1 else 'records are'} not yet judged and stored"
    late = overdue_of(target, int((time.time() - LATE_SECONDS) * 1000)) if lag else 0
    if not late:
        return Check("lag", True, says)
    came = f"{late} of them came more than {LATE_SECONDS} seconds ago"
    return Check("lag", False, f"{says}; {came}. See what the worker's log says; where it has just begun, ask again")


def _workers(target: Broker, lag: int) -> Check:
    """Whether anybody is there to judge what waits."""
    try:
        at_work = workers_of(target, number_of("SESSION_SECONDS"))
    except InvalidSetting as error:
        return Check("workers", False, str(error))
    if at_work:
        return Check("workers", True, f"{at_work} at work")
    if lag:
        return Check("workers", False, "none is at work, and nothing is judged. Run: tablewatch worker")
    return Check("workers", True, "none is at work, and nothing waits. To begin: tablewatch worker", at_work=False)


def _topics(target: Broker) -> Check:
    """The topics, as far as they are shown to this user: on a broker with rights the parts see no settings."""
    try:
        differences = check_topics(target, _layout())
    except InvalidSetting as error:
        return Check("topics", False, str(error))
    except RightsMissing as error:
        says = f"not looked at: {error}. As the user that made them, run: tablewatch topics check"
        return Check("topics", True, says)
    if not differences:
        return Check("topics", True, "as they should be")
    says = "; ".join(map(str, differences))
    set_right = any(not each.remedy for each in differences)
    return Check("topics", False, f"{says}. Run: tablewatch topics create" if set_right else says)


def _layout() -> Layout:
    """How the topics are set to be, as `topics check` takes it; where their number of partitions is not set, any is
    right."""
    return Layout(
        partitions=number_of("PARTITIONS") if is_set("PARTITIONS") else None,
        replication=number_of("REPLICATION") if is_set("REPLICATION") else None,
        input_days=number_of("INPUT_DAYS"),
        output_days=number_of("OUTPUT_DAYS"),
    )


def _look_at_store(checks: list[Check]) -> Store | None:
    """The store, if it answers and has the schema."""
    try:
        store = connect(store_url(), patience=Patience(total=0.0))
        store.query("SELECT 1")
        checks.append(Check("store", True, str(store.address)))
    except StoreError as error:
        # A server that answers and lacks the database says itself what to do, and is not to be started again.
        hint = ". Run: tablewatch clickhouse, or set TABLEWATCH_CLICKHOUSE_URL"
        checks.append(Check("store", False, f"{error}{'' if isinstance(error, SchemaTooOld) else hint}"))
        return None
    try:
        check_schema(store)
        checks.append(Check("schema", True, "as this version needs it"))
        return store
    except StoreError as error:
        checks.append(Check("schema", False, str(error)))
        return None


def _asked(store: Store) -> Iterator[Check]:
    """The services of which the store tells how far they are."""
    now = time.time_ns() // 1_000_000
    for name, look in (("disk", _disk), ("power", _power), ("chain", _chain), ("watches", _watches)):
        try:
            yield look(store, now)
        except StoreError as error:
            yield Check(name, False, str(error))


def _disk(store: Store, _now: int) -> Check:
    """A store whose disk is full answers questions, and takes nothing in."""
    try:
        disk = fullest_disk(store)
    except AccessRefused:
        return Check("disk", True, "not looked at: the user of the store may not read system.disks")
    says = f"{_size(disk.free)} of {_size(disk.total)} are free at {disk.path}"
    if disk.free < LEAST_FREE * disk.total:
        return Check("disk", False, f"{says}, and a full store takes nothing in. Free some space, or give it more")
    return Check("disk", True, says)


def _power(store: Store, _now: int) -> Check:
    """What workers acknowledged is not read from the broker again: a power cut must not take it from the store."""
    quorum = str(store.address.settings.get("insert_quorum", "0"))
    if quorum not in ("0", "1"):
        return Check("power", True, f"what it acknowledged, several servers of the store have (insert_quorum={quorum})")
    try:
        tables = not_on_disk(store)
    except AccessRefused:
        return Check("power", True, "not looked at: the user of the store may not read system.merge_tree_settings")
    if not tables:
        return Check("power", True, "what the store has acknowledged has reached its disk")
    which = tables[0] if len(tables) == 1 else f"{len(tables)} tables, {tables[0]} among them"
    return Check(
        "power",
        False,
        f"the store acknowledges inserts into {which} before its disk has them: a power cut takes back what workers"
        " have acknowledged. Give it the settings under merge_tree of deploy/compose/clickhouse/config.xml, or more"
        " than one server and insert_quorum=2 in the store's address",
    )


def _size(count: int) -> str:
    """Bytes in the unit that people would say."""
    for size, name in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB")):
        if count >= size:
            return f"{count / size:.1f} {name}"
    return f"{count / 1000:.0f} kB"


def _chain(store: Store, now: int) -> Check:
    last, newest = last_checkpoint_ms(store, "main"), newest_arrival(store)
    if last is None:
        says = "nothing is sealed. To begin: tablewatch keys make, then tablewatch chain run"
        return Check("chain", True, says, at_work=False)
    age = f"the last checkpoint is {_age(now - last)} old"
    if newest > last and now - last > SEALED_MS:
        return Check("chain", False, f"{age}, and more came since. Run: tablewatch chain run")
    return Check("chain", True, f"{age}, and covers what came" if newest <= last else age)


def _watches(store: Store, now: int) -> Check:
    found = watches_standing(store, now)
    if not found.late and not found.watched:
        says = "no shoe of the last days is watched, and none waits too long. To begin: tablewatch watches run"
        return Check("watches", True, says, at_work=False)
    if found.late and not found.watched:
        shoes = "shoe has" if found.late == 1 else "shoes have"
        says = f"{found.late} {shoes} ended and none is watched. To begin: tablewatch watches run"
        return Check("watches", True, says, at_work=False)
    if found.late:
        return Check("watches", False, f"{found.late} shoes wait too long to be watched. Run: tablewatch watches run")
    return Check("watches", True, f"{found.watched} shoes of the last days are watched, none waits too long")


def _alerts(target: Broker) -> Check:
    try:
        found = alerts_standing(target, data() / "alerts")
    except (BrokerUnavailable, RightsMissing, TopicsMissing, OSError, sqlite3.Error) as error:
        return Check("alerts", False, f"it cannot be looked at: {error}")
    if found is None:
        says = (
            f"no alert service has run with the data folder {data().absolute()}; one on another machine answers for"
            " itself, at its /readyz. To begin: tablewatch alerts run"
        )
        return Check("alerts", True, says, at_work=False)
    behind = f"{found.behind} alerts are not read, {found.untold} messages were tried and not taken"
    if not found.running:
        return Check("alerts", False, f"not running; {behind}. Run: tablewatch alerts run")
    if found.untold:
        why = "`tablewatch alerts show ID` says of an alert whom it did not reach and why; `alerts list` has the ids"
        return Check("alerts", False, f"running; {behind}. {why}")
    return Check("alerts", True, f"running; {behind}")


def _certificates() -> Iterator[Check]:
    """The certificates that the settings name, and whether their keys are theirs."""
    for part in ("CONSOLE", "GATEWAY"):
        certificate, key = value_of(f"{part}_CERTIFICATE"), value_of(f"{part}_KEY")
        named = named_by(PREFIX + part)
        if certificate:
            yield from _pair(part.lower(), Path(certificate), Path(key) if key else None, named)
        if certificate and not key:
            yield Check(f"{part.lower()} key", False, f"{named.certificate} is set and {named.key} is not: set both")
        if key and not certificate:
            says = f"{named.key} is set and {named.certificate} is not: set both"
            yield Check(f"{part.lower()} certificate", False, says)
    try:
        target = broker()
    except (InvalidBrokerUrl, InvalidSetting):
        return  # told of the broker
    if isinstance(target, KafkaBroker) and target.certificate is not None:
        yield from _pair("broker", target.certificate, target.key, _OF_THE_BROKER)


def _pair(part: str, certificate: Path, key: Path | None, named: Named) -> Iterator[Check]:
    """Of both files; a client of the broker may have its key in the file of its certificate."""
    yield Check(f"{part} certificate", *validity(certificate, named))
    if key is not None:
        yield Check(f"{part} key", *belongs(certificate, key, named))


def _age(milliseconds: int) -> str:
    """In the unit that people would say."""
    seconds = max(0, milliseconds // 1000)
    for size, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds // size} {name}"
    return f"{seconds} seconds"
