"""JSON in bytes that take no more room than they need."""

import tracemalloc
from decimal import Decimal

import orjson
import pytest

from schemas.findings import finding_json
from schemas.written import written
from tests.store.floor import finding


@pytest.mark.parametrize("length", [0, 100, 3_000])
def test_it_is_what_orjson_writes(length: int) -> None:
    value = {"a": ["x" * length, 1, None]}
    assert written(value) == orjson.dumps(value)
    assert written(Decimal(1), str) == b'"1"'


def test_a_finding_that_is_held_takes_the_room_of_its_length() -> None:
    found = finding("payout-wrong", "BT1")
    tracemalloc.start()
    try:
        held = [finding_json(found) for _ in range(100)]
        # Without what threads of tests before this one take meanwhile.
        here = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, "*/schemas/*")])
    finally:
        tracemalloc.stop()
    taken = sum(trace.size for trace in here.traces)
    assert taken > 100 * len(held[0])
    assert taken < 100 * 2 * len(held[0])
