"""What the watches may be set to: how many false alarms a shoe may bring, and which slugs count."""

from dataclasses import dataclass, field, fields

from games.readings import Readings


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """The settings of the statistical watches.

    A rate is the number of false findings of its code that one shoe of an honest table may bring on average: after so
    many shoes the expected number of false findings is at most the rate times the number of shoes, at every moment.
    """

    shuffle_repeat_rate: float = 1e-6
    card_frequency_rate: float = 1e-6
    hold_rate: float = 1e-6
    player_rate: float = 1e-6
    """For all players of a shoe together."""
    slug_cards: int = 24
    """The fewest cards of an earlier shoe that count as a slug when they come again."""
    slug_shoes: int = 50
    """In how many later shoes of its table a slug is looked for."""
    fewest_rounds: int = 200
    """A win over fewer rounds than this is not told, however unlikely: a few rare wins in a row are a story, made by
    hand as often as not, and no habit."""
    readings: Readings = field(default_factory=Readings)
    """Of unclear rules: a win is held against the odds of the rules that the rounds were judged by."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name == "readings":
                continue
            if each.name.endswith("_rate") and not 0 < value < 1:
                raise ValueError(f"{each.name} is {value}; a rate of false alarms lies between 0 and 1")
            if not each.name.endswith("_rate") and value < 1:
                raise ValueError(f"{each.name} is {value}; it must be at least 1")


DEFAULT_SETTINGS = WatchSettings()
