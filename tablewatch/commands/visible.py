"""Control characters in names that devices give, shown to people and never sent to their terminal."""

from typing import Final

from rich.text import Text

_PICTURES: Final = {
    **{number: 0x2400 + number for number in range(0x20)},
    0x7F: 0x2421,
    # The second set has no pictures of its own.
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
}
"""By code point: a sign that takes one column."""
_BUT_LINE_ENDS: Final = {number: sign for number, sign in _PICTURES.items() if number != 0x0A}


def visible(said: str) -> str:
    """A text of a single line with its control characters, line ends too, as signs that can be seen."""
    return said.translate(_PICTURES)


def visible_lines(said: str) -> str:
    """The same of a text whose line ends are our own."""
    return said.translate(_BUT_LINE_ENDS)


def visible_text(said: Text) -> Text:
    """The same of a styled text of a single line."""
    shown = visible(said.plain)
    if shown != said.plain:
        said = said.copy()
        # Sign for sign: the styles stay where they are.
        said.plain = shown
    return said
