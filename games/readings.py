"""The readings of unclear rules that change money (A-01 to A-05), as named choices that a what-if can switch."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, get_args, get_type_hints

PairReading = Literal["same-rank", "literal"]


@dataclass(frozen=True, slots=True)
class Readings:
    """One choice for each rule that can be read in two ways; the defaults are the readings in force."""

    pair: PairReading = "same-rank"
    """A-01 (FF4 1.1.8, EB 1.1.11 and 1.1.19, SE 1.1.5): a pair is two cards of one rank; literally, a Ten would also
    pair with any picture card, since both count zero points."""
    natural_tie: Literal["identical", "each-natural"] = "identical"
    """A-02 (EB 1.1.8 against 4.5, 4.6): the Dragon Bonus is a push on an identical natural; the tables' wording would
    also push it at natural 9 against natural 8."""
    tiger_pair: Literal["highest", "cumulative"] = "highest"
    """A-03 (EB 1.1.19, 4.9): only the highest line of the Tiger Pair is paid; cumulative adds every line that fits."""
    small_tiger: Literal["rule", "layout"] = "rule"
    """A-04 (DTB 4.3 against Appendix K): Small Tiger pays 22 to 1; the layout prints 25 to 1."""
    tiger_banker: Literal["rule", "layout"] = "rule"
    """A-05 (EB 4.7 against the Tiger layout): Banker pays 0.95 to 1; the layout prints 1 to 1, and 1 to 2 on six."""


DEFAULT_READINGS = Readings()


def choices() -> dict[str, tuple[str, ...]]:
    """The name of each reading and what can be chosen, the one in force first."""
    hints = get_type_hints(Readings)
    return {field.name: get_args(hints[field.name]) for field in fields(Readings)}


def readings_of(chosen: Mapping[str, str]) -> Readings:
    """The readings in force, but for these choices; ``ValueError`` says what can be chosen."""
    allowed = choices()
    for name, choice in chosen.items():
        if name not in allowed:
            raise ValueError(f"there is no reading {name!r}; the readings are {', '.join(allowed)}")
        if choice not in allowed[name]:
            raise ValueError(f"the reading {name!r} is {' or '.join(allowed[name])}, not {choice!r}")
    return Readings(**chosen)  # type: ignore[arg-type]  # each choice is one of its field's literals, as checked above
