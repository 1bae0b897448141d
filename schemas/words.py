"""The words and bounds of the contract as annotated types: money, card codes, roles, wagers and times.

Every type here validates inside pydantic's core, with no Python call per value: a worker decodes hundreds of
thousands of events a second.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field, GetCoreSchemaHandler, StringConstraints
from pydantic_core import CoreSchema, core_schema

from games.cards import DECKS, STANDARD
from games.rulebook import GAMES
from schemas.time import TIME_PATTERN

LARGEST = 2**53 - 1
"""The largest integer that every JSON reader holds exactly (RFC 8259 section 6); the bound of all numbers here."""


class OneOf:
    """Makes a string type accept the given words and no other, as a Literal would."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(dict.fromkeys(words))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.literal_schema(list(self.words))


class MayBeAbsent:
    """Makes an optional field accept what ``inner`` accepts: the field may be missing, but it is never null."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler.generate_schema(self.inner)


Text = Annotated[str, StringConstraints(min_length=1)]
"""A string that is not empty."""

OptionalText = Annotated[str | None, MayBeAbsent(Text)]
"""A string that is not empty, in a field that may be missing (None then) and is never null."""

Money = Annotated[int, Field(ge=0, le=LARGEST)]
"""Minor units of the table's currency."""

Stake = Annotated[int, Field(ge=1, le=LARGEST)]
"""The amount of a bet that is placed: minor units, 1 or more."""

Count = Annotated[int, Field(ge=1, le=LARGEST)]
"""A position, a draw, a round, a number of decks or positions: from 1."""

Restriction = Annotated[int, Field(ge=0, le=LARGEST)]
"""How many wagers one playing area may hold."""

Sequence = Annotated[int, Field(ge=0, le=LARGEST)]
"""The place of an event among those of one source about one subject."""

Time = Annotated[str, StringConstraints(pattern=TIME_PATTERN)]
"""RFC 3339 in UTC with `T` and `Z`, up to six decimals, a day that the calendar has."""

Card = Annotated[str, OneOf(code for deck in DECKS for code in deck.codes)]
"""A card code of either deck; whether it is of the deck in play is judged later."""

GameName = Annotated[str, OneOf(GAMES)]
WagerName = Annotated[str, OneOf(wager for game in GAMES.values() for wager in game.wagers)]
"""A wager of any game; whether this game or table offers it is judged later."""

PointTotal = Annotated[int, Field(ge=0, le=9)]
Rank = Annotated[str, OneOf(STANDARD.ranks)]
"""The rank that a Dragon Tiger display shows in place of a point total."""

Area = Literal["main", "hlga"]
"""The main floor, or the high-limit gaming area."""

Mode = Literal["live", "test", "closed"]
Method = Literal["A", "B", "C"]
Winner = Literal["player", "banker", "tie", "dragon", "tiger", "void"]
Role = Literal["dealer", "pit_supervisor", "pit_manager", "assistant_casino_manager", "gaming_shift_manager"]

ROLES: tuple[Role, ...] = (
    "dealer",
    "pit_supervisor",
    "pit_manager",
    "assistant_casino_manager",
    "gaming_shift_manager",
)
"""In rising order: a higher role may always act for a lower one."""

Incident = Literal[
    "foreign-card",
    "missing-card",
    "unshuffled-cards",
    "order-altered",
    "cards-drawn-together",
    "wrong-order",
    "wrong-delivery",
    "face-up-card",
    "exposed-card",
    "player-left-with-cards",
    "other",
]
