"""Columns of few different values and of times come back as they were, however many there are."""

from datetime import UTC, datetime
from typing import Any

import pytest

from store.connect import Store


@pytest.mark.parametrize("different", [0, 1, 2, 255, 256, 257, 65_536, 65_537])
def test_a_column_of_few_values_is_stored_as_it_is(own_store: Store, different: int) -> None:
    own_store.command(
        "CREATE TABLE kinds (place UInt32, kind LowCardinality(String), several Array(LowCardinality(String)),"
        " known LowCardinality(Nullable(String)), number LowCardinality(UInt64)) ENGINE = MergeTree ORDER BY place",
        settings={"allow_suspicious_low_cardinality_types": 1},
    )
    count = 2 * different + 3
    kinds = [f"kind {place % different}" if different else "" for place in range(count)]
    columns: dict[str, list[Any]] = {
        "place": list(range(count)),
        "kind": kinds,
        "several": [[kind, "", kind] if place % 3 else [] for place, kind in enumerate(kinds)],
        "known": [None if place % 2 else kind for place, kind in enumerate(kinds)],
        "number": [place % different if different else 7 for place in range(count)],
    }
    own_store.insert("kinds", {name: list(values) for name, values in columns.items()})
    found = own_store.columns("SELECT place, kind, several, known, number FROM kinds ORDER BY place")
    assert [list(column) for column in found] == list(columns.values())
    assert own_store.query("SELECT uniqExact(kind) FROM kinds") == [(max(different, 1),)]


def test_a_column_of_empty_lists_of_few_values_is_stored(own_store: Store) -> None:
    own_store.command("CREATE TABLE lists (several Array(LowCardinality(String))) ENGINE = Memory")
    own_store.insert("lists", {"several": [[], []]})
    assert own_store.query("SELECT several FROM lists") == [([],), ([],)]


def test_times_are_stored_as_ticks_as_moments_and_as_none(own_store: Store) -> None:
    own_store.command(
        "CREATE TABLE times (place UInt8, tick DateTime64(3, 'UTC'), perhaps Nullable(DateTime64(6, 'UTC')))"
        " ENGINE = MergeTree ORDER BY place"
    )
    moment = datetime(2026, 3, 1, 4, 5, 6, 789_000, UTC)
    own_store.insert("times", {"place": [1, 2], "tick": [1_772_337_906_789, -1], "perhaps": [None, 1]})
    own_store.insert("times", {"place": [3], "tick": [moment], "perhaps": [moment]})
    ticks = own_store.query(
        "SELECT toUnixTimestamp64Milli(tick), toUnixTimestamp64Micro(perhaps) FROM times ORDER BY place"
    )
    assert ticks == [(1_772_337_906_789, None), (-1, 1), (1_772_337_906_789, 1_772_337_906_789_000)]
