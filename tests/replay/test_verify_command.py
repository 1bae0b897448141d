"""`replay verify` as auditors run it: what it says, its exit codes, and for whom it looks for removed verdicts."""

import subprocess
import sys
from dataclasses import replace

import orjson
import pytest

from simulator.floor import simulate
from store.connect import Store
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from tests.audit.case import DTB, Case
from tests.replay.commands import Run, four_rounds, said_by
from tests.replay.stored import fill, judged, packed


def test_a_verification_that_nobody_reads_to_the_end_is_no_success(store: Store, run: Run) -> None:
    fill(store, list(simulate(tables=1, rounds=3, seed=3, games=["no_commission"])))
    assert run("verify").exit_code == 0
    store.command(
        "ALTER TABLE verdicts UPDATE verdict = replaceOne(verdict, 'verified', 'flagged') WHERE 1",
        settings={"mutations_sync": 2},
    )
    assert run("verify").exit_code == 1
    command = [sys.executable, "-c", "from tablewatch.command import main; main()", "replay", "verify"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
    assert process.returncode == 1


def test_verify_ends_with_0_when_all_is_as_stored_and_with_1_and_the_difference_when_not(
    store: Store, run: Run
) -> None:  # fmt: skip
    fill(store, four_rounds().lines())
    done = run("verify")
    assert done.exit_code == 0 and "4 rounds of 1 table: every verdict is as it is stored" in done.stdout
    store.command(
        'ALTER TABLE verdicts UPDATE verdict = replaceOne(verdict, \'"winner":"player"\', \'"winner":"banker"\')'
        " WHERE round = 1",
        settings={"mutations_sync": 2},
    )
    done = run("verify")
    assert done.exit_code == 1
    assert 'outcome.winner: stored "banker", judged "player"' in done.stdout
    done = run("verify", "--json")
    said = orjson.loads(done.stdout_bytes)
    assert (done.exit_code, said["rounds"], said["same"]) == (1, 4, 3)
    assert [(each["round"], each["kind"]) for each in said["deviating"]] == [(1, "verdict-differs")]


def test_what_differs_in_money_is_said_in_the_currency_and_in_json_as_stored(store: Store, run: Run) -> None:
    fill(store, four_rounds().lines())
    store.command(
        "ALTER TABLE verdicts UPDATE verdict = replaceOne(verdict, '\"stake\":100', '\"stake\":12345') WHERE round = 1",
        settings={"mutations_sync": 2},
    )
    assert "bets[0].stake: stored 123.45 SGD, judged 1.00 SGD" in run("verify").stdout
    ((difference,),) = [each["differences"] for each in orjson.loads(run("verify", "--json").stdout_bytes)["deviating"]]
    assert (difference["stored"], difference["judged"]) == (12345, 100)


def test_the_amounts_of_what_only_one_verdict_has_are_said_in_the_currency_too(store: Store, run: Run) -> None:
    fill(store, four_rounds().lines())
    store.command(
        """ALTER TABLE verdicts UPDATE verdict = replaceRegexpOne(verdict, '"bets":\\[.*?\\],"', '"bets":[],"')"""
        " WHERE round = 1",
        settings={"mutations_sync": 2},
    )
    (line,) = [each for each in run("verify").stdout.splitlines() if "bets[0]" in each]
    assert '"stake":"1.00 SGD"' in line


@pytest.mark.parametrize(
    "wanted", [("--table", "BT1"), ("--shoe", "S1"), ("--from-time", "2025-03-01"), ("--game", DTB)]
)
def test_verify_ends_with_1_where_a_verdict_was_removed_under_every_filter(
    store: Store, run: Run, wanted: tuple[str, ...]
) -> None:
    case = Case(DTB)
    for _ in range(9):
        case.round()
    fill(store, case.lines())
    for table in ("verdicts", "rounds"):
        store.command(f"ALTER TABLE {table} DELETE WHERE round = 2", settings={"mutations_sync": 2})
    done = run("verify", *wanted)
    assert done.exit_code == 1 and "verdict-gone" in done.stdout and "BT1/S1/2" in done.stdout
    assert "8 rounds of 1 table: 1 deviates from what is stored." in done.stdout
    assert orjson.loads(run("verify", *wanted, "--json").stdout_bytes)["removed_looked_for"] is True


@pytest.mark.parametrize("wanted", [("--shoe", "S1"), ("--from-time", "2025-03-01"), ("--game", DTB)])
def test_a_changed_verdict_is_not_passed_over_because_its_round_is_listed_no_more(
    store: Store, run: Run, wanted: tuple[str, ...]
) -> None:
    fill(store, four_rounds().lines())
    changed = """UPDATE verdict = replaceOne(verdict, '"winner":"player"', '"winner":"banker"')"""
    for table, change in {"verdicts": changed, "rounds": "DELETE"}.items():
        store.command(f"ALTER TABLE {table} {change} WHERE round = 1", settings={"mutations_sync": 2})
    done = run("verify", *wanted)
    assert done.exit_code == 1 and 'outcome.winner: stored "banker", judged "player"' in done.stdout
    assert "4 rounds of 1 table: 1 deviates from what is stored." in done.stdout


def test_verify_says_where_removed_verdicts_are_not_looked_for(store: Store, run: Run) -> None:
    fill(store, four_rounds().lines())
    assert "removed" not in said_by(run("verify", "--shoe", "S1"))
    done = run("verify", "--status", "verified")
    assert done.exit_code == 0 and "Verdicts that were removed were not looked for" in said_by(done)
    said = orjson.loads(run("verify", "--status", "verified", "--json").stdout_bytes)
    assert said["removed_looked_for"] is False
    assert "one that was removed is not looked for" in said_by(run("verify", "--help"))


def test_verify_tells_another_judge_apart_and_ends_with_0(store: Store, run: Run) -> None:
    lines = Case(DTB).round(bets={"b1": ("player", 100)}, settled={"b1": (90, 0)}).lines()
    write_records(store, packed(lines))
    old = judged(lines, judge="0")[0]
    write_verdicts(store, [replace(old, verdict=replace(old.verdict, status="verified", findings=()))])
    done = run("verify")
    assert done.exit_code == 0 and "another version of the judge" in done.stdout
