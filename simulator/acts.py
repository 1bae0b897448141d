"""What a device is about to report: an act has a time, a source, a type and the payload; and how acts go astray."""

from dataclasses import dataclass
from typing import Any, Final

READER: Final = 0
"""The dealing device, which reads cards."""
RFID: Final = 1
"""The bet sensors; on electronic tables the terminals."""
DISPLAY: Final = 2
DEALER: Final = 3
"""The dealer's keypad: announcements, incidents and the rulings that a dealer may make."""
DESK: Final = 4
"""The pit's desk: configuration, rulings of the pit's staff, corrections."""

CONFIGURED: Final = "table.configured.v1"
LOADED: Final = "shoe.loaded.v1"
CUTTING_CARD: Final = "shoe.cutting_card.v1"
SHOE_ENDED: Final = "shoe.ended.v1"
OPENED: Final = "round.opened.v1"
PLACED: Final = "bet.placed.v1"
CHANGED: Final = "bet.changed.v1"
WITHDRAWN: Final = "bet.withdrawn.v1"
BETS_CLOSED: Final = "bets.closed.v1"
DRAWN: Final = "card.drawn.v1"
DISPLAYED: Final = "result.displayed.v1"
SETTLED: Final = "bet.settled.v1"
CORRECTED: Final = "bet.corrected.v1"
RULED: Final = "ruling.made.v1"
INCIDENT: Final = "incident.reported.v1"
ROUND_CLOSED: Final = "round.closed.v1"
HEARTBEAT: Final = "device.heartbeat.v1"

Payload = dict[str, Any]


class Beat:
    """The payload of a heartbeat, which the device writes itself: its clock."""


BEAT: Final = Beat()


@dataclass(frozen=True, slots=True)
class Unsent:
    """An event that took its place in the sequence and never arrived."""


@dataclass(frozen=True, slots=True)
class Spoiled:
    """An event whose attributes or payload the contract does not allow; it is sent as it is."""

    payload: Payload
    attributes: Payload
    """What the envelope says in place of the right attributes; None leaves the attribute out."""


@dataclass(frozen=True, slots=True)
class Contradicted:
    """Two events with one id and place in the sequence, and different payloads."""

    first: Payload
    second: Payload


@dataclass(frozen=True, slots=True)
class Noise:
    """Bytes that are no event and take no place in any sequence."""

    raw: bytes


Content = Payload | Beat | Unsent | Spoiled | Contradicted | Noise

Act = tuple[int, int, str, Content]
"""When it really happened (milliseconds since 1970), the source, the type, and what is sent of it."""
