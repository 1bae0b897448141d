"""A table at work: shoe after shoe, round after round, and everything that its devices send."""

from collections.abc import Iterator

from simulator.acts import CONFIGURED, DESK, LOADED, READER, SHOE_ENDED, Act
from simulator.betting import begin
from simulator.chance import Chance
from simulator.clock import HOUR, MINUTE
from simulator.devices import Delivery, Devices, by_time
from simulator.faults.plan import Plan
from simulator.players import Seats
from simulator.round import Round
from simulator.rulings.course import cut_comes_first, special
from simulator.rulings.options import cutting_card_first
from simulator.settling import finish
from simulator.setup import Setup
from simulator.shoe import Shoe, falsely_shuffled, shuffled, without
from simulator.state import TableState
from simulator.truth import TruthSink

SESSION = 2 * HOUR
"""So long the same group of people plays at a table."""

SPECIAL = 0.05
"""In this share of the rounds something out of the ordinary happens, within the rules."""

Batch = tuple[list[Delivery], int]
"""Lines with their arrival, and the time before which nothing more will arrive from this table."""


class Table:
    """One table of the floor."""

    __slots__ = ("_configured", "_first_session", "_groups", "_plan", "_rounds", "_start", "state")

    def __init__(
        self, setup: Setup, number: int, tables: int, rounds: int, seed: int, start: int, plan: Plan, truth: TruthSink
    ) -> None:
        chance = Chance(seed, "table", setup.table)
        begins = start + chance.below(MINUTE)
        self._configured = setup
        self._start = start
        self._first_session = number
        self._groups = tables
        self._rounds = rounds
        self._plan = plan
        devices = Devices(setup.table, setup.pit, begins, Chance(seed, "devices", setup.table))
        seats = Seats(setup, seed, chance)
        self.state = TableState(setup, chance, devices, seats, Shoe("none", 0, [], 0, None), begins, truth)

    def play(self) -> Iterator[Batch]:
        """Play all rounds, in batches of one round."""
        state = self.state
        state.pending.append((state.now, DESK, CONFIGURED, state.setup.configured()))
        state.now += 3000
        for place in range(self._rounds):
            state.rounds_left = self._rounds - place
            if not place or self._is_over():
                self._change_cards(first=not place)
            self._play_round()
            yield self._send(state.now)
        self._end_shoe()
        yield self._send(state.now + 1)
        # What was still to come, such as a late correction; the devices go on until then.
        last = max((act[0] for act in state.pending), default=state.now)
        yield self._send(last + 1)

    def _is_over(self) -> bool:
        """Whether the cards are changed now; whoever has smuggled in a slug sees to it that it is dealt."""
        shoe = self.state.shoe
        return shoe.over or (self.state.change_cards and shoe.place >= shoe.slug_end)

    def _play_round(self) -> None:
        state = self.state
        session = (state.now - self._start) // SESSION
        state.seats.session((self._first_session + session) % self._groups)
        round = Round(state)
        first = state.shoe.place
        course = self._plan.course(state)
        if course is not None:
            course(round)
        elif cut_comes_first(state) and state.chance.happens(0.7):
            cutting_card_first(round)
        elif state.quiet == 0 and not state.shoe.to_the_end and state.chance.random() < SPECIAL:
            special(state)(round)
        else:
            begin(round)
            finish(round)
        state.quiet = max(0, state.quiet - 1)
        state.rounds = round.number
        state.shoe.hands.append((first, state.shoe.place))
        if round.outcome is not None:
            state.last_winner = round.outcome.winner
        state.pending += round.acts
        state.seats.leave(state.setup.limits[state.setup.game.hands[0]][0])
        state.now = round.now + state.chance.between(5000, 11_000)
        if not round.number % 25 and state.chance.happens(0.3):
            self._reconfigure()

    def _reconfigure(self) -> None:
        """Between two rounds the desk sends the configuration again, as after a restart, or with other maxima."""
        state, first = self.state, self._configured
        if state.chance.happens(0.6):
            state.setup = first.with_maxima_doubled() if state.setup is first else first
        state.pending.append((state.now - 2500, DESK, CONFIGURED, state.setup.configured()))

    def _change_cards(self, first: bool) -> None:
        state, chance = self.state, self.state.chance
        if not first:
            self._end_shoe()
            state.now += chance.between(40_000, 200_000)
        state.shoes += 1
        name = f"{state.setup.table}-{state.shoes:05d}"
        decks = self._plan.decks(state, name)
        slug_end = 0
        if state.rig.slug:
            cards, slug_end = falsely_shuffled(state.shoe, chance)
            state.rig.slug = False
        else:
            cards = shuffled(state.setup.game.deck, decks, chance)
            if state.rig.removed:
                cards = without(cards, state.rig.removed)
        to_the_end = self._plan.to_the_end(state)
        burnt = 0 if to_the_end or chance.happens(0.5) else chance.between(1, 10)
        cut = None if to_the_end else len(cards) - chance.between(14, 20)
        state.shoe = Shoe(name, decks, cards, burnt, cut)
        state.shoe.to_the_end = to_the_end
        state.shoe.slug_end = slug_end
        state.rounds = 0
        state.restriction = None
        state.change_cards = False
        state.shoe.unreported = self._plan.unreported(state)
        if not state.shoe.unreported:
            state.pending.append((state.now, READER, LOADED, {"shoe": name, "decks": decks}))
        state.now += chance.between(5000, 20_000)

    def _end_shoe(self) -> None:
        state, shoe = self.state, self.state.shoe
        counted = not shoe.null_account and not state.rig.removed and state.chance.happens(0.75)
        remaining = shoe.remaining() if counted else None
        remaining = self._plan.remaining(state, remaining)
        state.now += 1500
        state.pending.append((state.now, READER, SHOE_ENDED, {"shoe": shoe.id, "remaining": remaining}))
        state.now += 1500

    def _send(self, until: int) -> Batch:
        """Send everything that happened before a time, heartbeats included."""
        state = self.state
        acts = by_time(state.pending + state.devices.beats(until))
        later: list[Act] = []
        if acts and acts[-1][0] >= until:
            later = [act for act in acts if act[0] >= until]
            acts = acts[: len(acts) - len(later)]
        state.pending = later
        return state.devices.send(acts), until
