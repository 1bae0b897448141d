"""Workers with names on a real Kafka broker: one that is killed goes on at once; a name given twice costs nothing."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from kafka import KafkaAdminClient

from streams.topic_layout import GROUP
from tests.faults.floor import Floor, await_word, floor, play
from tests.services.fixtures import own_broker
from tests.services.kafka import KafkaBroker
from tests.services.topics import without_topics
from tests.streams.forked_workers import WorkerProcess
from tests.streams.pipeline import StoreProcess, await_takeover, stop, took_over

pytestmark = [pytest.mark.java, pytest.mark.xdist_group("kafka")]

LONG = "45"
"""Seconds of a session that is not over before a worker is back, on the slowest machine."""
SHORT = "20"
REPLACED = "another worker came with the name"


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    with own_broker(tmp_path_factory.mktemp("kafka")) as started:
        yield started


def _floor(folder: Path, broker: KafkaBroker, session: str) -> AbstractContextManager[Floor]:
    without_topics(broker)
    return floor(folder, broker.url, StoreProcess(folder / "clickhouse"), TABLEWATCH_SESSION_SECONDS=session)


def _start(playing: Floor, name: str) -> WorkerProcess:
    playing.running.environment["TABLEWATCH_WORKER_NAME"] = name
    return playing.running.start_worker()


def _members(broker: KafkaBroker) -> dict[str | None, tuple[int, ...]]:
    """The members of the workers' group by their names, each with its partitions."""
    with KafkaAdminClient(**broker.options) as admin:
        [group] = admin.describe_groups([GROUP]).values()
    return {
        member["group_instance_id"]: tuple(
            sorted(
                {
                    number
                    # In the middle of a rebalance a member has no assignment, and the client gives an empty text.
                    for topic in (member["member_assignment"] or {"assigned_partitions": ()})["assigned_partitions"]
                    for number in topic["partitions"]
                }
            )
        )
        for member in group["members"]
    }


def test_a_killed_worker_goes_on_by_its_name_and_the_others_are_not_disturbed(
    broker: KafkaBroker, tmp_path: Path
) -> None:
    with _floor(tmp_path, broker, LONG) as playing:
        lines = play("N", 4, 6, 31)
        first = playing.worker = _start(playing, "first")
        await_takeover(playing.running, 1)
        second = _start(playing, "second")
        await_takeover(playing.running, 3)
        shares = _members(broker)
        assert sorted(shares.items()) == [("first", shares["first"]), ("second", shares["second"])]
        assert sorted(shares.values()) == [(0,), (1,)]
        playing.say(lines[: len(lines) // 2])
        taken = took_over(playing.running)
        playing.kill()
        playing.worker = _start(playing, "first")
        playing.say(lines[len(lines) // 2 :])
        await_takeover(playing.running, taken)
        playing.check(shared=True)
        # Had its session been over first, the second one would have been given its partition.
        assert took_over(playing.running) == taken + 1
        assert _members(broker) == shares
        assert first.poll() is not None
        # One that is told to stop gives its partition away.
        assert stop(second) == 0
        assert _members(broker).keys() == {"first"}


def test_workers_that_were_given_the_same_name_say_so_share_and_lose_nothing(
    broker: KafkaBroker, tmp_path: Path
) -> None:
    with _floor(tmp_path, broker, SHORT) as playing:
        lines = play("S", 4, 6, 32)
        part = len(lines) // 3
        log = playing.running.folder / "worker.log"
        playing.worker = _start(playing, "same")
        await_takeover(playing.running, 1)
        playing.say(lines[:part])
        other = _start(playing, "same")
        playing.say(lines[part : 2 * part])
        await_word(log, REPLACED)
        playing.say(lines[2 * part :])
        playing.kills += 1  # both may have told people of what they had both read
        playing.check(shared=True)
        assert log.read_text().count(REPLACED) == 1
        members = _members(broker)
        assert members.keys() == {"same", None}
        assert sorted(members.values()) == [(0,), (1,)]
        assert stop(other) == 0
        playing.check(shared=True)


def test_workers_of_the_same_name_that_start_together_lose_nothing(broker: KafkaBroker, tmp_path: Path) -> None:
    with _floor(tmp_path, broker, SHORT) as playing:
        lines = play("T", 4, 6, 33)
        playing.say(lines[: len(lines) // 2])
        playing.worker = _start(playing, "same")
        other = _start(playing, "same")
        await_word(playing.running.folder / "worker.log", REPLACED)
        playing.say(lines[len(lines) // 2 :])
        playing.kills += 1
        playing.check(shared=True)
        assert _members(broker).keys() == {"same", None}
        assert stop(other) == 0


def test_a_name_that_kafka_would_refuse_is_wrong_use(broker: KafkaBroker, tmp_path: Path) -> None:
    with _floor(tmp_path, broker, SHORT) as playing:
        playing.running.environment["TABLEWATCH_WORKER_NAME"] = "table watch/1"
        refused = playing.running.run("worker")
        assert refused.returncode == 2
        assert b"TABLEWATCH_WORKER_NAME" in refused.stderr
