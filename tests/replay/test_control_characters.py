"""Names that devices give may hold control characters: people see them, and their terminal never obeys them."""

import pytest

from store.connect import Store
from tests.audit.case import DTB, Case
from tests.replay.commands import Run
from tests.replay.stored import fill

RED = "A\x1b[31mRED\x1b[0m"
FORGED = "ann\n+99.000  The round is over.\x00\x9b2J\x7f"


@pytest.fixture
def odd(store: Store) -> None:
    case = Case(DTB).load(RED)
    case.round(bets={RED: ("player", 100)}, settled={RED: (900, 0)}, player=FORGED)
    fill(store, case.lines())


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize("width", ["80", "200"])
@pytest.mark.parametrize(
    "command",
    [
        ("list",), ("last", "BT1"), ("show", f"BT1/{RED}/1"), ("show", f"BT1/{RED}/1", "--speed", "100000"),
        ("show", "BT1/S7/1"), ("list", "--table", "BT1", "--shoe", "S7"), ("shoe", f"BT1/{RED}"),
        ("refund", f"BT1/{RED}/1"), ("what-if", "--pays", "player=2"), ("verify",),
    ],
    ids=lambda command: " ".join(command).replace(RED, "RED"),
)  # fmt: skip
def test_control_characters_are_shown_and_not_sent(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    done = run(*command)
    said = done.stdout + done.stderr
    assert not {sign for sign in said if sign != "\n" and (ord(sign) < 0x20 or 0x7F <= ord(sign) < 0xA0)}
    assert "\n+99.000" not in said
    if command != ("verify",):
        assert "␛[31m" in "".join(said.split()), said


@pytest.mark.usefixtures("odd")
def test_json_has_names_as_they_are(run: Run) -> None:
    assert b"A\\u001b[31mRED" in run("show", f"BT1/{RED}/1", "--json").stdout_bytes
