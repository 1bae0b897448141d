"""A scene in parts, each said when the one before was judged and let go of."""

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Any

from schemas.time import micros
from store.connect import Store
from store.read.progress import stored_events_count
from store.read.rounds import revisions
from store.rows.verdicts import RoundKey
from streams.topic_layout import INPUTS
from tests.audit.case import TABLE
from tests.oracle.script import to_lines
from tests.streams.simulated_time import LONG_AFTER, Scene, scene
from tests.streams.test_any_interleaving import check

FIRST = RoundKey(TABLE, "S1", 1)

Events = list[dict[str, Any]]


def play_parts(
    store: Store,
    parts: Sequence[Events],
    between: Callable[[Scene], None] = lambda _: None,
    *,
    before_judged: Callable[[Scene], None] | None = None,
) -> list[list[str]]:
    """Say the parts one after the other, each when the one before was judged and let go of; the codes of all revisions
    of the first round. ``before_judged`` happens when the last part is stored and not judged."""
    every = to_lines([event for part in parts for event in part])

    async def play() -> None:
        for number, part in enumerate(parts):
            if number:
                between(played)
            played.publish(to_lines(part))
            if before_judged is not None and part is parts[-1]:
                await _store_alone(played)
                before_judged(played)
            await played.finish()

    began = min(micros(event["time"]) for part in parts for event in part) / 1e6
    with scene(store, 1, began + LONG_AFTER) as played:
        asyncio.run(play())
        check(played, every)
    found = [re.findall(rb'"code":"([a-z-]+)"', each.json) for each in revisions(store, FIRST)]
    return [sorted(code.decode() for code in codes) for codes in found]


async def _store_alone(played: Scene) -> None:
    records = [record for topic in INPUTS for record in played.consumer.fetch(topic, 50, played.clock.now)]
    before = stored_events_count(played.store)
    await played.judge(records)
    await played.store_some()
    assert stored_events_count(played.store) > before


def split(events: Events, first: Callable[[dict[str, Any]], bool]) -> list[Events]:
    return [[event for event in events if first(event)], [event for event in events if not first(event)]]


def killed(played: Scene) -> None:
    played.kill()
