"""Are all of 10,000 random alterations of chained data found, and none blamed on the wrong row?

python -m bench.tamper [--alterations 10000] [--in-engine 100] [--seed 1]
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from bench.page.figures import tell
from replay.chain.exported import Exported, examine, export_rows
from replay.chain.keys import KeyRing
from replay.chain.seal import Sealer
from replay.chain.verify import verify_chain
from simulator.floor import simulate
from store.connect import Store, connect
from store.embedded.process import EmbeddedClickHouse
from store.migrate import migrate
from store.rows.proof import AccessEntry
from store.write.findings import write_findings
from store.write.proof import write_access
from tests.replay.alterations import altered
from tests.replay.evidence import LATER, ring_in
from tests.replay.stored import ARRIVAL, fill
from tests.store.floor import LONG, finding, state

_SEALED = ARRIVAL + 400 * 86_400_000


def main() -> int:
    """Run both halves and print what was missed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--alterations", type=int, default=10_000)
    options.add_argument("--in-engine", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder, EmbeddedClickHouse(Path(folder) / "clickhouse") as server:
        base = connect(server.url)
        small = base.in_database("exported")
        migrate(small, LONG)
        wrong = _exported(small, ring_in(Path(folder)), asked.alterations - asked.in_engine, asked.seed)
        large = base.in_database("altered")
        migrate(large, LONG)
        wrong += _in_engine(large, ring_in(Path(folder) / "second"), asked.in_engine, asked.seed)
        base.close()
    tell("alterations of the store", asked.alterations)
    tell("alterations not found, or blamed on another row", wrong, at_most=0)
    return 1 if wrong else 0


def _exported(store: Store, ring: KeyRing, count: int, seed: int) -> int:
    """Alterations of exported rows, one at a time."""
    fill(store, list(simulate(tables=6, rounds=8, seed=seed, faults=0.2)))
    write_findings(store, [state(finding("late-bet", f"BT{number}")) for number in range(6)])
    Sealer(store, ring, lambda: LATER - 60_000).seal()
    for number in range(3):
        at = LATER + number * 60_000
        write_access(store, [AccessEntry(id=f"x{number}", at=at * 1000, who="otto", role="", action="replay")])
        Sealer(store, ring, lambda at=at: at + 1_000).seal()  # type: ignore[misc]  # bound now: the loop goes on
    exported: Exported = export_rows(store)
    assert examine(exported) == []
    chance = random.Random(seed)
    done: Counter[str] = Counter()
    wrong = 0
    began = time.process_time()
    for _ in range(count):
        name, changed, said = altered(exported, chance)
        done[name] += 1
        found = {(each.what, each.kind, each.key) for each in examine(changed)}
        if found != said:
            wrong += 1
            print(f"{name}: {sorted(said - found)} not found, {sorted(found - said)} blamed", file=sys.stderr)
    took = time.process_time() - began
    print(f"{len(exported.rows)} exported rows, {len(exported.leaves)} leaves, {took:.1f} s of CPU: {dict(done)}")
    return wrong


def _in_engine(store: Store, ring: KeyRing, count: int, seed: int) -> int:
    """Alterations by statements in the engine, ten at a time, all of them found in one check."""
    fill(store, list(simulate(tables=10, rounds=12, seed=seed, faults=0.2)))
    Sealer(store, ring, lambda: _SEALED).seal()
    assert verify_chain(store).tampering == []
    chance = random.Random(seed)
    rounds = store.query("SELECT table, shoe, round, revision, lower(hex(digest)) FROM verdicts ORDER BY 1, 2, 3")
    records = store.query("SELECT topic, partition, offset FROM records ORDER BY 1, 2, 3")
    chance.shuffle(rounds)
    chance.shuffle(records)
    expected: set[tuple[str, str, str]] = set()
    wrong = 0
    for number in range(count):
        expected |= _alter(store, number, rounds, records)
        if number % 10 == 9 or number == count - 1:
            found = {(each.what, each.kind, each.key) for each in verify_chain(store).tampering}
            if found != expected:
                wrong += len(found ^ expected)
                print(f"{sorted(expected - found)} not found, {sorted(found - expected)} blamed", file=sys.stderr)
    print(f"{count} alterations in the engine, {len(expected)} rows touched")
    return wrong


def _alter(
    store: Store, number: int, rounds: list[tuple[object, ...]], records: list[tuple[object, ...]]
) -> set[tuple[str, str, str]]:
    """One statement, and what has to be said of it."""
    kind = number % 5
    if kind == 4:
        topic, partition, offset = records.pop()
        where = f"topic = '{topic}' AND partition = {partition} AND offset = {offset}"
        name = f"{topic}/{partition}/{offset}"
        if number % 2:
            _mutate(store, f"ALTER TABLE records UPDATE raw = concat(raw, ' ') WHERE {where}")
            return {("changed", "record", name)}
        _mutate(store, f"ALTER TABLE records DELETE WHERE {where}")
        return {("removed", "record", name)}
    table, shoe, round_, revision, digest = rounds.pop()
    where = f"table = '{table}' AND shoe = '{shoe}' AND round = {round_}"
    name = f"{table}/{shoe}/{round_}/{revision}"
    if kind == 0:
        _mutate(store, f"ALTER TABLE rounds UPDATE status = 'void', dealer = 'X' WHERE {where}")
        return {("changed", "round", name)}
    if kind == 1:
        _mutate(store, f"ALTER TABLE verdicts DELETE WHERE {where}")
        return {("removed", "verdict", f"{name}/{digest}")}
    if kind == 2:
        columns = "table, shoe, revision, digest, judge, judged, verdict, held"
        store.command(
            f"INSERT INTO verdicts (round, {columns}) SELECT round + 5000, {columns} FROM verdicts WHERE {where}"
        )
        return {("inserted", "verdict", f"{table}/{shoe}/{int(str(round_)) + 5000}/{revision}/{digest}")}
    columns = "table, shoe, revision, digest, judge, judged, verdict, held"
    store.command(f"INSERT INTO verdicts (round, {columns}) SELECT round + 7000, {columns} FROM verdicts WHERE {where}")
    _mutate(store, f"ALTER TABLE verdicts DELETE WHERE {where}")
    return {("moved", "verdict", f"{name}/{digest}")}


def _mutate(store: Store, sql: str) -> None:
    store.command(sql, settings={"mutations_sync": 2})


if __name__ == "__main__":
    sys.exit(main())
