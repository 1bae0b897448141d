"""What would have been otherwise, and what goes back: what-if and refund as auditors run them."""

from pathlib import Path

import orjson
import pytest

from store.connect import Store
from tests.audit.case import DTB, SE, Case
from tests.replay.commands import Run, four_rounds, said_by
from tests.replay.stored import fill


def test_what_if_says_what_differs_in_all_and_per_bet(store: Store, run: Run) -> None:
    fill(store, four_rounds().lines())
    done = run("what-if", "--pays", "tie=9")
    assert done.exit_code == 0
    assert "4 rounds, of which 1 would come out otherwise." in done.stdout
    assert "Players would be due 1.00 SGD more in all." in done.stdout
    said = orjson.loads(run("what-if", "BT1/S1/1", "--card", "1=KH", "--json").stdout_bytes)
    assert said["changed"][0]["outcome"] == {"is": "Player 9-2", "then": None}


def _in_yen() -> list[bytes]:
    """The same shoe at a table that plays in yen, whose stakes are of the same minor units."""
    return [line.replace(b"BT1", b"BT2").replace(b"SGD", b"JPY") for line in four_rounds().lines()]


def test_what_if_tells_each_round_in_its_own_currency_and_sums_up_none_of_several(store: Store, run: Run) -> None:
    fill(store, [*four_rounds().lines(), *_in_yen()])
    done = run("what-if", "--limits", "tie=200:1000", "--limits", "player=200:1000")
    said = said_by(done)
    assert done.exit_code == 0
    assert "Amounts are in JPY, SGD and not summed up" in said and "more in all" not in said
    assert "Bet b1 on Tie is 1.00 SGD, under the minimum of 2.00." in said
    assert "Bet b1 on Tie is 100 JPY, under the minimum of 200." in said


def test_a_refund_sheet_is_of_one_currency(store: Store, run: Run) -> None:
    fill(store, [*four_rounds().lines(), *_in_yen()])
    both = run("refund", "BT1/S1/1", "BT2/S1/1")
    assert both.exit_code == 2 and "JPY, SGD" in both.stderr
    yen = said_by(run("refund", "BT2/S1/1"))
    assert "Amounts in JPY." in yen and "players return 100: 100 net to the house" in yen


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ([], "What is to be otherwise?"),
        (["--reading", "moon=full"], "there is no reading"),
        (["--pays", "tie"], "write it as"),
        (["--pays", "tie=lots"], "are no odds"),
        (["--pays", "tie=1/3"], "finite decimal"),
        (["--pays", "moon=3"], "there is no wager"),
        (["--document", "poker"], "there is no rule document"),
        (["--limits", "tie=5"], "MIN:MAX"),
        (["--limits", "player=5000:1"], "5000 is above the maximum"),
        (["--card", "3=8H"], "--card needs the one round"),
        (["BT1/S1/1", "--card", "3=1X"], "there is no card"),
        (["--change", "/nowhere/facts.jsonl"], "cannot be read"),
        (["BT1/S1/1", "--table", "BT1", "--pays", "tie=9"], "not both"),
        (["BT1/S1/77", "--pays", "tie=9"], "There is no judged round"),
        (["BT1/S1/1", "--card", "6=8H"], "nothing on record"),
    ],
)
def test_a_what_if_that_cannot_be_is_refused(store: Store, run: Run, options: list[str], why: str) -> None:
    fill(store, four_rounds().lines())
    done = run("what-if", *options)
    assert done.exit_code == 2 and why in done.stderr.replace("\n", " ")


def test_what_if_takes_a_file_of_changes(store: Store, run: Run, tmp_path: Path) -> None:
    case = four_rounds()
    fill(store, case.lines())
    wrong = next(e for e in case.events() if e["type"] == "bet.settled.v1" and e["data"]["paid"] == 900)
    file = tmp_path / "facts.jsonl"
    file.write_bytes(orjson.dumps({**wrong, "data": {**wrong["data"], "paid": 100}}) + b"\n")
    said = orjson.loads(run("what-if", "BT1/S1/2", "--change", str(file), "--json").stdout_bytes)
    assert said["findings"] == {"payout-wrong": {"appear": 0, "go": 1}}


@pytest.mark.parametrize("command", ["show BT1/S1/1", "refund BT1/S1/1", "what-if BT1/S1/1 --pays player=2"])
def test_bets_are_listed_as_people_count_them(store: Store, run: Run, command: str) -> None:
    bets = {f"b{number}": ("player", 100) for number in (1, 2, 10)}
    fill(store, Case(DTB).round(bets=bets, settled=dict.fromkeys(bets, (100, 0))).lines())
    shown = run(*command.split()).stdout
    assert [line.split()[0] for line in shown.splitlines() if line.split()[:1] and line.split()[0] in bets] == [*bets]


def test_refund_from_a_first_round_on_gives_a_sheet_and_json(store: Store, run: Run) -> None:
    fill(store, four_rounds().lines())
    done = run("refund", "--from-round", "BT1/S1/2", "--ground", "foreign-card")
    assert done.exit_code == 0
    assert "Refund sheet" in done.stdout and "dragon-tiger-baccarat 5.1" in done.stdout
    assert "players return 17.00" in done.stdout and "Approved by" in done.stdout
    assert done.stdout.count("From player") > 1 and "On layout" in done.stdout
    said = orjson.loads(run("refund", "--table", "BT1", "--from-time", "2025-03-01T04:01Z", "--json").stdout_bytes)
    assert said["rounds"] == ["BT1/S1/2", "BT1/S1/3", "BT1/S1/4"]
    assert (said["from_players"], said["to_players"]) == (1700, 0)


def test_the_sheet_of_a_round_that_is_void_cites_the_clause_of_its_ruling(store: Store, run: Run) -> None:
    case = Case(SE).round(bets={"b1": ("player", 100)}).incident("order-altered").rule(32_000, "void", "5.4")
    fill(store, case.lines())
    told = orjson.loads(run("refund", "BT1/S1/1", "--json").stdout_bytes)
    assert (told["ground"], told["basis"][0]["clause"]) == ("order-altered", "5.4")
    told = orjson.loads(run("refund", "BT1/S1/1", "--json", "--ground", "drawn-together").stdout_bytes)
    assert told["basis"][0]["clause"] == "5.3"


@pytest.mark.parametrize(("moved", "said"), [((900, 0), "players return 9.00"), ((0, 300), "returns 3.00")])
def test_money_on_a_bet_whose_placing_was_lost_goes_back_too(
    store: Store, run: Run, moved: tuple[int, int], said: str
) -> None:
    case = Case(DTB).round(bets={"b1": ("player", 100), "b2": ("tie", 100)}, settled={"b1": (100, 0), "b2": moved})
    fill(store, case.lines(lost="bet.placed"))
    assert "the placing of bet b2 is not on record" in said_by(run("show", "BT1/S1/1"))
    sheet = said_by(run("refund", "BT1/S1/1"))
    assert "b2 unknown no placing on record unknown" in sheet and "a bet without a placing on record" in sheet
    told = orjson.loads(run("refund", "BT1/S1/1", "--json").stdout_bytes)
    lost = next(bet for bet in told["bets"] if bet["bet"] == "b2")
    assert (lost["from_player"], lost["to_player"], lost["wager"], lost["player"]) == (*moved, None, None)
    assert (told["from_players"], told["to_players"]) == (100 + moved[0], moved[1])


def test_money_on_a_bet_without_a_placing_goes_back_where_the_round_should_have_been_void(
    store: Store, run: Run
) -> None:
    case = Case(DTB).round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)}).settle("ghost", 900, 0)
    case.incident("foreign-card")
    fill(store, case.lines())
    told = orjson.loads(run("refund", "BT1/S1/1", "--json").stdout_bytes)
    assert {bet["bet"]: bet["from_player"] for bet in told["bets"]} == {"b1": 100, "ghost": 900}


def test_a_refund_sheet_says_where_events_are_gone_that_could_tell_of_more_money(store: Store, run: Run) -> None:
    case = Case(DTB).round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
    fill(store, case.lines(lost="bet.placed"))
    store.command("ALTER TABLE events DELETE WHERE round = 1", settings={"mutations_sync": 2})
    assert "The events of BT1/S1/1 are gone" in said_by(run("refund", "BT1/S1/1"))
    assert orjson.loads(run("refund", "BT1/S1/1", "--json").stdout_bytes)["without_events"] == ["BT1/S1/1"]


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--table", "BT1"],
        ["BT1/S1/1", "--from-round", "BT1/S1/2"],
        ["--from-round", "BT1/S1/2", "--table", "BT1"],
        ["BT1/S1/1", "--ground", "boredom"],
        ["--from-time", "2031-01-01"],
        ["--from-round", "BT1/S1/99"],
    ],
)
def test_a_refund_of_unclear_rounds_is_refused(store: Store, run: Run, options: list[str]) -> None:
    fill(store, four_rounds().lines())
    assert run("refund", *options).exit_code == 2
