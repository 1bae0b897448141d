"""Verdicts and rejections: written as the contract has them, and read back as they were."""

import json
from dataclasses import replace
from fractions import Fraction

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from pydantic import ValidationError

from schemas.decoding import decode_record
from schemas.json_schemas import json_schemas
from schemas.rejections import parse_rejection, rejection_json, rejection_of
from schemas.verdicts import (
    Bet,
    Differential,
    Displayed,
    Outcome,
    RulesInForce,
    Settled,
    Verdict,
    parse_verdict,
    verdict_json,
)
from tests.schemas.example_files import INVALID
from tests.schemas.read_again import is_read_again
from tests.schemas.test_findings import PAYOUT, REPEAT

SCHEMAS = {name: Draft7Validator(schema) for name, schema in json_schemas().items()}

FLAGGED = Verdict(
    table="BT12",
    shoe="S-1",
    round=17,
    revision=2,
    game="dragon_tiger_baccarat",
    rules=RulesInForce("dragon-tiger-baccarat", "2023-04-01"),
    status="flagged",
    outcome=Outcome(
        winner="banker",
        totals={"player": 3, "banker": 9},
        hands={"player": ("AS", "2H", "KD"), "banker": ("9C", "10H")},
        naturals=("banker",),
        pairs=(),
    ),
    displayed=Displayed("banker", None),
    bets=(
        Bet("B-5", 3, "P-1", "banker", 10, Settled(Fraction(19, 2), 0), Settled(10, 0)),
        Bet("B-6", 4, None, "tie", 0, None, None),
    ),
    differential=Differential(10, 10, None),
    findings=(PAYOUT, REPEAT),
    settings={"tolerance_ms": 500, "readings": {"pair": "rank"}},
    digest="ab" * 32,
)
UNKNOWN = replace(
    FLAGGED, game=None, rules=None, status="unverifiable", outcome=None, displayed=None, bets=(), differential=None
)


def test_a_verdict_has_the_fields_of_the_contract_in_its_order() -> None:
    fields = json.loads(verdict_json(FLAGGED))
    assert list(fields) == [
        "table", "shoe", "round", "revision", "game", "rules", "status", "outcome", "displayed", "bets",
        "differential", "findings", "settings", "digest",
    ]  # fmt: skip
    assert fields["rules"] == {"document": "dragon-tiger-baccarat", "in_force": "2023-04-01"}
    assert fields["outcome"] == {
        "winner": "banker",
        "totals": {"player": 3, "banker": 9},
        "hands": {"player": ["AS", "2H", "KD"], "banker": ["9C", "10H"]},
        "naturals": ["banker"],
        "pairs": [],
    }
    assert fields["bets"][0] == {
        "bet": "B-5",
        "position": 3,
        "player": "P-1",
        "wager": "banker",
        "stake": 10,
        "expected": {"paid": "9.5", "collected": 0},
        "actual": {"paid": 10, "collected": 0},
    }
    assert fields["differential"] == {"closing": 10, "first_card": 10, "limit": None}
    assert "p_value" not in fields["findings"][0]
    assert fields["findings"][1]["p_value"] == 1e-9


@pytest.mark.parametrize("verdict", [FLAGGED, UNKNOWN], ids=["flagged", "unknown"])
def test_a_verdict_is_read_back_byte_for_byte(verdict: Verdict) -> None:
    raw = verdict_json(verdict)
    assert verdict_json(parse_verdict(raw)) == raw
    assert is_read_again(raw)
    assert SCHEMAS["verdict"].is_valid(json.loads(raw))


def test_amounts_are_read_back_exact() -> None:
    [bet, _] = parse_verdict(verdict_json(FLAGGED)).bets
    assert bet.expected == Settled(Fraction(19, 2), 0)


@pytest.mark.parametrize("paid", ["9.50", "9", "1e3", "-0.5", ".5", -1, 9.5, None])
def test_an_amount_that_is_not_exact_and_plain_is_not_read(paid: object) -> None:
    fields = json.loads(verdict_json(FLAGGED))
    fields["bets"][0]["expected"]["paid"] = paid
    assert not SCHEMAS["verdict"].is_valid(fields)
    with pytest.raises(ValidationError):
        parse_verdict(json.dumps(fields).encode())


@pytest.mark.parametrize("change", [{"status": "fine"}, {"digest": "x"}, {"revision": 0}, {"more": 1}, {"bets": None}])
def test_what_is_no_verdict_is_not_read(change: dict[str, object]) -> None:
    fields = json.loads(verdict_json(FLAGGED)) | change
    assert not SCHEMAS["verdict"].is_valid(fields)
    with pytest.raises(ValidationError):
        parse_verdict(json.dumps(fields).encode())


@pytest.mark.parametrize("raw", [INVALID[0].raw, b"\xff\x00 not JSON \xf0", b""], ids=["event", "bytes", "nothing"])
def test_a_rejection_keeps_the_bytes_as_they_came(raw: bytes) -> None:
    [rejected] = decode_record(raw).rejected
    rejection = rejection_of(rejected, "table.cards", 3, 1_000)
    written = rejection_json(rejection)
    assert parse_rejection(written) == rejection
    assert parse_rejection(written).raw == raw.strip()
    assert SCHEMAS["rejection"].is_valid(json.loads(written))
    assert (rejection.topic, rejection.partition, rejection.offset, rejection.place) == ("table.cards", 3, 1_000, 0)
    assert rejection.reason == rejected.reason


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.integers(0, 2**53 - 1))
def test_whatever_is_in_a_verdict_is_written_in_the_very_bytes_that_were_stored_before(text: str, amount: int) -> None:
    bet = Bet(text, 3, text, "banker", amount, Settled(Fraction(amount, 2), 0), Settled(amount, 0))
    verdict = replace(FLAGGED, table=text, bets=(bet, *FLAGGED.bets))
    written = verdict_json(verdict)
    assert orjson.dumps(orjson.loads(written)) == written
    assert parse_verdict(written).bets == verdict.bets
