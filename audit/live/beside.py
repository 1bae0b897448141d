"""The devices and shoes of a live table: gaps, clocks and silences, and the shoes' accounts."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from audit.checks import decks, device_sequence, shoe_balance
from audit.devices import EVER_AFTER, Base, Device, Obscured, Obscurity
from audit.facts import Fact
from audit.live.round import LiveRound
from audit.live.seen import Seen
from audit.live.shoe import LiveShoe
from audit.live.source import AT, LiveSource, Pause
from audit.outline import RoundKey, configuration_at
from audit.settings import MILLISECOND, JudgeSettings
from games.rulebook import Game, rulebook
from schemas.findings import Finding, finding_id
from schemas.topics import HEARTBEAT


class Beside:
    """What a live table has beside its rounds. What rests on absence waits until the topics have been read."""

    def __init__(
        self,
        table: str,
        settings: JudgeSettings,
        configurations: Sequence[Fact],
        rounds: Mapping[RoundKey, LiveRound],
    ) -> None:
        self.sources: dict[str, LiveSource] = {}
        self.shoes: dict[str, LiveShoe] = {}
        self.shoe_news = False
        """Something came that can change what is found of a shoe."""
        self._table = table
        self._settings = settings
        self._patience = settings.patience_ms * MILLISECOND
        self._limit = settings.silence_ms * MILLISECOND
        self._configurations = configurations
        self._rounds = rounds
        self._told: dict[str, Finding] = {}
        """What people have been told."""
        self._of_shoes: dict[str, Finding] = {}
        self._next_at: int | None = None
        self.stirred = True
        """Whether the next look may find something of a device though no device has news."""
        self.silent_at = 0
        """The table's time at which a device that is silent is so for too long."""
        self._quiet = False
        """Whether a device had been silent for too long at the last look: once it is heard, that is taken back."""

    def source(self, name: str) -> LiveSource:
        """A source, which may be new."""
        source = self.sources.get(name)
        if source is None:
            source = self.sources[name] = LiveSource(self._table, name, self._settings)
        return source

    def resume(self, name: str, base: Base, types: frozenset[str]) -> None:
        """Go on with a source from what was let go of."""
        source = self.sources[name] = LiveSource(self._table, name, self._settings, base)
        source.resume(types)

    def recall(self, finding: Finding) -> None:
        """People have been told of this by an earlier worker: if what is held does not show it, it is cleared."""
        if finding.code == "shoe-short":
            held = finding.shoe in self.shoes
        else:
            held = any(self._is_about(finding, source) for source in self.sources.values())
        if held:
            self._told[finding.id] = finding
            # It is held against what is found at the next look, also where nothing else is new.
            self.shoe_news = True

    def _is_about(self, finding: Finding, source: LiveSource) -> bool:
        """Whether a gap or a silence is one of this source, in the history that is held."""
        if finding.code == "device-gap":
            first = finding.expected
            sequences = [first] if source.base is None or first > source.base.sequence else []
        elif finding.code == "device-silent":
            # What was taken just now may not be followed yet.
            sequences = [known.event.sequence for known in source.known.values() if known.held]
            sequences += [] if source.base is None else [source.base.sequence]
        else:
            sequences = []
        return any(
            finding.id == finding_id(finding.code, self._table, about=f"{source.source} {sequence}")
            for sequence in sequences
        )

    def shoe(self, name: str) -> LiveShoe:
        """A shoe, which may be new."""
        shoe = self.shoes.get(name)
        if shoe is None:
            shoe = self.shoes[name] = LiveShoe()
        return shoe

    def obscurity(self) -> Obscurity:
        """What holes could hide."""
        return Obscurity([source.device for source in self.sources.values()])

    def obscured(self) -> set[tuple[str, Obscured]]:
        """By source: the spans in which something of it may have been lost."""
        return {(source.source, span) for source in self.sources.values() for span in source.device.obscured}

    def look(self, complete_to: int, latest: int, seen: Seen) -> None:
        """Tell what is found; ``latest`` is the table's time."""
        self.silent_at = EVER_AFTER
        pauses, news = False, self.shoe_news or self._quiet
        for source in self.sources.values():
            news = news or source.news
            # What others said in a pause may come later by another topic.
            pauses = pauses or bool(source.pauses)
            if source.beaten:
                self.silent_at = min(self.silent_at, source.latest + self._limit + 1)
        self._quiet = self.silent_at <= latest
        self.stirred = pauses or self._quiet
        news = news or self.stirred
        if not news and (self._next_at is None or complete_to < self._next_at):
            seen.again_at(self._next_at)
            return
        found = self._found(complete_to, latest)
        seen.tell(self._told, found)
        seen.again_at(self._next_at)

    def let_go(self, complete_to: int, latest: int) -> None:
        """What was found in the part of the history that is gone stays found; nothing will be said of it any more."""
        if self._told:
            self.shoe_news = True
            # By all that is held: what others said a moment ago is known to have come, though more may still come.
            found = self._found(max(complete_to, latest + self._patience), latest)
            self._told = {name: finding for name, finding in self._told.items() if name in found}
            # Of what still waits, the next look finds out when it is due.
            self.shoe_news = True

    def speaks_of(self, finding: str) -> bool:
        """Whether what a finding rests on is held, so that it may be told otherwise or taken back."""
        return finding in self._told

    def _found(self, complete_to: int, latest: int) -> dict[str, Finding]:
        self._next_at = None
        found: dict[str, Finding] = {}
        by = complete_to - self._patience
        for source in self.sources.values():
            source.news = False
            found.update(source.clock())
            if source.device.lacking:
                found.update((gap.id, gap) for gap in device_sequence.gaps(self._table, source.device, by))
                for hole in source.device.lacking:
                    self._wait_for(hole.seen_at, by)
            for pause in source.pauses_by(latest):
                found.update((silence.id, silence) for silence in self._silence(source, pause, by))
        if self.shoe_news:
            self.shoe_news = False
            self._of_shoes = {each.id: each for each in self._found_of_shoes(by)}
        found.update(self._of_shoes)
        return found

    def _wait_for(self, moment: int, by: int) -> None:
        """Look again when the topics have been read past a moment, if they have not been."""
        if moment > by:
            due = moment + self._patience
            self._next_at = due if self._next_at is None else min(self._next_at, due)

    def _silence(self, source: LiveSource, pause: Pause, by: int) -> Iterator[Finding]:
        """``device-silent``, if another device was heard in a pause of this one after it had lasted too long."""
        too_long = pause.start.at + self._limit
        heard: list[Device] = []
        first: int | None = None
        for other in self.sources.values():
            facts = other.device.facts
            place = bisect_right(facts, too_long, key=AT)
            if other is source or place == len(facts):
                continue
            at = facts[place].at
            if pause.end is None or at < pause.end.at:
                first = at if first is None else min(first, at)
            last = bisect_right(facts, by, key=AT) - 1
            if last >= place:
                heard.append(Device(other.source, [facts[place], facts[last]]))
        if first is None:
            return
        about_pause = finding_id("device-silent", self._table, about=f"{source.source} {pause.start.sequence}")
        if pause.end is None and about_pause in self._told:
            # As long as it lasts, people are told of it once, not of every moment by which it is longer; what the
            # others said when it began may not be held any more.
            yield self._told[about_pause]
            return
        self._wait_for(first, by)
        if first > by:
            return
        # That it had sent heartbeats before the pause is known, whether these are held or not.
        own = [pause.start._replace(kind=HEARTBEAT), *([] if pause.end is None else [pause.end])]
        silences = device_sequence.silences(self._table, [Device(source.source, own), *heard], self._settings, by)
        # What the others said between, and what this one said since, is left out: those seem to be silent, too.
        yield from (silence for silence in silences if silence.id == about_pause)

    def _found_of_shoes(self, by: int) -> Iterator[Finding]:
        for name, shoe in self.shoes.items():
            game = self._game_of(name, shoe)
            if game is None:
                # The configuration, or the first round, may be still to come.
                self.shoe_news = self.shoe_news or bool(shoe.loaded)
                continue
            yield from decks.check(self._table, name, game, shoe.loaded[-1].data.decks)
            if not shoe.ended or shoe.ended[-1].data.remaining is None:
                continue
            if shoe.ended[-1].at <= by:
                yield from self._balance(name, shoe, game)
            else:
                self._wait_for(shoe.ended[-1].at, by)
                self.shoe_news = True

    def _game_of(self, name: str, shoe: LiveShoe) -> Game | None:
        """The game that a shoe was loaded for: of the configuration then in force, or else at its first round."""
        if not shoe.loaded:
            return None
        configuration = configuration_at(self._configurations, shoe.loaded[-1].at)
        if configuration is None:
            began = sorted(
                held.gather().beginning.at for held in self._rounds.values() if held.shoe == name and held.facts
            )
            known = (configuration_at(self._configurations, moment) for moment in began)
            configuration = next((each for each in known if each is not None), None)
        return None if configuration is None else rulebook(self._settings.readings)[configuration.data.game]

    def _balance(self, name: str, shoe: LiveShoe, game: Game) -> list[Finding]:
        reads = [cards for read in shoe.reads.values() for cards in read.values()]
        lost = bool(shoe.short_of_draws) or any(
            held.lacks_a_draw for held in self._rounds.values() if held.shoe == name
        )
        ended = shoe.ended[-1].data
        return shoe_balance.check(self._table, name, game, shoe.loaded[-1].data.decks, reads, ended.remaining, lost)
