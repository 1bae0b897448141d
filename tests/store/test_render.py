"""The same migrations for one server and for a cluster, as the engine's own parser reads them."""

import re

import pytest

from store.connect import Store
from store.migrate import migrations
from store.render import SchemaSettings, statements

_CLUSTER = SchemaSettings(years=7, cluster="casino")


def _parsed(store: Store, statement: str) -> str:
    """The statement as ClickHouse reads and prints it."""
    rows = store.in_database("default").query("SELECT formatQuery(%(statement)s)", {"statement": statement})
    return str(rows[0][0])


@pytest.mark.parametrize("migration", migrations(), ids=str)
def test_a_cluster_gets_replicated_and_distributed_tables(empty_store: Store, migration: object) -> None:
    from store.migrate import Migration

    assert isinstance(migration, Migration)
    parsed = [_parsed(empty_store, statement) for statement in statements(migration.sql, _CLUSTER)]
    local, distributed, altered = set(), set(), set()
    for statement in parsed:
        if statement.startswith("INSERT INTO"):
            continue
        if changed := re.match(r"ALTER TABLE (\w+) ON CLUSTER casino\b", statement):
            altered.add(changed[1])
            continue
        found = re.match(r"CREATE (TABLE|VIEW|MATERIALIZED VIEW) IF NOT EXISTS (\w+) ON CLUSTER casino\b", statement)
        assert found, statement
        engine = re.search(r"ENGINE = (\w+)\(", statement)
        if found[1] == "TABLE":
            assert engine
            if engine[1] == "Distributed":
                distributed.add(found[2])
                assert re.search(rf"Distributed\(casino, currentDatabase\(\), {found[2]}_local, .+\)", statement)
            else:
                local.add(found[2])
                assert re.fullmatch(r"Replicated(Replacing|Aggregating)MergeTree", engine[1])
                assert "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'" in statement
        if found[1] == "MATERIALIZED VIEW":
            assert re.search(r"TO \w+_local\b", statement)
            assert re.search(r"FROM \w+_local\b", statement)
    assert local == {f"{name}_local" for name in distributed}
    assert all(name.endswith("_local") for name in altered), "a distributed table keeps no rows"
    assert local or altered


def test_a_cluster_keeps_its_rows_for_the_years_of_the_setting() -> None:
    rendered = [statement for migration in migrations() for statement in statements(migration.sql, _CLUSTER)]
    with_ttl = [statement for statement in rendered if "TTL" in statement]
    assert with_ttl
    assert all("INTERVAL 7 YEAR" in statement for statement in with_ttl)


def test_one_server_gets_plain_tables(empty_store: Store) -> None:
    rendered = [statement for migration in migrations() for statement in statements(migration.sql, SchemaSettings())]
    assert rendered
    for statement in rendered:
        assert _parsed(empty_store, statement)
        assert not re.search(r"CLUSTER|Replicated|Distributed|_local\b|\$", statement)


def test_an_unknown_mark_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\$nonsense"):
        statements("CREATE TABLE t $nonsense (a Int32) ENGINE = Memory;", SchemaSettings())


@pytest.mark.parametrize("name", ["", "a`b", "a b", "a'; DROP TABLE x"])
def test_a_cluster_name_cannot_smuggle_sql(name: str) -> None:
    with pytest.raises(ValueError, match="no name of a cluster"):
        SchemaSettings(cluster=name)


def test_a_feed_takes_what_was_stored_before_it() -> None:
    sql = "$feed(totals, bets)\nSELECT table, count() AS bets FROM $source GROUP BY table;\n"
    view, backfill = statements(sql, _CLUSTER)
    assert "totals_feed ON CLUSTER `casino` TO totals_local" in view
    assert "FROM bets_local" in view
    assert backfill.startswith("INSERT INTO totals\n")
    assert "FROM bets " in backfill
