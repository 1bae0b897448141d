"""Asking and inserting leave nothing behind that only a search for cycles would find."""

import gc

from store.connect import Store


def test_a_statement_leaves_no_cycles_behind(store: Store) -> None:
    store.query("CREATE TABLE cycles (name LowCardinality(String), amounts Array(Nullable(Int64))) ENGINE = Memory")
    gc.collect()
    gc.disable()
    try:
        store.insert("cycles", {"name": ["a", "b"], "amounts": [[1, None], []]}, "token")
        assert store.query("SELECT name, amounts FROM cycles") == [("a", [1, None]), ("b", [])]
        left = gc.collect()
    finally:
        gc.enable()
    assert left == 0
