"""Asking and inserting leave nothing behind that only a search for cycles would find."""

import gc
from typing import Final

from store.connect import Store

TIMES: Final = 50
"""The search looks through the whole process, and finds now and then what a thread of an earlier test left. What every
statement leaves is there as often as there were statements."""


def test_a_statement_leaves_no_cycles_behind(own_store: Store) -> None:
    own_store.query("CREATE TABLE cycles (name LowCardinality(String), amounts Array(Nullable(Int64))) ENGINE = Memory")
    gc.collect()
    gc.disable()
    try:
        for time in range(TIMES):
            own_store.insert("cycles", {"name": ["a", "b"], "amounts": [[1, None], []]}, f"token {time}")
            assert own_store.query("SELECT name, amounts FROM cycles LIMIT 2") == [("a", [1, None]), ("b", [])]
        left = gc.collect()
    finally:
        gc.enable()
    assert left < TIMES
