"""One table as it goes on: events in, findings as soon as the facts decide them, verdicts when rounds are complete."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from audit.beside_rounds import rejection
from audit.checks import decks, device_clock, device_sequence, shoe_balance
from audit.context import RoundContext
from audit.devices import EVER_AFTER, Base, Obscured, Obscurity, RejectedPlace
from audit.facts import Fact, RoundFacts, gather
from audit.intake import CONFLICT, Identity
from audit.judge import findings_so_far, judge
from audit.live.concluded import Concluded, conclude
from audit.live.shoe import LiveShoe
from audit.live.source import LiveSource
from audit.settings import MILLISECOND, JudgeSettings
from audit.table import RoundKey, configuration_at, newly_used
from games.rulebook import Game, rulebook
from schemas.events import AnyEvent
from schemas.findings import Finding
from schemas.identity import content_key
from schemas.topics import HEARTBEAT
from schemas.verdicts import Verdict

GRACE = 120_000 * MILLISECOND
"""How long a judged round is held for what may still come about it."""

MOST_RAISED = 1_000
"""So many rejected events and times ahead of arrival are remembered as told."""

_DECIDING = frozenset(
    {"card.drawn.v1", "result.displayed.v1", "bet.settled.v1", "bet.corrected.v1", "bets.closed.v1", "ruling.made.v1",
     "incident.reported.v1", "round.opened.v1", "round.closed.v1"}
)  # fmt: skip
"""What can decide a finding at once."""


Origin = Callable[[], bytes]
"""Gives the bytes of an event as it came."""

_LASTING = frozenset({"table.configured.v1", "shoe.loaded.v1", "shoe.ended.v1"})


@dataclass(slots=True)
class LiveRound:
    """A round that is held."""

    facts: list[Fact] = field(default_factory=list)
    gathered: RoundFacts | None = None
    """None while facts have come that are not gathered yet."""
    closed: bool = False
    """Whether "No more bets" was announced."""
    ripe: bool = False
    """Something came that can decide a finding."""
    changed: bool = False
    """Something came since the last verdict."""
    raised: dict[str, Finding] = field(default_factory=dict)
    """What people have been told."""
    verdict: Verdict | None = None
    used: frozenset[str] = frozenset()
    """Players who used their one time under the minimum in it."""

    def gather(self) -> RoundFacts:
        """Its facts, keyed by what they are about."""
        if self.gathered is None:
            self.gathered = gather(self.facts)
        return self.gathered


@dataclass(slots=True)
class Seen:
    """What a look at a table gave."""

    findings: list[Finding] = field(default_factory=list)
    """New, changed or cleared ones."""
    verdicts: list[Concluded] = field(default_factory=list)
    """First verdicts and revisions; ``revision`` counts from 1 within this worker's memory."""
    late: list[AnyEvent] = field(default_factory=list)
    """Events from a time that is no longer held: a repeat of what is stored, or a late fact."""
    reload: set[str] = field(default_factory=set)
    """Shoes of which a fact came about a round that is no longer held: they must be read from the store again."""
    next_at: int | None = None
    """How far the topics must be read until more can be said without a new event; None: nothing waits for that."""

    def again_at(self, moment: int) -> None:
        """Look again when the topics have been read up to this moment."""
        self.next_at = moment if self.next_at is None else min(self.next_at, moment)


class LiveTable:
    """All that a worker holds of one table."""

    def __init__(self, table: str, settings: JudgeSettings, used_once: frozenset[str] = frozenset()) -> None:
        self.table = table
        self.settings = settings
        self.sources: dict[str, LiveSource] = {}
        self.configurations: list[Fact] = []
        self.shoes: dict[str, LiveShoe] = {}
        self.rounds: dict[RoundKey, LiveRound] = {}
        self.latest = 0
        """The table's time: the largest effective time of any of its facts."""
        self._used_before = used_once
        self._identities: dict[Identity, tuple[AnyEvent, Origin | None]] = {}
        self._conflicts: dict[Identity, set[bytes]] = {}
        """By identity: the contents that were refused for it."""
        self._raised: dict[str, Finding] = {}
        self._at_once: list[Finding] = []
        """Findings that need no further look: rejected events, times ahead of arrival."""
        self._beside: dict[str, Finding] = {}
        """What people have been told of devices and shoes."""
        self._lasting: list[Fact] = []
        """Configurations and shoes that still hold, of facts that were let go of."""
        self._reload: set[str] = set()
        self._late: list[AnyEvent] = []
        self._released: set[Identity] = set()
        """Facts of released rounds that their sources still hold."""
        self._tangled = False
        self._device_news = False

    def resume(
        self,
        bases: Mapping[str, tuple[Base, frozenset[str]]],
        released: Mapping[str, Iterable[int]],
        passed: Iterable[Identity],
        configurations: Iterable[Fact],
    ) -> None:
        """Go on from what was let go of, before any event is taken.

        ``bases`` tells by source how it stood and which types it had sent, ``released`` by shoe the rounds that are
        not read again, ``passed`` the events about these that come all the same, for their sources' sake;
        ``configurations`` are those that came before.
        """
        for name, (base, types) in bases.items():
            source = self.sources[name] = LiveSource(name, base)
            source.device.types = types
            self.latest = max(self.latest, base.at)
        for shoe, rounds in released.items():
            self._shoe(shoe).released.update(rounds)
        self._released.update(passed)
        for fact in configurations:
            self._lasting.append(fact)
            self._file(fact)

    def take(self, event: AnyEvent, arrival: int | None = None, origin: Origin | None = None) -> bool:
        """Take an event in; False for a repeat. ``arrival`` is when it came (microseconds), where that is known,
        ``origin`` gives its bytes."""
        identity = event.source, event.id
        known = self._identities.get(identity)
        if known is not None or identity in self._conflicts:
            return self._again(identity, known, event, origin)
        source = self.sources.get(event.source)
        if source is None:
            source = self.sources[event.source] = LiveSource(event.source)
            self._device_news = True
        elif source.base is not None and event.sequence <= source.base.sequence:
            self._late.append(event)
            return True
        self._identities[identity] = event, origin
        fact = source.take(event)
        if fact is None:
            self._tangled = True
            return True
        self._file(fact)
        if event.type == HEARTBEAT:
            self._device_news = True
        if arrival is not None:
            ahead = device_clock.ahead_of_arrival(self.table, fact, arrival, self.settings)
            if ahead is not None:
                self._at_once.append(ahead)
        return True

    def reject(self, place: RejectedPlace) -> None:
        """A rejected event of this table fills a place in the sequence of its source."""
        source = self.sources.setdefault(place.source, LiveSource(place.source))
        source.reject(place)
        self._tangled = True

    def _again(
        self, identity: Identity, known: tuple[AnyEvent, Origin | None] | None, event: AnyEvent, origin: Origin | None
    ) -> bool:
        if known is not None and (known[0] == event or content_key(known[0]) == content_key(event)):
            return False
        contents = self._conflicts.setdefault(identity, set())
        if known is not None:
            del self._identities[identity]
            self.sources[event.source].forget(known[0])
            contents.add(content_key(known[0]))
            self._refuse(*known)
        content = content_key(event)
        if content not in contents:
            contents.add(content)
            self._refuse(event, origin)
        return True

    def _refuse(self, event: AnyEvent, origin: Origin | None) -> None:
        self.reject(RejectedPlace(event.source, event.sequence, event.type))
        raw = content_key(event) if origin is None else origin()
        self._at_once.append(rejection(self.table, raw, CONFLICT, f" ({event.source}, id {event.id})"))

    def _file(self, fact: Fact) -> None:
        event = fact.event
        self.latest = max(self.latest, fact.at)
        kind = event.type
        if kind == HEARTBEAT:
            return
        if kind == "table.configured.v1":
            self.configurations.append(fact)
            self.configurations.sort()
            for held in self.rounds.values():
                if not held.facts or held.gather().beginning.at >= fact.at:
                    held.changed = held.ripe = True
        elif kind == "shoe.loaded.v1":
            self._shoe(fact.data.shoe).loaded.append(fact)
            self._mark_all(fact.data.shoe)
            self._device_news = True
        elif kind == "shoe.ended.v1":
            self._shoe(fact.data.shoe).ended.append(fact)
            for key, held in self.rounds.items():
                if key[0] == fact.data.shoe and held.verdict is None:
                    held.changed = held.ripe = True
            self._device_news = True
        else:
            self._file_in_round(fact)

    def _file_in_round(self, fact: Fact) -> None:
        data = fact.data
        if (fact.source, fact.id) in self._released:
            return
        key = data.shoe, data.round
        shoe = self._shoe(data.shoe)
        if data.round in shoe.released:
            self._reload.add(data.shoe)
            return
        held = self.rounds.get(key)
        if held is None:
            held = self.rounds[key] = LiveRound()
        held.facts.append(fact)
        held.gathered = None
        held.changed = True
        kind = fact.kind
        held.closed = held.closed or kind == "bets.closed.v1"
        # Before the closing a bet decides nothing but whether its wager and position are on offer.
        if kind in _DECIDING or held.closed or held.raised or not self._on_offer(fact):
            held.ripe = True

    def _on_offer(self, fact: Fact) -> bool:
        if fact.kind != "bet.placed.v1" or not self.configurations:
            return True
        configuration, bet = self.configurations[-1].data, fact.data
        return bet.wager in configuration.limits and bet.position <= configuration.positions

    def _shoe(self, name: str) -> LiveShoe:
        shoe = self.shoes.get(name)
        if shoe is None:
            shoe = self.shoes[name] = LiveShoe()
        return shoe

    def _mark_all(self, shoe: str | None = None) -> None:
        for key, held in self.rounds.items():
            if shoe is None or key[0] == shoe:
                held.changed = held.ripe = True

    def look(self, complete_to: int) -> Seen:
        """What can be said now; ``complete_to`` is the time up to which all topics have been read."""
        if self._tangled:
            self._untangle()
        seen = Seen(late=self._late, reload=self._reload)
        self._late, self._reload = [], set()
        for finding in self._at_once:
            if self._raised.get(finding.id) != finding:
                self._raised[finding.id] = finding
                seen.findings.append(finding)
        self._at_once.clear()
        if self.rounds:
            self._look_at_rounds(complete_to, seen)
        if self._device_news or self._someone_is_quiet():
            self._look_at_devices(complete_to, seen)
        return seen

    def _someone_is_quiet(self) -> bool:
        """Whether a device that sends heartbeats has been silent for too long by the table's time."""
        limit = self.settings.silence_ms * MILLISECOND
        return any(
            source.latest + limit < self.latest and HEARTBEAT in source.device.types for source in self.sources.values()
        )

    def _untangle(self) -> None:
        """Follow every source anew and file all facts again."""
        surroundings = self._surroundings()
        spans, types = self._obscured()
        for source in self.sources.values():
            if source.tangled:
                source.untangle()
        self.configurations = []
        for shoe in self.shoes.values():
            shoe.loaded, shoe.ended = [], []
        before = {key: sorted(held.facts) for key, held in self.rounds.items()}
        for held in self.rounds.values():
            held.facts, held.gathered = [], None
        unchanged = {key: (held.changed, held.ripe) for key, held in self.rounds.items()}
        for fact in self._lasting:
            self._file(fact)
        for source in self.sources.values():
            for fact in source.device.facts:
                self._file(fact)
        for key, (changed, ripe) in unchanged.items():
            if sorted(self.rounds[key].facts) == before[key]:
                self.rounds[key].changed, self.rounds[key].ripe = changed, ripe
        spans_now, types_now = self._obscured()
        if types != types_now or surroundings != self._surroundings():
            self._mark_all()
        elif spans != spans_now:
            self._mark_within(spans ^ spans_now)
        self._tangled = False
        self._device_news = True

    def _surroundings(self) -> tuple[list[Fact], dict[str, tuple[list[Fact], list[Fact]]]]:
        """The configurations, and what is said of each shoe as a whole."""
        shoes = {name: (sorted(shoe.loaded), sorted(shoe.ended)) for name, shoe in self.shoes.items()}
        return sorted(self.configurations), {name: said for name, said in shoes.items() if any(said)}

    def _obscured(self) -> tuple[set[tuple[str, Obscured]], dict[str, frozenset[str]]]:
        """By source: the spans in which something of it may have been lost, and the types of events that it sends."""
        devices = [source.device for source in self.sources.values()]
        spans = {(device.source, span) for device in devices for span in device.obscured}
        return spans, {device.source: device.types for device in devices}

    def _mark_within(self, spans: Iterable[tuple[str, Obscured]]) -> None:
        """A hole that opened or closed can change what the rounds lack that it could belong to."""
        keys = [key for key, held in self.rounds.items() if held.facts]
        keys.sort(key=lambda key: self.rounds[key].gather().beginning[:4])
        until = EVER_AFTER
        for key in reversed(keys):
            held = self.rounds[key]
            facts = held.gather()
            if any(span.start <= until and span.end >= facts.ordered[0].at for _, span in spans):
                held.changed = held.ripe = True
            if facts.openings:
                until = facts.openings[0].at

    def _look_at_rounds(self, complete_to: int, seen: Seen) -> None:
        keys = [key for key, held in self.rounds.items() if held.facts]
        if not any(self.rounds[key].changed or self.rounds[key].ripe for key in keys):
            return
        keys.sort(key=lambda key: self.rounds[key].gather().beginning[:4])
        for key in keys:
            held = self.rounds[key]
            if held.gathered is not None and (held.changed or held.ripe):
                self._note_cards(key, held)
        obscurity = Obscurity([source.device for source in self.sources.values()])
        patience = self.settings.patience_ms * MILLISECOND
        used = self._used_before
        for place, key in enumerate(keys):
            held = self.rounds[key]
            if held.changed or held.ripe:
                context, over_at = self._context(key, keys[place + 1 :], obscurity, used)
                if over_at is not None and complete_to >= over_at + patience:
                    self._conclude(held, context, seen)
                elif over_at is not None:
                    seen.again_at(over_at + patience)
                if held.ripe:
                    found = findings_so_far(held.gather(), context, self.settings)
                    self._tell(held.raised, {finding.id: finding for finding in found}, seen)
                    held.ripe = False
            used |= held.used

    def _note_cards(self, key: RoundKey, held: LiveRound) -> None:
        """Keep the shoe's account; what a round dealt, later rounds of the shoe are judged by."""
        facts, shoe = held.gather(), self._shoe(key[0])
        changes = shoe.note(key[1], facts.read)
        if facts.rulings:
            for ruling in facts.rulings_of("wagers-restricted"):
                if shoe.restrictions.get(key[1]) != ruling.data.max_wagers_per_area:
                    shoe.restrictions[key[1]] = ruling.data.max_wagers_per_area
                    changes = True
        if not changes:
            return
        for other, later in self.rounds.items():
            if other[0] == key[0] and other[1] > key[1] and later.verdict is not None:
                later.changed = True
        if any(number > key[1] for number in shoe.released):
            self._reload.add(key[0])

    def _context(
        self, key: RoundKey, later: list[RoundKey], obscurity: Obscurity, used: frozenset[str]
    ) -> tuple[RoundContext, int | None]:
        """The surroundings of a round, and the moment at which it came to its end, if it has."""
        facts, shoe = self.rounds[key].gather(), self._shoe(key[0])
        openings = [(other, self.rounds[other].gather().openings) for other in later]
        next_opening = next((opened[0] for _, opened in openings if opened), None)
        next_in_shoe = next((opened[0] for other, opened in openings if opened and other[0] == key[0]), None)
        ends = [facts.conclusions[0].at] if facts.conclusions else []
        if not ends and next_in_shoe is not None:
            ends.append(next_in_shoe.at)
        if not ends and shoe.ended:
            ends.append(shoe.ended[0].at)
        idle = self.settings.idle_ms * MILLISECOND
        if not ends and self.latest >= facts.ordered[-1].at + idle:
            ends.append(facts.ordered[-1].at + idle)
        earlier, dealt_before = shoe.before(key[1])
        context = RoundContext(
            table=self.table,
            shoe=key[0],
            round=key[1],
            configuration=configuration_at(self.configurations, facts.beginning.at),
            loaded=shoe.loaded[-1] if shoe.loaded else None,
            earlier=earlier,
            dealt_before=dealt_before,
            restriction=shoe.restriction_before(key[1]),
            used_once=used,
            next_opening=next_opening,
            over=bool(ends),
            obscurity=obscurity,
        )
        return context, ends[0] if ends else None

    def _conclude(self, held: LiveRound, context: RoundContext, seen: Seen) -> None:
        verdict = judge(held.gather(), context, self.settings)
        previous = held.verdict
        if previous is not None:
            verdict = replace(verdict, revision=previous.revision)
        held.changed = held.ripe = False
        self._tell(held.raised, {finding.id: finding for finding in verdict.findings}, seen)
        held.used = frozenset(newly_used(verdict, context))
        if previous != verdict:
            held.verdict = verdict if previous is None else replace(verdict, revision=previous.revision + 1)
            seen.verdicts.append(conclude(held.verdict, held.gather(), context))

    @staticmethod
    def _tell(told: dict[str, Finding], found: dict[str, Finding], seen: Seen) -> None:
        """Say what is new, has changed or is cleared; ``told`` is what people know."""
        for name, finding in found.items():
            if told.get(name) != finding:
                told[name] = finding
                seen.findings.append(finding)
        for name in [name for name in told if name not in found]:
            cleared = told.pop(name)
            seen.findings.append(replace(cleared, cleared=True))

    def _look_at_devices(self, complete_to: int, seen: Seen) -> None:
        """Gaps, clocks and silences, and the shoes' accounts: what rests on absence waits for the topics."""
        found, waiting = self._found_beside(complete_to)
        self._tell(self._beside, found, seen)
        self._device_news = waiting
        if waiting:
            seen.again_at(max(self.latest, complete_to) + self.settings.patience_ms * MILLISECOND)

    def _found_beside(self, complete_to: int) -> tuple[dict[str, Finding], bool]:
        """What is found of devices and shoes in what is held, and whether more may be when the topics are read on."""
        settings = self.settings
        patience = settings.patience_ms * MILLISECOND
        found: dict[str, Finding] = {}
        sources = list(self.sources.values())
        for source in sources:
            off = source.base.clock_off if source.base is not None else False
            for finding in device_clock.check(self.table, source.device, settings, off=off):
                found[finding.id] = finding
            for gap in device_sequence.gaps(self.table, source.device, complete_to - patience):
                found[gap.id] = gap
        devices = [source.device for source in sources]
        for silence in device_sequence.silences(self.table, devices, settings, complete_to - patience):
            found[silence.id] = silence
        waiting = complete_to < self.latest + patience
        for name, shoe in self.shoes.items():
            game = self._game_of(name, shoe)
            if game is None:
                continue
            found.update((each.id, each) for each in decks.check(self.table, name, game, shoe.loaded[-1].data.decks))
            if shoe.ended and shoe.ended[-1].data.remaining is not None:
                if complete_to >= shoe.ended[-1].at + patience:
                    found.update((each.id, each) for each in self._balance(name, shoe, game))
                else:
                    waiting = True
        return found, waiting

    def _game_of(self, name: str, shoe: LiveShoe) -> Game | None:
        """The game that a shoe was loaded for: of the configuration then in force, or else at its first round."""
        if not shoe.loaded:
            return None
        held = sorted(each.gather().beginning.at for key, each in self.rounds.items() if key[0] == name and each.facts)
        known = (configuration_at(self.configurations, moment) for moment in (shoe.loaded[-1].at, *held))
        configuration = next((each for each in known if each is not None), None)
        return None if configuration is None else rulebook(self.settings.readings)[configuration.data.game]

    def _balance(self, name: str, shoe: LiveShoe, game: Game) -> list[Finding]:
        reads = [cards for read in shoe.reads.values() for cards in read.values()]
        lost = bool(shoe.short_of_draws) or any(
            lacks_a_draw(held.verdict) for key, held in self.rounds.items() if key[0] == name
        )
        ended = shoe.ended[-1].data
        return shoe_balance.check(self.table, name, game, shoe.loaded[-1].data.decks, reads, ended.remaining, lost)

    def release(self, complete_to: int) -> None:
        """Let go of rounds that are judged and long over, and of what their devices said."""
        keep_from = complete_to - GRACE
        for key, held in list(self.rounds.items()):
            if held.verdict is None or held.changed or not held.facts or held.gather().ordered[-1].at >= keep_from:
                continue
            shoe = self._shoe(key[0])
            shoe.released.add(key[1])
            if lacks_a_draw(held.verdict):
                shoe.short_of_draws.add(key[1])
            self._used_before |= held.used
            self._released.update((fact.source, fact.id) for fact in held.facts)
            del self.rounds[key]
        oldest = min((held.gather().ordered[0].at for held in self.rounds.values() if held.facts), default=keep_from)
        if self._let_go(min(oldest, keep_from)):
            # What was found in the part that is gone stays found; nothing will be said of it any more.
            found, _ = self._found_beside(complete_to)
            self._beside = {name: finding for name, finding in self._beside.items() if name in found}
        if len(self._raised) > MOST_RAISED:
            self._raised.clear()

    def _let_go(self, before: int) -> bool:
        gone = False
        for source in self.sources.values():
            for fact in source.let_go(before, self.settings):
                gone = True
                if fact.kind in _LASTING:
                    self._lasting.append(fact)
                identity = fact.source, fact.id
                self._identities.pop(identity, None)
                self._released.discard(identity)
        old = [fact for fact in self._lasting if fact.kind == "table.configured.v1"]
        for fact in sorted(old)[:-1]:
            self._lasting.remove(fact)
            self.configurations.remove(fact)
        for name in [name for name, shoe in self.shoes.items() if shoe.ended and shoe.ended[-1].at < before]:
            if not any(key[0] == name for key in self.rounds):
                shoe = self.shoes.pop(name)
                facts = {(fact.source, fact.id) for fact in (*shoe.loaded, *shoe.ended)}
                self._lasting = [fact for fact in self._lasting if (fact.source, fact.id) not in facts]
                gone = True
        return gone


def lacks_a_draw(verdict: Verdict | None) -> bool:
    """Whether a round could not be verified for want of a draw that may have been lost."""
    return verdict is not None and any(
        finding.code == "round-incomplete" and any(str(what).startswith("draw ") for what in finding.expected)
        for finding in verdict.findings
    )
