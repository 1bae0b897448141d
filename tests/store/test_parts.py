"""A round is looked for in the parts that hold its shoe, and found in whichever of them it is."""

import random
import time
from collections import defaultdict

from store.connect import Store
from store.migrate import migrate, migrations
from store.read.events import round_events
from store.read.rounds import revisions, verdict
from store.rows.verdicts import JudgedRound, RoundKey
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from tests.store.floor import ARRIVAL, LONG, Table, everything, judged, packed

_PATIENCE = 120.0
_SHOES = [
    "",
    "S1",
    "s1",
    "S 1",
    "S10",
    "Ü\u00e9",
    "靴",
    "'",
    "\\",
    "x" * 300,
    *(f"S{number:06d}" for number in range(40)),
]
_BEFORE_THE_INDEX = 9


def _evenings(chance: random.Random) -> list[list[JudgedRound]]:
    """Batches in which the shoes of several tables go up, some rounds are revised and some batches come again."""
    batches = []
    at = ARRIVAL
    for evening in range(8):
        batch = []
        for table in ("BT1", "BT2", "BT3"):
            for shoe in chance.sample(_SHOES, 4):
                for number in chance.sample(range(1, 12), 3):
                    at += 1
                    batch.append(judged(table, shoe, number, chance.choice((1, 1, 1, 2)), at=at))
        batches.append(batch)
        if evening % 3 == 2:
            batches.append(chance.choice(batches))
    return batches


def _counting(batches: list[list[JudgedRound]]) -> dict[RoundKey, dict[int, int]]:
    """By round and revision, when it was judged first: what a plain look through all of them finds."""
    found: dict[RoundKey, dict[int, int]] = defaultdict(dict)
    for each in (each for batch in batches for each in batch):
        of_round = found[each.key]
        of_round[each.verdict.revision] = min(each.judged, of_round.get(each.verdict.revision, each.judged))
    return found


def _looked_into(store: Store, table: str, key: RoundKey) -> tuple[int, int]:
    """In how many parts the engine means to look for a round, and how many there are."""
    ((_, _, parts, _, _),) = store.query(
        f"EXPLAIN ESTIMATE SELECT shoe FROM {table} WHERE table = '{key.table}' AND shoe = '{key.shoe}'"
        f" AND round = {key.round}"
    )
    ((there,),) = store.query(
        "SELECT count() FROM system.parts WHERE active AND database = currentDatabase() AND table = %(table)s",
        {"table": table},
    )
    return parts, there


def _indexed(store: Store) -> None:
    """Waits until what was stored before has got its index."""
    until = time.monotonic() + _PATIENCE
    while store.query("SELECT 1 FROM system.mutations WHERE database = currentDatabase() AND NOT is_done LIMIT 1"):
        assert time.monotonic() < until, "the index is not made"
        time.sleep(0.1)


def test_every_round_is_found_with_its_revisions_in_whichever_part_it_is(own_store: Store) -> None:
    store = own_store
    batches = _evenings(random.Random(11))
    for batch in batches:
        write_verdicts(store, batch)
    expected = _counting(batches)
    tables, chance = ("BT1", "BT2", "BT3"), random.Random(12)
    others = [RoundKey(table, shoe, chance.randrange(1, 12)) for table in tables for shoe in chance.sample(_SHOES, 15)]
    assert set(others) - expected.keys()
    for key in {*others, *expected}:
        found = {each.revision: each.judged for each in revisions(store, key)}
        assert found == expected.get(key, {}), key
    for key, of_round in expected.items():
        last = verdict(store, key)
        assert last is not None
        assert (last.revision, last.judged) == (max(of_round), of_round[max(of_round)])


def test_only_the_part_with_the_shoe_is_looked_into(own_store: Store) -> None:
    store = own_store
    store.command("SYSTEM STOP MERGES verdicts")
    store.command("SYSTEM STOP MERGES events")
    tables = [Table(name) for name in ("BT1", "BT2", "BT3")]
    for number in range(1, 7):
        for table in tables:
            table.play(f"S{number}", number)
        write_verdicts(store, [judged(table.name, f"S{number}", number, at=ARRIVAL + number) for table in tables])
    records = packed(everything(tables), per_record=3)
    for first in range(0, len(records), 10):
        write_records(store, records[first : first + 10])
    key = RoundKey("BT2", "S4", 4)
    holding = {"verdicts": 1, "events": store.query("SELECT uniq(_part) FROM events WHERE shoe = 'S4'")[0][0]}
    for name, parts in holding.items():
        looked_into, there = _looked_into(store, name, key)
        assert 0 < looked_into <= parts < there, name
    assert verdict(store, key) is not None
    assert len(round_events(store, "BT2", "S4", 4)) == 12


def test_what_was_stored_before_the_index_gets_it_and_is_found(empty_store: Store) -> None:
    store = empty_store
    migrate(store, LONG, upto=_BEFORE_THE_INDEX)
    store.command("SYSTEM STOP MERGES verdicts")
    for number in range(1, 7):
        write_verdicts(store, [judged(table, f"S{number}", number, at=ARRIVAL + number) for table in ("BT1", "BT2")])
    store.command("SYSTEM START MERGES verdicts")
    key = RoundKey("BT1", "S3", 3)
    before = verdict(store, key)
    assert before is not None
    assert [each.number for each in migrate(store, LONG)] == [
        each.number for each in migrations() if each.number > _BEFORE_THE_INDEX
    ]
    assert verdict(store, key) == before, "while it is being made"
    _indexed(store)
    parts, _ = _looked_into(store, "verdicts", key)
    assert parts == 1
    assert verdict(store, key) == before
