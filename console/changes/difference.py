"""What a change does to a text, line by line and in its order: a line that moves is a change, too."""

from difflib import SequenceMatcher
from typing import Final, Literal, NamedTuple

AROUND: Final = 3
"""So many lines that stay are shown around those that do not: they tell whose the line is."""


class Line(NamedTuple):
    """A line of either text, or a mark for some that stay and are not shown."""

    fate: Literal["stays", "goes", "comes", "left out"]
    text: str


def difference(before: str, after: str) -> list[Line]:
    """The lines that go and come, in order, with some around them."""
    was, will = _lines(before), _lines(after)
    found: list[Line] = []
    shown = 0
    for group in SequenceMatcher(None, was, will).get_grouped_opcodes(AROUND):
        found += _left_out(group[0][1] - shown)
        for kind, start, end, first, last in group:
            if kind == "equal":
                found += [Line("stays", line) for line in was[start:end]]
            else:
                found += [Line("goes", line) for line in was[start:end]]
                found += [Line("comes", line) for line in will[first:last]]
        shown = group[-1][2]
    return found + (_left_out(len(was) - shown) if found else [])


def _lines(text: str) -> list[str]:
    """What ends the last line begins none."""
    return text.removesuffix("\n").split("\n")


def _left_out(count: int) -> list[Line]:
    return [Line("left out", f"{count} line{'' if count == 1 else 's'} as before")] if count else []
