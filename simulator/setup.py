"""How a simulated table is set up: game, area, layout, limits and decks, all within its rule document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from games.readings import DEFAULT_READINGS, Readings
from games.rulebook import GAMES, Game, rulebook
from simulator.acts import Payload
from simulator.chance import Chance

PREFIXES: Final[Mapping[str, str]] = {"DTB": "BT", "FF4": "FF", "SE": "SE", "DT": "DT", "EB": "EB"}
"""Table ids start with these letters, by rule document."""

TABLES_PER_PIT = 8

Limits = Mapping[str, tuple[int, int]]
"""By wager on offer: the smallest and the largest stake."""


@dataclass(frozen=True, slots=True)
class Setup:
    """One table as it is configured."""

    table: str
    pit: str
    game: Game
    area: str
    """``main`` or ``hlga``."""
    positions: int
    max_wagers_per_area: int | None
    differential_limit: int | None
    limits: Limits
    chip: int
    """Stakes are multiples of this."""
    decks: int
    methods: tuple[str | None, ...]
    """The dealing methods in use here; None where they are not reported, or the game has none."""

    @property
    def electronic(self) -> bool:
        """Whether players bet on terminals."""
        return self.game.document.short == "EB"

    @property
    def area_maximum(self) -> int | None:
        """The most wagers on one playing area, by the game's rule and the configuration."""
        rule = self.game.document.area_maximum
        if self.max_wagers_per_area is None or rule is None:
            return rule if self.max_wagers_per_area is None else self.max_wagers_per_area
        return min(rule, self.max_wagers_per_area)

    def with_maxima_doubled(self) -> "Setup":
        """The same table for people who want to bet more."""
        limits = {wager: (low, 2 * high) for wager, (low, high) in self.limits.items()}
        differential = None if self.differential_limit is None else 2 * self.differential_limit
        return replace(self, limits=limits, differential_limit=differential)

    def configured(self) -> Payload:
        """The payload of ``table.configured.v1``."""
        return {
            "game": self.game.name,
            "currency": "SGD",
            "area": self.area,
            "positions": self.positions,
            "max_wagers_per_area": self.max_wagers_per_area,
            "differential_limit": self.differential_limit,
            "limits": {wager: {"min": low, "max": high} for wager, (low, high) in self.limits.items()},
            "pit": self.pit,
            "time_zone": "Asia/Singapore",
            "cameras": [f"{self.table}-{view}" for view in ("overhead", "dealer", "shoe")],
        }


def _limits(game: Game, area: str, chance: Chance) -> tuple[int, Limits]:
    """Chip and limits; one or two side wagers may not be on offer, the main wagers and the tie always are."""
    electronic = game.document.short == "EB"
    chip = chance.pick((1, 5, 100)) if electronic else chance.pick((25, 50, 100, 500))
    low = chance.pick((500, 1000, 2500) if electronic else (2500, 5000, 10_000, 20_000))
    if area == "hlga":
        low *= 10
    high = low * chance.pick((40, 100, 200))
    mains = {*game.hands, "tie"}
    sides = [wager for wager in game.wagers if wager not in mains]
    left_out = set(chance.some(sides, chance.pick((0, 0, 1, 2))))
    limits = {}
    for wager in game.wagers:
        if wager in game.hands:
            limits[wager] = (low, high)
        elif wager not in left_out:
            limits[wager] = (low // 5, high // 10)
    return chip, limits


def setup_of(number: int, game: Game, seed: int) -> Setup:
    """The set-up of the table with this number (from 1)."""
    document = game.document
    chance = Chance(seed, "setup", number)
    area = "hlga" if document.short != "EB" and chance.happens(0.3) else "main"
    chip, limits = _limits(game, area, chance)
    high = limits[game.hands[0]][1]
    methods: tuple[str | None, ...] = (None,)
    if document.methods:
        methods = ("A", "B", "C", None) if area == "hlga" else ("A", "B", "B", None)
    largest = max(decks for decks in game.decks if decks <= 8)
    return Setup(
        table=f"{PREFIXES[document.short]}{number:02d}",
        pit=f"P{(number - 1) // TABLES_PER_PIT + 1}",
        game=game,
        area=area,
        positions=chance.between(8, 14) if document.short == "EB" else chance.between(5, 8),
        max_wagers_per_area=chance.pick((None, None, 3, 4)) if document.area_maximum else chance.pick((None, None, 4)),
        differential_limit=high * chance.pick((1, 2, 3)) // 2 if chance.happens(0.9) else None,
        limits=limits,
        chip=chip,
        decks=chance.pick((6, largest, largest)),
        methods=methods,
    )


def setups(
    tables: int, seed: int, games: Sequence[str] | None = None, readings: Readings = DEFAULT_READINGS
) -> list[Setup]:
    """The set-ups of a floor: the games take turns."""
    played = [rulebook(readings)[name] for name in games or GAMES]
    return [setup_of(number, played[(number - 1) % len(played)], seed) for number in range(1, tables + 1)]
