"""The events: one frozen, strict model per type of the contract, and their union `Event`, told apart by `type`."""

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from schemas import payloads
from schemas.words import OptionalText, Sequence, Text, Time


class Envelope(BaseModel):
    """What every event carries (CloudEvents 1.0); each event type adds its own `data`."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", use_attribute_docstrings=True)

    specversion: Literal["1.0"]
    id: Text
    """Unique within the source."""
    source: Text
    """The device or desk that says so."""
    type: str
    subject: Text
    """The table."""
    time: Time
    """When it happened, by the device's clock; a heartbeat's is its collector's."""
    sequence: Sequence
    """Grows by exactly 1 per event of this source about this subject."""
    datacontenttype: OptionalText = None
    dataschema: OptionalText = None


class TableConfigured(Envelope):
    type: Literal["table.configured.v1"]
    data: payloads.TableConfiguredData


class ShoeLoaded(Envelope):
    type: Literal["shoe.loaded.v1"]
    data: payloads.ShoeLoadedData


class CuttingCard(Envelope):
    type: Literal["shoe.cutting_card.v1"]
    data: payloads.CuttingCardData


class ShoeEnded(Envelope):
    type: Literal["shoe.ended.v1"]
    data: payloads.ShoeEndedData


class RoundOpened(Envelope):
    type: Literal["round.opened.v1"]
    data: payloads.RoundOpenedData


class BetPlaced(Envelope):
    type: Literal["bet.placed.v1"]
    data: payloads.BetPlacedData


class BetChanged(Envelope):
    type: Literal["bet.changed.v1"]
    data: payloads.BetChangedData


class BetWithdrawn(Envelope):
    type: Literal["bet.withdrawn.v1"]
    data: payloads.BetWithdrawnData


class BetsClosed(Envelope):
    type: Literal["bets.closed.v1"]
    data: payloads.BetsClosedData


class CardDrawn(Envelope):
    type: Literal["card.drawn.v1"]
    data: payloads.CardDrawnData


class ResultDisplayed(Envelope):
    type: Literal["result.displayed.v1"]
    data: payloads.ResultDisplayedData


class BetSettled(Envelope):
    type: Literal["bet.settled.v1"]
    data: payloads.BetSettledData


class BetCorrected(Envelope):
    type: Literal["bet.corrected.v1"]
    data: payloads.BetCorrectedData


class RulingMade(Envelope):
    """A decision of the staff about a round, with the clause that it cites."""

    type: Literal["ruling.made.v1"]
    data: payloads.RulingMadeData


class IncidentReported(Envelope):
    type: Literal["incident.reported.v1"]
    data: payloads.IncidentReportedData


class RoundClosed(Envelope):
    type: Literal["round.closed.v1"]
    data: payloads.RoundClosedData


class DeviceHeartbeat(Envelope):
    type: Literal["device.heartbeat.v1"]
    data: payloads.HeartbeatData


AnyEvent = (
    TableConfigured
    | ShoeLoaded
    | CuttingCard
    | ShoeEnded
    | RoundOpened
    | BetPlaced
    | BetChanged
    | BetWithdrawn
    | BetsClosed
    | CardDrawn
    | ResultDisplayed
    | BetSettled
    | BetCorrected
    | RulingMade
    | IncidentReported
    | RoundClosed
    | DeviceHeartbeat
)

Event = Annotated[AnyEvent, Field(discriminator="type")]

MODELS: dict[str, type[Envelope]] = {
    get_args(model.model_fields["type"].annotation)[0]: model for model in get_args(AnyEvent)
}
"""The model of each event type, in the order of the contract."""
