"""Pressure and absence: too much waiting is 429, a broker that is away 503; nothing that was accepted is lost."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import orjson

from streams.broker_url import EmbeddedLog, KafkaBroker
from streams.embedded.layout import database
from streams.embedded.log import Log
from streams.gateway.pressure import Pressure
from tests.streams.gateway.floor import ONE, card, held_up, running, until

RAW = orjson.dumps(card(0))


def refused(answer: httpx.Response, status: int) -> None:
    assert answer.status_code == status, answer.text
    assert int(answer.headers["retry-after"]) >= 1


def test_beyond_what_may_wait_devices_are_told_to_come_again_and_what_waits_is_kept(tmp_path: Path) -> None:
    with running(tmp_path, pending_bytes=len(RAW) * 2) as floor, ThreadPoolExecutor(2) as pool:
        tokens = [floor.device(name) for name in ("one", "two", "three")]
        with held_up(floor):
            waiting = [pool.submit(floor.post, token, RAW, ONE) for token in tokens[:2]]
            until(lambda: floor.pending() == len(RAW) * 2)
            refused(floor.post(tokens[2], RAW, ONE), 429)
            assert floor.get("/readyz").status_code == 200
        assert [each.result(60).status_code for each in waiting] == [202, 202]
        until(lambda: floor.pending() == 0)
        assert floor.post(tokens[2], RAW, ONE).status_code == 202
        assert floor.raws("table.cards") == [RAW] * 3


def test_one_device_does_not_take_the_room_of_the_others(tmp_path: Path) -> None:
    with running(tmp_path, pending_bytes=len(RAW) * 4) as floor, ThreadPoolExecutor(2) as pool:
        mad, calm = floor.device("mad"), floor.device("calm")
        with held_up(floor):
            first = pool.submit(floor.post, mad, RAW, ONE)
            until(lambda: floor.pending() == len(RAW))
            refused(floor.post(mad, RAW, ONE), 429)
            second = pool.submit(floor.post, calm, RAW, ONE)
            until(lambda: floor.pending() == len(RAW) * 2)
        assert (first.result(60).status_code, second.result(60).status_code) == (202, 202)


def test_room_is_counted_exactly_and_never_closed_for_good() -> None:
    pressure = Pressure(100)
    whole = pressure.take("a", 1000)
    assert whole is not None
    assert pressure.take("b", 1) is None
    whole.shrink(10)
    other = pressure.take("b", 90)
    assert other is not None
    assert pressure.take("c", 1) is None
    whole.end()
    whole.end()
    assert pressure.take("c", 11) is None
    other.end()
    again = [pressure.take("c", 20), pressure.take("c", 6), pressure.take("d", 25)]
    assert [each is None for each in again] == [False, True, False]


def test_without_a_broker_the_gateway_lives_and_sends_devices_away(tmp_path: Path) -> None:
    nowhere = KafkaBroker(servers=("127.0.0.1:1",))
    with running(tmp_path, nowhere, patience_seconds=0.3, wait=False) as floor:
        token = floor.device()
        refused(floor.post(token, RAW, ONE), 503)
        refused(floor.get("/readyz"), 503)
        assert floor.get("/healthz").status_code == 200
        assert floor.pending() == 0


def test_when_the_broker_comes_the_gateway_is_ready_by_itself(tmp_path: Path) -> None:
    blocked = tmp_path / "log"
    blocked.write_text("in the way")
    with running(tmp_path, EmbeddedLog(blocked), wait=False) as floor:
        token = floor.device()
        refused(floor.post(token, RAW, ONE), 503)
        blocked.unlink()
        until(floor.ready)
        assert floor.post(token, RAW, ONE).status_code == 202
        assert floor.raws("table.cards") == [RAW]


def test_a_broker_that_fails_in_the_middle_costs_nothing_that_was_accepted(tmp_path: Path) -> None:
    with running(tmp_path) as floor:
        token = floor.device()
        assert floor.post(token, RAW, ONE).status_code == 202
        assert isinstance(floor.broker, EmbeddedLog)
        with sqlite3.connect(database(floor.broker.folder)) as db:
            db.execute("ALTER TABLE record RENAME TO hidden")
        refused(floor.post(token, RAW, ONE), 503)
        with sqlite3.connect(database(floor.broker.folder)) as db:
            db.execute("ALTER TABLE hidden RENAME TO record")
        # As a device does: it keeps the event and sends it again, until the broker is found again.
        until(lambda: floor.post(token, RAW, ONE).status_code == 202)
        assert floor.raws("table.cards") == [RAW] * 2


def test_when_the_broker_goes_all_that_waits_is_told_so_at_once(tmp_path: Path) -> None:
    with running(tmp_path, answer_seconds=600.0) as floor, ThreadPoolExecutor(4) as pool:
        tokens = [floor.device(f"device {number}") for number in range(4)]
        assert isinstance(floor.broker, EmbeddedLog)
        with Log(floor.broker.folder) as log, log.writing() as db:
            # Some are on their way, others wait behind them; the log cannot even be opened again.
            waiting = [pool.submit(floor.post, tokens[0], RAW, ONE)]
            until(lambda: floor.pending() == len(RAW))
            waiting += [pool.submit(floor.post, token, RAW, ONE) for token in tokens[1:]]
            until(lambda: floor.pending() == len(RAW) * 4)
            for table in ("record", "topic"):
                db.execute(f"ALTER TABLE {table} RENAME TO hidden_{table}")
        for each in waiting:
            refused(each.result(90), 503)
        assert floor.pending() == 0


def test_an_acknowledgement_that_does_not_come_in_time_is_no_acceptance(tmp_path: Path) -> None:
    with running(tmp_path, answer_seconds=0.2) as floor:
        token = floor.device()
        with held_up(floor):
            refused(floor.post(token, RAW, ONE), 503)
            # Its bytes still wait, and still take room.
            assert floor.pending() == len(RAW)
        until(lambda: floor.pending() == 0)
        assert floor.raws("table.cards") == [RAW]


def test_when_the_gateway_ends_what_it_has_in_hand_is_sent(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        with running(tmp_path) as floor:
            token = floor.device()
            with held_up(floor):
                waiting = pool.submit(floor.post, token, RAW, ONE)
                until(lambda: floor.pending() == len(RAW))
        assert waiting.result(60).status_code == 202
    assert floor.raws("table.cards") == [RAW]
