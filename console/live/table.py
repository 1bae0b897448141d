"""One table as the page shows it: a fold over its events and verdicts in any order, repeats included."""

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

from console.live.round import RoundPicture
from games.rulebook import GAMES, Game
from schemas.records import AnyEvent, Configuration
from schemas.time import micros
from schemas.topics import HEARTBEAT
from schemas.verdicts import Verdict

HISTORY = 150
"""Rounds that are remembered: more than a shoe of ten decks has."""
SILENT_SECONDS = 60
_OLD_SHOES = 8
_MOST_HOLES = 1_000
_LATER_MICROS = 10_000_000
"""So much later than all that is known was said what has a number of before: a clock may go back by a little."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a round came to, for roads and the timeline."""

    shoe: str
    round: int
    revision: int
    status: str
    winner: str | None
    totals: dict[str, Any]
    naturals: tuple[str, ...]
    pairs: tuple[str, ...]
    codes: tuple[str, ...]
    severities: tuple[str, ...]
    handle: int
    win: int
    at: int
    """When it was judged, in milliseconds since 1970."""


@dataclass(slots=True)
class Device:
    """What was last heard of a source."""

    time: int
    """By its own clock, in microseconds since 1970."""
    arrival: int
    """Milliseconds since 1970, by the log: its own clock may be wrong."""
    sequence: int
    followed: bool = True
    """Whether what it said last came in the order of its topic, so that nothing may be left out before the next."""
    beats: bool = False
    """Whether it sends heartbeats, so that silence means something."""
    holes: set[int] = field(default_factory=set)
    """Sequences that have not come yet; what comes late fills its hole."""
    lost: int = 0
    """Holes that are no longer held because there were too many."""
    clock_ms: int = 0
    """How far its clock was off at the last heartbeat."""
    twice: bool = False
    """Whether it has used a sequence number for something else before."""

    @property
    def missing(self) -> int:
        """How many of its events have not come."""
        return len(self.holes) + self.lost

    def used(self, sequence: int, at: int) -> bool:
        """Whether this number was another event's before. Ids are not held here, but what comes late or again was said
        no later than what is known of the device, and what is said now under a number of before was said later."""
        behind = self.followed and sequence <= self.sequence and sequence not in self.holes
        return behind and at > self.time + _LATER_MICROS

    def went_to(self, sequence: int, *, live: bool) -> bool:
        """Note the place of what came, be it an event or something that was rejected; whether it is the latest."""
        if sequence <= self.sequence:
            self.holes.discard(sequence)
            return False
        gap = sequence - self.sequence - 1
        # Between what the store told at the start and where the topics are read from, others came, unasked for.
        if live and self.followed and gap:
            if gap + len(self.holes) <= _MOST_HOLES:
                self.holes.update(range(self.sequence + 1, sequence))
            else:
                self.lost += gap
        self.sequence, self.followed = sequence, live
        return True


@dataclass(slots=True)
class Shoe:
    """The shoe in the dealing device."""

    name: str
    decks: int | None = None
    cards: dict[tuple[int, int], str] = field(default_factory=dict)
    """By round and draw."""
    cutting_card: tuple[int, int] | None = None
    """Round, and the draw that it came before."""
    ended: bool = False


class TablePicture:
    """Everything that the page shows of one table."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.configured: Configuration | None = None
        self._configured_at = -1
        self.shoe: Shoe | None = None
        self._old_shoes: deque[str] = deque(maxlen=_OLD_SHOES)
        self.round: RoundPicture | None = None
        self.before: RoundPicture | None = None
        """The round before, whose settlements may still come."""
        self._history: dict[tuple[str, int], Judged] = {}
        self._in_order: list[Judged] | None = None
        """None while something is known that is not in its place yet."""
        self.devices: dict[str, Device] = {}
        self.heard = 0
        """When the log last took an event of this table, in milliseconds since 1970; 0: never."""
        self.judged_after: int | None = None
        """Milliseconds from the last fact of the last judged round to its verdict."""
        self.last_time = 0
        """The latest time of any device, in microseconds since 1970."""

    @property
    def game(self) -> Game | None:
        """The game in play."""
        return GAMES.get(self.configured.game) if self.configured else None

    @property
    def state(self) -> str:
        """What is going on, in a word or two."""
        if self.configured is not None and self.configured.mode != "live":
            return self.configured.mode
        if self.round is None:
            return "waiting"
        return self.round.phase

    def take(self, event: AnyEvent, arrival: int, *, live: bool = True) -> None:
        """Add an event that the log took at ``arrival`` (milliseconds since 1970).

        ``live``: it comes in the order of its topic; otherwise others between it and the next may be left out.
        """
        self.heard = max(self.heard, arrival)
        at = micros(event.time)
        self.last_time = max(self.last_time, at)
        self._device(event, at, arrival, live)
        data = event.data
        match event.type:
            case "table.configured.v1":
                if at >= self._configured_at:
                    self.configured, self._configured_at = data, at
            case "shoe.loaded.v1":
                shoe = self._shoe(data.shoe)
                if shoe is not None:
                    shoe.decks = data.decks
            case "shoe.ended.v1":
                shoe = self._shoe(data.shoe)
                if shoe is not None:
                    shoe.ended = True
            case "device.heartbeat.v1":
                pass
            case _:
                self._of_round(event, at, data.shoe, data.round)

    def take_rejected(self, source: str, sequence: int) -> None:
        """Something came in this place of a source's sequence that is no event: then nothing is missing there."""
        device = self.devices.get(source)
        if device is not None:
            device.went_to(sequence, live=True)

    def conclude(self, verdict: Verdict, at: int) -> None:
        """Add a verdict; of several about a round the highest revision counts."""
        outcome = verdict.outcome
        self.remember(
            Judged(
                verdict.shoe,
                verdict.round,
                verdict.revision,
                verdict.status,
                outcome.winner if outcome else None,
                dict(outcome.totals) if outcome else {},
                tuple(outcome.naturals) if outcome else (),
                tuple(outcome.pairs) if outcome else (),
                tuple(finding.code for finding in verdict.findings),
                tuple(finding.severity for finding in verdict.findings),
                sum(int(bet.stake) for bet in verdict.bets),
                sum(int(bet.actual.collected) - int(bet.actual.paid) for bet in verdict.bets if bet.actual),
                at,
            )
        )
        for round in (self.round, self.before):
            if round and (round.shoe, round.number) == (verdict.shoe, verdict.round) and round.closed:
                self.judged_after = max(0, at - round.closed // 1000)

    def remember(self, judged: Judged) -> None:
        """Keep what a round came to."""
        key = (judged.shoe, judged.round)
        known = self._history.get(key)
        if known is not None and known.revision > judged.revision:
            return
        self._history[key] = judged
        self._in_order = None
        if len(self._history) > HISTORY:
            oldest = self.history.pop(0)
            del self._history[oldest.shoe, oldest.round]

    @property
    def history(self) -> list[Judged]:
        """The judged rounds as they were played: at the start the topics tell the last of them before the store tells
        those before them, and a revision may come long after its round."""
        if self._in_order is None:
            began: dict[str, int] = {}
            for each in self._history.values():
                began[each.shoe] = min(each.at, began.get(each.shoe, each.at))
            self._in_order = sorted(self._history.values(), key=lambda each: (began[each.shoe], each.shoe, each.round))
        return self._in_order

    @property
    def of_shoe(self) -> list[Judged]:
        """The judged rounds of the shoe in play, in order."""
        return [each for each in self.history if self.shoe is not None and each.shoe == self.shoe.name]

    @property
    def last(self) -> Judged | None:
        """The last round that was judged."""
        return self.history[-1] if self.history else None

    def ledger(self) -> Counter[str]:
        """How often each card of the shoe was read."""
        return Counter(self.shoe.cards.values()) if self.shoe else Counter()

    def silent(self) -> list[str]:
        """Devices that send heartbeats and have not been heard of for a minute while others at the table were. It goes
        by when they were heard: a clock that is ahead would make all others silent."""
        return [
            source
            for source, device in self.devices.items()
            if device.beats and self.heard - device.arrival > SILENT_SECONDS * 1_000
        ]

    def read_card(self, shoe_name: str, number: int, draw: int, card: str) -> None:
        """Add a card of the shoe to its account, without a word about its round."""
        if self.shoe is not None and self.shoe.name == shoe_name:
            self.shoe.cards.setdefault((number, draw), card)

    def _device(self, event: AnyEvent, at: int, arrival: int, live: bool) -> None:
        device = self.devices.get(event.source)
        if device is None:
            device = self.devices[event.source] = Device(at, arrival, event.sequence, live)
        else:
            used = live and device.used(event.sequence, at)
            device.twice = device.twice or used
            if device.went_to(event.sequence, live=live) or used:
                device.time = max(device.time, at)
            device.arrival = max(device.arrival, arrival)
        if event.type == HEARTBEAT:
            device.beats = True
            device.clock_ms = (micros(event.data.device_time) - at) // 1000

    def _shoe(self, name: str) -> Shoe | None:
        """The shoe in play; None for one that was taken away before."""
        if self.shoe is None or self.shoe.name != name:
            if name in self._old_shoes:
                return None
            if self.shoe is not None:
                self._old_shoes.append(self.shoe.name)
            self.shoe = Shoe(name)
        return self.shoe

    def _of_round(self, event: AnyEvent, at: int, shoe_name: str, number: int) -> None:
        shoe = self._shoe(shoe_name)
        if shoe is None:
            return
        if event.type == "shoe.cutting_card.v1":
            shoe.cutting_card = (number, event.data.before_draw)
            return
        if event.type == "card.drawn.v1":
            shoe.cards[number, event.data.draw] = event.data.card
        current = self.round
        if current is None or current.shoe != shoe_name or number > current.number:
            self.before = current
            current = self.round = RoundPicture(shoe_name, number, at)
        for round in (current, self.before):
            if round is not None and (round.shoe, round.number) == (shoe_name, number):
                round.take(event, at)
                return
