"""What a wager pays: an ordered list of conditions, each with its odds and its clause."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from games.money import plain_decimal

Feature = str | int | bool
"""What can be said of a finished round in one word, e.g. its winner or a hand's point total."""


LOST = Fraction(-1)
"""A wager that loses is collected whole."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that must hold of a round's features."""

    feature: str
    """The name of the feature, e.g. ``banker_total`` (``games.features`` has them all)."""
    operator: Literal["=", ">=", "<="]
    value: Feature

    def holds(self, features: Mapping[str, Feature]) -> bool:
        """Whether it holds of these features."""
        actual = features[self.feature]
        if self.operator == "=":
            return actual == self.value
        if not isinstance(actual, int) or not isinstance(self.value, int):
            raise TypeError(f"{self.feature} {self.operator} {self.value!r}: only numbers have an order")
        return actual >= self.value if self.operator == ">=" else actual <= self.value


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a paytable."""

    when: tuple[Condition, ...]
    """All of these must hold."""
    net: Fraction
    """Net win per unit staked: the odds; 0 is a push, -1/2 the half that Dragon Tiger collects on a tie."""
    clause: str
    """The clause of the game's document that says so."""
    label: str
    """The line in words, as it is printed."""

    def applies(self, features: Mapping[str, Feature]) -> bool:
        """Whether the line's condition holds of a round with these features."""
        for condition in self.when:  # noqa: SIM110 (this is on the path of every round, and all() takes twice as long)
            if not condition.holds(features):
                return False
        return True


def printed_odds(net: Fraction) -> str:
    """Net win per unit as a paytable prints it: ``8 to 1``, ``0.95 to 1``, ``1 to 2``, ``push`` or ``loses 50 %``."""
    if net < 0:
        return "loses" if net == LOST else f"loses {plain_decimal(-100 * net)} %"
    if net == 0:
        return "push"
    if net.numerator == 1:
        return f"1 to {net.denominator}"
    return f"{plain_decimal(net)} to 1"


@dataclass(frozen=True, slots=True)
class Wager:
    """A wager of a game: the first of its lines that applies decides, and without one it loses."""

    name: str
    title: str
    lines: tuple[Line, ...]
    clause: str
    """Where the wager is defined or offered; cited when it loses."""
    cumulative: bool = False
    """Every line that applies is paid, not only the first (reading A-03 of the Tiger Pair)."""

    def deciding_lines(self, features: Mapping[str, Feature]) -> list[Line]:
        """The lines that are paid: the first that applies, or all that apply; none where the wager loses."""
        paid = []
        for line in self.lines:
            if line.applies(features):
                paid.append(line)
                if not self.cumulative:
                    break
        return paid

    def net(self, features: Mapping[str, Feature]) -> Fraction:
        """Net win or loss per unit staked."""
        lines = self.deciding_lines(features)
        if len(lines) == 1:
            return lines[0].net
        return sum((line.net for line in lines), Fraction(0)) if lines else LOST
