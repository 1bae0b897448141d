"""What a table carries from round to round: its shoe, its people, its clock, and what it has promised to do."""

from dataclasses import dataclass, field

from simulator.acts import Act
from simulator.chance import Chance
from simulator.devices import Devices
from simulator.players import Seats
from simulator.setup import Setup
from simulator.shoe import Shoe
from simulator.truth import TruthSink


@dataclass(slots=True)
class Rig:
    """How the cards of a table are tampered with, over many shoes."""

    removed: tuple[str, ...] = ()
    """Cards missing from every shoe."""
    slug: bool = False
    """The next shuffle keeps a slug together."""
    favours: str | None = None
    """The cards are arranged in favour of ``players``, or of the player with this id."""


@dataclass(slots=True)
class TableState:
    """A table between two rounds."""

    setup: Setup
    chance: Chance
    devices: Devices
    seats: Seats
    shoe: Shoe
    now: int
    """When the next thing begins (milliseconds since 1970)."""
    truth: TruthSink
    shoes: int = 0
    """How many shoes it has had."""
    rounds: int = 0
    """How many rounds of the present shoe were played."""
    pending: list[Act] = field(default_factory=list)
    """What has happened, or is bound to happen, and is not sent yet."""
    last_winner: str = ""
    restriction: int | None = None
    """DTB 3.7.1, FF4 3.6.1: the Pit Manager's restriction for the rest of the shoe."""
    under_minimum: set[str] = field(default_factory=set)
    """Who has had the one time of 5.14 at this table: a player, or the position of one who is not known."""
    change_cards: bool = False
    """The shoe is replaced before the next round."""
    rounds_left: int = 0
    """How many rounds the table will play, the next one included."""
    quiet: int = 0
    """So many further rounds are played without anything special, so that one fault cannot touch another."""
    wish: str | None = None
    """A fault of the next shoe."""
    rig: Rig = field(default_factory=Rig)
