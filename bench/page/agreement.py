"""Whether two runs of the same questions agree: a ratio is reproduced where the spreads of its turns meet."""

from collections.abc import Sequence
from dataclasses import dataclass

from bench.page.figures import RATIO, Figure
from bench.page.run import Run


@dataclass(frozen=True, slots=True)
class Again:
    """A ratio that was measured in two runs."""

    before: Figure
    now: Figure

    @property
    def agrees(self) -> bool:
        """Whether some value lies in both spreads; one that was measured once is its own spread."""
        low, high = spread(self.before)
        lowest, highest = spread(self.now)
        return lowest <= high and low <= highest


def spread(figure: Figure) -> tuple[float, float]:
    """The least and the most of a figure, itself included: the best by the best is not always one of the turns."""
    low = figure.value if figure.low is None else min(figure.low, figure.value)
    high = figure.value if figure.high is None else max(figure.high, figure.value)
    return low, high


def measured_again(before: Run, now: Run, questions: Sequence[str]) -> list[Again]:
    """The ratios of these questions that both runs have, in the order of the later one."""
    found: list[Again] = []
    for question in questions:
        known = {_key(figure): figure for figure in before.figures(question) if figure.unit == RATIO}
        for figure in now.figures(question):
            if figure.unit == RATIO and _key(figure) in known:
                found.append(Again(known[_key(figure)], figure))
    return found


def _key(figure: Figure) -> tuple[str, str, float | None]:
    return figure.name, figure.of, figure.at
