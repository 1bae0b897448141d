"""Rounds by the API: found, told, masked, compared, and every look written down."""

from dataclasses import replace

import orjson
import pytest

from console.api.rounds import stored_round
from console.comparison import Difference, differences
from console.masking import MASK
from console.server.problems import Refused
from replay.custody import note_access
from schemas.money import amount_words
from store.connect import Store
from store.rows.verdicts import JudgedRound, RoundKey
from store.write.verdicts import write_verdicts
from tests.audit.case import Case
from tests.console.past.evening import ROUNDS, TABLES, Evening
from tests.replay.stored import fill

pytestmark = pytest.mark.xdist_group("evening")


def _path(each: JudgedRound) -> str:
    return f"/api/v1/rounds/{each.key}"


def test_rounds_are_found_by_what_the_auditor_knows_a_page_at_a_time(evening: Evening) -> None:
    auditor = evening.client("auditor")
    everything = auditor.get("/api/v1/rounds", count=5).json()
    assert everything["total"] == len(evening.rounds) > TABLES * ROUNDS / 2
    assert len(everything["rounds"]) == 5
    opened = [each["opened"] for each in everything["rounds"]]
    assert opened == sorted(opened, reverse=True)
    second = auditor.get("/api/v1/rounds", count=5, skip=5).json()["rounds"]
    assert second[0] not in everything["rounds"]
    wanted = evening.flagged()
    finding = wanted.verdict.findings[0]
    player = next(bet.player for each in evening.rounds for bet in each.verdict.bets if bet.player)
    for query in (
        {"table": wanted.key.table}, {"shoe": wanted.key.shoe}, {"code": finding.code}, {"status": "flagged"},
        {"game": wanted.verdict.game}, {"wager": wanted.verdict.bets[0].wager}, {"player": player},
        {"start": wanted.opened // 1000, "end": wanted.opened // 1000 + 1},
    ):  # fmt: skip
        found = auditor.get("/api/v1/rounds", **query).json()
        assert 0 < found["total"] < len(evening.rounds), query
    assert auditor.get("/api/v1/rounds", start=0, end=1).json() == {"total": 0, "rounds": []}


def test_a_word_that_no_game_has_is_refused_and_named(evening: Evening) -> None:
    answer = evening.client("auditor").get("/api/v1/rounds", game="roulette")
    assert answer.status_code == 422
    assert "query.game" in answer.json()["errors"][0]


def test_a_round_is_told_with_its_moments_clauses_and_findings_at_their_moment(evening: Evening) -> None:
    wanted = evening.flagged()
    told = evening.client("auditor").get(_path(wanted)).json()
    story = told["story"]
    assert story["status"] == wanted.verdict.status
    assert [finding["id"] for finding in story["findings"]] == [each.id for each in wanted.verdict.findings]
    pinned = [name for moment in story["moments"] for name in moment["findings"]]
    assert sorted(pinned) == sorted(finding["id"] for finding in story["findings"])
    assert story["subjects"] and set(story["subjects"]) <= {*story["clauses"], *story["subjects"]}
    assert {each["revision"] for each in told["revisions"]} == {1}
    assert told["neighbours"]["before"] == (wanted.key.round - 1 or None)


def test_a_finding_tells_its_amounts_in_the_currency_of_the_table(evening: Evening) -> None:
    wanted = evening.flagged("payout-wrong")
    (found,) = [each for each in wanted.verdict.findings if each.code == "payout-wrong"]
    story = evening.client("operator").get(_path(wanted)).json()["story"]
    (told,) = [each for each in story["findings"] if each["id"] == found.id]
    paid, collected = (amount_words(found.actual[name], "SGD") for name in ("paid", "collected"))
    assert f" as paid {paid}, collected {collected}; due is paid " in told["message"]
    assert told["actual"] == found.actual


def test_those_who_need_no_player_ids_get_none_in_a_round(evening: Evening) -> None:
    verified = [each for each in evening.rounds if each.verdict.status == "verified"]
    wanted = next(each for each in verified if any(bet.player for bet in each.verdict.bets))
    players = {bet.player for bet in wanted.verdict.bets if bet.player}
    seen = evening.client("shift_manager").get(_path(wanted)).text
    assert all(f'"player":"{player}"' in seen and f"{player} at position" in seen for player in players)
    hidden = evening.client("operator").get(_path(wanted)).text
    assert not any(player in hidden for player in players)
    assert "••• at position" in hidden
    assert evening.client("operator").get("/api/v1/rounds", player=players.pop()).status_code == 403


def test_a_round_that_is_not_there_is_answered_with_what_is_near(evening: Evening) -> None:
    key = evening.rounds[0].key
    auditor = evening.client("auditor")
    missing = auditor.get(f"/api/v1/rounds/{key.table}/{key.shoe}/999")
    assert missing.status_code == 404
    assert f"{key.table}/{key.shoe}/" in missing.json()["detail"]
    assert auditor.get(f"/api/v1/rounds/{key.table}/none/1").status_code == 404
    assert auditor.get(f"/api/v1/rounds/{key.table}/{key.shoe}/0").status_code == 422


def test_every_look_at_a_round_is_in_the_access_log(evening: Evening) -> None:
    wanted = evening.rounds[-1]
    evening.client("auditor").get(_path(wanted))
    while evening.parts.access.carry_some():
        pass
    entries = evening.client("auditor").get("/api/v1/access-log", table=wanted.key.table).json()["entries"]
    assert ("auditor", "looked at a round", wanted.key.round) in [
        (entry["who"], entry["action"], entry["round"]) for entry in entries
    ]


def test_whose_rounds_somebody_searched_is_in_the_access_log_for_those_alone_who_see_players(evening: Evening) -> None:
    player = next(bet.player for each in evening.rounds for bet in each.verdict.bets if bet.player)
    evening.client("auditor").get("/api/v1/rounds", player=player)
    typed = {"what": f"--player {player}", "player": player}
    note_access(evening.parts.store, "mei", "replay what-if", detail=typed)
    while evening.parts.access.carry_some():
        pass
    seen, hidden = (evening.client(role).get("/api/v1/access-log") for role in ("auditor", "administrator"))
    assert f'"player":"{player}"' in seen.text and f"--player {player}" in seen.text
    assert player not in hidden.text
    details = {each["action"]: each["detail"] for each in hidden.json()["entries"] if "player" in each["detail"]}
    assert details["searched rounds"] == {"player": MASK}
    command = details["replay what-if"]
    assert (command["player"], command["what"]) == (MASK, f"--player {MASK}")


def test_two_revisions_differ_in_what_the_later_fact_changed_and_in_nothing_else(evening: Evening) -> None:
    first = next(each for each in evening.rounds if each.verdict.bets and each.verdict.status == "verified")
    changed = first.verdict.bets[0]
    again = _with(first, changed.bet)
    write_verdicts(evening.parts.store, [again])
    told = evening.client("auditor").get(f"{_path(first)}/compare", first=1, second=2).json()
    assert {each["part"] for each in told["differences"]} == {f"bets.{changed.bet}.stake", "digest"}
    assert evening.client("auditor").get(f"{_path(first)}/compare", first=1, second=9).status_code == 404
    write_verdicts(evening.parts.store, [_with(first, None)])


def _with(judged: JudgedRound, bet: str | None) -> JudgedRound:
    """The round judged once more: with one more unit on a bet, or as it was."""
    number = 2 if bet else 3
    bets = tuple(replace(each, stake=each.stake + 1) if each.bet == bet else each for each in judged.verdict.bets)
    verdict = replace(judged.verdict, revision=number, bets=bets, digest=str(number) * 64)
    return replace(judged, verdict=verdict, judged=judged.judged + number)


def test_a_bet_or_finding_that_is_in_one_verdict_alone_shifts_no_other() -> None:
    first = {"revision": 1, "status": "verified", "bets": [{"bet": "b2", "stake": 5}], "findings": []}
    second = {
        "revision": 2, "status": "flagged", "bets": [{"bet": "b1", "stake": 3}, {"bet": "b2", "stake": 5}],
        "findings": [{"id": "f1", "code": "late-bet", "message": "Too late."}],
    }  # fmt: skip
    assert differences(first, second) == [
        Difference("status", "verified", "flagged"),
        Difference("bets.b1", None, {"bet": "b1", "stake": 3}),
        Difference("findings.f1", None, "late-bet: Too late."),
    ]
    assert differences(orjson.loads(orjson.dumps(second)), second) == []


def test_a_round_that_was_removed_is_no_typing_error(store: Store) -> None:
    case = Case()
    for _ in range(3):
        case.round()
    fill(store, case.lines())
    for table in ("events", "verdicts", "rounds"):
        store.command(f"ALTER TABLE {table} DELETE WHERE round = 2", settings={"mutations_sync": 2})
    with pytest.raises(Refused) as refused:
        stored_round(store, RoundKey("BT1", "S1", 2))
    assert refused.value.status == 404
    assert "must have been there: shoe S1 has rounds 1 to 3" in refused.value.detail
    assert "It may have been removed" in refused.value.detail
    assert "tablewatch replay verify --chain" in refused.value.detail
