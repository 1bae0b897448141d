"""The rounds that a live table holds: judged as soon as facts decide something, and when they are complete."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from audit.beside_rounds import misses_a_draw
from audit.context import RoundContext
from audit.devices import ALWAYS_BEFORE, EVER_AFTER, Obscured, Obscurity
from audit.facts import Fact
from audit.judge import judge, look_so_far
from audit.live.awaited import AwaitedCards
from audit.live.beside import Beside
from audit.live.concluded import conclude
from audit.live.doubtful import Doubtful, Window
from audit.live.round import LiveRound
from audit.live.seen import Seen
from audit.settings import MILLISECOND, JudgeSettings
from audit.table import RoundKey, configuration_at, newly_used
from games.rulebook import rulebook
from schemas.topics import HEARTBEAT


class LiveRounds:
    """The rounds of a table that are held, and what each is judged by."""

    def __init__(
        self,
        table: str,
        settings: JudgeSettings,
        configurations: Sequence[Fact],
        held: dict[RoundKey, LiveRound],
        beside: Beside,
        used_once: frozenset[str],
    ) -> None:
        self.held = held
        self.news = False
        """Something came that makes a round worth a look."""
        self.reload: set[str] = set()
        """Shoes that must be read from the store again."""
        self._table = table
        self._settings = settings
        self._configurations = configurations
        self._beside = beside
        self._used_before = used_once
        self._due: int | None = None
        """How far the topics must be read until a round can be judged that has come to its end."""
        self.idle_at = EVER_AFTER
        """The table's time at which a round has been idle for too long."""
        self.over_to = ALWAYS_BEFORE
        """Effective time of the last fact of all rounds that were let go of."""
        self._doubtful = Doubtful()

    def mark_all(self, shoe: str | None = None) -> None:
        """All rounds, or those of a shoe, must be judged again."""
        self.news = True
        for held in self.held.values():
            if shoe is None or held.shoe == shoe:
                held.mark()

    def mark_within(self, opened: set[tuple[str, Obscured]], closed: set[tuple[str, Obscured]]) -> None:
        """A hole that opened or closed can change what the rounds lack that it could belong to."""
        holes = [span for _, span in opened | closed]
        if not holes:
            return
        self.reload |= self._doubtful.within(self._of_tellers(opened), self._of_tellers(closed))
        until = EVER_AFTER
        for held in reversed(self._in_time()):
            facts = held.gather()
            if any(span.start <= until and span.end >= facts.ordered[0].at for span in holes):
                held.mark()
                self.news = True
            if facts.openings:
                until = facts.openings[0].at

    def _of_tellers(self, spans: Iterable[tuple[str, Obscured]]) -> list[Obscured]:
        """The holes of sources that tell of rounds, and not only that they are there."""
        sources = self._beside.sources
        return [span for name, span in spans if name in sources and sources[name].device.types - {HEARTBEAT}]

    def opened(self, opening: Fact) -> None:
        """A round was opened: it may be the one that follows one that was let go of."""
        self.reload |= self._doubtful.followed_by(opening)

    def recall(self, over_to: int, doubtful: Mapping[RoundKey, Window]) -> None:
        """Rounds had been let go of whose last fact was at a time; these of them may still be judged otherwise."""
        self.over_to = max(self.over_to, over_to)
        self._doubtful.recall(doubtful)

    def _in_time(self) -> list[LiveRound]:
        """The rounds in the order in which they began."""
        rounds = [held for held in self.held.values() if held.facts]
        rounds.sort(key=lambda held: held.place_in_time)
        return rounds

    def look(
        self, complete_to: int, latest: int, seen: Seen, *, patient: bool = False, abreast_to: int = EVER_AFTER
    ) -> None:
        """Judge what can be judged; ``latest`` is the table's time. ``patient``: a round that goes on, and was never
        judged, may be left to the next look, once: it may be over by then. One whose last fact is after
        ``abreast_to`` is left, too: what went before that fact may not have been read yet on another topic."""
        if self.news or latest >= self.idle_at or (self._due is not None and complete_to >= self._due):
            self._look(complete_to, latest, seen, patient, abreast_to)
        seen.again_at(self._due)

    def _look(self, complete_to: int, latest: int, seen: Seen, patient: bool, abreast_to: int) -> None:
        self.news = False
        self._due, self.idle_at = None, EVER_AFTER
        rounds = self._in_time()
        for held in rounds:
            if held.changed or held.ripe:
                self._note_cards(held)
        _find_next_openings(rounds)
        obscurity = self._beside.obscurity()
        patience = self._settings.patience_ms * MILLISECOND
        used = self._used_before
        for place, held in enumerate(rounds):
            if held.changed or held.ripe:
                over_at = self._over_at(held, latest)
                if over_at is not None and complete_to >= over_at + patience:
                    before = held.used
                    self._conclude(held, self._context(held, obscurity, used, over=True), seen)
                    if held.used != before:
                        self._one_time_was_used(held, rounds[place + 1 :])
                else:
                    if over_at is not None:
                        self._due = min(over_at + patience, EVER_AFTER if self._due is None else self._due)
                    if held.ripe and held.last > abreast_to:
                        self.news = True
                    elif held.ripe and patient and held.verdict is None and not held.passed_over:
                        held.passed_over = self.news = True
                    elif held.ripe:
                        self._look_early(held, self._context(held, obscurity, used, over=over_at is not None), seen)
            if held.used:
                used |= held.used

    def _look_early(self, held: LiveRound, context: RoundContext, seen: Seen) -> None:
        """Say what rests on what is there, of a round that goes on."""
        facts = held.gather()
        found, held.due, cards_may_come = look_so_far(facts, context, held.settings)
        held.awaited = None
        if cards_may_come and held.closed and context.configuration is not None:
            game = rulebook(held.settings.readings)[context.configuration.data.game]
            held.awaited = AwaitedCards.after(facts, context, game, self._beside.shoe(held.shoe))
        seen.tell(held.raised, {finding.id: finding for finding in found})
        held.ripe = held.passed_over = False

    def _one_time_was_used(self, held: LiveRound, later: Sequence[LiveRound]) -> None:
        """Later rounds are judged by who had used the one time under the minimum before them (DTB, FF4 5.14)."""
        for other in later:
            if other.verdict is not None:
                other.changed = True
        if any(number > held.number for number in self._beside.shoe(held.shoe).released):
            self.reload.add(held.shoe)

    def _note_cards(self, held: LiveRound) -> None:
        """Keep the shoe's account; what a round dealt, later rounds of the shoe are judged by."""
        facts, shoe = held.gather(), self._beside.shoe(held.shoe)
        changes = shoe.note(held.number, facts.read)
        if facts.rulings:
            for ruling in facts.rulings_of("wagers-restricted"):
                if shoe.restrictions.get(held.number) != ruling.data.max_wagers_per_area:
                    shoe.restrictions[held.number] = ruling.data.max_wagers_per_area
                    changes = True
        if not changes:
            return
        if shoe.ended:
            self._beside.shoe_news = True
        for other in self.held.values():
            if other.shoe == held.shoe and other.number > held.number and other.verdict is not None:
                other.changed = True
        if shoe.released and any(number > held.number for number in shoe.released):
            self.reload.add(held.shoe)

    def _over_at(self, held: LiveRound, latest: int) -> int | None:
        """The moment at which a round came to its end, if it has."""
        facts = held.gather()
        if facts.conclusions:
            return facts.conclusions[0].at
        if held.next_in_shoe is not None:
            return held.next_in_shoe.at
        shoe = self._beside.shoe(held.shoe)
        if shoe.ended:
            return shoe.ended[0].at
        idle_at = facts.ordered[-1].at + self._settings.idle_ms * MILLISECOND
        if latest >= idle_at:
            return idle_at
        self.idle_at = min(self.idle_at, idle_at)
        return None

    def _context(self, held: LiveRound, obscurity: Obscurity, used: frozenset[str], *, over: bool) -> RoundContext:
        """The surroundings of a round."""
        shoe = self._beside.shoe(held.shoe)
        earlier, dealt_before = shoe.before(held.number)
        return RoundContext(
            table=self._table,
            shoe=held.shoe,
            round=held.number,
            configuration=configuration_at(self._configurations, held.gather().beginning.at),
            loaded=shoe.loaded[-1] if shoe.loaded else None,
            earlier=earlier,
            dealt_before=dealt_before,
            restriction=shoe.restriction_before(held.number),
            used_once=used,
            next_opening=held.next_opening,
            over=over,
            obscurity=obscurity,
        )

    def _conclude(self, held: LiveRound, context: RoundContext, seen: Seen) -> None:
        verdict = judge(held.gather(), context, held.settings)
        previous = held.verdict
        if previous is not None:
            verdict = replace(verdict, revision=previous.revision)
        held.changed = held.ripe = held.passed_over = False
        seen.tell(held.raised, {finding.id: finding for finding in verdict.findings})
        held.used = frozenset(newly_used(verdict, context))
        lacked = held.lacks_a_draw
        # Also of a round that was void, of which its verdict says nothing: its cards are of the shoe's account.
        held.lacks_a_draw = context.configuration is not None and misses_a_draw(
            rulebook(held.settings.readings)[context.configuration.data.game], held.gather(), context
        )
        if held.lacks_a_draw != lacked:
            self._beside.shoe_news = True
        if previous != verdict:
            held.verdict = verdict if previous is None else replace(verdict, revision=previous.revision + 1)
            seen.verdicts.append(conclude(held.verdict, held.gather(), context))
            if self._beside.shoe(held.shoe).ended:
                self._beside.shoe_news = True

    def release(self, keep_from: int) -> int:
        """Let go of rounds that are judged and were over before a time; the time from which facts are needed still."""
        oldest = keep_from
        for held in self._in_time():
            # The ones behind it stay, too: the next opening is found among those that are held.
            if oldest < keep_from or held.verdict is None or held.changed or held.last >= keep_from:
                oldest = min(oldest, held.gather().ordered[0].at)
                continue
            shoe = self._beside.shoe(held.shoe)
            shoe.released.add(held.number)
            if held.lacks_a_draw:
                shoe.short_of_draws.add(held.number)
            self._used_before |= held.used
            self._doubtful.note(held)
            self.over_to = max(self.over_to, held.last)
            del self.held[held.shoe, held.number]
        sources = self._beside.sources.values()
        if sources:
            held_from = min(ALWAYS_BEFORE if source.base is None else source.base.at for source in sources)
            self._doubtful.forget(held_from, max(source.latest for source in sources))
        return oldest


def _find_next_openings(rounds: Sequence[LiveRound]) -> None:
    """Find which openings came next, of rounds in the order in which they began."""
    following: Fact | None = None
    in_shoe: dict[str, Fact] = {}
    for held in reversed(rounds):
        held.follow(following)
        held.next_in_shoe = in_shoe.get(held.shoe)
        openings = held.gather().openings
        if openings:
            following = in_shoe[held.shoe] = openings[0]
