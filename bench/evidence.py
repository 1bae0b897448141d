"""How do sealing and proving grow with what was sealed before?

python -m bench.evidence [--checkpoints 10000 100000] [--times 9]

A few real rounds are sealed, then leaves of records that were never there, ten under each checkpoint, signed and linked
as the sealer does it, and then a few real rounds again. A sealer that signs every ten seconds makes 8,640 checkpoints a
day, three million a year.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from audit.merkle import Frontier, link_hash
from bench.page.figures import tell
from replay.chain.keys import KeyRing
from replay.chain.note import TREE, heads_digest, sign
from replay.chain.prove import NotSealed, consistency_json, prove_round
from replay.chain.published import CheckpointFile
from replay.chain.seal import Sealer
from replay.chain.tree import KEPT_LEVEL, StoredTree
from replay.rounds import load_round
from simulator.floor import simulate
from store.connect import Store, connect
from store.embedded.process import EmbeddedClickHouse
from store.migrate import migrate
from store.read.proof import chain_heads
from store.render import SchemaSettings
from store.rows.proof import AccessEntry, Checkpoint, Leaf, TreeNode
from store.rows.raw import RecordKey
from store.rows.verdicts import RoundKey
from store.write.proof import write_access, write_checkpoints, write_leaves, write_nodes
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from tablewatch.commands.chain import hand_out
from tests.replay.stored import judged, packed

_TABLES, _OF_EACH = 200, 10
_EVERY_MS = 10_000
_AT_ONCE = 50_000


def main() -> None:
    """Fill the store further and further, and ask the same at each step."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--checkpoints", type=int, nargs="+", default=[10_000, 100_000])
    options.add_argument("--times", type=int, default=9)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder, EmbeddedClickHouse(Path(folder) / "clickhouse") as server:
        store = connect(server.url).in_database("sealed")
        migrate(store, SchemaSettings(years=50))
        ring = KeyRing(Path(folder) / "keys")
        ring.make("bench")
        old = _rounds(store, 1)
        first = Sealer(store, ring, _now).seal()
        assert first is not None
        last, made = first, 1
        for step, upto in enumerate(asked.checkpoints, 2):
            last = _years(store, ring, last, upto - made)
            made = upto
            young = _rounds(store, step)
            last = _ask(store, ring, Path(folder) / f"{upto}.txt", upto, asked.times, old, young, first)


def _ask(
    store: Store, ring: KeyRing, file: Path, at: int, times: int, old: RoundKey, young: RoundKey, first: Checkpoint
) -> Checkpoint:
    """Gives the last checkpoint by then."""

    def middle(name: str, work: Callable[[], object], turns: int = times) -> None:
        taken = []
        for _ in range(turns):
            began = time.perf_counter()
            work()
            taken.append((time.perf_counter() - began) * 1000)
        tell(name, median(taken), "ms", at=at, turns=taken)

    def not_sealed() -> None:
        with suppress(NotSealed):
            prove_round(store, young, _places(store, young))
            raise AssertionError("nothing has sealed it")

    middle("the answer that a round is not sealed yet, median", not_sealed)
    kept = CheckpointFile(file)
    hand_out(store, kept, [])
    middle("a sealer's start that reads everything, median", lambda: Sealer(store, ring, _now), 3)
    sealer = Sealer(store, ring, _now)
    held = sealer.in_hand
    middle("a sealer's start, median", lambda: Sealer(store, ring, _now, before=held), 3)

    def look() -> None:
        entry = AccessEntry(id=f"{time.time_ns()}", at=time.time_ns() // 1000, who="bench", role="", action="look")
        write_access(store, [entry])
        assert sealer.seal() is not None
        hand_out(store, kept, [])

    look()
    middle("a look of the sealer, median", look)
    middle("a proof of a round of long ago, median", lambda: prove_round(store, old, _places(store, old)))
    middle("a proof of a round of now, median", lambda: prove_round(store, young, _places(store, young)))
    middle("that the last checkpoint continues an old one, median", lambda: consistency_json(store, first))
    assert sealer.last is not None
    return sealer.last


def _rounds(store: Store, seed: int) -> RoundKey:
    """A few real rounds of a table of their own, of now; the name of the first."""
    lines = [
        line.replace(b"EB01", f"EB{seed:02}".encode())
        for line in simulate(
            tables=1, rounds=3, seed=1, games=["tiger"], start=datetime.now(UTC) - timedelta(minutes=5)
        )
    ]
    now = _now()
    found = [replace(each, judged=now) for each in judged(lines)]
    write_verdicts(store, found)
    write_records(store, [replace(each, offset=each.offset + 1_000 * seed, arrival=now) for each in packed(lines)])
    return found[0].key


def _years(store: Store, ring: KeyRing, last: Checkpoint, count: int) -> Checkpoint:
    """So many checkpoints, ten seconds apart, over leaves of records that were never there."""
    chance = random.Random(last.size)
    edge, heads = Frontier.at(last.size, StoredTree(store, TREE)), chain_heads(store, TREE)
    private = ring.current()[1]
    leaves: list[Leaf] = []
    nodes: list[TreeNode] = []
    signed: list[Checkpoint] = []
    ends = _now() - 3_600_000

    def write() -> None:
        for month in sorted({time.gmtime(leaf.at / 1000)[:2] for leaf in leaves}):
            write_leaves(store, [leaf for leaf in leaves if time.gmtime(leaf.at / 1000)[:2] == month])
        write_nodes(store, TREE, nodes)
        write_checkpoints(store, signed)
        leaves.clear()
        nodes.clear()
        signed.clear()

    for number in range(count):
        at = ends - (count - number) * _EVERY_MS
        for place in range(_OF_EACH):
            table, leaf = f"F{chance.randrange(_TABLES)}", chance.randbytes(32)
            heads[table] = link_hash(heads.get(table, bytes(32)), leaf)
            key = f"table.bets/99/{last.size + place}"
            leaves.append(
                Leaf(tree=TREE, position=edge.size, leaf=leaf, kind="record", key=key, at=at, table=table,
                     chain=heads[table])
            )  # fmt: skip
            nodes += [TreeNode(*each) for each in edge.add(leaf) if each[0] >= KEPT_LEVEL]
        last = sign(private, TREE, edge.size, edge.root(), at, heads_digest(heads), last)
        signed.append(last)
        if len(leaves) >= _AT_ONCE:
            write()
    write()
    return last


def _places(store: Store, key: RoundKey) -> list[RecordKey]:
    return [event.key for event in load_round(store, key).events]


def _now() -> int:
    return time.time_ns() // 1_000_000


if __name__ == "__main__":
    main()
