"""The replay commands as auditors run them: output, exit codes, bad input, and every look in the access log."""

from pathlib import Path

import orjson
import pytest

from replay.chain.seal import Sealer
from schemas.verdicts import verdict_json
from simulator.floor import simulate
from store.connect import Store
from store.migrate import migrate
from store.read.proof import access_entries
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from tests.audit.case import DTB, Case
from tests.replay.commands import Run, four_rounds, said_by, url_of
from tests.replay.evidence import ring_in
from tests.replay.stored import ARRIVAL, fill, judged, packed
from tests.store.floor import LONG


def test_show_tells_the_round_and_pins_its_findings(store: Store, run: Run) -> None:
    fill(store, four_rounds().lines())
    done = run("show", "BT1/S1/2")
    assert done.exit_code == 0, done.output
    assert "BT1 · shoe S1 · round 2" in done.stdout and "FLAGGED" in done.stdout
    assert "Draw 1 is 4♥, to Player." in done.stdout
    assert "natural 9: no" in done.stdout and "By the cards: Player wins, 9 to 2." in done.stdout
    assert "payout-wrong" in done.stdout and "dragon-tiger-baccarat 4.1" in done.stdout


WRONG = "Bet b1 of 1.00 SGD on Player was settled as paid 9.00, collected 0.00; due is paid 1.00, collected 0.00."


@pytest.mark.parametrize("pace", [(), ("--speed", "100000")])
def test_show_says_amounts_in_the_currency_and_wagers_as_printed(
    store: Store, run: Run, monkeypatch: pytest.MonkeyPatch, pace: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    fill(store, four_rounds().lines())
    said = said_by(run("show", "BT1/S1/2", *pace))
    assert said.count(WRONG) == 2, "at the moment of the settlement, and among the findings"
    assert "minor units" not in said


def test_show_as_json_keeps_the_sentence_of_the_verdict_in_minor_units(store: Store, run: Run) -> None:
    (wrong,) = fill(store, four_rounds().lines())[1].verdict.findings
    (told,) = orjson.loads(run("show", "BT1/S1/2", "--json").stdout_bytes)["findings"]
    assert told["message"] == wrong.message and "of 100 on player" in wrong.message


def test_show_as_json_is_the_story_with_every_revision(store: Store, run: Run) -> None:
    stored = fill(store, four_rounds().lines())
    said = orjson.loads(run("show", "BT1/S1/2", "--json").stdout_bytes)
    assert (said["table"], said["shoe"], said["round"], said["status"]) == ("BT1", "S1", 2, "flagged")
    assert said["digest"] == stored[1].verdict.digest == said["revisions"][0]["verdict"]["digest"]
    assert [moment["draw"] for moment in said["moments"] if moment["kind"] == "card"] == [1, 2, 3, 4]


@pytest.mark.parametrize("command", [("show", "BT1/S1/1"), ("refund", "BT1/S1/1"), ("what-if", "--pays", "player=2")])
def test_names_are_shown_as_they_are_whatever_they_hold(store: Store, run: Run, command: tuple[str, ...]) -> None:
    odd = "[bold]x[/bold] :smile:"
    case = Case(DTB).round(bets={odd: ("player", 100)}, settled={odd: (100, 0)}, player="[red]y")
    fill(store, case.lines())
    done = run(*command)
    assert done.exit_code == 0
    assert odd in done.stdout and "[red]y" in done.stdout


def test_show_in_its_pace_tells_the_same_moments(store: Store, run: Run) -> None:
    fill(store, four_rounds().lines())
    done = run("show", "BT1/S1/1", "--speed", "100000")
    assert done.exit_code == 0 and "The round is over." in done.stdout


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("BT1/S1/9", "Shoe S1 has rounds 1 to 4; near it are BT1/S1/1, BT1/S1/2, BT1/S1/3, BT1/S1/4."),
        ("BT1/S7/1", "Table BT1 has no shoe S7; it has S1."),
        ("BT7/S1/1", "There is no table BT7; there are BT1."),
    ],
)
@pytest.mark.parametrize("command", ["show", "refund"])
def test_a_round_that_is_not_there_names_the_near_ones(
    store: Store, run: Run, command: str, name: str, near: str
) -> None:
    fill(store, four_rounds().lines())
    done = run(command, name)
    assert done.exit_code == 2 and near in done.stderr


def test_the_last_rounds_of_a_table_of_which_none_was_judged_are_none(store: Store, run: Run) -> None:
    write_records(store, packed(four_rounds().lines()))
    done = run("last", "BT1", "10")
    assert done.exit_code == 2
    assert done.stderr == "No judged round of table BT1 is stored. Of its shoe S1 no round was judged yet.\n"


@pytest.mark.parametrize("gone", [("events", "verdicts"), ("events", "verdicts", "rounds", "findings")])
@pytest.mark.parametrize("command", [("show",), ("prove",), ("export", "-o", "case.zip"), ("refund",)])
def test_a_round_between_others_that_is_not_there_may_have_been_removed(
    store: Store, run: Run, gone: tuple[str, ...], command: tuple[str, ...], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    fill(store, four_rounds().lines())
    for table in gone:
        store.command(f"ALTER TABLE {table} DELETE WHERE round = 2", settings={"mutations_sync": 2})
    done = run(*command, "BT1/S1/2")
    assert done.exit_code == 1, done.output
    assert "a round of this number must have been there: shoe S1 has rounds 1 to 4" in done.stderr
    assert "It may have been removed" in done.stderr and "run: tablewatch replay verify --chain" in done.stderr


@pytest.mark.parametrize(("gone", "stake"), [("round = 4", 400), ("1", 500)])
def test_a_last_round_that_was_sealed_and_is_not_there_may_have_been_removed(
    store: Store, run: Run, gone: str, stake: int, tmp_path: Path
) -> None:
    # Stakes of its own: once all rows of an insert were deleted, the engine takes the same ones for a repeat.
    case = Case(DTB)
    for _ in range(4):
        case.round(bets={"b1": ("player", stake)}, settled={"b1": (stake, 0)})
    fill(store, case.lines())
    assert Sealer(store, ring_in(tmp_path), lambda: ARRIVAL + 86_400_000).seal() is not None
    for table in ("events", "verdicts", "rounds", "findings"):
        store.command(f"ALTER TABLE {table} DELETE WHERE {gone}", settings={"mutations_sync": 2})
    done = run("show", "BT1/S1/4")
    assert done.exit_code == 1 and "rows of it were sealed" in done.stderr and "--chain" in done.stderr
    assert run("show", "BT1/S1/5").exit_code == 2


@pytest.mark.parametrize("name", ["BT1", "BT1/S1", "BT1/S1/0", "BT1/S1/x", "//1", ""])
def test_what_is_no_name_of_a_round_is_refused(run: Run, name: str) -> None:
    done = run("show", name)
    assert done.exit_code == 2 and "TABLE/SHOE/ROUND" in done.stderr


def test_half_a_round_is_told_as_far_as_it_goes(store: Store, run: Run) -> None:
    lines = Case(DTB).round(["4H", "2S"], {"b1": ("player", 100)}).without("round.closed").lines()
    write_records(store, packed(lines))
    done = run("show", "BT1/S1/1")
    assert done.exit_code == 0
    assert "OPEN, NOT JUDGED YET" in done.stdout and "Draw 2 is 2♠, to Banker." in done.stdout


def test_a_round_that_is_over_and_has_lost_its_verdict_is_not_called_open(store: Store, run: Run) -> None:
    lines = list(simulate(tables=1, rounds=3, seed=3, games=["no_commission"]))
    first, *_ = rounds = fill(store, lines)
    name = f"{first.verdict.table}/{first.verdict.shoe}/{first.verdict.round}"
    assert run("show", name).exit_code == 0 and len(rounds) == 3
    gone = f"table = '{first.verdict.table}' AND round = {first.verdict.round}"
    store.command(f"ALTER TABLE verdicts DELETE WHERE {gone}", settings={"mutations_sync": 2})
    done = run("show", name)
    assert done.exit_code == 1
    assert "OVER, AND NO VERDICT IS STORED" in done.stdout
    assert "a later round of its shoe was judged" in done.stderr and "replay verify --chain" in done.stderr


def test_a_verdict_without_its_events_is_told_with_code_1(store: Store, run: Run) -> None:
    write_verdicts(store, judged(Case(DTB).round().lines()))
    done = run("show", "BT1/S1/1")
    assert done.exit_code == 1 and "its events are not" in done.stderr


def test_list_as_json_is_the_stored_verdicts_byte_for_byte(store: Store, run: Run) -> None:
    stored = fill(store, four_rounds().lines())
    assert run("list", "--json").stdout_bytes == b"".join(verdict_json(each.verdict) + b"\n" for each in stored)
    assert run("list", "--json", "--limit", "2").stdout_bytes.count(b"\n") == 2


@pytest.mark.parametrize(
    ("options", "rounds"),
    [
        (["--status", "flagged"], [2, 3]),
        (["--code", "display-mismatch"], [3]),
        (["--player", "bo"], [4]),
        (["--wager", "tie"], [4]),
        (["--game", "dragon_tiger"], []),
        (["--table", "BT1", "--shoe", "S1"], [1, 2, 3, 4]),
        (["--table", "BT2"], []),
        (["--from-time", "2025-03-01T04:01:00Z", "--to-time", "2025-03-01T04:03Z"], [2, 3]),
        (["--from-time", "2025-03-01 12:02:00+08:00"], [3, 4]),
        (["--to-time", "2025-03-01"], [1, 2, 3, 4]),
        (["--from-time", "2025-03-02"], []),
    ],
)
def test_filters_of_list(store: Store, run: Run, options: list[str], rounds: list[int]) -> None:
    fill(store, four_rounds().lines())
    listed = run("list", "--json", *options).stdout_bytes.splitlines()
    assert [orjson.loads(line)["round"] for line in listed] == rounds
    shown = run("list", *options).stdout
    assert [number for number in (1, 2, 3, 4) if f"BT1/S1/{number} " in shown] == rounds


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--table", "BT2"], " There is no table BT2; there are BT1."),
        (["--table", "BT1", "--shoe", "S7"], " Table BT1 has no shoe S7; it has S1."),
        (["--table", "BT1", "--from-time", "2025-03-02"], ""),
        (["--from-time", "2025-03-02"], ""),
        (
            ["--code", "device-gap"],
            " A finding device-gap is of a device, a shoe or many rounds: `tablewatch alerts list` has it.",
        ),
    ],
)
def test_a_list_without_rounds_names_the_table_that_is_not_there(
    store: Store, run: Run, options: list[str], words: str
) -> None:
    fill(store, four_rounds().lines())
    assert run("list", *options).stdout == f"No stored round is meant by this.{words}\n"
    said = said_by(run("verify", *options))
    assert said.startswith(f"No stored round is meant by this.{words} Nothing was verified.")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--code", "payout-wrog"], "did you mean payout-wrong?"),
        (["--status", "fine"], "there is no status 'fine'"),
        (["--wager", "bankr"], "did you mean banker?"),
        (["--game", "poker"], "there is no game 'poker'"),
        (["--from-time", "yesterday"], "is no time"),
        (["--from-time", "2025-02-30"], "is no time"),
        (["--from-time", "2025-03-02", "--to-time", "2025-03-01"], "is not before"),
        (["--table", ""], "--table is empty"),
    ],
)
@pytest.mark.parametrize("command", ["list", "verify"])
def test_a_filter_that_cannot_be_meant_is_refused(run: Run, command: str, options: list[str], why: str) -> None:
    done = run(command, *options)
    assert done.exit_code == 2 and why in done.stderr.replace("\n", " ")


def test_last_gives_the_latest_rounds_first(store: Store, run: Run) -> None:
    fill(store, four_rounds().lines())
    listed = run("last", "BT1", "2", "--json").stdout_bytes.splitlines()
    assert [orjson.loads(line)["round"] for line in listed] == [4, 3]
    assert "BT1/S1/4" in run("last", "BT1").stdout
    assert run("last", "BT9").exit_code == 2


def test_shoe_shows_the_roads_and_the_account_of_its_cards(store: Store, run: Run) -> None:
    fill(store, four_rounds().lines())
    shown = run("shoe", "BT1/S1").stdout
    for road in ("Bead plate", "Big road", "Big eye boy", "Small road", "Cockroach pig"):
        assert road in shown
    assert "8 decks, 16 dealt, 400 should be left" in shown
    said = orjson.loads(run("shoe", "BT1/S1", "--json").stdout_bytes)
    assert [cell["bead"]["winner"] for cell in said["roads"]["big_road"]] == ["player", "player", "player"]
    assert said["roads"]["big_road"][-1]["ties"] == 1
    assert said["account"]["left"]["4H"] == 4
    assert run("shoe", "BT1/S9").exit_code == 2
    assert run("shoe", "BT1").exit_code == 2


def test_every_look_is_written_to_the_access_log(store: Store, run: Run) -> None:
    fill(store, four_rounds().lines())
    for arguments in (
        ("show", "BT1/S1/2"),
        ("list", "--status", "flagged"),
        ("last", "BT1"),
        ("shoe", "BT1/S1"),
        ("verify", "--table", "BT1"),
        ("what-if", "BT1/S1/2", "--pays", "tie=9"),
        ("refund", "BT1/S1/2"),
    ):
        assert run(*arguments).exit_code == 0
    entries = access_entries(store)
    assert [entry.action for entry in entries] == [
        "replay show", "replay list", "replay last", "replay shoe", "replay verify", "replay what-if", "replay refund",
    ]  # fmt: skip
    assert {entry.who for entry in entries} == {"auditor.lim"}
    assert [(entry.table, entry.shoe, entry.round) for entry in entries if entry.round] == [("BT1", "S1", 2)] * 3
    assert entries[1].detail["status"] == "flagged" and entries[1].detail["system_user"]


def test_a_store_of_an_older_schema_says_what_to_do(
    empty_store: Store, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(empty_store, LONG, upto=2)
    monkeypatch.setenv("TABLEWATCH_CLICKHOUSE_URL", url_of(empty_store))
    done = run("list")
    assert done.exit_code == 2 and "tablewatch store migrate" in done.stderr


@pytest.mark.parametrize("per_record", [1, 40])
def test_show_takes_events_without_rows_from_the_records_and_says_so(store: Store, run: Run, per_record: int) -> None:
    fill(store, four_rounds().lines(), per_record=per_record)
    whole = run("show", "BT1/S1/2")
    store.command(
        "ALTER TABLE events DELETE WHERE round = 2 AND type = 'card.drawn.v1'", settings={"mutations_sync": 2}
    )
    done = run("show", "BT1/S1/2")
    assert (done.exit_code, done.stdout) == (1, whole.stdout)
    assert "event rows of BT1/S1/2 are gone" in done.stderr and "replay verify --chain" in done.stderr
    said = run("show", "BT1/S1/2", "--json")
    assert said.exit_code == 1 and orjson.loads(said.stdout_bytes)["event_rows_gone"] > 3
    other = run("show", "BT1/S1/3", "--json")
    assert other.exit_code == 0 and orjson.loads(other.stdout_bytes)["event_rows_gone"] == 0
