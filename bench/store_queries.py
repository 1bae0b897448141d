"""How long the questions take that people ask of a full store: ``python -m bench.store_queries [--millions 50]``.

    python -m bench.store_queries                                   two million events, a short run
    python -m bench.store_queries --millions 50 --folder /big/dir    fills the folder once, and measures again later

The floor is made by the engine itself: 400 tables, 30 events a round, packed 100 to a record, so that the events of one
round lie in some sixteen records. Each question goes through the store's own reader and the wire.

The verdict of a round is asked for in both states that its month can be in, and has one bar in both.

- Several parts: the month that is still being written. A worker that has written for hours leaves a few parts of every
  size behind, as merging makes one of several that are about as large. So the month is laid out by the time of
  judgement: two parts of each size, the oldest the largest, every size a fourth of the one before, down to one round of
  each table. Merging rests while they are asked, so that there are as many at the end as at the beginning. The same is
  asked without the index of shoes, which is what it takes to look into every part.
- One part: the month of that floor is long over, and a day after its last row the engine makes one part of it. Here it
  need not wait for that day.
"""

import argparse
import itertools
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.page.figures import tell
from bench.verify import spent_by
from store.connect import Store, connect
from store.embedded.process import EmbeddedClickHouse
from store.migrate import migrate
from store.read.events import round_events, table_events
from store.read.figures import table_minutes
from store.read.players import player_bets
from store.read.rounds import verdict
from store.render import SchemaSettings
from store.rows.verdicts import RoundKey

BAR_MS = 10.0
"""One round by its key, with 50 million events stored."""
A_DAY = 86_400
"""Seconds that a month rests before the engine makes one part of it."""
OF_EACH_SIZE, TIMES_SMALLER, LAST_BATCH = 2, 4, 400
"""Parts of an open month: so many of each size, every size so much smaller, down to so many rows."""

TABLES, PARTITIONS, PACK, ROUNDS_OF_SHOE, EVENTS_OF_ROUND = 400, 8, 100, 70, 30
_KEPT = SchemaSettings(years=50)
_OF_PARTITION = TABLES // PARTITIONS
_STEPS = {
    "table.floor": [0, 12, 18, 29],
    "table.cards": [13, 14, 15, 16, 17],
    "table.bets": [*range(1, 12), *range(19, 29)],
}
_START, _ROUND_SECONDS = 1_767_225_600, 45
_CHUNK = 2_000_000
_CLOSED, _OPEN = "verdict of one round", "verdict of one round, its month in several parts"
_BESIDE = "verdicts_beside"
_STORED = "table, shoe, round, revision, digest, judge, judged, verdict, held"
_AS_ONE_PART = {
    "max_insert_block_size": 100_000_000,
    "min_insert_block_size_rows": 100_000_000,
    "min_insert_block_size_bytes": 100_000_000_000,
    "max_threads": 1,
    "insert_deduplicate": 0,
}

# One row per event: `idx` counts the events of one topic and partition, steps of a round side by side over the tables.
_EVENT = """
SELECT
    {partition} AS p, idx, intDiv(idx, {per}) AS rs, intDiv(rs, {steps_count}) AS r,
    {steps}[rs % {steps_count} + 1] AS step,
    (idx % {per}) * {partitions} + p AS t, concat('BT', leftPad(toString(t), 3, '0')) AS tab,
    concat('S', leftPad(toString(intDiv(r, {shoe}) + 1), 6, '0')) AS shoe, r % {shoe} + 1 AS round,
    cityHash64(t, r, step) AS h,
    multiIf(step = 0, 'round.opened.v1', step = 12, 'bets.closed.v1', step = 18, 'result.displayed.v1',
        step = 29, 'round.closed.v1', step BETWEEN 13 AND 17, 'card.drawn.v1', step < 12, 'bet.placed.v1',
        'bet.settled.v1') AS type,
    concat('/tables/', tab, '/', multiIf(step = 18, 'display', step IN (0, 12, 29), 'dealer', step BETWEEN 13 AND 17,
        'reader', 'rfid')) AS source,
    toInt64({start}) * 1000000 + toInt64(r) * {seconds} * 1000000 + step * 1400000 + h % 1000000 AS us,
    intDiv(idx, {pack}) AS offset, idx % {pack} AS place,
    concat(['A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K'][h % 13 + 1],
        ['S', 'H', 'D', 'C'][intDiv(h, 13) % 4 + 1]) AS dealt,
    multiIf(step = 0, ',"method":"A"', step IN (12, 29), '',
        step = 18, concat(',"winner":"banker","totals":{{"player":', toString(h % 10), ',"banker":', toString(h % 9),
            '}}'),
        step BETWEEN 13 AND 17, concat(',"draw":', toString(step - 12), ',"card":"', dealt, '"'),
        step < 12, concat(',"bet":"b', toString(step), '","position":', toString(step % 9 + 1), ',"player":"P',
            toString((t * 37 + step) % 20000 + 100000), '","wager":"', ['player', 'banker', 'tie'][h % 3 + 1],
            '","amount":', toString((h % 50 + 1) * 10000)),
        concat(',"bet":"b', toString(step - 18), '","paid":', toString(h % 2 * (h % 50) * 10000), ',"collected":',
            toString((h % 2 = 0) * (h % 50) * 10000))) AS said,
    concat('{{"specversion":"1.0","id":"', toString(reinterpretAsUUID(concat(reinterpretAsFixedString(h),
        reinterpretAsFixedString(cityHash64(h, 1))))), '","source":"', source, '","type":"', type, '","subject":"', tab,
        '","time":"', formatDateTime(fromUnixTimestamp64Micro(us, 'UTC'), '%Y-%m-%dT%H:%i:%S.%f'), 'Z","sequence":',
        toString(rs), ',"data":{{"shoe":"', shoe, '","round":', toString(round), said, '}}}}') AS json,
    fromUnixTimestamp64Milli(
        (toInt64({start}) + intDiv(offset * {pack}, {per} * {steps_count}) * {seconds}) * 1000 + 100, 'UTC') AS arrived
FROM (SELECT number + {first} AS idx FROM numbers({count}))
"""

_ROUND = """
SELECT
    number % {tables} AS t, intDiv(number, {tables}) AS r, concat('BT', leftPad(toString(t), 3, '0')) AS tab,
    concat('S', leftPad(toString(intDiv(r, {shoe}) + 1), 6, '0')) AS shoe, r % {shoe} + 1 AS round,
    SHA256(toString(number)) AS digest, toInt64({start}) + r * {seconds} AS s, range(1, 12) AS b
FROM numbers({first}, {count})
"""


def fill(store: Store, millions: int) -> None:
    """Makes a floor of so many million events, and the verdicts of its rounds."""
    migrate(store, _KEPT)
    rounds = millions * 1_000_000 // (TABLES * EVENTS_OF_ROUND) + 1
    for topic, steps in _STEPS.items():
        for partition in range(PARTITIONS):
            total = rounds * len(steps) * _OF_PARTITION // PACK * PACK
            for first in range(0, total, _CHUNK):
                _fill_events(store, topic, partition, first, min(_CHUNK, total - first))
    for first in range(0, rounds * TABLES, _CHUNK // 10):
        _fill_rounds(store, first, min(_CHUNK // 10, rounds * TABLES - first))


def _fill_events(store: Store, topic: str, partition: int, first: int, count: int) -> None:
    steps = _STEPS[topic]
    rows = _EVENT.format(
        partition=partition,
        partitions=PARTITIONS,
        per=_OF_PARTITION,
        steps=steps,
        steps_count=len(steps),
        shoe=ROUNDS_OF_SHOE,
        start=_START,
        seconds=_ROUND_SECONDS,
        pack=PACK,
        first=first,
        count=count,
    )
    store.command(
        "INSERT INTO events (table, shoe, round, type, log, topic, partition, offset, place, source, sequence, id_mark,"
        " time, arrival, draw, card) SELECT tab, shoe, round, type, '', '" + topic + "', p, offset, place, source, rs,"
        " h % 65536, fromUnixTimestamp64Micro(us, 'UTC'), arrived, if(type = 'card.drawn.v1', step - 12, 0),"
        f" if(type = 'card.drawn.v1', dealt, '') FROM ({rows})"
    )
    store.command(
        "INSERT INTO records (topic, partition, offset, arrival, events, rejected, raw) SELECT '"
        + topic
        + "', p, offset,"
        f" any(arrived), {PACK}, 0, concat('[', arrayStringConcat(arrayMap(each -> each.2,"
        f" arraySort(groupArray((place, json)))), ','), ']') FROM ({rows}) GROUP BY p, offset"
    )


def _fill_rounds(store: Store, first: int, count: int) -> None:
    rows = _ROUND.format(
        tables=TABLES, shoe=ROUNDS_OF_SHOE, start=_START, seconds=_ROUND_SECONDS, first=first, count=count
    )
    store.command(
        "INSERT INTO rounds (table, shoe, round, revision, digest, judged, opened, ended, game, status, cards, winner,"
        " bets.bet, bets.position, bets.player, bets.wager, bets.stake, bets.expected_paid, bets.expected_collected,"
        " bets.paid, bets.collected) SELECT tab, shoe, round, 1, digest, toDateTime64(s + 43, 3, 'UTC'),"
        " toDateTime64(s, 6, 'UTC'), toDateTime64(s + 42, 6, 'UTC'), 'no_commission', 'verified', [1, 2, 3, 4, 5],"
        " 'banker', arrayMap(i -> concat('b', toString(i)), b), arrayMap(i -> i % 9 + 1, b),"
        " arrayMap(i -> concat('P', toString((t * 37 + i) % 20000 + 100000)), b), arrayMap(i -> 'player', b),"
        " arrayMap(i -> 10000 * i, b), arrayMap(i -> 0, b), arrayMap(i -> 10000 * i, b), arrayMap(i -> 0, b),"
        f" arrayMap(i -> 10000 * i, b) FROM ({rows})"
    )
    store.command(
        "INSERT INTO verdicts (table, shoe, round, revision, digest, judge, judged, verdict) SELECT tab, shoe, round,"
        " 1, digest, '1', toDateTime64(s + 43, 3, 'UTC'), concat('{\"table\":\"', tab, '\",\"bets\":[',"
        ' arrayStringConcat(arrayMap(i -> concat(\'{"bet":"b\', toString(i), \'","stake":\', toString(10000 * i),'
        ' \',"wager":"player","expected":{"paid":0},"actual":{"paid":0}}\'), b), \',\'), \'],"digest":"\','
        f" lower(hex(digest)), '\"}}') FROM ({rows})"
    )


def timed(ask: Callable[[], int], times: int, server: int) -> dict[str, float]:
    """Milliseconds that a question takes, asked again and again about other things; and on the processor, here and in
    the store's process, which a busy machine changes less."""
    spent = []
    rows = 0
    ask()
    here, there = time.process_time(), spent_by(server)
    for _ in range(times):
        start = time.perf_counter()
        rows = ask()
        spent.append((time.perf_counter() - start) * 1000)
    on_processor = time.process_time() - here + spent_by(server) - there
    if not rows:
        raise SystemExit("a question found nothing")
    spent.sort()
    last = len(spent) - 1
    return {
        "best": round(spent[0], 2),
        "median": round(spent[last // 2], 2),
        "p90": round(spent[int(last * 0.9)], 2),
        "processor": round(on_processor * 1000 / times, 2),
        "rows": rows,
    }


def unsettled(store: Store) -> list[tuple[str, str, int]]:
    """Tables and months that are over and still in several parts, and in how many."""
    rows = store.query(
        "SELECT table, partition_id, count() AS parts FROM system.parts WHERE active AND database = currentDatabase()"
        " AND partition_id != 'all' AND substring(partition_id, 1, 6) < toString(toYYYYMM(now()))"
        " GROUP BY table, partition_id HAVING parts > 1 ORDER BY table, partition_id"
    )
    return [(table, month, parts) for table, month, parts in rows]


def settle(store: Store) -> float:
    """Lets the engine make one part of every month that is over, without the day that it would wait; how long it took,
    in seconds."""
    start = time.perf_counter()
    store.command("SYSTEM START MERGES verdicts")
    store.command(f"DROP TABLE IF EXISTS {_BESIDE}")
    resting = sorted({table for table, _, _ in unsettled(store)})
    for table in resting:
        store.command(f"ALTER TABLE `{table}` MODIFY SETTING min_age_to_force_merge_seconds = 1")
    while unsettled(store):
        time.sleep(0.5)
    for table in resting:
        store.command(f"ALTER TABLE `{table}` MODIFY SETTING min_age_to_force_merge_seconds = {A_DAY}")
    return time.perf_counter() - start


def sizes(rows: int) -> list[int]:
    """The parts that an open month of so many rows is in, the oldest and largest first."""
    left, size = rows, rows * (TIMES_SMALLER - 1) // TIMES_SMALLER // OF_EACH_SIZE
    parts: list[int] = []
    while size > LAST_BATCH:
        parts += [size] * OF_EACH_SIZE
        left -= size * OF_EACH_SIZE
        size //= TIMES_SMALLER
    return [*parts, left]


def lay_open(store: Store) -> int:
    """Lays the month of verdicts out as it is while it is being written, and lets merging rest until ``settle``; in how
    many parts it is then. Until then its rows are in a table beside it as well: a run that is broken off loses none."""
    store.command(f"CREATE TABLE IF NOT EXISTS {_BESIDE} AS verdicts")
    if not store.query(f"SELECT 1 FROM {_BESIDE} LIMIT 1"):
        for month in _parts(store, "verdicts"):
            store.command(f"ALTER TABLE {_BESIDE} ATTACH PARTITION ID '{month}' FROM verdicts")
    store.command("SYSTEM STOP MERGES verdicts")
    store.command("TRUNCATE TABLE verdicts")
    ((rows, since),) = store.query(f"SELECT count(), toUnixTimestamp64Milli(min(judged)) FROM {_BESIDE}")
    for last in itertools.accumulate(sizes(rows)):
        # Judged at one moment are the rounds of all tables: they stay together.
        ((until,),) = store.query(
            f"SELECT toUnixTimestamp64Milli(judged) + 1 FROM {_BESIDE} ORDER BY judged LIMIT 1 OFFSET {last - 1}"
        )
        store.command(
            f"INSERT INTO verdicts ({_STORED}) SELECT {_STORED} FROM {_BESIDE}"
            f" WHERE judged >= fromUnixTimestamp64Milli({since}, 'UTC')"
            f" AND judged < fromUnixTimestamp64Milli({until}, 'UTC')",
            settings=_AS_ONE_PART,
        )
        since = until
    if store.query("SELECT count() FROM verdicts") != [(rows,)]:
        raise SystemExit(f"the verdicts were not laid out whole; they are in the table {_BESIDE}")
    return sum(_parts(store, "verdicts").values())


def _parts(store: Store, table: str) -> dict[str, int]:
    """The months of a table, and in how many parts each is."""
    rows = store.query(
        "SELECT partition_id, count() FROM system.parts WHERE active AND database = currentDatabase()"
        " AND table = %(table)s GROUP BY partition_id",
        {"table": table},
    )
    return dict(rows)


def wait_for_indexes(store: Store) -> None:
    """What was stored by an earlier version gets its indexes in the background."""
    while store.query("SELECT 1 FROM system.mutations WHERE database = currentDatabase() AND NOT is_done LIMIT 1"):
        time.sleep(0.5)


def measure(url: str, times: int, server: int) -> bool:
    """Asks every question about random rounds, tables and players; whether one round comes as soon as it should."""
    store = connect(url)
    chance = random.Random(7)
    events = store.query("SELECT count() FROM events")[0][0]
    shoes = int(store.query("SELECT max(shoe) FROM rounds WHERE table = 'BT000'")[0][0][1:])
    last = int(store.query("SELECT toUnixTimestamp(max(opened)) FROM rounds")[0][0])

    def key() -> RoundKey:
        shoe = chance.randrange(max(shoes - 1, 1)) + 1
        return RoundKey(f"BT{chance.randrange(TABLES):03d}", f"S{shoe:06d}", chance.randrange(1, 30))

    def told(question: str, ask: Callable[[], int], often: int) -> bool:
        found = timed(ask, often, server)
        bar = BAR_MS if question in (_OPEN, _CLOSED) else None
        median = tell("a question, median", found["median"], "ms", of=question, at=events, at_most=bar)
        tell("a question, 90th of 100", found["p90"], "ms", of=question, at=events)
        tell("a question, on the processor", found["processor"], "ms", of=question, at=events)
        tell("rows that a question gives", found["rows"], of=question, at=events)
        return median.holds is not False

    def one_verdict(asked: Store) -> int:
        return int(verdict(asked, key()) is not None)

    def one_round() -> int:
        wanted = key()
        return len(round_events(store, wanted.table, wanted.shoe, wanted.round))

    def references() -> int:
        wanted = key()
        condition = "table = %(table)s AND shoe = %(shoe)s AND round = %(round)s"
        rows = store.query(
            f"SELECT type, source, sequence, topic, partition, offset, place FROM events PREWHERE {condition}",
            {"table": wanted.table, "shoe": wanted.shoe, "round": wanted.round},
        )
        return len(rows)

    def one_evening() -> int:
        start = (_START + chance.randrange(max(last - _START - 3600, 1))) * 1_000_000
        return sum(1 for _ in table_events(store, key().table, start, start + 3600 * 1_000_000))

    def one_player() -> int:
        player = f"P{chance.randrange(TABLES) * 37 + chance.randrange(1, 12) + 100_000}"
        return len(player_bets(store, player, _START * 1_000_000, (last + 1) * 1_000_000))

    def one_hour() -> int:
        start = _START + chance.randrange(max((last - _START) // 3600, 1)) * 3600
        return len(table_minutes(store, start, start + 3600))

    tell("parts of an open month of verdicts", lay_open(store), at=events)
    without = connect(url, settings={"ignore_data_skipping_indices": "shoe_index"})
    found = timed(lambda: one_verdict(without), times, server)
    tell("a question, median", found["median"], "ms", of=f"{_OPEN}, every part opened", at=events)
    tell("a question, on the processor", found["processor"], "ms", of=f"{_OPEN}, every part opened", at=events)
    without.close()
    soon = told(_OPEN, lambda: one_verdict(store), times)
    tell("until every month that is over is one part", settle(store), "s", at=events)
    few = max(times // 10, 3)
    asked: dict[str, tuple[Callable[[], int], int]] = {
        "ping (SELECT 1)": (lambda: len(store.query("SELECT 1")), times),
        _CLOSED: (lambda: one_verdict(store), times),
        "events of one round, without bytes": (references, times),
        "events of one round, with bytes": (one_round, times),
        "one table for an hour, with bytes": (one_evening, few),
        "one player, all rounds": (one_player, few),
        "all tables by minute for an hour": (one_hour, few),
    }
    for question, (ask, often) in asked.items():
        soon &= told(question, ask, often)
    return soon


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--millions", type=int, default=2, help="events to store")
    parser.add_argument("--folder", type=Path, help="keep the store here, and use it again")
    parser.add_argument("--times", type=int, default=100, help="how often each question is asked")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or Path(scratch) / "data"
        with EmbeddedClickHouse(folder) as server:
            store = connect(server.url)
            if not store.query("SELECT 1 FROM system.tables WHERE database = currentDatabase() AND name = 'verdicts'"):
                fill(store, given.millions)
            migrate(store, _KEPT)
            wait_for_indexes(store)
            store.close()
            soon = measure(server.url, given.times, server.pid)
    if not soon:
        raise SystemExit(f"one round by its key took more than {BAR_MS} ms")


if __name__ == "__main__":
    main()
