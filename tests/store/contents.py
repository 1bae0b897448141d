"""All that anyone reads of a store, as plain values that can be compared."""

from typing import Any

from store.connect import Store

_TABLES = (
    "records",
    "events",
    "rejected",
    "verdicts",
    "rounds",
    "round_figures",
    "findings",
    "alerts",
    "alert_steps",
    "leaves",
    "checkpoints",
    "tree_nodes",
    "signing_keys",
    "access_log",
    "shoes",
    "wager_odds",
    "wager_covariances",
)
_VIEWS = ("bets", "table_minutes", "finding_minutes", "shoe_ledger")
_SUMMED_UP = {
    "alert_states": "SELECT alert, argMaxMerge(state), argMaxMerge(disposition), max(changed), min(acknowledged),"
    " max(resolved) FROM alert_states GROUP BY alert",
    "source_hours": "SELECT table, source, hour, min(first_sequence), max(last_sequence), max(last_time),"
    " max(last_arrival), min(fastest_ms), max(slowest_ms) FROM source_hours GROUP BY table, source, hour",
    "round_spans": "SELECT partition, table, shoe, round, min(first_time), max(last_time), max(last_arrival),"
    " max(closed) FROM round_spans GROUP BY partition, table, shoe, round",
    "player_rounds": "SELECT DISTINCT player, day, table, shoe, round FROM player_rounds",
}


def contents(store: Store, *, without: tuple[str, ...] = ()) -> dict[str, list[Any]]:
    """Every row of every table and view in its last state."""
    queries = {name: f"SELECT * FROM {name} FINAL" for name in _TABLES}
    queries |= {name: f"SELECT * FROM {name}" for name in _VIEWS}
    queries |= _SUMMED_UP
    found = {}
    for name, query in queries.items():
        if name not in without:
            columns = store.columns(query, as_bytes=True)
            found[name] = sorted(zip(*columns, strict=True), key=repr)
    return found


def merge_all(store: Store) -> None:
    """Lets the engine do now what it would do in the background: merge, and collapse what came twice."""
    rows = store.query("SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'")
    for (name,) in rows:
        store.command(f"OPTIMIZE TABLE `{name}` FINAL")
