"""What each event says: one frozen, strict model per payload (`data`), with the field names of the contract."""

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from schemas.words import (
    Area,
    Card,
    Count,
    GameName,
    Incident,
    MayBeAbsent,
    Method,
    Mode,
    Money,
    OptionalText,
    PointTotal,
    Rank,
    Restriction,
    Role,
    Stake,
    Text,
    Time,
    WagerName,
    Winner,
)


class Payload(BaseModel):
    """Base of all payloads: no coercion, no unknown field, no change afterwards."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", use_attribute_docstrings=True)


class Limits(Payload):
    """The smallest and the largest stake of one wager at this table."""

    min: Money
    max: Money


class TableConfiguredData(Payload):
    """How a table is set up from now on: its game, its layout, the wagers on offer and their limits."""

    game: GameName
    currency: Text
    area: Area
    positions: Count
    max_wagers_per_area: Restriction | None
    """Null: the game's own rule."""
    differential_limit: Money | None
    """Null: the table has no limit for the differential."""
    limits: dict[WagerName, Limits]
    pit: OptionalText = None
    site: OptionalText = None
    time_zone: OptionalText = None
    cameras: Annotated[tuple[Text, ...] | None, MayBeAbsent(tuple[Text, ...])] = None
    mode: Mode = "live"
    """Only a live table raises alerts to people."""


class ShoeLoadedData(Payload):
    """A shoe with so many decks is in the dealing device."""

    shoe: Text
    decks: Count


class CuttingCardData(Payload):
    """The cutting card came out, before the draw named."""

    shoe: Text
    round: Count
    before_draw: Count


class ShoeEndedData(Payload):
    """The shoe is taken away."""

    shoe: Text
    remaining: tuple[Card, ...] | None
    """All its cards that were not reported as drawn, burnt ones included; null when not counted."""


class InRound(Payload):
    """Base of what is said about one round of one shoe."""

    shoe: Text
    round: Count


class RoundOpenedData(InRound):
    """Bets are taken."""

    method: Method | None
    """The dealing method; null: not reported."""
    dealer: OptionalText = None


class BetPlacedData(InRound):
    """Chips were put down."""

    bet: Text
    """Unique in the round."""
    position: Count
    player: Text | None
    """Null: not known."""
    wager: WagerName
    amount: Stake


class BetChangedData(InRound):
    """Chips were added to a bet or taken from it."""

    bet: Text
    amount: Money
    """The new total."""


class BetWithdrawnData(InRound):
    """A bet was taken back whole."""

    bet: Text


class BetsClosedData(InRound):
    """ "No more bets"."""


class CardDrawnData(InRound):
    """A card left the dealing device."""

    draw: Count
    """1, 2, … in the order in which the round's cards left the device."""
    card: Card


class ResultDisplayedData(InRound):
    """What the table's display told the players."""

    winner: Winner
    totals: dict[Text, PointTotal | Rank] | None
    """By hand: the point total, or in Dragon Tiger the rank. Null: the display shows none."""


class BetSettledData(InRound):
    """What the dealer paid and took."""

    bet: Text
    paid: Money
    """Winnings, the stake not counted."""
    collected: Money
    """The part of the stake that was taken."""


class BetCorrectedData(BetSettledData):
    """What was settled, put right: replaces the settlement."""

    by: Role


class Ruling(InRound):
    """Base of all rulings: a decision of the staff about a round, and the clause that it cites."""

    clause: Text
    by: Role


class Void(Ruling):
    """The round is void."""

    ruling: Literal["void"]


class Reconstructed(Ruling):
    """The right order of the cards is known."""

    ruling: Literal["reconstructed"]
    order: tuple[Count, ...]
    """The draws made so far, in their right order."""


class WithdrawalOffered(Ruling):
    """Players may take back their bets."""

    ruling: Literal["withdrawal-offered"]


class BetsRefused(Ruling):
    """These bets, or what was added to them late, are refused."""

    ruling: Literal["bets-refused"]
    bets: tuple[Text, ...]


class BetsRemoved(Ruling):
    """These bets are taken off the layout."""

    ruling: Literal["bets-removed"]
    bets: tuple[Text, ...]


class ReplacementCard(Ruling):
    """This card counts as the card of that draw."""

    ruling: Literal["replacement-card"]
    draw: Count
    card: Card


class WagersRestricted(Ruling):
    """Fewer wagers per playing area, for this round and the later ones of the shoe."""

    ruling: Literal["wagers-restricted"]
    max_wagers_per_area: Restriction


class DeviceReset(Ruling):
    """The dealing device was reset; bets may be placed again until the next closing."""

    ruling: Literal["device-reset"]


class PowerFailure(Ruling):
    """The power failed at the whole table or at some positions."""

    ruling: Literal["power-failure"]
    scope: Literal["table"] | tuple[Count, ...]


class Stands(Ruling):
    """The round stands as it is."""

    ruling: Literal["stands"]


RulingMadeData = Annotated[
    Void
    | Reconstructed
    | WithdrawalOffered
    | BetsRefused
    | BetsRemoved
    | ReplacementCard
    | WagersRestricted
    | DeviceReset
    | PowerFailure
    | Stands,
    Field(discriminator="ruling"),
]


class IncidentReportedData(InRound):
    """Something went wrong at the table."""

    incident: Incident
    draws: tuple[Count, ...]
    """The draws that it touches; may be empty."""
    text: str
    """In the reporter's words; may be empty."""


class RoundClosedData(InRound):
    """The round is over."""


class HeartbeatData(Payload):
    """A device is alive."""

    device_time: Time
    """By the device's clock; the event's own time is the collector's."""


PAYLOADS: tuple[type[Payload], ...] = (
    TableConfiguredData,
    ShoeLoadedData,
    CuttingCardData,
    ShoeEndedData,
    RoundOpenedData,
    BetPlacedData,
    BetChangedData,
    BetWithdrawnData,
    BetsClosedData,
    CardDrawnData,
    ResultDisplayedData,
    BetSettledData,
    BetCorrectedData,
    *get_args(get_args(RulingMadeData)[0]),
    IncidentReportedData,
    RoundClosedData,
    HeartbeatData,
)
"""All payloads, the rulings one by one."""
