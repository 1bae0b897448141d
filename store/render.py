"""Turns a migration into statements: for one server, or for a cluster with replicated and distributed tables.

A migration is ClickHouse's own SQL with these marks, and no others:

``$years``
    the years that rows are kept
``$on_cluster``
    nothing, or ``ON CLUSTER`` and its name
``$local``
    nothing, or the ending of the table that each shard keeps for itself
``$engine(ReplacingMergeTree, version)``
    the engine, or its replicated form
``$distributed(name, sharding key);``
    nothing, or the distributed table of that name over its local ones
``$feed(target, source)`` and a SELECT ``FROM $source``
    a materialized view from source to target, and the same SELECT once over what is stored already
"""

import re
from dataclasses import dataclass

LEAST_YEARS = 5
"""Records are kept for five years and more; no setting goes below."""


@dataclass(frozen=True, slots=True)
class SchemaSettings:
    """All that may differ between two stores of the same schema."""

    years: int = LEAST_YEARS
    """How long rows are kept, from their arrival."""
    cluster: str | None = None
    """Name of the ClickHouse cluster, or None for one server."""

    def __post_init__(self) -> None:
        if self.years < LEAST_YEARS:
            raise ValueError(f"rows are kept for at least {LEAST_YEARS} years, not {self.years}")
        if self.cluster is not None and not re.fullmatch(r"[A-Za-z0-9_.-]+", self.cluster):
            raise ValueError(f"{self.cluster!r} is no name of a cluster")


_FEED = re.compile(r"\A\$feed\((\w+), (\w+)\)\s+(SELECT\b.*)\Z", re.DOTALL)
_DISTRIBUTED = re.compile(r"\A\$distributed\((\w+), (.+)\)\Z", re.DOTALL)
_ENGINE = re.compile(r"\$engine\((\w+)(?:, (\w+))?\)")
_MARK = re.compile(r"\$\w+")

# A backfill may group more than fits into memory; it goes to disk beyond this.
_BACKFILL = "\nSETTINGS max_bytes_before_external_group_by = 1000000000"


def statements(sql: str, settings: SchemaSettings) -> list[str]:
    """The statements of one migration, in their order, ready to be sent."""
    bare = re.sub(r"^--.*\n", "", sql, flags=re.MULTILINE)
    rendered: list[str] = []
    for piece in re.split(r";[ \t]*$", bare, flags=re.MULTILINE):
        statement = piece.strip()
        if not statement:
            continue
        if feed := _FEED.match(statement):
            rendered += _feed(feed[1], feed[2], feed[3], settings)
        elif distributed := _DISTRIBUTED.match(statement):
            if settings.cluster is not None:
                rendered.append(_distributed(distributed[1], distributed[2], settings.cluster))
        else:
            rendered.append(_plain(statement, settings))
    for statement in rendered:
        if mark := _MARK.search(statement):
            raise ValueError(f"{mark[0]} is no mark of a migration")
    return rendered


def _plain(statement: str, settings: SchemaSettings) -> str:
    on_cluster = "" if settings.cluster is None else f"ON CLUSTER `{settings.cluster}`"
    local = "" if settings.cluster is None else "_local"
    statement = _ENGINE.sub(lambda match: _engine(match[1], match[2], settings), statement)
    statement = statement.replace("$years", str(settings.years)).replace("$local", local)
    return statement.replace(" $on_cluster", f" {on_cluster}" if on_cluster else "")


def _engine(name: str, version: str | None, settings: SchemaSettings) -> str:
    if settings.cluster is None:
        return f"{name}({version})" if version else name
    arguments = ["'/clickhouse/tables/{shard}/{database}/{table}'", "'{replica}'", *([version] if version else [])]
    return f"Replicated{name}({', '.join(arguments)})"


def _distributed(name: str, key: str, cluster: str) -> str:
    return (
        f"CREATE TABLE IF NOT EXISTS {name} ON CLUSTER `{cluster}` AS {name}_local\n"
        f"ENGINE = Distributed(`{cluster}`, currentDatabase(), {name}_local, {key})"
    )


def _feed(target: str, source: str, select: str, settings: SchemaSettings) -> list[str]:
    """The view is there before the old rows are taken, so that no row falls between; what comes by both is one row."""
    view = f"CREATE MATERIALIZED VIEW IF NOT EXISTS {target}_feed $on_cluster TO {target}$local AS\n"
    return [
        _plain(view + select.replace("$source", f"{source}$local"), settings),
        f"INSERT INTO {target}\n" + select.replace("$source", source) + _BACKFILL,
    ]
