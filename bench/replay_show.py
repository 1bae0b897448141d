"""How long `replay show` of one round takes in a full store: ``python -m bench.replay_show [--millions 2]``.

    python -m bench.replay_show                                   two million events, a short run
    python -m bench.replay_show --millions 50 --folder /big/dir   fills the folder once, and measures again later

The store is the one of bench/store_queries.py; some of its rounds get a configuration, a shoe and a judge's verdict.
Each of these is then loaded, told as a story and drawn at 140 columns, and the look is written to the access log, as
the command does it; starting Python is not part of it. What counts is time on the processor, here and in the store's
process, so that a busy machine does not change it; the clock is beside it. Prints JSON; exits with 1 if it is
over the bar.
"""

import argparse
import io
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import orjson
from rich.console import Console

from audit.context import RoundContext
from audit.facts import Fact
from audit.judge import JUDGE_VERSION, judge
from audit.settings import JudgeSettings
from bench.page.figures import tell
from bench.store_queries import TABLES, fill
from bench.verify import spent_by
from replay.custody import note_access
from replay.rounds import load_round
from replay.story import facts_of
from schemas.decoding import decode_record
from schemas.time import micros
from store.connect import Store, connect
from store.embedded.process import EmbeddedClickHouse
from store.read.events import round_events
from store.rows.raw import Record
from store.rows.verdicts import JudgedRound, RoundKey
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from tablewatch.commands.replay_paper import print_story

BAR_MS = 100.0
"""With 50 million events stored."""
ROUNDS = 40
_LIMITS = {wager: {"min": 100, "max": 10_000_000} for wager in ("player", "banker", "tie")}
_SETUP = {
    "game": "no_commission", "currency": "SGD", "area": "main", "positions": 9, "max_wagers_per_area": None,
    "differential_limit": None, "limits": _LIMITS, "pit": "P1",
}  # fmt: skip
_BEFORE = "2025-12-31T23:00:00Z"


def _said(table: str, device: str, kind: str, sequence: int, data: dict[str, Any]) -> dict[str, Any]:
    source = f"/tables/{table}/{device}"
    return {
        "specversion": "1.0", "id": f"{table} {kind} {sequence}", "source": source, "type": kind, "subject": table,
        "time": _BEFORE, "sequence": sequence, "data": data,
    }  # fmt: skip


def prepare(store: Store, keys: list[RoundKey]) -> None:
    """A configuration, a loading and a verdict for each of these rounds."""
    said: list[tuple[str, dict[str, Any]]] = []
    for number, key in enumerate(keys):
        said.append(("table.floor", _said(key.table, "desk", "table.configured.v1", number, _SETUP)))
        loaded = {"shoe": key.shoe, "decks": 8}
        said.append(("table.cards", _said(key.table, "loader", "shoe.loaded.v1", number, loaded)))
    records = []
    for offset, (topic, event) in enumerate(said):
        raw = orjson.dumps(event)
        records.append(Record(topic, 0, 10**12 + offset, 1_767_225_600_000, raw, decode_record(raw)))
    write_records(store, records)
    rounds = []
    for key, floor, cards in zip(keys, records[0::2], records[1::2], strict=True):
        facts = facts_of(stored.event for stored in round_events(store, key.table, key.shoe, key.round))
        configured, loading = (Fact.of(each.decoded.events[0], micros(_BEFORE)) for each in (floor, cards))
        context = RoundContext(key.table, key.shoe, key.round, configured, loading)
        verdict = judge(facts, context, JudgeSettings())
        rounds.append(
            JudgedRound(
                verdict=verdict,
                judge=str(JUDGE_VERSION),
                judged=1_767_225_600_000,
                opened=facts.ordered[0].at,
                ended=facts.ordered[-1].at,
                cards=(),
            )
        )
    store.command(
        "ALTER TABLE verdicts DELETE WHERE (table, shoe, round) IN %(keys)s",
        {"keys": tuple((key.table, key.shoe, key.round) for key in keys)},
        settings={"mutations_sync": 2},
    )
    write_verdicts(store, rounds)


def show(store: Store, key: RoundKey) -> int:
    """What the command does with one round."""
    found = load_round(store, key)
    note_access(store, "bench", "replay show", [key])
    story = found.story()
    paper = Console(file=io.StringIO(), width=140, force_terminal=True)
    print_story(paper, story)
    return len(story.moments)


def measure(store: Store, server: int) -> dict[str, Any]:
    """Shows the prepared rounds, each once, and then once more."""
    chance = random.Random(11)
    shoes = int(store.query("SELECT max(shoe) FROM rounds WHERE table = 'BT000'")[0][0][1:])
    keys = [
        RoundKey(f"BT{table:03d}", f"S{chance.randrange(max(shoes - 1, 1)) + 1:06d}", chance.randrange(1, 30))
        for table in chance.sample(range(TABLES), ROUNDS)
    ]
    prepare(store, keys)
    show(store, keys[0])
    spent = []
    here, there = time.process_time(), spent_by(server)
    for key in keys * 2:
        start = time.perf_counter()
        moments = show(store, key)
        spent.append((time.perf_counter() - start) * 1000)
        if moments < 20:
            raise SystemExit(f"{key} has {moments} moments: nothing was measured")
    on_processor = time.process_time() - here + spent_by(server) - there
    spent.sort()
    return {
        "events": store.query("SELECT count() FROM events")[0][0],
        "mean_ms_on_the_processor": round(on_processor * 1000 / len(spent), 1),
        "best": round(spent[0], 1),
        "median": round(spent[len(spent) // 2], 1),
        "90th of 100": round(spent[int(len(spent) * 0.9)], 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--millions", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=None, help="keeps the store there")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, EmbeddedClickHouse(asked.folder or Path(temporary)) as server:
        store = connect(server.url)
        if not store.query("SELECT count() FROM system.tables WHERE database = currentDatabase() AND name = 'events'")[
            0
        ][0]:
            fill(store, asked.millions)
        figures = measure(store, server.pid)
        store.close()
    events = figures.pop("events")
    on_processor = figures.pop("mean_ms_on_the_processor")
    told = tell("a round shown, on the processor", on_processor, "ms", at=events, at_most=BAR_MS)
    for name, value in figures.items():
        tell("a round shown, by the wall", value, "ms", of=name, at=events)
    return 0 if told.holds else 1


if __name__ == "__main__":
    sys.exit(main())
