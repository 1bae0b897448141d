"""``tablewatch settle``: one answer a line, in order, whatever the line is."""

import io
import json
import os
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO, cast

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from games.money import plain_decimal
from games.rulebook import GAMES
from games.settlement import outcome_of
from tablewatch.commands.lines import LONGEST, blocks_of_lines
from tablewatch.commands.settle import answer_all, settle
from tests.tablewatch.typed import typed

ROUND: dict[str, Any] = {
    "id": "r1", "game": "tiger", "decks": 8, "cards": ["9H", "2C", "KS", "4D"], "stake": "100",
}  # fmt: skip


def answers(asked: bytes) -> list[dict[str, Any]]:
    """What the command prints for these bytes, line by line."""
    out = io.BytesIO()
    answer_all(io.BytesIO(asked), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def answer(**changes: object) -> dict[str, Any]:
    """The answer to the usual round with some fields changed; a field changed to ``...`` is left out."""
    asked = {name: value for name, value in {**ROUND, **changes}.items() if value is not ...}
    (found,) = answers(json.dumps(asked).encode())
    return found


def test_a_round_is_settled_with_every_wager() -> None:
    assert answer() == {
        "id": "r1",
        "status": "ok",
        "outcome": {
            "winner": "player",
            "totals": {"player": 9, "banker": 6},
            "hands": {"player": ["9H", "KS"], "banker": ["2C", "4D"]},
        },
        "net": {"player": "100", **dict.fromkeys(list(GAMES["tiger"].wagers)[1:], "-100")},
    }


def test_dragon_tiger_shows_ranks() -> None:
    found = answer(game="dragon_tiger", cards=["10H", "10C"], stake="0.5")
    assert found["outcome"] == {
        "winner": "tie",
        "totals": {"dragon": "10", "tiger": "10"},
        "hands": {"dragon": ["10H"], "tiger": ["10C"]},
    }
    assert (found["net"]["dragon"], found["net"]["tie"], found["net"]["tiger_big"]) == ("-0.25", "5.5", "0.5")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"decks": 3, "cards": ["LG"]}, "decks-not-allowed"),
        ({"decks": 11}, "decks-not-allowed"),
        ({"decks": 10**30}, "decks-not-allowed"),
        ({"cards": ["9H", "LG"]}, "foreign-card"),
        ({"cards": ["9H"] * 5, "decks": 4}, "foreign-card"),
        ({"cards": ["9H", "2C", "KS", "4D", "5D", "LG"]}, "foreign-card"),
        ({"cards": []}, "card-missing"),
        ({"cards": ["9H", "2C", "KS"]}, "card-missing"),
    ],
)
def test_the_first_reason_that_applies_is_the_status(changes: dict[str, object], status: str) -> None:
    assert answer(**changes) == {"id": "r1", "status": status, "outcome": None, "net": None}


def test_superfluous_cards_leave_the_outcome_of_those_that_belong() -> None:
    found = answer(cards=["9H", "2C", "KS", "4D", "5D"])
    assert found["status"] == "card-extra"
    assert (found["outcome"], found["net"]) == (answer()["outcome"], answer()["net"])


@pytest.mark.parametrize("round_id", ["r1", "", 'say "no"\\', "Zählung\n", 0, -7, 2**53, 10**40, "1" * 500])
def test_the_id_comes_back_as_it_was(round_id: object) -> None:
    assert answer(id=round_id)["id"] == round_id
    assert answer(id=round_id, decks=3)["id"] == round_id
    assert answer(id=round_id, stake=1)["id"] == round_id


@pytest.mark.parametrize(
    ("changes", "about"),
    [
        ({"stake": stake}, '"stake"')
        for stake in ("1e3", "-1", "", "+1", " 1", "1 ", "1.", ".5", "1,000", "1_0", "٣", "NaN", "Infinity", "0x10",
                      "1" * 1001, 100, 1.5, True, None, ["100"], {"a": 1}, ...)
    ]
    + [({"decks": decks}, '"decks"') for decks in (0, -1, 8.0, 1e300, "8", True, None, [8], ...)]
    + [({"game": game}, '"game"') for game in ("roulette", "Tiger", "", 7, None, ["tiger"], {"tiger": 1}, ...)]
    + [({"cards": cards}, '"cards"') for cards in ("9H 2C", None, {"9H": 1}, 5, ..., ["9H", "1H"], ["9H", 9], [""])]
    + [({"cards": ["9H", card]}, '"cards"') for card in (None, ["2C"], {"2C": 1}, "KK", "LGG", "9h", True)]
    + [({"id": round_id}, '"id"') for round_id in (None, True, 1.5, 1e300, ["r1"], {"r1": 1}, ...)],
)  # fmt: skip
def test_a_line_with_a_wrong_field_is_invalid_and_says_which(changes: dict[str, object], about: str) -> None:
    found = answer(**changes)
    assert set(found) == {"id", "status", "error"}
    assert (found["id"], found["status"]) == (None if "id" in changes else "r1", "invalid")
    assert found["error"].startswith("line 1: ")
    assert about in found["error"]
    assert len(found["error"]) < 250


def test_a_card_of_neither_deck_is_invalid_before_any_other_status() -> None:
    assert answer(cards=["XX"], decks=3)["status"] == "invalid"
    assert answer(cards=["LG", "XX"])["status"] == "invalid"
    assert answer(cards=["LG", "9H"])["status"] == "foreign-card"


def test_a_wrong_stake_is_invalid_whatever_the_cards_are() -> None:
    for cards in ([], ["LG"], ROUND["cards"]):
        assert answer(cards=cards, stake="ten")["status"] == "invalid"


def test_other_fields_are_ignored() -> None:
    assert answer(table="BT12", note={"a": [1]}) == answer()


@pytest.mark.parametrize(
    "line",
    [
        b"x", b"{", b'{"id": 1', b'{"id": "r1"}}', b"[]", b"null", b"17", b'"r1"', b"\xff\xfe", b"\xef\xbb\xbf{}",
        b"{'id': 1}", b'{"id": NaN}', b"[" * 5000 + b"]" * 5000, b'{"id": ' * 3000, b'{"id": "\\ud800"}', b"\x00",
        b'{"id": 1} {"id": 2}',
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_read_is_invalid_and_the_rest_goes_on(line: bytes) -> None:
    usual = json.dumps(ROUND).encode()
    first, bad, last = answers(usual + b"\n" + line + b"\n" + usual)
    assert first == last == answer()
    assert (bad["id"], bad["status"]) == (None, "invalid")
    assert bad["error"].startswith("line 2: ")


def test_blank_lines_are_skipped_and_counted() -> None:
    usual = json.dumps(ROUND).encode()
    found = answers(b"\n" + usual + b"\r\n \t\n\r\nx\n" + usual + b"\n\n")
    assert [answer["status"] for answer in found] == ["ok", "invalid", "ok"]
    assert found[1]["error"].startswith("line 5: ")
    assert answers(b"") == answers(b"\n\n") == []


def test_answers_come_in_the_order_of_the_lines() -> None:
    lines = [json.dumps(ROUND | {"id": number, "stake": "x" if number % 7 == 0 else "1"}) for number in range(30_000)]
    assert [found["id"] for found in answers("\n".join(lines).encode())] == list(range(30_000))


class Endless(io.RawIOBase):
    """A stream of one very long line between two rounds, made as it is read; it keeps nothing."""

    def __init__(self, length: int) -> None:
        usual = json.dumps(ROUND).encode() + b"\n"
        self.parts = [usual, *[b"x" * (1 << 20)] * (length >> 20), b"\n", usual]

    def read1(self, size: int = -1) -> bytes:
        return self.parts.pop(0) if self.parts else b""


def test_a_line_of_a_gigabyte_is_refused_without_being_kept() -> None:
    out = io.BytesIO()
    assert answer_all(cast(BinaryIO, Endless(1 << 30)), out) == 1
    first, bad, last = (json.loads(line) for line in out.getvalue().splitlines())
    assert first == last == answer()
    assert (bad["id"], bad["status"], bad["error"]) == (None, "invalid", "line 2: longer than 16 MiB")


@pytest.mark.parametrize(("length", "kept"), [(LONGEST, True), (LONGEST + 1, False)])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_line_of_16_mib_is_read_and_one_byte_more_is_not(length: int, kept: bool, end: bytes) -> None:
    lines = [line for block, _ in blocks_of_lines(io.BytesIO(b"a\n" + b"x" * length + end)) for line in block]
    assert lines[0] == b"a"
    assert lines[1] == (b"x" * length if kept else None)
    assert len(lines) == 2


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=12)), st.integers(1, 9))
def test_lines_are_those_of_the_stream_however_it_is_cut(parts: list[bytes], size: int) -> None:
    whole = b"\n".join(parts)

    class Cut(io.BytesIO):
        def read1(self, _size: int | None = -1) -> bytes:
            return self.read(size)

    blocks = list(blocks_of_lines(Cut(whole)))
    expected = whole.split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    assert [line for block, _ in blocks for line in block] == expected
    assert sum(read for _, read in blocks) == len(whole)


STAKES = st.from_regex(r"[0-9]{1,20}(\.[0-9]{1,12})?", fullmatch=True)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(list(GAMES.values())), STAKES, st.randoms())
def test_nets_are_the_exact_plain_decimals(game: Any, stake: str, chance: Any) -> None:
    cards = chance.sample(game.deck.codes * 4, 6)
    found = answer(game=game.name, cards=cards, stake=stake)
    outcome = outcome_of(game, cards)
    assert outcome is not None
    assert found["net"] == {wager: plain_decimal(net * Fraction(Decimal(stake))) for wager, net in outcome.nets.items()}
    assert "-0" not in found["net"].values()
    assert found["outcome"]["hands"] == {hand: list(held) for hand, held in outcome.hands.items()}
    assert found["outcome"]["totals"] == outcome.totals


app = typer.Typer()
app.command()(settle)
app.command("other")(lambda: None)


def test_the_exit_code_is_2_if_a_line_was_invalid() -> None:
    usual = json.dumps(ROUND)
    good = CliRunner().invoke(app, ["settle"], input=usual)
    bad = CliRunner().invoke(app, ["settle"], input=f"{usual}\nx\ny\n")
    assert (good.exit_code, good.stderr) == (0, "")
    assert (bad.exit_code, len(bad.stdout.splitlines())) == (2, 3)
    assert bad.stderr == '2 lines could not be answered: see "error" in the output.\n'


def test_of_several_files_an_answer_names_its_own_the_first_one_too(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("\n{")
    done = typed("settle", str(tmp_path / "a"), str(tmp_path / "b"))
    errors = [json.loads(line)["error"] for line in done.stdout.splitlines()]
    assert [error.partition(": ")[0] for error in errors] == [f"{tmp_path / name}, line 2" for name in ("a", "b")]


def test_the_games_are_listed_one_per_line() -> None:
    listed = CliRunner().invoke(app, ["settle", "--games"])
    assert (listed.exit_code, listed.stdout.splitlines()) == (0, list(GAMES))


def test_help_starts_with_examples() -> None:
    shown = CliRunner().invoke(app, ["settle", "--help"]).stdout
    assert shown.index("Examples") < shown.index("tablewatch settle < rounds.jsonl") < shown.index("Options")


def test_a_reader_who_leaves_early_ends_it_quietly() -> None:
    program = "from tablewatch.command import main; main()"
    many = (json.dumps(ROUND).encode() + b"\n") * 20_000
    with subprocess.Popen(
        [sys.executable, "-c", program, "settle"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdout.close()
        try:
            process.stdin.write(many)
            process.stdin.close()
        except BrokenPipeError:
            pass
        errors = process.stderr.read()
        assert process.wait(120) == 0
    assert errors == b""


def test_a_person_who_types_is_answered_line_by_line() -> None:
    program = "import typer; from tablewatch.commands.settle import settle; typer.run(settle)"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        for number in range(3):
            os.write(process.stdin.fileno(), json.dumps(ROUND | {"id": number}).encode() + b"\n")
            assert json.loads(process.stdout.readline())["id"] == number
        process.stdin.close()
        assert process.wait(120) == 0
