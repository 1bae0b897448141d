"""`tablewatch doctor`: every part by name, how far it is behind, and what to do about it."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

from audit.settings import JudgeSettings
from audit.watches.settings import WatchSettings
from replay.chain.keys import KeyRing
from replay.chain.seal import Sealer
from simulator.floor import simulate
from store.connect import Store
from store.migrate import migrate
from store.read.shoes import newest_arrival
from streams.embedded.group import Membership
from streams.publish import publish
from streams.topic_layout import GROUP, INPUTS
from streams.watching.service import WatchService
from tablewatch.command import app
from tablewatch.commands import doctor
from tests.audit.watches.told_shoes import lines_of
from tests.replay.stored import fill
from tests.services.certificate import self_signed
from tests.services.store import database_of_its_own, without_rows
from tests.store.floor import LONG, finding
from tests.streams.alerting.room import Room
from tests.streams.alerting.webhook import until
from tests.streams.watching.shoes import with_false_shuffle
from tests.tablewatch.typed import typed


@pytest.fixture(scope="module")
def durable(server_url: str) -> Iterator[Store]:
    """A store that waits for its disk, as those do that are no test's."""
    for store in database_of_its_own(server_url):
        migrate(store, LONG)
        yield store


@pytest.fixture
def store(durable: Store) -> Iterator[Store]:
    """The same, without rows."""
    yield durable
    without_rows(durable)


@pytest.fixture
def room(tmp_path: Path, store: Store) -> Iterator[Room]:
    """Its service has the journal that `doctor` looks at: in the data folder."""
    made = Room(tmp_path, store)
    yield made
    made.close()


def surroundings(room: Room) -> dict[str, str]:
    """The settings of everything that is in the room."""
    address = room.store.address
    return {
        "TABLEWATCH_CLICKHOUSE_URL": f"clickhouse://{address.user}:{address.password}@{address.host}:{address.port}"
        f"/{address.database}",
        "TABLEWATCH_BROKER": str(room.broker),
        "TABLEWATCH_DATA": str(room.folder),
    }


def ask(room: Room, *more: str, **settings: str) -> tuple[int, dict[str, Any]]:
    """The exit code, and what is said of each part."""
    environment = surroundings(room) | settings
    done = CliRunner().invoke(app, ["doctor", "--json", *more], env=environment)
    said = orjson.loads(done.stdout)
    return done.exit_code, {each["name"]: (each["ok"], each["says"]) for each in said["checks"]} | {"ok": said["ok"]}


def test_the_topics_are_held_against_what_is_set_as_topics_check_does(room: Room) -> None:
    assert ask(room)[1]["topics"] == (True, "as they should be")
    code, said = ask(room, "--strict", TABLEWATCH_PARTITIONS="24")
    assert code == 1 and not said["topics"][0]
    assert "partitions should be 24, is" in said["topics"][1]
    assert ask(room, TABLEWATCH_PARTITIONS="many")[1]["topics"] == (
        False, "TABLEWATCH_PARTITIONS must be a whole number of 0 or more, not 'many'.",
    )  # fmt: skip


def test_a_site_without_chain_watches_and_alerts_is_well_and_hears_how_to_begin(room: Room) -> None:
    code, said = ask(room)
    assert (code, said["ok"]) == (0, True)
    parts = ["broker", "topics", "lag", "workers", "store", "schema", "disk", "power", "chain", "watches", "alerts"]
    assert list(said) == [*parts, "ok"]
    assert said["workers"] == (True, "none is at work, and nothing waits. To begin: tablewatch worker")
    assert "tablewatch chain run" in said["chain"][1]
    assert said["watches"][1].endswith("none waits too long. To begin: tablewatch watches run")
    assert "tablewatch alerts run" in said["alerts"][1]


def test_without_broker_and_store_both_are_named_and_the_exit_code_is_3(room: Room) -> None:
    code, said = ask(room, TABLEWATCH_CLICKHOUSE_URL="clickhouse://default@127.0.0.1:9/x")
    assert code == 3
    assert said["store"][0] is False
    assert said.keys() == {"broker", "topics", "lag", "workers", "store", "alerts", "ok"}
    code, said = ask(room, TABLEWATCH_BROKER="kafka://127.0.0.1:1")
    assert code == 3
    assert said["broker"][0] is False
    assert "TABLEWATCH_BROKER" in said["broker"][1]


def test_how_much_room_the_disk_of_the_store_has_left_is_told_before_it_is_full(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, said = ask(room, "--strict")
    assert (code, said["disk"][0]) == (0, True) and " are free at " in said["disk"][1]
    # No disk has all of its space free: it is as one with less than is needed.
    monkeypatch.setattr(doctor, "LEAST_FREE", 1.0)
    code, said = ask(room, "--strict")
    assert (code, said["disk"][0]) == (1, False)
    assert said["disk"][1].endswith("a full store takes nothing in. Free some space, or give it more")


@pytest.fixture
def taken_back(store: Store) -> Iterator[None]:
    """A store that acknowledges what a power cut may take back."""
    store.command("ALTER TABLE records MODIFY SETTING fsync_after_insert = 0")
    yield
    store.command("ALTER TABLE records RESET SETTING fsync_after_insert")


def test_a_store_that_acknowledges_what_its_disk_has_is_well(room: Room) -> None:
    code, said = ask(room, "--strict")
    assert (code, said["power"]) == (0, (True, "what the store has acknowledged has reached its disk"))


@pytest.mark.usefixtures("taken_back")
def test_a_store_that_acknowledges_before_its_disk_has_it_is_told(room: Room) -> None:
    code, said = ask(room, "--strict")
    assert (code, said["power"][0]) == (1, False)
    assert "inserts into records before its disk has them" in said["power"][1]


@pytest.mark.usefixtures("taken_back")
def test_what_several_servers_have_needs_no_disk(room: Room) -> None:
    url = surroundings(room)["TABLEWATCH_CLICKHOUSE_URL"] + "?insert_quorum=2"
    code, said = ask(room, "--strict", TABLEWATCH_CLICKHOUSE_URL=url)
    assert (code, said["power"][0]) == (0, True) and "insert_quorum=2" in said["power"][1]


def test_a_server_without_the_database_is_not_to_be_started_again(room: Room) -> None:
    address = room.store.address
    url = f"clickhouse://{address.user}:{address.password}@{address.host}:{address.port}/not_there"
    code, said = ask(room, TABLEWATCH_CLICKHOUSE_URL=url)
    ok, says = said["store"]
    assert (code, ok) == (3, False)
    assert "run: tablewatch store migrate" in says and "tablewatch clickhouse" not in says


@pytest.mark.parametrize(("days", "well"), [(90, True), (13, False), (-1, False)])
def test_how_long_a_certificate_is_valid_is_told_where_the_settings_name_one(
    room: Room, tmp_path: Path, days: int, well: bool
) -> None:
    certificate, key = self_signed(tmp_path, "console", begins=timedelta(days=-9), ends=timedelta(days=days))
    _, said = ask(room, TABLEWATCH_CONSOLE_CERTIFICATE=str(certificate), TABLEWATCH_CONSOLE_KEY=str(key))
    ok, says = said["console certificate"]
    assert (ok, said["ok"]) == (well, well)
    assert says.startswith(str(certificate))
    assert "gateway certificate" not in said


def test_a_certificate_that_is_none_is_told(room: Room) -> None:
    _, said = ask(room, TABLEWATCH_GATEWAY_CERTIFICATE=__file__)
    ok, says = said["gateway certificate"]
    assert ok is False
    assert says.startswith(f"{__file__} cannot be used for TLS: it holds no PEM")


@pytest.mark.parametrize("part", ["CONSOLE", "GATEWAY"])
def test_a_key_is_held_against_its_certificate(room: Room, tmp_path: Path, part: str) -> None:
    certificate, key = self_signed(tmp_path, "own", ends=timedelta(days=90))
    _, other = self_signed(tmp_path, "other")
    name, pair = f"{part.lower()} key", {f"TABLEWATCH_{part}_CERTIFICATE": str(certificate)}
    _, said = ask(room, **pair, **{f"TABLEWATCH_{part}_KEY": str(key)})
    assert said[name] == (True, f"{key} belongs to {certificate}")
    assert said["ok"]
    code, said = ask(room, **pair, **{f"TABLEWATCH_{part}_KEY": str(other)})
    ok, says = said[name]
    assert (code, ok, said["ok"], said[f"{part.lower()} certificate"][0]) == (0, False, False, True)
    wrong = f"{certificate} and {other} cannot be used for TLS: the key does not belong to the certificate."
    assert says.startswith(f"{wrong} Name the key that the certificate was asked for with")


@pytest.mark.parametrize("part", ["CONSOLE", "GATEWAY"])
def test_one_of_the_two_files_alone_is_told(room: Room, tmp_path: Path, part: str) -> None:
    certificate, key = self_signed(tmp_path, "own", ends=timedelta(days=90))
    names = f"TABLEWATCH_{part}_CERTIFICATE", f"TABLEWATCH_{part}_KEY"
    _, said = ask(room, **{names[0]: str(certificate)})
    assert said[f"{part.lower()} key"] == (False, f"{names[0]} is set and {names[1]} is not: set both")
    assert said[f"{part.lower()} certificate"][0]
    _, said = ask(room, **{names[1]: str(key)})
    assert said[f"{part.lower()} certificate"] == (False, f"{names[1]} is set and {names[0]} is not: set both")


def test_a_key_that_is_not_there_or_is_none_is_told_once(room: Room, tmp_path: Path) -> None:
    certificate, _ = self_signed(tmp_path, "own", ends=timedelta(days=90))
    missing = tmp_path / "missing.key"
    _, said = ask(room, TABLEWATCH_CONSOLE_CERTIFICATE=str(certificate), TABLEWATCH_CONSOLE_KEY=str(missing))
    ok, says = said["console key"]
    assert ok is False
    assert says.startswith(f"{missing} cannot be used for TLS: it cannot be read: No such file or directory.")
    assert "TABLEWATCH_CONSOLE_KEY" in says
    _, said = ask(room, TABLEWATCH_CONSOLE_CERTIFICATE=__file__, TABLEWATCH_CONSOLE_KEY=str(certificate))
    ok, says = said["console key"]
    assert ok is False
    assert says.startswith(f"{certificate} cannot be used for TLS: it holds a certificate and no private key")
    assert __file__ not in says, "that is told of the certificate"


def test_a_key_whose_certificate_cannot_be_used_is_no_second_fault(room: Room, tmp_path: Path) -> None:
    _, key = self_signed(tmp_path, "own")
    _, said = ask(room, TABLEWATCH_CONSOLE_CERTIFICATE=__file__, TABLEWATCH_CONSOLE_KEY=str(key))
    assert said["console certificate"][0] is False
    assert said["console key"] == (True, f"{key} can be used; what is wrong is told of the certificate")


def test_the_key_of_a_kafka_client_is_held_against_its_certificate(room: Room, tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path, "own", ends=timedelta(days=90))
    _, other = self_signed(tmp_path, "other")
    url = f"kafka://127.0.0.1:1?security=SSL&certificate={certificate}&key="
    _, said = ask(room, TABLEWATCH_BROKER=f"{url}{other}")
    ok, says = said["broker key"]
    assert ok is False
    assert "the key does not belong to the certificate" in says
    assert said["broker certificate"][0] is True
    _, said = ask(room, TABLEWATCH_BROKER=f"{url}{key}")
    assert said["broker key"] == (True, f"{key} belongs to {certificate}")
    _, said = ask(room, TABLEWATCH_BROKER=f"{url}{certificate}")
    ok, says = said["broker key"]
    assert ok is False
    assert says.endswith("key= in TABLEWATCH_BROKER names the private key: correct it.")


def test_an_address_that_is_none_is_told_beside_the_other_parts(room: Room) -> None:
    code, said = ask(room, TABLEWATCH_CLICKHOUSE_URL="http://default@127.0.0.1:9/x")
    assert code == 3
    assert said["broker"][0] is True
    assert said["store"][0] is False
    assert "should be clickhouse://" in said["store"][1]


def test_a_variable_that_is_nearly_a_setting_is_named(room: Room) -> None:
    code, said = ask(room, TABLEWATCH_RETENTION_YEAR="9", TABLEWATCH_TEST_BROKER="x", TABLEWATCH_HOUSE="Marina")
    assert (code, said["ok"]) == (0, False)
    meant = "Did you mean TABLEWATCH_RETENTION_YEARS?"
    assert said["settings"] == (False, f"TABLEWATCH_RETENTION_YEAR is no setting, and is not heeded. {meant}")


def test_every_command_says_that_a_variable_is_nearly_a_setting() -> None:
    done = typed("settle", "--games", TABLEWATCH_TOLERANCE_MSS="9", TABLEWATCH_HOUSE="Marina")
    meant = b"Did you mean TABLEWATCH_TOLERANCE_MS?"
    assert (done.returncode, done.stderr) == (
        0,
        b"TABLEWATCH_TOLERANCE_MSS is no setting, and is not heeded. " + meant + b"\n",
    )


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("PARTITIONS", "abc", "TABLEWATCH_PARTITIONS must be a number, not 'abc'."),
        ("TOLERANCE_MS", "-1", "TABLEWATCH_TOLERANCE_MS must be a whole number of 0 or more, not '-1'."),
        ("WATCH_HOLD_RATE", "2", "TABLEWATCH_WATCH_HOLD_RATE must be a number between 0 and 1, such as 1e-6, not '2'."),
        ("CONSOLE_PORT", "99999", "TABLEWATCH_CONSOLE_PORT must be a port, 0 to 65535, not '99999'."),
        ("CONSOLE_SESSION_HOURS", "0", "TABLEWATCH_CONSOLE_SESSION_HOURS must be 1 or more."),
        ("READING_PAIR", "any", "TABLEWATCH_READING_PAIR must be same-rank or literal, not 'any'."),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(room: Room, name: str, value: str, says: str) -> None:
    code, said = ask(room, **{f"TABLEWATCH_{name}": value})
    assert (code, said["ok"]) == (0, False)
    assert said["settings"] == (False, says)
    assert ask(room, "--strict", **{f"TABLEWATCH_{name}": value})[0] == 1


def test_strict_finds_no_fault_where_all_is_well(room: Room) -> None:
    assert ask(room, "--strict")[0] == 0


def test_it_says_in_the_end_whether_all_is_well(room: Room) -> None:
    environment = {"TABLEWATCH_BROKER": str(room.broker), "TABLEWATCH_DATA": str(room.folder)}
    nowhere = {**environment, "TABLEWATCH_CLICKHOUSE_URL": "clickhouse://default@127.0.0.1:9/x"}
    assert CliRunner().invoke(app, ["doctor"], env=nowhere).stdout.endswith("\nNot well: 1 of 6.\n")
    address = room.store.address
    url = f"clickhouse://{address.user}:{address.password}@{address.host}:{address.port}/{address.database}"
    there = {**environment, "TABLEWATCH_CLICKHOUSE_URL": url}
    said = CliRunner().invoke(app, ["doctor"], env=there).stdout
    assert said.endswith("\nAll that is at work is well; not seen at work: workers, chain, watches, alerts.\n")
    assert "\n--  chain: nothing is sealed" in said and "\nok  schema: " in said


def test_all_is_well_where_every_service_has_been_at_work(room: Room, tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys")
    ring.make("test")
    fill(room.store, lines_of(with_false_shuffle()))
    newest = newest_arrival(room.store)
    assert Sealer(room.store, ring, lambda: newest).seal() is not None
    WatchService(
        room.broker, room.store, JudgeSettings(), WatchSettings(), grace_seconds=0.0, patience_seconds=30.0
    ).look(whole=True)
    member = Membership(room.log, GROUP, INPUTS)
    with room.service():
        until(lambda: ask(room)[1]["alerts"][1].startswith("running; 0 alerts are not read"))
        assert CliRunner().invoke(app, ["doctor"], env=surroundings(room)).stdout.endswith("\nAll is well.\n")
    member.leave()


def test_records_that_wait_while_no_worker_is_at_work_are_bad(room: Room) -> None:
    publish(list(simulate(1, 1, 5)), room.broker)
    code, said = ask(room)
    assert (code, said["ok"]) == (0, False)
    assert said["workers"] == (False, "none is at work, and nothing is judged. Run: tablewatch worker")
    member = Membership(room.log, GROUP, INPUTS)
    assert ask(room)[1]["workers"] == (True, "1 at work")
    assert "SESSION_SECONDS" in ask(room, TABLEWATCH_SESSION_SECONDS="soon")[1]["workers"][1]
    member.leave()
    assert ask(room)[1]["workers"][0] is False


def test_workers_that_are_behind_for_longer_than_a_minute_are_told(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(list(simulate(1, 1, 5)), room.broker)
    member = Membership(room.log, GROUP, INPUTS)
    said = ask(room)[1]["lag"]
    assert said[0] and said[1].endswith("not yet judged and stored")
    monkeypatch.setattr(doctor, "LATE_SECONDS", -60)
    code, told = ask(room, "--strict")
    assert (code, told["lag"][0]) == (1, False)
    assert f"{said[1].split()[0]} of them came more than" in told["lag"][1]
    member.leave()


def test_the_last_checkpoint_has_its_age_and_one_that_is_overtaken_is_bad(room: Room, tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys")
    ring.make("test")
    fill(room.store, lines_of(with_false_shuffle()))
    newest = newest_arrival(room.store)
    assert Sealer(room.store, ring, lambda: newest - 1).seal() is not None
    ok, says = ask(room)[1]["chain"]
    assert not ok
    assert says.endswith("days old, and more came since. Run: tablewatch chain run")
    fill(room.store, lines_of(with_false_shuffle(), "BT2"))
    assert Sealer(room.store, ring, lambda: newest).seal() is not None
    ok, says = ask(room)[1]["chain"]
    assert ok
    assert says.endswith("days old, and covers what came")


def test_shoes_that_nobody_watches_are_counted_and_bad_once_others_were(room: Room) -> None:
    fill(room.store, lines_of(with_false_shuffle()))
    ok, says = ask(room)[1]["watches"]
    assert (ok, says) == (True, "4 shoes have ended and none is watched. To begin: tablewatch watches run")
    service = WatchService(
        room.broker, room.store, JudgeSettings(), WatchSettings(), grace_seconds=0.0, patience_seconds=30.0
    )
    service.look(whole=True)
    assert ask(room)[1]["watches"] == (True, "4 shoes of the last days are watched, none waits too long")
    fill(room.store, lines_of(with_false_shuffle(), "BT2"))
    code, said = ask(room)
    assert said["watches"] == (False, "4 shoes wait too long to be watched. Run: tablewatch watches run")
    assert (code, said["ok"]) == (0, False)


def told_of_alerts(room: Room) -> list[str]:
    """What `alerts show` tells of each alert that `alerts list` lists."""
    listed = CliRunner().invoke(app, ["alerts", "list"], env=surroundings(room)).stdout.splitlines()
    return [CliRunner().invoke(app, ["alerts", "show", line[:8]], env=surroundings(room)).stdout for line in listed]


def test_the_alert_service_runs_or_does_not_and_what_it_has_not_read_is_counted(room: Room) -> None:
    late = finding("late-bet", "BT1")
    with room.service():
        room.say(late)
        until(lambda: room.hook.messages("anna"))
        until(lambda: ask(room)[1]["alerts"][0])
        assert ask(room)[1]["alerts"][1] == "running; 0 alerts are not read, 0 messages were tried and not taken"
        room.hook.on_message = lambda _path, _message: 503
        room.say(finding("late-bet", "BT1", number=2))
        until(lambda: "1 messages were tried and not taken" in ask(room)[1]["alerts"][1])
        ok, says = ask(room)[1]["alerts"]
        assert (ok, says.partition(";")[0]) == (False, "running")
        assert "`tablewatch alerts show ID` says" in says and "`alerts list` has the ids" in says
        # As it says: the list has the alert, and the alert whom it did not reach, and why.
        until(lambda: any("failed by" in told and "503" in told for told in told_of_alerts(room)))
    room.say(finding("late-bet", "BT1", number=3), late)
    ok, says = ask(room)[1]["alerts"]
    assert not ok
    assert says.startswith("not running; 2 alerts are not read, 1 messages")
    assert says.endswith("Run: tablewatch alerts run")
