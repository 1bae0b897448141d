"""Walking through a story: with the arrow keys, or in the pace in which it happened."""

import os
import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from replay.story import Moment, Story
from tablewatch.commands.replay_paper import (
    after_words,
    bets_text,
    card_text,
    ending,
    finding_text,
    heading,
    moments_text,
    sheet,
    time_words,
)

_BACK = {b"\x1b[D", b"\x1b[A", b"h", b"k", b"\x7f"}
_ON = {b"\x1b[C", b"\x1b[B", b"l", b"j", b" ", b"\r", b"\n"}
_FIRST = {b"\x1b[H", b"\x1b[1~", b"g"}
_LAST = {b"\x1b[F", b"\x1b[4~", b"G"}
_LEAVE = {b"q", b"Q", b"\x03", b"\x04", b"\x1b", b""}
_LONGEST_PAUSE = 3_600.0


def pace(console: Console, story: Story, speed: float) -> None:
    """Tell the story in the pace it happened, so many times as fast."""
    console.print(heading(story))
    console.print()
    before = 0
    for moment in story.moments:
        time.sleep(min((moment.after - before) / 1_000_000 / speed, _LONGEST_PAUSE))
        before = moment.after
        console.print(moments_text(console, story, [moment], heading=moment is story.moments[0]))
    if story.bets:
        console.print()
        console.print(bets_text(console, story))
    console.print()
    console.print(ending(story))


def after_key(key: bytes, place: int, last: int) -> int | None:
    """Where a key leads from a place; None: out."""
    if key in _LEAVE:
        return None
    if key in _BACK:
        return max(place - 1, 0)
    if key in _ON:
        return min(place + 1, last)
    if key in _FIRST:
        return 0
    return last if key in _LAST else place


def walk(story: Story) -> None:
    """Walk through the story with the arrow keys until q is pressed; what was seen last stays on the screen."""
    place: int | None = 0
    console = sheet()
    with _keys_at_once(), Live(auto_refresh=False, screen=True, console=console) as live:
        while place is not None:
            live.update(picture(console, story, place), refresh=True)
            place = after_key(_key(), place, len(story.moments) - 1)


def picture(console: Console, story: Story, place: int) -> RenderableType:
    """One moment of the story: the hands large, what happened and why, and the moments around it."""
    moment = story.moments[place]
    hands = Table.grid(expand=True, padding=(0, 2))
    for _ in moment.hands:
        hands.add_column(ratio=1)
    hands.add_row(*(_hand(moment, hand) for hand in moment.hands))
    first = max(min(place - 2, len(story.moments) - 7), 0)
    around = moments_text(console, story, story.moments[first : first + 7], current=place - first)
    said: list[RenderableType] = [Text(moment.words, "bold")]
    if moment.reason is not None:
        clause = f" ({moment.reason.clause})" if moment.reason.clause else ""
        said.append(Text(f"Why: {moment.reason.words}{clause}."))
    if moment.next is not None:
        said.append(Text(f"Next: {moment.next}."))
    said.extend(finding_text(finding, story.currency) for finding in moment.findings)
    said.append(Text(f"{moment.source} at {moment.time}, event {moment.event}", "dim"))
    title = f"{place + 1} of {len(story.moments)} · {time_words(moment.at)} UTC · {after_words(moment.after)} s"
    return Group(
        heading(story),
        hands,
        Panel(Group(*said), title=title, title_align="left", subtitle="← → Home End · q", subtitle_align="right"),
        around,
    )


def _hand(moment: Moment, hand: str) -> RenderableType:
    cards = Text("  ").join(card_text(card) for card in moment.hands[hand])
    total = moment.totals.get(hand)
    shown = Text.assemble(cards, ("" if total is None else f"   {total}", "bold"))
    return Panel(shown, title=hand.capitalize(), padding=(1, 2))


@contextmanager
def _keys_at_once() -> Iterator[None]:
    """The terminal gives every key as it is pressed, and is put back afterwards."""
    # Not on every system: where it is not there, walking is not possible, and the rest of the command is.
    import termios  # noqa: PLC0415  # not there on every system; asked for only at a terminal
    import tty  # noqa: PLC0415  # as termios

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _key() -> bytes:
    """The next key; an arrow comes as several bytes at once."""
    terminal = sys.stdin.fileno()
    key = os.read(terminal, 1)
    while key[:1] == b"\x1b" and len(key) < 6 and select.select([terminal], [], [], 0.05)[0]:
        key += os.read(terminal, 1)
        if key[-1:].isalpha() or key[-1:] == b"~":
            break
    return key
