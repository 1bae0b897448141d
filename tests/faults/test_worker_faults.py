"""Faults of the pipeline on the embedded log: nothing is lost, nothing doubled, and people hear of it in time."""

import random
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from schemas.decoding import decode_lines
from store.connect import Patience
from store.errors import StoreUnavailable
from store.read.events import table_events
from store.read.rejections import rejections
from store.rows.raw import Record
from store.write.raw import event_columns
from streams.alerting.rules import parse_routing
from streams.alerting.service import AlertService
from tests.faults.floor import Floor, await_word, floor, play, played_badly
from tests.streams.alerting.webhook import Webhook, until
from tests.streams.pipeline import StoreProcess, alerts, await_takeover, stop, took_over

KILLS = 14
GONE_SECONDS = 3.0


@pytest.fixture(scope="module")
def playing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    folder = tmp_path_factory.mktemp("floor")
    with floor(folder, f"tablelog://{folder}/log", StoreProcess(folder / "clickhouse")) as started:
        yield started


def _await_alert(playing: Floor, told: int) -> None:
    until(lambda: len(alerts(playing.running)) > told, "no alert came")


@pytest.mark.timeout(1200)
def test_workers_killed_at_random_moments_lose_nothing_and_double_nothing(playing: Floor) -> None:
    playing.say_among_kills(play("K", 4, 14, 11), KILLS, seed=11)
    playing.check()


def test_the_other_of_two_workers_goes_on(playing: Floor) -> None:
    playing.say_while_one_of_two_dies(play("T", 4, 6, 6))
    playing.check(shared=True)


def test_a_worker_that_stood_still_for_longer_than_its_session_stores_nothing_more(tmp_path: Path) -> None:
    server = StoreProcess(tmp_path / "clickhouse")
    with floor(tmp_path, f"tablelog://{tmp_path}/log", server, TABLEWATCH_SESSION_SECONDS="3") as playing:
        playing.say_while_one_stands_still(play("H", 4, 6, 8))


def test_while_the_store_is_gone_alerts_go_out_and_nothing_is_lost(playing: Floor) -> None:
    playing.at_work()
    told = len(alerts(playing.running))
    playing.server.stop(signal.SIGKILL)
    playing.say(play("G", 3, 6, 5))
    _await_alert(playing, told)
    time.sleep(GONE_SECONDS)
    playing.server.start()
    playing.check()


def test_while_the_store_does_not_answer_alerts_go_out_and_nothing_is_lost(playing: Floor) -> None:
    playing.at_work()
    told = len(alerts(playing.running))
    playing.server.pause()
    try:
        playing.say(play("S", 3, 6, 7))
        _await_alert(playing, told)
        time.sleep(GONE_SECONDS)
    finally:
        playing.server.resume()
    playing.check()


def _one_of_two_dies_without_the_store(playing: Floor, lines: list[bytes]) -> None:
    """These are judged and stored; then the store is gone, and one of two workers is killed."""
    playing.at_work()
    before = took_over(playing.running)
    second = playing.running.start_worker()
    await_takeover(playing.running, before)
    playing.say(lines)
    playing.check(shared=True)
    playing.server.stop(signal.SIGKILL)
    playing.kill()
    playing.worker = second


def test_a_worker_that_takes_over_while_the_store_is_gone_says_that_it_does_not_judge(playing: Floor) -> None:
    lines = play("W", 4, 6, 15)
    _one_of_two_dies_without_the_store(playing, lines[: len(lines) // 2])
    log = playing.running.folder / "worker.log"
    await_word(log, "nothing is judged on partition")
    answer = playing.readiness()
    assert answer.status_code == 503
    assert answer.text.startswith("not ready: nothing is judged on partition")
    playing.say(lines[len(lines) // 2 :])
    playing.server.start()
    playing.check()
    assert playing.readiness().status_code == 200


ROUTES = """
otherwise = ["shift_manager"]
[people.anna]
roles = ["shift_manager"]
urls = ["{anna}"]

[[rules]]
severity = ["critical"]
tell = ["shift_manager"]

[self_test]
at = []

[standstill]
after = "2s"
"""


def test_people_hear_that_tables_are_not_judged_while_a_survivor_waits_for_the_store(playing: Floor) -> None:
    """One of two workers dies while the store is gone: the other cannot know what was judged on its partition."""
    lines, hook = play("N", 4, 6, 17), Webhook()
    _one_of_two_dies_without_the_store(playing, lines[: len(lines) // 2])
    playing.say(lines[len(lines) // 2 :])
    routing = parse_routing(ROUTES.format(anna=hook.url("anna")))
    store = playing.running.store.patient(Patience(total=0.0))
    service = AlertService(playing.running.broker, store, routing, playing.running.folder / "alerts")
    serving = threading.Thread(target=service.run)
    serving.start()
    try:
        until(lambda: any("not-judged" in title for title in hook.titles("anna")))
        playing.server.start()
        playing.check()
        until(lambda: not service.standstills.standing_still())
        until(lambda: any(title.startswith("Cleared: CRITICAL not-judged") for title in hook.titles("anna")))
    finally:
        service.stop()
        serving.join(120)
        hook.down()


def test_repeats_and_any_order_among_the_topics_change_nothing(playing: Floor) -> None:
    playing.at_work()
    playing.say(played_badly(play("B", 3, 6, 8), 8), max_events=7)
    playing.check()


def test_a_record_of_a_megabyte_and_a_clock_an_hour_off_stop_nothing(playing: Floor) -> None:
    lines = play("M", 3, 6, 9)
    drawn = [event.source for event in decode_lines(lines).events if event.type == "card.drawn.v1"]
    lines = [_an_hour_later(line) if drawn[0].encode() in line else line for line in lines]
    noise = b'{"specversion":"1.0","noise":"' + b"x" * 1_000_000 + b'"}'
    playing.at_work()
    playing.say([*lines[:50], noise, *lines[50:]])
    playing.check()
    assert noise in {refused.raw for refused in rejections(playing.running.store)}


def _an_hour_later(line: bytes) -> bytes:
    [event] = decode_lines([line]).events
    hour = int(event.time[11:13])
    return line.replace(event.time.encode(), f"{event.time[:11]}{hour + 1:02}{event.time[13:]}".encode())


class SmallDisk(StoreProcess):
    """The embedded server in a mount space of its own, in which its folder is a small disk."""

    def command(self) -> list[str]:
        mount = f"mount -t tmpfs -o size=160m tmpfs {self.folder}"
        return ["unshare", "-rm", "sh", "-c", f"{mount} && exec {' '.join(super().command())}"]


def test_a_full_disk_of_the_store_holds_nothing_up_but_the_acknowledgement(tmp_path: Path) -> None:
    disk = tmp_path / "small"
    disk.mkdir()
    mount = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", str(disk)]
    if shutil.which("unshare") is None or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this machine does not let a test mount a small disk (unshare -rm)")
    with floor(tmp_path, f"tablelog://{tmp_path}/log", SmallDisk(disk)) as playing:
        store = playing.running.store
        lines = play("D", 3, 6, 5)
        playing.at_work()
        playing.say(lines[:100])
        playing.check()
        store.command("CREATE TABLE ballast (filling String) ENGINE = MergeTree ORDER BY tuple()")
        told = len(alerts(playing.running))
        _fill(playing)
        playing.say(lines[100:])
        _await_alert(playing, told)
        await_word(playing.running.folder / "worker.log", "waiting for the store")
        store.command("DROP TABLE ballast SYNC")
        playing.check()


def _fill(playing: Floor) -> None:
    """Fill the store's disk to the brim."""
    store = playing.running.store.patient(Patience(total=0.0))
    size = 8 << 20
    rng = random.Random(1)
    while size >= 1 << 14:
        try:
            store.insert("ballast", {"filling": [rng.randbytes(size)]})
        except StoreUnavailable:
            # No room for so much: for less there may be.
            size //= 4


def test_events_of_a_record_that_is_not_stored_yet_are_not_read(playing: Floor) -> None:
    """A worker that dies between the events and their record leaves events that count for nothing until it comes."""
    lines = play("H", 1, 4, 13)
    first, rest = lines[:100], lines[100:]
    playing.at_work()
    playing.say(first)
    playing.check()
    decoded = decode_lines(rest)
    half = Record("table.bets", 0, 1_000_000, 0, b"[]", decoded)
    playing.running.store.insert("events", event_columns([half]))
    table = decoded.events[0].subject
    assert len(list(table_events(playing.running.store, table, 0, 2**52))) == len(decode_lines(first).events)


def test_a_worker_that_is_told_to_stop_finishes_what_it_has_in_hand(playing: Floor) -> None:
    worker = playing.at_work()
    playing.say(play("E", 2, 4, 12))
    assert stop(worker) == 0
    playing.at_work()
    playing.check(shared=True)
