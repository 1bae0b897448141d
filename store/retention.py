"""How long rows are kept: one setting, applied to every table that has a time to live, and written down.

Every such table has a column ``held``; its time to live counts ``$years`` years and spares what is held.
"""

import re
import time

from store.connect import Store
from store.errors import RetentionWouldShrink
from store.render import SchemaSettings

_TTL = re.compile(r"\bTTL (.+? WHERE held = 0)(?= SETTINGS|$)")
_YEARS = re.compile(r"toIntervalYear\((\d+)\)")


def retained_tables(store: Store) -> dict[str, str]:
    """The tables with a time to live, and its expression as the engine prints it."""
    found: dict[str, str] = {}
    rows = store.query("SELECT name, engine_full FROM system.tables WHERE database = currentDatabase() ORDER BY name")
    for name, engine in rows:
        if (ttl := _TTL.search(engine)) and _YEARS.search(ttl[1]):
            found[name] = ttl[1]
    return found


def apply_retention(store: Store, settings: SchemaSettings, by: str, *, shorten: bool = False) -> list[str]:
    """Gives every table the years of the setting; gives back the tables that had others.

    Fewer years than before would delete rows that were to be kept: that has to be said expressly.
    """
    before = retention_years(store)
    wanted = retention_statements(store, settings, shorten=shorten)
    for statement in wanted.values():
        store.command(statement)
    if before != settings.years and _there(store, "retentions"):
        store.insert("retentions", {"at": [time.time_ns() // 1_000_000], "years": [settings.years], "by": [by]})
    return list(wanted)


def retention_statements(store: Store, settings: SchemaSettings, *, shorten: bool = False) -> dict[str, str]:
    """What is sent to each table that has other years than the setting; refused where fewer would be kept and that was
    not said expressly."""
    before = retention_years(store)
    if before is not None and settings.years < before and not shorten:
        raise RetentionWouldShrink(
            f"the store keeps rows for {before} years; {settings.years} would delete what is older. Set the retention"
            f" to {before}, or run: tablewatch store migrate --shorten-retention"
        )
    on_cluster = "" if settings.cluster is None else f"ON CLUSTER `{settings.cluster}`"
    found: dict[str, str] = {}
    for table, ttl in retained_tables(store).items():
        if {int(number) for number in _YEARS.findall(ttl)} != {settings.years}:
            wanted = _YEARS.sub(f"toIntervalYear({settings.years})", ttl)
            found[table] = f"ALTER TABLE `{table}` {on_cluster} MODIFY TTL {wanted}"
    return found


def rows_past(store: Store, years: int) -> dict[str, int]:
    """By table: how many rows the engine would take out if they were kept for so many years, where it is any."""
    found: dict[str, int] = {}
    for table, ttl in retained_tables(store).items():
        over, _, condition = _YEARS.sub(f"toIntervalYear({years})", ttl).rpartition(" WHERE ")
        ((rows,),) = store.query(f"SELECT count() FROM `{table}` WHERE {condition} AND {over} < now()")
        if rows:
            found[table] = int(rows)
    return found


def retention_years(store: Store) -> int | None:
    """The retention last written down; None before the first."""
    if not _there(store, "retentions"):
        return None
    rows = store.query("SELECT years FROM retentions ORDER BY at DESC LIMIT 1")
    return int(rows[0][0]) if rows else None


def _there(store: Store, table: str) -> bool:
    return bool(
        store.query(
            "SELECT 1 FROM system.tables WHERE database = currentDatabase() AND name = %(table)s", {"table": table}
        )
    )
