"""Walking through a story: where each key leads, and what one moment looks like."""

import pytest
from rich.console import Console

from tablewatch.commands.replay_walk import after_key, picture
from tests.audit.case import Case
from tests.replay.telling import stories_of


@pytest.mark.parametrize(
    ("key", "place", "leads_to"),
    [
        (b"\x1b[C", 0, 1),
        (b"\x1b[B", 8, 9),
        (b" ", 9, 9),
        (b"\x1b[D", 1, 0),
        (b"\x1b[A", 0, 0),
        (b"\x1b[H", 7, 0),
        (b"\x1b[F", 2, 9),
        (b"x", 4, 4),
        (b"q", 4, None),
        (b"\x1b", 4, None),
        (b"", 4, None),
    ],
)
def test_keys_lead_on_back_to_the_ends_and_out(key: bytes, place: int, leads_to: int | None) -> None:
    assert after_key(key, place, last=9) == leads_to


@pytest.mark.parametrize("width", [80, 140])
def test_a_moment_shows_hands_reason_and_findings_within_the_width(width: int) -> None:
    case = Case().round(bets={"b1": ("player", 100)}, settled={"b1": (900, 0)})
    story = stories_of(case.lines())[0]
    console = Console(width=width, force_terminal=False, markup=False)
    with console.capture() as shown:
        for place in range(len(story.moments)):
            console.print(picture(console, story, place))
    text = shown.get()
    assert all(len(line) <= width for line in text.splitlines())
    assert "Why: Initial deal: Player's first card (3.13)." in text
    assert (
        "Next: Player has a natural 9: no further card. Player wins, 9 to 2." in text.replace("\n", " ") or width == 80
    )
    assert "payout-wrong" in text
