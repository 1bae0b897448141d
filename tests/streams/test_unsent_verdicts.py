"""Verdicts that were stored and perhaps not sent: the next worker sends what was stored last of each partition."""

import asyncio
from collections.abc import Sequence

import faust
import pytest

from schemas.decoding import decode_lines
from schemas.time import micros
from schemas.topics import VERDICTS, partition_of
from schemas.verdicts import parse_verdict
from store.connect import Store
from store.write.verdicts import write_verdicts
from streams import outputs
from streams.agent import TICK_SECONDS
from streams.unsent_verdicts import CLOCKS_APART_MS, stored_last
from tests.audit.case import settled_round
from tests.store.floor import ARRIVAL, judged
from tests.streams.simulated_time import LONG_AFTER, scene

COUNT = 2
TABLES = {number: [f"BT{n}" for n in range(40) if partition_of(f"BT{n}", COUNT) == number][:2] for number in (0, 1)}
BUSY, BESIDE = TABLES[0]
ELSEWHERE = TABLES[1][0]
LATER = ARRIVAL + 10 * CLOCKS_APART_MS


def _sent(store: Store, *partitions: int, since: int = ARRIVAL) -> list[tuple[str, int, int]]:
    messages = stored_last(store, since, partitions, COUNT)
    assert {message.topic for message in messages} <= {VERDICTS.name}
    verdicts = [parse_verdict(message.value) for message in messages]
    assert [message.key for message in messages] == [verdict.table.encode() for verdict in verdicts]
    return [(verdict.table, verdict.round, verdict.revision) for verdict in verdicts]


def test_a_broker_that_does_not_take_verdicts_holds_no_judging_up(store: Store) -> None:
    """Nothing more is stored then, and people are told all the same."""
    lines = [line.replace(b"BT1", b"BT2") for line in settled_round().bet(15_000, "b9").round().lines()]
    began = min(micros(event.time) for event in decode_lines(lines).events) / 1e6
    tried: list[str] = []

    async def play() -> None:
        played.publish(settled_round().lines())
        await played.finish()
        send = outputs.send

        async def stuck(app: faust.App, messages: Sequence[outputs.Message]) -> None:
            if any(message.topic == VERDICTS.name for message in messages):
                tried.append("verdicts")
                await asyncio.Event().wait()
            await send(app, messages)

        # Within the scene, which has put its own in the place of it.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(outputs, "send", stuck)
            played.kill()
            storing = asyncio.create_task(played.worker.sink.run())
            played.publish(lines)
            async with asyncio.timeout(60):
                while not {finding.code for finding in played.told} >= {"late-bet"}:
                    await played.read()
                    await played.worker.tick()
                    played.clock.now += TICK_SECONDS
                    await asyncio.sleep(0.01)
            storing.cancel()

    with scene(store, 1, began + LONG_AFTER) as played:
        asyncio.run(play())
    assert tried, "the first verdict waits to be sent again"


def test_what_was_stored_last_of_each_partition_is_sent_again(store: Store) -> None:
    write_verdicts(store, [judged(BUSY, number=1, at=ARRIVAL), judged(ELSEWHERE, number=1, at=ARRIVAL)])
    write_verdicts(store, [judged(BUSY, number=2, at=LATER), judged(BESIDE, number=7, at=LATER)])
    assert sorted(_sent(store, 0, 1)) == sorted([(BUSY, 2, 1), (BESIDE, 7, 1), (ELSEWHERE, 1, 1)])


def test_of_the_partitions_of_others_nothing_is(store: Store) -> None:
    write_verdicts(store, [judged(BUSY, at=LATER), judged(ELSEWHERE, at=LATER)])
    assert _sent(store, 1) == [(ELSEWHERE, 1, 1)]
    assert _sent(store) == []


def test_a_worker_whose_clock_was_ahead_hides_nothing(store: Store) -> None:
    write_verdicts(store, [judged(BUSY, number=1, at=LATER), judged(BESIDE, number=1, at=LATER - CLOCKS_APART_MS - 1)])
    write_verdicts(store, [judged(BUSY, number=2, at=LATER - CLOCKS_APART_MS)])
    assert _sent(store, 0) == [(BUSY, 2, 1), (BUSY, 1, 1)], "in the order of judging"


def test_what_was_judged_before_all_that_is_acknowledged_was_sent(store: Store) -> None:
    write_verdicts(store, [judged(BUSY, at=ARRIVAL)])
    assert _sent(store, 0, since=ARRIVAL + 1) == []


def test_a_revision_comes_once_as_the_row_that_counts_has_it(store: Store) -> None:
    """A worker that stood still left another row under a revision that its successor had given."""
    first = judged(BUSY, at=LATER)
    write_verdicts(store, [first])
    write_verdicts(store, [judged(BUSY, bets=(), at=LATER + 5), judged(BUSY, revision=2, at=LATER + 9)])
    messages = stored_last(store, ARRIVAL, [0], COUNT)
    assert [parse_verdict(each.value).digest for each in messages] == [
        first.verdict.digest,
        judged(BUSY, revision=2).verdict.digest,
    ]
