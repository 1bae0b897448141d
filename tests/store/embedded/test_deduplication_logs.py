"""A token whose part was never put in place is forgotten, so that its batch is stored when it comes again."""

from __future__ import annotations

from pathlib import Path

from clickhouse_driver import Client

from store.embedded.deduplication import mend
from store.embedded.process import EmbeddedClickHouse


def _table(folder: Path, log: str, parts: list[str]) -> Path:
    table = folder / "store" / "abc" / "abcdef"
    (table / "deduplication_logs").mkdir(parents=True)
    for part in parts:
        (table / part).mkdir()
    file = table / "deduplication_logs" / "deduplication_log_1.txt"
    file.write_text(log)
    return file


def test_tokens_with_their_part_or_one_that_it_was_merged_into_stay(tmp_path: Path) -> None:
    log = "1\tall_1_1_0\tx\n1\tall_2_2_0\ty\n1\t202611_7_7_0\tz\n"
    file = _table(tmp_path, log, ["all_1_1_0", "all_1_3_1_9", "202611_5_8_2", "detached"])
    assert mend(tmp_path) == 0
    assert file.read_text() == log


def test_a_token_without_a_part_is_taken_out(tmp_path: Path) -> None:
    log = "1\tall_1_1_0\tx\n1\tall_2_2_0\ty\n1\t7_2_2_0\tz\n"
    file = _table(tmp_path, log, ["all_1_1_0", "tmp_insert_all_2_2_0", "7_1_1_0"])
    assert mend(tmp_path) == 2
    assert file.read_text() == log + "2\tall_2_2_0\ty\n2\t7_2_2_0\tz\n"
    assert mend(tmp_path) == 0


def test_a_line_cut_off_by_the_crash_is_left_out(tmp_path: Path) -> None:
    file = _table(tmp_path, "1\tall_1_1_0\tx\n1\tall_2_2", ["all_1_1_0"])
    assert mend(tmp_path) == 0
    assert file.read_text() == "1\tall_1_1_0\tx\n"


def test_a_batch_whose_part_was_lost_is_stored_when_it_comes_again(tmp_path: Path) -> None:
    server = EmbeddedClickHouse(tmp_path)

    def insert(token: str, rows: list[tuple[int]]) -> list[tuple[int]]:
        client = Client.from_url(server.url)
        client.execute("INSERT INTO t VALUES", rows, settings={"insert_deduplication_token": token})
        stored: list[tuple[int]] = client.execute("SELECT a FROM t ORDER BY a")
        client.disconnect()
        return stored

    with server:
        Client.from_url(server.url).execute(
            "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 100"
        )
        insert("first", [(1,)])
        assert insert("second", [(2,)]) == [(1,), (2,)]
    (log,) = tmp_path.glob("clickhouse/store/*/*/deduplication_logs/*.txt")
    # As a kill leaves it: the token is noted, and the part has not been renamed into place.
    (log.parent.parent / "all_2_2_0").rename(log.parent.parent / "tmp_insert_all_2_2_0")
    with server:
        assert insert("first", [(1,)]) == [(1,)]
        assert insert("second", [(2,)]) == [(1,), (2,)]
        assert insert("second", [(2,)]) == [(1,), (2,)]
