"""The watches over one table: a pure fold over the summaries of its shoes, in the order in which they ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from audit.watches.expectation import Account
from audit.watches.frequency import FrequencyState, card_frequency
from audit.watches.hold import hold_out_of_range
from audit.watches.settings import DEFAULT_SETTINGS, WatchSettings
from audit.watches.shuffle import shuffle_repeat
from audit.watches.summary import ShoeSummary
from schemas.findings import Finding


@dataclass(frozen=True, slots=True)
class WatchState:
    """What is kept of one table's shoes."""

    past: tuple[ShoeSummary, ...] = ()
    """The cards of the last shoes, in which slugs are looked for; without bets."""
    frequency: FrequencyState = field(default_factory=FrequencyState)
    hold: Account = field(default_factory=Account)

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "past": [shoe.to_json() for shoe in self.past],
            "frequency": self.frequency.to_json(),
            "hold": self.hold.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "WatchState":
        """Read back what ``to_json`` wrote."""
        return cls(
            tuple(ShoeSummary.from_json(shoe) for shoe in data["past"]),
            FrequencyState.from_json(data["frequency"]),
            Account.from_json(data["hold"]),
        )


def watch_shoe(
    state: WatchState, shoe: ShoeSummary, settings: WatchSettings = DEFAULT_SETTINGS
) -> tuple[WatchState, list[Finding]]:
    """The state after one more shoe of the table, and what its end brings to light.

    A shoe that is among the past ones changes nothing: it was told twice. Nor does one that was hardly dealt: such
    shoes come from rehearsals and from files made by hand, which nobody has shuffled.
    """
    if any(past.table != shoe.table for past in state.past):
        raise ValueError(f"shoe {shoe.shoe} is of table {shoe.table}, the state is of table {state.past[0].table}")
    if not shoe.tells_enough or any(past.shoe == shoe.shoe for past in state.past):
        return state, []
    repeats = shuffle_repeat(state.past, shoe, settings)
    frequency, frequencies = card_frequency(state.frequency, shoe, settings)
    hold, holds = hold_out_of_range(state.hold, shoe, settings)
    past = (*state.past, shoe.without_bets())[-settings.slug_shoes :]
    return WatchState(past, frequency, hold), [*repeats, *frequencies, *holds]
