"""What is asked of several tables from a time of each table's own, one of them from its very beginning."""

from simulator.floor import simulate
from store.connect import Store
from store.read.folding import findings_since, heard_since, refused_since, verdicts_since
from store.read.stretches import sequences_between
from tests.streams.stored import Floor

LATE = 4_102_444_800_000_000
"""Beyond all that is played."""


def _stored(store: Store) -> list[str]:
    lines = list(simulate(2, 3, 5, faults=1.0))
    Floor().store(store, lines)
    return sorted({line.split(b'"subject":"')[1].split(b'"')[0].decode() for line in lines})


def test_sequences_are_found_where_one_table_is_asked_of_from_its_beginning(store: Store) -> None:
    first, second = _stored(store)
    both = sequences_between(store, {first: (0, LATE), second: (0, LATE)})
    assert both[first] and both[second]
    assert sequences_between(store, {first: (0, LATE), second: (LATE - 1, LATE)}) == {first: both[first]}
    assert sequences_between(store, {first: (LATE - 1, LATE), second: (0, LATE)}) == {second: both[second]}


def test_what_a_worker_reads_again_is_found_where_one_table_is_read_from_its_beginning(store: Store) -> None:
    first, second = _stored(store)
    heard = heard_since(store, {first: 0, second: LATE})
    assert heard[first].firsts and not heard[second].firsts
    assert findings_since(store, {first: 0, second: LATE}).keys() == {first}
    assert {table for table, _ in verdicts_since(store, {first: 0, second: LATE // 1_000})} == {first}
    assert refused_since(store, {first: 0, second: LATE // 1_000}) == {}
