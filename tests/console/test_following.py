"""What a page is told adds up to how things stand, whenever it came, went and came back, and whoever read the store."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NoReturn

import orjson
from hypothesis import example, given
from hypothesis import strategies as st

from console.live.alerts import AlertBoard
from console.live.channel import Channel
from console.live.room import LiveRoom
from schemas.decoding import decode_line
from schemas.findings import finding_json
from schemas.records import AnyEvent
from schemas.topics import ALERTS
from simulator.floor import simulate
from store.connect import connect
from store.rows.alerts import AlertHistory, AlertStep
from streams.alerting.acts import Act, decide
from streams.alerting.life import raised_step
from streams.alerting.raising import UNKNOWN_PLACE, alert_of
from tests.console.house import made_up_finding

RAISED = 1_767_268_800_000
FINDING = made_up_finding(1)
ALERT = alert_of(FINDING, UNKNOWN_PLACE, RAISED, {})
OPENED = (raised_step(ALERT.id, RAISED * 1000),)


def _nowhere() -> NoReturn:
    raise AssertionError("the room is asked for what is told, and reads nothing")


def _room() -> LiveRoom:
    return LiveRoom(_nowhere, connect("clickhouse://nobody@127.0.0.1:9/none"), _nowhere)


class Page:
    """A page that follows a stream, and what it makes of it."""

    def __init__(self, channel: Channel, part: str) -> None:
        self.parts: dict[str, Any] = {}
        self._channel = channel
        self._part = part
        self._last: str | None = None
        self._following: asyncio.Task[None] | None = None

    def come(self) -> None:
        """For the first time, or back to where it was."""
        if self._following is None:
            self._following = asyncio.create_task(self._follow())

    async def go(self) -> None:
        """It is cut off, and keeps what it has."""
        if self._following is not None:
            self._following.cancel()
            await asyncio.wait([self._following])
            self._following = None

    @property
    def here(self) -> bool:
        return self._following is not None

    async def _follow(self) -> None:
        stream = self._channel.follow(self._last)
        try:
            async for chunk in stream:
                for name, event, data in re.findall(rb"id: (\S+)\nevent: (\S+)\ndata: (.*)\n\n", chunk):
                    self._last = name.decode()
                    self._take(event == b"snapshot", orjson.loads(data))
        finally:
            await stream.aclose()  # type: ignore[attr-defined]  # it is a generator

    def _take(self, whole: bool, told: Any) -> None:
        if self._part == "sections":
            self.parts.update(told["sections"])
            return
        if whole:
            self.parts = {"tables": {}, "alerts": {}}
        for name, row in told["tables"].items():
            self.parts["tables"].setdefault(name, {}).update(row)
        self.parts["alerts"].update({each["id"]: each for each in told["alerts"]})


async def _settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


class Evening:
    """A room, the pages that look at it, and a store that is read at one moment and told of at another."""

    def __init__(self, events: Iterator[AnyEvent]) -> None:
        self.room = _room()
        self._events = events
        self._cleared = True
        self._steps: tuple[AlertStep, ...] = OPENED
        self._read: list[AlertHistory] = []
        self.take_event()
        self.take_finding()
        (self.table,) = self.room.floor.tables
        self.room.tick()
        floor = self.room.floor_channel(masking=False)
        table = self.room.table_channel(self.table, masking=False)
        assert table is not None
        self.pages = [Page(floor, "floor"), Page(floor, "floor"), Page(table, "sections"), Page(table, "sections")]

    def take_event(self) -> None:
        event = next(self._events, None)
        if event is not None:
            self.room.floor.take_event(event, 1)

    def take_finding(self) -> None:
        """The finding is raised, or cleared, in turn."""
        self._cleared = not self._cleared
        told = replace(FINDING, cleared=self._cleared)
        self.room.floor.take_record(ALERTS.name, finding_json(told), RAISED)

    def act(self) -> None:
        """Somebody adds a note, here: the room hears of it at once."""
        self._steps += _decided(self._steps, Act(deed="note", by="anna", role="operator", at=self._next, note="Seen."))
        self.room.take_history(AlertHistory(ALERT, self._steps))

    @property
    def _next(self) -> int:
        return self._steps[-1].at + 1

    def read_store(self) -> None:
        self._read.append(AlertHistory(ALERT, self._steps))

    def hear_of_store(self) -> None:
        if self._read:
            self.room.take_history(self._read.pop())

    def expect_all_told(self) -> None:
        told = orjson.loads(orjson.dumps(self.room.snapshot(masking=False)))
        sections = orjson.loads(orjson.dumps(self.room.sections(self.table, masking=False)))
        for page in self.pages:
            if page.here and "tables" in page.parts:
                assert page.parts["tables"] == told["tables"]
                standing = {name: each for name, each in page.parts["alerts"].items() if each["open"]}
                assert standing == {each["id"]: each for each in told["alerts"]}
            elif page.here:
                assert page.parts == sections
        picture = self.room.floor.alerts.get(ALERT.id)
        assert picture is not None
        assert {step.id for step in picture.steps} in ({each.id for each in self._steps}, set())


def _decided(steps: tuple[AlertStep, ...], act: Act) -> tuple[AlertStep, ...]:
    made = decide(steps, act, ALERT.id)
    assert isinstance(made, tuple)
    return made


@example(0, [12, 1, 5, 1])  # came between two changes that undo each other, of which no tick tells
@example(0, [7, 12, 1, 12, 7, 1, 12, 8, 1])  # came after a change of which nobody was told, which is undone then
@given(st.integers(0, 20), st.lists(st.integers(0, 12), max_size=60))
def test_a_page_has_what_stands_whenever_it_came_and_went(seed: int, course: list[int]) -> None:
    async def play() -> None:
        lines = simulate(1, 2, seed, games=["dragon_tiger_baccarat"])
        evening = Evening(event for line in lines for event in decode_line(line).events)
        does = [evening.take_event, evening.take_finding, evening.act, evening.read_store, evening.hear_of_store]
        for number in course:
            if number < len(does):
                does[number]()
            elif number < len(does) + len(evening.pages):
                page = evening.pages[number - len(does)]
                await page.go() if page.here else page.come()
            else:
                evening.room.tick()
            await _settle()
        evening.room.tick()
        await _settle()
        evening.expect_all_told()
        for page in evening.pages:
            await page.go()

    asyncio.run(play())


def test_who_read_the_store_before_an_act_and_comes_after_it_takes_nothing_back() -> None:
    taken = OPENED + _decided(OPENED, Act(deed="take", by="anna", role="operator", at=OPENED[0].at + 1))
    board = AlertBoard()
    board.take_finding(FINDING, RAISED, RAISED * 1000, UNKNOWN_PLACE)
    board.take_history(AlertHistory(ALERT, taken))
    board.take_history(AlertHistory(ALERT, OPENED))
    picture = board.get(ALERT.id)
    assert picture is not None
    assert (picture.state, picture.steps) == ("taken", taken)


def test_what_changed_while_nobody_looked_and_then_back_is_told() -> None:
    """A page that came between the two must not keep what stood then."""

    async def play() -> None:
        lines = simulate(1, 1, 3, games=["dragon_tiger_baccarat"])
        evening = Evening(event for line in lines for event in decode_line(line).events)
        first, second = evening.pages[2:]
        first.come()
        await _settle()
        evening.take_finding()
        evening.room.tick()
        await _settle()
        await first.go()
        evening.take_finding()
        evening.room.tick()
        second.come()
        await _settle()
        assert len(second.parts["alerts"]) == 1
        evening.take_finding()
        evening.room.tick()
        await _settle()
        assert second.parts["alerts"] == []
        await second.go()

    asyncio.run(play())
