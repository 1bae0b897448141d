"""The live side of the console: takes the topics in, keeps the picture, and tells every open page what has changed."""

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

import orjson

from console import measures
from console.live.alerts import AlertPicture
from console.live.channel import Channel
from console.live.desk import alert_json
from console.live.detail import Section, sections_of
from console.live.filling import Filling, configurations
from console.live.floor import Floor
from console.live.health import Health
from console.live.rows import Row, difference, row_of
from console.masking import NAMING
from store.connect import Store
from store.errors import StoreError
from store.rows.alerts import AlertHistory
from streams.alerting.desk import DeskWatch
from streams.alerting.rules import NOBODY, Routing
from streams.broker_url import BrokerUnavailable, RightsMissing, TopicsMissing
from streams.feed import Feed

T = TypeVar("T")

logger = logging.getLogger(__name__)

TICK_SECONDS: Final = 0.2
"""A table or an alert is told of five times a second at most."""
BEAT_SECONDS: Final = 1.0
"""So often pages are told at least that nothing is new, and how the parts are."""
READ_SECONDS: Final = 0.5
PAUSE_SECONDS: Final = 2.0
LAG_SECONDS: Final = 5.0
"""How often the broker is asked how far the workers are: it takes a connection each time."""
SILENT_SECONDS: Final = 5.0
"""A store that has not answered for so long is named on the pages, while it is still waited for."""
SET_UP_SECONDS: Final = 30.0
"""How often the store is asked for the set-up of tables that have none."""
AT_ONCE: Final = 200
"""Records taken in before the pages get their turn."""
MOST_ALERTS: Final = 2_000
"""In a snapshot; the rest is counted, and can be asked for."""


class StoreSilent(StoreError):
    """The store did not answer a question for so long that it was named for that, and then failed it."""


class LiveRoom:
    """The picture of the floor and the pages that look at it. All methods are for the event loop."""

    def __init__(
        self,
        open_feed: Callable[[], Feed],
        store: Store,
        lag: Callable[[], int],
        health: Health | None = None,
        routing: Routing = NOBODY,
    ) -> None:
        self.floor = Floor()
        self.health = health or Health()
        self._routing = routing
        self._open_feed = open_feed
        self._store = store
        self._lag = lag
        self._desk = DeskWatch(store)
        self._rows: dict[str, Row] = {}
        self._floor_channels = {masking: Channel(partial(self._snapshot, masking)) for masking in (False, True)}
        self._details: dict[tuple[str, bool], _Detail] = {}
        self._told = 0.0
        self._status: bytes = b""

    async def run(self) -> None:
        """Until cancelled."""
        try:
            async with asyncio.TaskGroup() as tasks:
                for work in (self._take_in, self._fill, self._watch_desk, self._watch_workers, self._tell):
                    tasks.create_task(work())
        finally:
            self.end()

    def end(self) -> None:
        """Let every page go."""
        for channel in self._floor_channels.values():
            channel.end()
        for detail in self._details.values():
            detail.channel.end()

    def floor_channel(self, *, masking: bool) -> Channel:
        """The stream of the whole floor."""
        return self._floor_channels[masking]

    def table_channel(self, table: str, *, masking: bool) -> Channel | None:
        """The stream of one table; None for one that nobody has heard of."""
        if table not in self.floor.tables:
            return None
        for key in [key for key, each in self._details.items() if not each.channel.listeners and key[0] != table]:
            del self._details[key]
        detail = self._details.get((table, masking))
        if detail is None:
            detail = self._details[table, masking] = _Detail(self, table, masking)
        return detail.channel

    def sections(self, table: str, *, masking: bool) -> dict[str, Section]:
        """One table in full."""
        picture = self.floor.tables[table]
        board = self.floor.alerts
        return sections_of(picture, board.of_table(table), board.gaps_of(table), masking=masking)

    def snapshot(self, *, masking: bool) -> dict[str, Any]:
        """The whole floor."""
        return self._whole({name: row_of(each, self.floor.alerts) for name, each in self.floor.tables.items()}, masking)

    def _whole(self, rows: dict[str, Row], masking: bool) -> dict[str, Any]:
        alerts = [each for each in self.floor.alerts.all() if each.open]
        return {
            "at": now_ms(),
            "tables": rows,
            "alerts": [self.alert(each, masking=masking) for each in alerts[-MOST_ALERTS:]],
            "open_alerts": len(alerts),
            "status": self.health.as_json(),
        }

    def alert(self, picture: AlertPicture, *, masking: bool) -> dict[str, Any]:
        """An alert as the pages get it, with what its table's set-up says."""
        table = self.floor.tables.get(picture.alert.table or "")
        return alert_json(
            picture, masking=masking, routing=self._routing, table=None if table is None else table.configured
        )

    def take_history(self, history: AlertHistory) -> None:
        """An act that was done here: pages hear of it at the next tick."""
        self.floor.take_history(history)

    def _snapshot(self, masking: bool) -> bytes:
        # The rows that all pages were told last: the next tick tells what differs from them, and nothing else.
        return orjson.dumps(self._whole(self._rows, masking))

    async def _take_in(self) -> None:
        while True:
            try:
                feed = await asyncio.to_thread(self._open_feed)
            except (BrokerUnavailable, TopicsMissing, RightsMissing) as error:
                self.health.feed.set("away", f"the topics cannot be read: what is shown is old ({error})")
                await asyncio.sleep(PAUSE_SECONDS)
                continue
            try:
                await self._follow(feed)
            except (BrokerUnavailable, RightsMissing) as error:
                logger.warning("the topics cannot be read: %s", error)
                self.health.feed.set("away", "the topics cannot be read: what is shown is old")
                await asyncio.sleep(PAUSE_SECONDS)
            finally:
                await asyncio.to_thread(feed.close)

    async def _follow(self, feed: Feed) -> None:
        while True:
            heard = await asyncio.to_thread(feed.poll, READ_SECONDS)
            self.health.feed.set("ok")
            for start in range(0, len(heard), AT_ONCE):
                before = self.floor.verdict_at
                for record in heard[start : start + AT_ONCE]:
                    self.floor.take_record(record.topic, record.value, record.time_ms)
                if self.floor.verdict_at != before:
                    self.health.judged()
                await asyncio.sleep(0)

    async def _fill(self) -> None:
        while True:
            try:
                filling = await self._asked(partial(Filling, self._store))
            except StoreError as error:
                self._store_away(error)
                await asyncio.sleep(PAUSE_SECONDS)
                continue
            self.health.store.set("ok")
            filling.pour(self.floor)
            self._came("tables")
            break
        await self._learn_set_ups()

    def _came(self, what: str) -> None:
        """The store has told this part of the picture. A page that hears of that has it: both are told at once."""
        if what in self.health.awaited:
            self.health.awaited.discard(what)
            self.tick()

    async def _learn_set_ups(self) -> None:
        """A worker that was behind stores set-ups later than the console starts, and the topics tell them no more."""
        while True:
            await asyncio.sleep(SET_UP_SECONDS)
            if all(each.configured is not None for each in self.floor.tables.values()):
                continue
            try:
                known = await self._asked(partial(configurations, self._store))
            except StoreError as error:
                self._store_away(error)
                continue
            for event, arrival in known:
                table = self.floor.tables.get(event.subject)
                if table is not None and table.configured is None:
                    self.floor.take_event(event, arrival, live=False)

    async def _watch_desk(self) -> None:
        """Acts at other consoles and of the alert service: asked of the store once for all pages."""
        while True:
            try:
                for history in await self._asked(self._desk.poll):
                    self.floor.take_history(history)
                self._came("alerts")
                if self.health.store.state == "away":
                    logger.info("the store is back")
                self.health.store.set("ok")
            except StoreError as error:
                self._store_away(error)
            await asyncio.sleep(PAUSE_SECONDS)

    async def _watch_workers(self) -> None:
        while True:
            try:
                self.health.measured(await asyncio.to_thread(self._lag))
            except (BrokerUnavailable, TopicsMissing, RightsMissing):
                self.health.workers.set("away", "nobody can say whether what comes is judged")
            await asyncio.sleep(LAG_SECONDS)

    async def _asked(self, question: Callable[[], T]) -> T:
        """What the store says; where it says nothing, pages hear of that first."""
        asked = asyncio.ensure_future(asyncio.to_thread(question))
        if (await asyncio.wait({asked}, timeout=SILENT_SECONDS))[0]:
            return await asked
        self._store_away("it does not answer")
        try:
            return await asked
        except StoreError as error:
            raise StoreSilent(str(error)) from error

    def _store_away(self, why: StoreError | str) -> None:
        if self.health.store.state != "away":
            logger.warning("the store is away: %s", why)
        silent = isinstance(why, str | StoreSilent)
        if not silent:
            says = "tables are live, older rounds cannot be shown, and acts on alerts are refused"
        else:
            says = (
                "it does not answer; tables are live, older rounds cannot be shown, and whether an act on an alert"
                " counts is told as soon as it is known"
            )
        self.health.store.set("away", says, SILENT_SECONDS if silent else 0.0)

    async def _tell(self) -> None:
        next_at = time.monotonic()
        while True:
            next_at = max(next_at + TICK_SECONDS, time.monotonic())
            self.tick()
            await asyncio.sleep(next_at - time.monotonic())

    def tick(self) -> None:
        """Tell all pages what has changed since the last tick."""
        floor = self.floor
        dirty, floor.dirty = floor.dirty, set()
        changed, floor.alerts.changed = floor.alerts.changed, set()
        news: dict[str, Any] = {}
        for name in dirty:
            row = row_of(floor.tables[name], floor.alerts)
            new = difference(self._rows.get(name), row)
            if new:
                self._rows[name] = row
                news[name] = new
        status = orjson.dumps(self.health.as_json())
        beat = time.monotonic() - self._told >= BEAT_SECONDS
        if news or changed or beat or status != self._status:
            self._publish(news, changed, status)
        for detail in self._details.values():
            if detail.table in dirty:
                detail.tell()
        if floor.waiting_since is not None:
            measures.TOLD_SECONDS.observe(max(0, now_ms() - floor.waiting_since) / 1000)
            floor.waiting_since = None

    def _publish(self, news: dict[str, Any], changed: set[str], status: bytes) -> None:
        self._told = time.monotonic()
        self._status = status
        self._measure()
        pictures = [each for name in sorted(changed) if (each := self.floor.alerts.get(name)) is not None]
        naming = any(each.alert.code in NAMING or each.alert.detail for each in pictures)
        common = None
        for masking, channel in self._floor_channels.items():
            if common is None or naming:
                common = orjson.dumps(
                    {
                        "at": now_ms(),
                        "tables": news,
                        "alerts": [self.alert(each, masking=masking) for each in pictures],
                        "open_alerts": self.floor.alerts.open_count.total(),
                        "status": orjson.Fragment(status),
                    }
                )
            channel.publish("delta", common)

    def _measure(self) -> None:
        measures.TABLES.set(len(self.floor.tables))
        measures.OPEN_ALERTS.set(self.floor.alerts.open_count.total())
        for name, part in self.health.parts.items():
            measures.NOT_OK.labels(name).set(part.state != "ok")


class _Detail:
    """One table in full, for the pages that show it."""

    def __init__(self, room: LiveRoom, table: str, masking: bool) -> None:
        self.table = table
        self._room = room
        self._masking = masking
        self._sections: dict[str, bytes] = {}
        self.channel = Channel(self._snapshot)

    def _encoded(self) -> dict[str, bytes]:
        sections = self._room.sections(self.table, masking=self._masking)
        return {name: orjson.dumps(section) for name, section in sections.items()}

    def _snapshot(self) -> bytes:
        # What pages were told last, if there are any: the next tick tells what differs from it, and nothing else.
        self._sections = self._sections or self._encoded()
        return self._joined(self._sections)

    def tell(self) -> None:
        """Tell the sections that have changed."""
        if not self.channel.listeners:
            self.channel.skip()
            self._sections = {}
            return
        fresh = self._encoded()
        changed = {name: section for name, section in fresh.items() if self._sections.get(name) != section}
        self._sections = fresh
        if changed:
            self.channel.publish("delta", self._joined(changed))

    @staticmethod
    def _joined(sections: dict[str, bytes]) -> bytes:
        return orjson.dumps(
            {"at": now_ms(), "sections": {name: orjson.Fragment(each) for name, each in sections.items()}}
        )


def now_ms() -> int:
    """Milliseconds since 1970 by this machine's clock."""
    return time.time_ns() // 1_000_000
