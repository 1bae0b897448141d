"""The broker's users, by what they are to us."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Principals:
    """The broker's users by what they are, each as `name` or `User:name`."""

    readers: tuple[str, ...] = ()
    """Card readers and dealing devices: write table.cards."""
    sensors: tuple[str, ...] = ()
    """Bet sensors: write table.bets."""
    desks: tuple[str, ...] = ()
    """Dealer panels, displays and pit desks: write table.floor."""
    gateways: tuple[str, ...] = ()
    """Take events over HTTP from devices they know by token: write all three."""
    workers: tuple[str, ...] = ()
    """Judge: read the inputs as a group, write the outputs; the checkpoints where no sealers are named."""
    sealers: tuple[str, ...] = ()
    """Seal the store: write audit.checkpoints and nothing else, so that whoever judges cannot sign for it."""
    console: tuple[str, ...] = ()
    """Reads everything and sees how far the workers are, writes nothing."""

    def any(self) -> bool:
        users = (self.readers, self.sensors, self.desks, self.gateways, self.workers, self.sealers, self.console)
        return any(users)
