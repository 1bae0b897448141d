"""What is asked of a round: judged anew, proved, with something otherwise, and what goes back if it is void."""

from pathlib import Path

import pytest

from replay.chain.keys import KeyRing
from replay.chain.seal import Sealer
from schemas.money import amount_words
from tests.console.past.evening import Evening

pytestmark = pytest.mark.xdist_group("evening")


def _path(evening: Evening, status: str = "verified") -> str:
    found = [each for each in evening.rounds if each.verdict.status == status and len(each.verdict.bets) > 1]
    return f"/api/v1/rounds/{found[0].key}"


def _last_act(evening: Evening) -> str:
    """What the access log says of evidence last."""
    while evening.parts.access.carry_some():
        pass
    entries = evening.client("auditor").get("/api/v1/access-log").json()["entries"]
    return next(str(entry["action"]) for entry in entries if "evidence" in entry["action"])


def test_a_round_judged_anew_gives_the_same_verdict_byte_for_byte(evening: Evening) -> None:
    told = evening.client("auditor").get(_path(evening, "flagged") + "/verify").json()
    assert told == {"same": True, "deviations": []}


def test_a_round_is_proved_once_it_is_sealed(evening: Evening, tmp_path: Path) -> None:
    auditor = evening.client("auditor")
    before = auditor.get(_path(evening) + "/proof").json()
    assert before["state"] == "not sealed"
    assert auditor.get(_path(evening) + "/bundle").status_code == 409
    assert _last_act(evening) == "asked for the evidence of a round, which cannot be had yet"
    ring = KeyRing(tmp_path / "keys")
    ring.make("test")
    sealed = Sealer(evening.parts.store, ring, lambda: 1_900_000_000_000).seal()
    assert sealed is not None
    after = auditor.get(_path(evening) + "/proof").json()
    assert (after["state"], after["size"], after["root"]) == ("proved", sealed.size, sealed.root.hex())
    assert after["rows"] > 3
    bundle = auditor.get(_path(evening) + "/bundle")
    assert (bundle.status_code, bundle.content[:2]) == (200, b"PK")
    assert _last_act(evening) == "took the evidence of a round"
    forge = "ALTER TABLE checkpoints UPDATE signature = reverse(signature) WHERE 1 SETTINGS mutations_sync = 2"
    evening.parts.store.command(forge)
    refused, doubted = auditor.get(_path(evening) + "/bundle"), auditor.get(_path(evening) + "/proof").json()
    evening.parts.store.command(forge)
    assert refused.status_code == 409
    assert doubted["state"] == "not as sealed"
    for words in (refused.text, doubted["words"]):
        assert "is not to be believed: its signature is not that of key" in words
        assert "replay verify --chain" in words


def test_what_a_stranger_sealed_is_neither_proved_nor_handed_out(evening_of_its_own: Evening, tmp_path: Path) -> None:
    evening = evening_of_its_own
    stranger, own = KeyRing(tmp_path / "strange"), evening.parts.ring
    forger = stranger.make("stranger")
    assert Sealer(evening.parts.store, stranger, lambda: 1_900_000_000_000).seal() is not None
    auditor = evening.client("auditor")
    told = auditor.get(_path(evening) + "/proof").json()
    # Without a key of its own the console has nothing else to go by, and says so.
    assert told["state"] == "proved" and "ON THE STORE'S OWN WORD" in told["words"]
    assert own is not None
    own.make("casino")
    told = auditor.get(_path(evening) + "/proof").json()
    refused = auditor.get(_path(evening) + "/bundle")
    assert (told["state"], refused.status_code) == ("not as sealed", 409)
    for words in (told["words"], refused.text):
        assert f"it is signed with key {forger.key_id}, which nobody vouches for" in words


def test_a_verdict_that_no_judge_wrote_is_named(evening_of_its_own: Evening) -> None:
    evening = evening_of_its_own
    evening.parts.store.command("ALTER TABLE verdicts UPDATE verdict = '{broken' WHERE 1 SETTINGS mutations_sync = 2")
    auditor = evening.client("auditor")
    for what in ("", "/refund"):
        refused = auditor.get(_path(evening, "flagged") + what)
        assert refused.status_code == 409
        assert "of the verdict on" in refused.json()["detail"] and "not one that a judge wrote" in refused.text
        assert "replay verify --chain" in refused.text


def test_another_card_changes_the_outcome_the_findings_and_the_money(evening: Evening) -> None:
    wanted = next(
        each for each in evening.rounds
        if each.verdict.game == "dragon_tiger" and each.verdict.outcome and each.verdict.outcome.winner == "dragon"
    )  # fmt: skip
    path = f"/api/v1/rounds/{wanted.key}/what-if"
    told = evening.client("auditor").post(path, {"cards": {"1": "AS", "2": "KS"}}).json()
    change = next(each for each in told["changed"] if each["round"] == wanted.key.round)
    assert change["outcome"] == {"now": change["outcome"]["now"], "then": "Tiger A-K"}
    assert change["outcome"]["now"].startswith("Dragon ")
    assert "display-mismatch" in {finding["code"] for finding in change["appeared"]}
    assert change["bets"]
    assert evening.client("auditor").get(path.removesuffix("/what-if") + "/verify").json()["same"]


def test_a_lower_maximum_is_exceeded(evening: Evening) -> None:
    wanted = next(
        each for each in evening.rounds
        if each.verdict.status == "verified" and any(bet.stake > 1 for bet in each.verdict.bets)
    )  # fmt: skip
    bet = next(bet for bet in wanted.verdict.bets if bet.stake > 1)
    told = evening.client("auditor").post(
        f"/api/v1/rounds/{wanted.key}/what-if", {"limits": {bet.wager: {"min": 0, "max": 1}}}
    ).json()  # fmt: skip
    change = next(each for each in told["changed"] if each["round"] == wanted.key.round)
    (over,) = [
        each for each in change["appeared"] if each["code"] == "above-maximum" and f"{bet.bet} " in each["message"]
    ]
    stake = amount_words(int(bet.stake), "SGD")
    assert over["message"].endswith(f" is {stake} SGD, over the maximum of 0.01.")


def test_a_what_if_that_says_nothing_or_nonsense_is_refused(evening: Evening) -> None:
    auditor = evening.client("auditor")
    path = _path(evening) + "/what-if"
    for body in (
        {},
        {"readings": {"pair": "other"}},
        {"readings": {"none": "x"}},
        {"cards": {"first": "AS"}},
        {"cards": {"1": "1Z"}},
        {"cards": {"99": "AS"}},
        {"limits": {"player": {"min": 0, "max": -1}}},
        {"limits": {"player": {"min": 5000, "max": 1}}},
    ):
        assert auditor.post(path, body).status_code == 422, body
    assert evening.client("shift_manager").post(path, {"readings": {"pair": "literal"}}).status_code == 403


def test_if_a_round_is_void_every_stake_goes_back_and_every_win_is_taken_back(evening: Evening) -> None:
    wanted = next(each for each in evening.rounds if each.verdict.status == "verified" and each.verdict.bets)
    told = evening.client("shift_manager").get(f"/api/v1/rounds/{wanted.key}/refund", ground="foreign-card").json()
    moved = [bet.actual for bet in wanted.verdict.bets if bet.actual]
    assert told["to_players"] == sum(each.collected for each in moved)
    assert told["from_players"] == sum(each.paid for each in moved)
    assert told["basis"][0]["clause"] == "5.1"
    assert sum(each["net"] for each in told["players"]) == told["to_players"] - told["from_players"]
    more = evening.client("auditor").get(f"/api/v1/rounds/{wanted.key}/refund", until=wanted.key.round + 2).json()
    assert len(more["rounds"]) > len(told["rounds"]) == 1
    assert evening.client("auditor").get(f"/api/v1/rounds/{wanted.key}/refund", ground="whim").status_code == 422


def test_the_refund_sheet_of_a_void_round_cites_the_clause_of_its_ruling(evening: Evening) -> None:
    auditor = evening.client("auditor")
    told = [auditor.get(f"/api/v1/rounds/{each.key}").json() for each in evening.rounds]
    declared = [each for each in told if each["void_by"] and each["void_by"]["ground"] not in (None, "decision")]
    assert declared
    assert all(each["story"]["status"] == "void" for each in declared)
    for each in declared:
        key = f"{each['story']['table']}/{each['story']['shoe']}/{each['story']['round']}"
        sheet = auditor.get(f"/api/v1/rounds/{key}/refund").json()
        clause = sheet["basis"][0]["clause"]
        assert sheet["ground"] == each["void_by"]["ground"]
        assert (each["void_by"]["clause"] + ".").startswith(f"{clause}.")


def test_the_refund_sheet_has_money_on_a_bet_whose_placing_is_not_on_record(evening: Evening) -> None:
    lost = [
        (each, what.rpartition(" ")[2])
        for each in evening.rounds
        for finding in each.verdict.findings
        if finding.code == "round-incomplete" and isinstance(finding.expected, list)
        for what in finding.expected
        if what.startswith("the placing of bet ")
    ]
    assert lost
    for wanted, bet in lost:
        story = evening.client("auditor").get(f"/api/v1/rounds/{wanted.key}").json()["story"]
        assert any(each["kind"] == "settlement" and each["bet"] == bet for each in story["moments"])
        told = evening.client("auditor").get(f"/api/v1/rounds/{wanted.key}/refund").json()
        (line,) = [each for each in told["bets"] if each["bet"] == bet]
        assert (line["wager"], line["player"]) == (None, None) and line["to_player"] + line["from_player"] > 0


def test_a_refund_sheet_up_to_a_round_that_is_not_there_says_which_is_the_last(evening: Evening) -> None:
    key = evening.rounds[0].key
    rounds = [each.key.round for each in evening.rounds if (each.key.table, each.key.shoe) == (key.table, key.shoe)]
    path = f"/api/v1/rounds/{key}/refund"
    auditor = evening.client("auditor")
    answer = auditor.get(path, until=999)
    assert answer.status_code == 422
    assert answer.json()["detail"] == (
        f"there is no round 999 that is judged: the last one of this shoe is round {max(rounds)}"
    )
    assert auditor.get(path, until=max(rounds)).status_code == 200


def test_a_refund_sheet_up_to_an_earlier_round_says_what_the_last_one_must_be(evening: Evening) -> None:
    key = next(each.key for each in evening.rounds if each.key.round > 1)
    answer = evening.client("auditor").get(f"/api/v1/rounds/{key}/refund", until=key.round - 1)
    assert answer.status_code == 422
    assert answer.json()["detail"] == f"the last round must not be before round {key.round}"
