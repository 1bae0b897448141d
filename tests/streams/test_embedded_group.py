"""Group membership on the embedded log: by number, one owner at a time, and the dead and the hanging are replaced."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from streams.embedded.group import Membership, Seat, View, assign, look, remove
from streams.embedded.layout import MemberExpelled
from streams.embedded.log import Log, Place, Topic

TOPICS = ("cards", "bets")


@pytest.fixture
def log(tmp_path: Path) -> Log:
    made = Log(tmp_path)
    for topic in TOPICS:
        made.create_topic(Topic(topic, 5))
    return made


def view(*members: tuple[str, tuple[str, ...]], generation: int = 1) -> View:
    return View(generation, tuple(Seat(name, generation, topics) for name, topics in members))


def test_a_partition_number_of_all_topics_belongs_to_one_member() -> None:
    seats = view(("a", TOPICS), ("b", TOPICS), ("c", TOPICS))
    shares = {name: assign(seats, {"cards": 5, "bets": 5}, name) for name in "abc"}
    for share in shares.values():
        numbers = {place.partition for place in share}
        assert share == {Place(topic, number) for topic in TOPICS for number in numbers}
        assert len(numbers) in (1, 2)
    assert sum(len(share) for share in shares.values()) == 10
    assert set.union(*shares.values()) == {Place(topic, number) for topic in TOPICS for number in range(5)}


def test_a_topic_belongs_to_those_who_read_it() -> None:
    seats = view(("a", TOPICS), ("b", ("bets",)))
    assert assign(seats, {"cards": 2, "bets": 2}, "a") == {Place("cards", 0), Place("cards", 1), Place("bets", 0)}
    assert assign(seats, {"cards": 2, "bets": 2}, "b") == {Place("bets", 1)}


def test_more_members_than_partitions_leaves_some_without() -> None:
    assert assign(view(("a", TOPICS), ("b", TOPICS)), {"cards": 1, "bets": 1}, "b") == set()


def test_nothing_is_taken_before_all_have_let_go(log: Log) -> None:
    first = Membership(log, "g", TOPICS)
    first.let_go(look(log, "g").generation)
    assert look(log, "g").settled
    second = Membership(log, "g", TOPICS)
    now = look(log, "g")
    assert now.generation == 2
    second.let_go(2)
    assert not look(log, "g").settled
    first.let_go(2)
    assert look(log, "g").settled
    assert [seat.id for seat in look(log, "g").seats] == [first.id, second.id]
    first.leave()
    assert look(log, "g").generation == 3
    second.leave()
    assert look(log, "g").seats == ()
    assert list((log.folder / "members").iterdir()) == []


def test_groups_do_not_touch_each_other(log: Log) -> None:
    one = Membership(log, "one", TOPICS)
    other = Membership(log, "other", TOPICS)
    assert [seat.id for seat in look(log, "one").seats] == [one.id]
    assert look(log, "other").generation == 1
    one.leave()
    assert look(log, "other").generation == 1
    other.leave()


MEMBER = """
import sys, time
from streams.embedded.group import Membership
from streams.embedded.log import Log
member = Membership(Log(sys.argv[1]), "g", ("cards",))
print(member.id, flush=True)
while True:
    member.beat()
    time.sleep(0.05)
"""


def start_member(log: Log) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [sys.executable, "-c", MEMBER, str(log.folder)], stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def test_one_who_was_killed_is_known_to_be_dead_at_once(log: Log) -> None:
    mine = Membership(log, "g", TOPICS)
    process, other = start_member(log)
    assert mine.dead(look(log, "g"), session_seconds=3600) == []
    process.kill()
    process.wait(120)
    assert mine.dead(look(log, "g"), session_seconds=3600) == [other]
    remove(log, "g", [other])
    assert [seat.id for seat in look(log, "g").seats] == [mine.id]
    assert look(log, "g").generation == 3
    mine.leave()


def test_one_who_hangs_is_dead_after_the_session_timeout_and_its_commit_is_refused(log: Log) -> None:
    mine = Membership(log, "g", TOPICS)
    process, other = start_member(log)
    try:
        process.send_signal(signal.SIGSTOP)
        assert mine.dead(look(log, "g"), session_seconds=3600) == []
        deadline = time.monotonic() + 240
        while mine.dead(look(log, "g"), session_seconds=0.3) != [other]:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        remove(log, "g", [other])
        with pytest.raises(MemberExpelled, match=other):
            log.commit("g", {Place("cards", 0): 1}, member=other)
        log.commit("g", {Place("cards", 0): 1}, member=mine.id)
    finally:
        process.kill()
        process.wait(120)
        mine.leave()


def test_removing_one_who_has_gone_already_changes_nothing(log: Log) -> None:
    mine = Membership(log, "g", TOPICS)
    before = look(log, "g")
    remove(log, "g", ["nobody"])
    assert look(log, "g") == before
    mine.leave()


def test_a_new_topic_is_a_new_generation(log: Log) -> None:
    mine = Membership(log, "g", ("cards", "later"))
    mine.let_go(1)
    log.create_topic(Topic("later", 5))
    assert look(log, "g").generation == 2
    assert not look(log, "g").settled
    mine.leave()
