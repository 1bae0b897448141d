"""What the routes work with, made once when the console starts."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import Depends, Request

from console.access import AccessLog
from console.auth.oidc import Provider
from console.auth.outsiders import Outsiders
from console.auth.pace import Pace
from console.auth.people import People
from console.auth.sessions import Sessions
from console.changes.ledger import Ledger
from console.live.room import LiveRoom
from console.server.problems import Refused
from console.shifts import Shifts, zone_of
from console.uncertain import UncertainActs
from games.readings import Readings
from replay.chain.keys import KeyRing, KeyUnreadable
from store.connect import Store
from store.rows.proof import SigningKey


@dataclass(frozen=True, slots=True)
class Parts:
    """The console's parts."""

    people: People
    sessions: Sessions
    access: AccessLog
    live: LiveRoom
    store: Store
    """With little patience: a person waits for the answer."""
    secure: bool
    """Whether browsers come by TLS, so that the cookie is kept to it."""
    signing_in: Pace
    """By address."""
    asking: Pace
    """By session."""
    outsiders: Outsiders
    """Those whom the provider vouches for."""
    changes: Ledger
    """What two administrators together may change."""
    readings: Readings
    """Of the unclear rules that change money: the hold is held against the odds under these."""
    ring: KeyRing | None = None
    """The key folder, whose keys are believed under evidence; None, or one without keys: the store's oldest key is."""
    shifts: Shifts = field(default_factory=Shifts)
    oidc: Provider | None = None
    """Whom else people may sign in with; None: name and password alone."""
    on_screen: dict[bytes, str] = field(default_factory=dict)
    """By session: the alert that it looked at last. Its page asks for it again when others do something about it."""
    uncertain: UncertainActs = field(default_factory=UncertainActs)
    streams: Counter[bytes] = field(default_factory=Counter)
    """Open streams by session."""

    def own_keys(self) -> list[SigningKey]:
        """The keys whose signatures are believed, as they are now; a refusal where one cannot be read."""
        try:
            return [] if self.ring is None else self.ring.known()
        except KeyUnreadable as error:
            raise Refused(409, f"the key folder of the console: {error}") from error

    @property
    def zone(self) -> ZoneInfo:
        """The site's time zone: the one that most tables name."""
        configured = (table.configured for table in self.live.floor.tables.values())
        return zone_of(self.shifts, (each.time_zone for each in configured if each is not None))


def parts_of(request: Request) -> Parts:
    """The parts of the console that answers this request."""
    parts: Parts = request.app.state.parts
    return parts


Console = Annotated[Parts, Depends(parts_of)]
