"""The embedded log by itself: what is acknowledged stays, a batch is whole, errors are clear, the unread is kept."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streams.embedded import layout
from streams.embedded.layout import LogFull, LogTooNew, LogUnavailable, MemberExpelled, TopicDiffers, UnknownTopic
from streams.embedded.log import POLL_SECONDS, QUIET_POLL_SECONDS, Log, NewRecord, Place, Span, Topic
from streams.embedded.retention import retain


def log_with(folder: Path, *topics: Topic, max_bytes: int | None = None) -> Log:
    log = Log(folder, max_bytes=max_bytes)
    for topic in topics:
        log.create_topic(topic)
    return log


def read_values(log: Log, topic: str, partition: int, offset: int = 0) -> list[bytes | None]:
    return [record.value for record in log.read(topic, partition, offset, max_records=10_000, max_bytes=1 << 30)]


def test_records_come_back_as_they_were_appended(tmp_path: Path) -> None:
    with log_with(tmp_path, Topic("t", 2)) as log:
        offsets = log.append(
            [
                NewRecord("t", 0, b"one", b"key", [("content-type", b"json"), ("empty", b"")], 1234),
                NewRecord("t", 1, b"two"),
                NewRecord("t", 0, None),
            ]
        )
        assert offsets == [0, 0, 1]
        first, second = log.read("t", 0, 0)
        assert (first.offset, first.time_ms, first.key, first.value) == (0, 1234, b"key", b"one")
        assert first.headers == (("content-type", b"json"), ("empty", b""))
        assert (second.offset, second.value, second.key, second.headers) == (1, None, None, ())
        assert log.read("t", 0, 2) == []
    with Log(tmp_path) as again:
        assert read_values(again, "t", 0) == [b"one", None]
        assert again.append([NewRecord("t", 0, b"next")]) == [2]


def test_a_fetch_keeps_to_its_bounds_but_lets_a_large_record_through(tmp_path: Path) -> None:
    with log_with(tmp_path, Topic("t", 1)) as log:
        log.append([NewRecord("t", 0, bytes([n]) * 1000) for n in range(5)])
        assert len(log.read("t", 0, 0, max_records=2)) == 2
        assert len(log.read("t", 0, 0, max_bytes=2500)) == 2
        assert len(log.read("t", 0, 0, max_bytes=10)) == 1
        log.append([NewRecord("t", 0, b"x" * 5_000_000)])
        assert len(log.read("t", 0, 5)[0].value or b"") == 5_000_000


def test_an_unknown_topic_or_partition_is_named_and_nothing_of_the_batch_is_written(tmp_path: Path) -> None:
    with log_with(tmp_path, Topic("t", 1)) as log:
        with pytest.raises(UnknownTopic, match="partition 1 of topic t"):
            log.append([NewRecord("t", 0, b"good"), NewRecord("t", 1, b"bad")])
        assert read_values(log, "t", 0) == []


def test_the_number_of_partitions_cannot_change(tmp_path: Path) -> None:
    with log_with(tmp_path, Topic("t", 3)) as log:
        with pytest.raises(TopicDiffers, match="3 partitions, not 4"):
            log.create_topic(Topic("t", 4))
        assert not log.create_topic(Topic("t", 3, retention_ms=5, keep_for=("g",)))
        assert log.topics() == {"t": Topic("t", 3, 5, None, ("g",))}


def test_a_folder_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    log_with(tmp_path, Topic("t", 1)).close()
    with sqlite3.connect(layout.database(tmp_path)) as db:
        db.execute(f"PRAGMA user_version = {layout.FORMAT + 1}")
    with pytest.raises(LogTooNew, match=f"format {layout.FORMAT + 1}"):
        Log(tmp_path)
    with sqlite3.connect(layout.database(tmp_path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (layout.FORMAT + 1,)
        assert db.execute("SELECT name FROM topic").fetchall() == [("t",)]


def test_a_file_that_is_no_log_is_refused(tmp_path: Path) -> None:
    layout.database(tmp_path).write_bytes(b"something else entirely" * 1000)
    with pytest.raises(LogUnavailable, match="cannot be used"):
        Log(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(LogUnavailable, match="cannot be opened"):
        Log(tmp_path / "file")


def test_a_full_log_says_so_keeps_what_it_has_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    with log_with(tmp_path, Topic("t", 1, retention_bytes=0), max_bytes=1 << 20) as log:
        with pytest.raises(LogFull, match="no room left"):
            for _ in range(1000):
                log.append([NewRecord("t", 0, b"x" * 30_000)])
        kept = log.spans()[Place("t", 0)].next
        assert kept == len(log.read("t", 0, 0, max_bytes=1 << 30))
        assert retain(log)[0].records == kept
        assert log.append([NewRecord("t", 0, b"again")]) == [kept]


SPOOL = """
import sys
from streams.embedded.log import Log, NewRecord
folder, name, count, size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with Log(folder) as log:
    for n in range(count):
        log.append([NewRecord("t", part, f"{name}-{n}-{part} ".encode().ljust(size, b".")) for part in (0, 1)])
        print(n, flush=True)
"""


def spool(folder: Path, name: str, count: int, size: int = 10) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SPOOL, str(folder), name, str(count), str(size)], stdout=subprocess.PIPE, text=True
    )


def test_several_processes_append_at_once_and_each_keeps_its_order(tmp_path: Path) -> None:
    with log_with(tmp_path, Topic("t", 2)) as log:
        writers = [spool(tmp_path, f"w{number}", 150) for number in range(3)]
        for writer in writers:
            writer.communicate(timeout=120)
            assert writer.returncode == 0
        for partition in (0, 1):
            names = [(value or b"").split(b" ")[0].decode() for value in read_values(log, "t", partition)]
            assert len(names) == 450
            for number in range(3):
                mine = [name for name in names if name.startswith(f"w{number}-")]
                assert mine == [f"w{number}-{n}-{partition}" for n in range(150)]


def test_kill_9_of_a_writer_keeps_what_was_acknowledged_and_leaves_no_half_batch(tmp_path: Path) -> None:
    with log_with(tmp_path, Topic("t", 2)) as log:
        for attempt in range(3):
            writer = spool(tmp_path, f"k{attempt}", 100_000, size=20_000)
            assert writer.stdout is not None
            acknowledged = -1
            while acknowledged < 20 + 7 * attempt:
                acknowledged = int(writer.stdout.readline())
            writer.send_signal(signal.SIGKILL)
            acknowledged = max([acknowledged, *(int(line) for line in writer.stdout if line.endswith("\n"))])
            writer.wait(10)
            spans = log.spans()
            assert spans[Place("t", 0)].next == spans[Place("t", 1)].next
            for partition in (0, 1):
                mine = [
                    value for value in read_values(log, "t", partition) if (value or b"").startswith(b"k%d-" % attempt)
                ]
                # One more may have been written than the writer lived to say.
                assert len(mine) - 1 in (acknowledged, acknowledged + 1)
            # The next one is not held up by the lock of the dead.
            log.append([NewRecord("t", 0, b"alive"), NewRecord("t", 1, b"alive")])


def test_a_reader_hears_of_what_another_process_wrote(tmp_path: Path) -> None:
    with log_with(tmp_path, Topic("t", 2)) as log:
        log.changed()
        assert not log.changed()
        assert not log.wait(0.01)
        writer = spool(tmp_path, "w", 1)
        assert log.wait(30)
        writer.communicate(timeout=120)
        log.changed()
        log.append([NewRecord("t", 0, b"own")])
        assert log.changed()


def test_a_log_that_is_quiet_is_asked_less_often_until_something_is_written(tmp_path: Path) -> None:
    with log_with(tmp_path, Topic("t", 1)) as reader, Log(tmp_path) as writer:
        writer.append([NewRecord("t", 0, b"one")])
        assert reader.wait(60)
        reader._news_at -= 0.1
        assert POLL_SECONDS < reader.pause < QUIET_POLL_SECONDS
        reader._news_at -= 3600
        assert reader.pause == QUIET_POLL_SECONDS
        assert not reader.wait(0.05)
        writer.append([NewRecord("t", 0, b"two")])
        assert reader.wait(60)
        reader._news_at += 60  # however slow this machine is
        assert reader.pause == POLL_SECONDS


def test_lag_counts_what_is_not_committed(tmp_path: Path) -> None:
    with log_with(tmp_path, Topic("t", 2), Topic("other", 1)) as log:
        log.append([NewRecord("t", 0, b"x")] * 3 + [NewRecord("other", 0, b"y")])
        assert log.lag("g", ["t"]) == {Place("t", 0): 3, Place("t", 1): 0}
        log.commit("g", {Place("t", 0): 2})
        assert log.lag("g") == {Place("t", 0): 1, Place("t", 1): 0, Place("other", 0): 1}
        assert log.committed("g") == {Place("t", 0): 2}
        assert log.committed("h") == {}


def test_a_commit_of_one_who_is_no_member_is_refused(tmp_path: Path) -> None:
    with log_with(tmp_path, Topic("t", 1)) as log:
        with pytest.raises(MemberExpelled):
            log.commit("g", {Place("t", 0): 1}, member="long gone")
        assert log.committed("g") == {}


def test_retention_by_age_takes_the_oldest_and_offsets_go_on(tmp_path: Path) -> None:
    with log_with(tmp_path, Topic("t", 1, retention_ms=1000)) as log:
        log.append([NewRecord("t", 0, b"12345", time_ms=time_ms) for time_ms in (100, 200, 5000, 300)])
        # The 300 lies behind a younger one: a log has no holes.
        assert [(one.records, one.bytes) for one in retain(log, now_ms=2000)] == [(2, 10)]
        assert log.spans()[Place("t", 0)] == Span(2, 4, 10)
        assert [record.offset for record in log.read("t", 0, 0)] == [2, 3]
        assert log.append([NewRecord("t", 0, b"")]) == [4]
        assert retain(log, now_ms=2000) == []


def test_retention_by_size_keeps_the_newest(tmp_path: Path) -> None:
    with log_with(tmp_path, Topic("t", 1, retention_bytes=2500)) as log:
        log.append([NewRecord("t", 0, bytes(1000)) for _ in range(1200)])
        assert [one.records for one in retain(log)] == [1198]
        assert log.spans()[Place("t", 0)] == Span(1198, 1200, 2000)


def test_retention_never_takes_what_a_group_it_is_kept_for_has_not_committed(tmp_path: Path) -> None:
    with log_with(tmp_path, Topic("t", 1, retention_ms=1, keep_for=("judges", "archive"))) as log:
        log.append([NewRecord("t", 0, b"x", time_ms=0)] * 10)
        assert retain(log) == []
        log.commit("judges", {Place("t", 0): 8})
        assert retain(log) == []
        log.commit("archive", {Place("t", 0): 5})
        assert [one.records for one in retain(log)] == [5]
        assert [one.records for one in retain(log, even_unread=True)] == [5]


@settings(deadline=None)
@given(
    batches=st.lists(
        st.lists(st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 2), st.binary(max_size=40)), max_size=6),
        max_size=6,
    )
)
def test_what_is_read_is_what_was_appended_in_that_order(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[tuple[str, int, bytes]]]
) -> None:
    with log_with(tmp_path_factory.mktemp("log"), Topic("a", 3), Topic("b", 3)) as log:
        expected: dict[tuple[str, int], list[bytes]] = {}
        for records in batches:
            offsets = log.append([NewRecord(*record) for record in records])
            for (topic, partition, value), offset in zip(records, offsets, strict=True):
                assert offset == len(expected.setdefault((topic, partition), []))
                expected[topic, partition].append(value)
        for (topic, partition), found in expected.items():
            assert read_values(log, topic, partition) == found


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(LogUnavailable, match="cannot be opened"):
        Log(tmp_path / "log")


def test_two_processes_may_make_the_folder_at_once(tmp_path: Path) -> None:
    script = (
        "import sys; from streams.embedded.log import *; Log(sys.argv[1]).create_topic(Topic('t', 2)); print('made')"
    )
    makers = [
        subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "log")], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [maker.communicate(timeout=120)[0] for maker in makers] == ["made\n"] * 3
    with Log(tmp_path / "log") as log:
        assert log.topics() == {"t": Topic("t", 2)}
