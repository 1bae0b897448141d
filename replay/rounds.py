"""Reading stored rounds: one with its events, verdicts and surroundings, as models; and which ones are near."""

from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

from audit.facts import RoundFacts
from replay.chain.rows import key_of
from replay.story import Story, Surroundings, facts_of, tell
from schemas.records import AnyEvent
from schemas.time import micros
from schemas.verdicts import Verdict
from store.connect import Store
from store.read.events import round_surrounded
from store.read.proof import leaves_about
from store.read.rounds import Nearby, is_later_judged, nearby, opened_at, read_verdict, revisions
from store.read.unlisted import unlisted_events
from store.rows.raw import RecordKey, StoredEvent
from store.rows.verdicts import RoundKey, StoredVerdict


class RoundNotFound(LookupError):
    """There is no such round: name another one; the message says which are near."""


class EventsGone(LookupError):
    """A verdict is stored and its round's events are not: they are past their retention, or were taken away."""


class RoundGone(EventsGone):
    """Neither events nor verdict of a round are stored, and it must have been there: see `replay verify --chain`."""


class InvalidRoundName(ValueError):
    """Not the name of a round: write it as TABLE/SHOE/ROUND."""


class LeftOut(NamedTuple):
    """An event that was refused, since another of its source and id has different content."""

    type: str
    source: str
    id: str


@dataclass(frozen=True, slots=True)
class StoredRound:
    """All that the store has of one round."""

    key: RoundKey
    events: tuple[StoredEvent, ...]
    """As they came, by device time, those that were refused included."""
    without_rows: int
    """How many of them the records alone tell of: their event rows are gone."""
    revisions: tuple[StoredVerdict, ...]
    """Every verdict, by revision; none while the round is open."""
    configuration: AnyEvent | None
    """In force when the round began."""
    loaded: AnyEvent | None
    """The loading of its shoe."""
    passed_over: bool = False
    """It came to its end, a later round of its shoe was judged, and no verdict on it is stored."""
    refused: frozenset[tuple[RecordKey, int]] = frozenset()
    """Those of the events, by record and place, that came again with another content, and count for nothing."""

    @property
    def counting(self) -> tuple[StoredEvent, ...]:
        """The events that were not refused."""
        return tuple(each for each in self.events if (each.key, each.place) not in self.refused)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What came of it and counts for nothing."""
        events = (each.event for each in self.events if (each.key, each.place) in self.refused)
        return tuple(sorted({LeftOut(event.type, event.source, event.id) for event in events}))

    @property
    def leaves_out(self) -> str | None:
        """What came of it and is not told, in a sentence."""
        if not self.left_out:
            return None
        listed = "; ".join(f"{each.type} of {each.source}, id {each.id}" for each in self.left_out)
        return f"Refused, since another event of the same source and id has different content: {listed}."

    @property
    def last(self) -> StoredVerdict | None:
        """The verdict that counts."""
        if not self.revisions:
            return None
        # Of two with one revision the one that was judged first counts.
        return max(self.revisions, key=lambda each: (each.revision, -each.judged))

    @property
    def lacks(self) -> str | None:
        """What of it is gone, in a sentence."""
        if self.passed_over:
            return (
                f"{self.key} came to its end, a later round of its shoe was judged, and no verdict on it is stored."
                " `tablewatch replay verify --chain` tells whether one was taken away."
            )
        if not self.without_rows:
            return None
        rows, are = ("row", "is") if self.without_rows == 1 else ("rows", "are")
        return (
            f"{self.without_rows} event {rows} of {self.key} {are} gone: past retention, or taken away. Here the"
            " events are as their records have them. `tablewatch replay verify --chain` tells which."
        )

    @property
    def verdict(self) -> Verdict | None:
        """The verdict that counts, read."""
        return None if self.last is None else read_verdict(self.last)

    @property
    def facts(self) -> RoundFacts:
        """Its facts, keyed by what they are about."""
        return facts_of(stored.event for stored in self.counting)

    def story(self) -> Story:
        """The round as a story; ``EventsGone`` where all that was said of it contradicts itself."""
        last, facts = self.last, self.facts
        if not facts.ordered:
            raise _nothing_counts(self.key)
        return tell(
            facts,
            self.verdict,
            Surroundings(
                configuration=None if self.configuration is None else self.configuration.data,
                decks=None if self.loaded is None else self.loaded.data.decks,
                judge="" if last is None else last.judge,
                judged=None if last is None else last.judged,
            ),
            (self.key.table, self.key.shoe, self.key.round),
        )


def round_key(name: str) -> RoundKey:
    """The round that a name such as ``BT12/S4/17`` means; a shoe's name may hold a slash."""
    table, _, rest = name.partition("/")
    shoe, _, number = rest.rpartition("/")
    if not table or not shoe or not number.isascii() or not number.isdigit() or not int(number):
        raise InvalidRoundName(f"{name!r} is no round; write it as TABLE/SHOE/ROUND, e.g. BT12/S4/17.")
    return RoundKey(table, shoe, int(number))


def load_round(store: Store, key: RoundKey) -> StoredRound:
    """One round with all that is stored of it; ``RoundNotFound`` says which ones are near."""
    around = round_surrounded(store, key.table, key.shoe, key.round)
    verdicts = tuple(revisions(store, key))
    if not around.events:
        if verdicts:
            raise EventsGone(
                f"The verdict on {key} is stored and its events are not: they are past their retention, or somebody"
                " took them away. `tablewatch replay verify --chain` tells which."
            )
        raise not_there(store, key)
    configuration, loaded = around.configuration, around.loadings
    unlisted = unlisted_events(store, key.table, key.shoe, key.round, around.events)
    events = around.events
    if unlisted:
        events = sorted([*events, *unlisted], key=_by_device_time)
    found = StoredRound(
        key,
        tuple(events),
        len(unlisted),
        verdicts,
        None if configuration is None else configuration.event,
        loaded[-1].event if loaded else None,
        not verdicts and any(each.event.type == _ENDED for each in events) and is_later_judged(store, key),
        around.refused,
    )
    if not found.counting:
        raise _nothing_counts(key)
    return found


def _nothing_counts(key: RoundKey) -> EventsGone:
    return EventsGone(f"All events of {key} came with two contents under one id: none of them counts.")


_ENDED = "round.closed.v1"


def _by_device_time(stored: StoredEvent) -> tuple[int, str, int, RecordKey, int]:
    event = stored.event
    return micros(event.time), event.source, event.sequence, stored.key, stored.place


def not_there(store: Store, key: RoundKey, what: str = "round") -> LookupError:
    """Why there is no such round: it must have been there, or, as after a typing error, which ones are near."""
    near = nearby(store, key)
    if key.round not in near.rounds:
        why, sealed = "", key_of(key.table, key.shoe, key.round)
        if near.rounds and near.rounds[0] < key.round < near.rounds[-1]:
            why = f"shoe {key.shoe} has rounds {near.rounds[0]} to {near.rounds[-1]}"
        elif opened_at(store, key) is not None:
            why = "its compact row is left"
        elif leaves_about(store, key.table, 0, ("verdict", "round"), [sealed]):
            why = "rows of it were sealed"
        if why:
            return RoundGone(
                f"The events and the verdict of {key} are not stored, and a round of this number must have been there:"
                f" {why}. It may have been removed, or is past its retention. To see which, run: tablewatch replay"
                " verify --chain"
            )
    return RoundNotFound(f"There is no {what} {key}. {near_words(key, near)}")


def near_words(key: RoundKey, near: Nearby) -> str:
    """What there is in place of a round that is not there."""
    if near.rounds:
        closest = sorted(near.rounds, key=lambda number: (abs(number - key.round), number))[:5]
        listed = ", ".join(f"{key.table}/{key.shoe}/{number}" for number in sorted(closest))
        return f"Shoe {key.shoe} has rounds {near.rounds[0]} to {near.rounds[-1]}; near it are {listed}."
    if near.shoes:
        listed = ", ".join(_closest(key.shoe, near.shoes))
        if not key.shoe:
            # Nobody asked for one.
            return f"Of its {'shoe' if len(near.shoes) == 1 else 'shoes'} {listed} no round was judged yet."
        return f"Table {key.table} has no shoe {key.shoe}; it has {listed}."
    if near.tables:
        listed = ", ".join(_closest(key.table, near.tables))
        return f"There is no table {key.table}; there are {listed}."
    return "The store is empty: nothing has been stored yet."


def _closest(name: str, known: tuple[str, ...], most: int = 5) -> list[str]:
    """The names that look most like this one, else the first ones; all of them where they are few."""
    close = get_close_matches(name, known, most, 0.5)
    if len(known) <= most:
        return [*close, *(each for each in known if each not in close)]
    listed = close or list(known[:most])
    more = len(known) - len(listed)
    return [*listed, f"{more} more"] if more else listed
