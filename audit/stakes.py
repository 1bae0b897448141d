"""What stands of every bet: at the closing, at the first card and at the end, and which acts came too late."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from audit.devices import EVER_AFTER
from audit.facts import Fact, RoundFacts, surely_later
from audit.roles import within
from games.documents import RuleDocument
from schemas.records import Configuration
from schemas.words import LARGEST

MAIN_HANDS = ("player", "banker")


class Stake(NamedTuple):
    """One bet and what stands of it."""

    bet: str
    position: int
    player: str | None
    wager: str
    closing: int
    """What stood when bets were closed."""
    first_card: int
    """What stood at the first card."""
    standing: int
    """What stands, and is settled."""
    placed_late: bool
    """Something was placed or added too late, and neither refused nor taken back before the first card (5.4)."""
    withdrawn_late: bool
    """Something was taken back too late, and no clause allowed it (5.5)."""


# Makes a stake of a tuple of its fields without a step in Python: this is done for nearly every bet.
_stake_of = partial(tuple.__new__, Stake)


@dataclass(frozen=True, slots=True)
class Differential:
    """DTB 1.1.12, FF4 1.1.11: the difference between all Player and all Banker wagers."""

    closing: int | None
    first_card: int | None
    limit: int | None


@dataclass(frozen=True, slots=True)
class Stakes:
    """All bets of a round that were ever placed, in the order of ``bet``."""

    bets: tuple[Stake, ...]
    differential: Differential | None
    """None in games that have none."""


@dataclass(frozen=True, slots=True)
class _Clock:
    """The moments that decide what comes too late."""

    closings: tuple[Fact, ...]
    """The first "No more bets", and in DTB and FF4 the first after each reset of the dealing device (5.9)."""
    reopened: tuple[tuple[Fact, Fact | None], ...]
    """5.9: each reset with the closing that follows it."""
    first_card: Fact | None
    offers: tuple[Fact, ...]
    """Rulings that let players withdraw."""
    tolerance: int

    def closing_before(self, act: Fact) -> int | None:
        """The place among the closings of the last one that the act came after; None where bets were still open."""
        for place in range(len(self.closings) - 1, -1, -1):
            if surely_later(act, self.closings[place], self.tolerance):
                return place
        return None

    def open_again(self, act: Fact) -> bool:
        """In the time that a reset opened again."""
        return any(
            not surely_later(reset, act, self.tolerance)
            and (closing is None or not surely_later(act, closing, self.tolerance))
            for reset, closing in self.reopened
        )

    def by_closing(self, act: Fact) -> bool:
        """Not after the last closing."""
        return not self.closings or not surely_later(act, self.closings[-1], self.tolerance)

    def by_first_card(self, act: Fact) -> bool:
        """Not after the first card."""
        return self.first_card is None or not surely_later(act, self.first_card, self.tolerance)

    def offered(self, act: Fact) -> bool:
        """Whether players had been given the option to withdraw before."""
        return any(not surely_later(offer, act, self.tolerance) for offer in self.offers)


_REFUSED, _LATE, _IN_TIME, _OPEN_AGAIN, _LIGHTER = range(5)
"""How something came to lie on the layout: refused by a ruling, too late, in time, after a reset (5.9), or on the
lighter hand (5.18.2)."""


@dataclass(slots=True)
class _Course:
    """How one bet came to stand."""

    steps: list[tuple[Fact, int]] = field(default_factory=list)
    """The changes that count, each with the act that made it."""
    layers: list[list[int]] = field(default_factory=list)
    """What each act added: how it came, and how much of it still lies on the layout."""
    late: int = 0
    """What was added too late and not taken back in time."""
    withdrawn_late: bool = False


@dataclass(frozen=True, slots=True)
class _Rulings:
    """What rulings did to one bet."""

    gone: bool
    """Refused before the closing: the bet as a whole."""
    refused_after: int | None
    """The time of the closing after which all that was placed or added is refused. It goes by the plain times, without
    tolerance: that somebody refused it tells that it came after the closing."""
    removals: tuple[Fact, ...]


_NO_RULINGS = _Rulings(False, None, ())


def _amount(act: Fact) -> int:
    return 0 if act.kind == "bet.withdrawn.v1" else int(act.data.amount)


def _added_as(act: Fact, wager: str, clock: _Clock, lighter: Mapping[int, str], rulings: _Rulings) -> int:
    if rulings.refused_after is not None and act.at > rulings.refused_after:
        return _REFUSED
    closing = clock.closing_before(act)
    if closing is None:
        return _IN_TIME
    if clock.open_again(act):
        return _OPEN_AGAIN
    if lighter.get(closing) == wager and clock.by_first_card(act):
        return _LIGHTER
    return _LATE


def _follow(acts: Iterable[Fact], wager: str, clock: _Clock, lighter: Mapping[int, str], rulings: _Rulings) -> _Course:
    """Follow the acts of one bet in order; ``lighter`` is the lighter hand at each closing where the differential was
    exceeded."""
    course = _Course()
    on_layout = 0
    for act in acts:
        amount = _amount(act)
        change = amount - on_layout
        on_layout = amount
        if change > 0:
            kind = _added_as(act, wager, clock, lighter, rulings)
            course.layers.append([kind, change])
            if kind == _LATE:
                course.late += change
            elif kind != _REFUSED:
                course.steps.append((act, change))
        elif change < 0:
            _take_back(course, act, -change, clock)
    return course


def _take_back(course: _Course, act: Fact, amount: int, clock: _Clock) -> None:
    """Chips were taken back: first what was refused, then what came late, then what was added last."""
    last_first = course.layers[::-1]
    for layer in sorted(last_first, key=lambda each: min(each[0], _IN_TIME)):
        kind, lies = layer
        part = min(amount, lies)
        if not part:
            continue
        layer[1] -= part
        amount -= part
        if kind == _REFUSED:
            continue
        if kind == _LATE and clock.by_first_card(act):
            course.late -= part
        elif _may_take_back(kind, act, clock) or clock.offered(act):
            if kind != _LATE:
                course.steps.append((act, -part))
        else:
            course.withdrawn_late = True


def _may_take_back(kind: int, act: Fact, clock: _Clock) -> bool:
    """Without an offer: as long as bets are open, and what came by 5.18.2 until the first card."""
    if kind == _IN_TIME:
        return clock.closing_before(act) is None
    if kind == _OPEN_AGAIN:
        return clock.open_again(act)
    return kind == _LIGHTER and clock.by_first_card(act)


def _offers(document: RuleDocument, configuration: Configuration, facts: RoundFacts) -> tuple[Fact, ...]:
    """The rulings that let players withdraw after the closing; 3.17.1 only in the HLGA with the cutting card first."""
    first_was_cutting_card = configuration.area == "hlga" and any(
        cut.data.before_draw == 1 for cut in facts.cutting_cards
    )
    offers = []
    for ruling in facts.rulings_of("withdrawal-offered"):
        clause = ruling.data.clause
        if within(clause, "3.17.1") and not first_was_cutting_card:
            continue
        if any(within(clause, allowed) for allowed in document.withdrawal_clauses):
            offers.append(ruling)
    return tuple(offers)


def _clock(
    document: RuleDocument | None, configuration: Configuration | None, facts: RoundFacts, tolerance: int
) -> _Clock:
    closings = facts.closings[:1]
    if not facts.rulings or document is None or configuration is None:
        return _Clock(tuple(closings), (), facts.first_card, (), tolerance)
    reopened = []
    # 5.9 stands in DTB and FF4 alone, the documents with a table differential.
    for reset in facts.rulings_of("device-reset") if document.differential else ():
        following = next((again for again in facts.closings if again > reset), None)
        reopened.append((reset, following))
        if following is not None and following not in closings:
            closings.append(following)
    offers = _offers(document, configuration, facts)
    return _Clock(tuple(closings), tuple(reopened), facts.first_card, offers, tolerance)


def _rulings_on_bets(facts: RoundFacts, clock: _Clock) -> dict[str, _Rulings]:
    """By bet: what was refused and removed. A refusal made before the closing takes the bet out whole, a later one what
    was placed or added after the last closing before it."""
    found: dict[str, _Rulings] = {}
    for ruling in facts.rulings:
        kind = ruling.data.ruling
        if kind not in ("bets-refused", "bets-removed"):
            continue
        closing = next((each for each in reversed(clock.closings) if each < ruling), None)
        for bet in ruling.data.bets:
            known = found.get(bet, _NO_RULINGS)
            if kind == "bets-removed":
                found[bet] = _Rulings(known.gone, known.refused_after, (*known.removals, ruling))
            elif closing is None:
                found[bet] = _Rulings(True, known.refused_after, known.removals)
            else:
                earliest = min(closing.at, known.refused_after or closing.at)
                found[bet] = _Rulings(known.gone, earliest, known.removals)
    return found


def _placing(acts: list[Fact]) -> Fact | None:
    for act in acts:
        if act.kind == "bet.placed.v1":
            return act
    return None


def _allowed_on_lighter_hand(
    limit: int, courses: dict[str, _Course], placings: Mapping[str, Fact], facts: RoundFacts, clock: _Clock,
    rulings: Mapping[str, _Rulings],
) -> None:  # fmt: skip
    """5.18.2: where the differential was exceeded at a closing, players may add on the lighter hand until the first
    card; follow the bets on it once more."""
    lighter: dict[int, str] = {}
    for place, closing in enumerate(clock.closings):
        totals = dict.fromkeys(MAIN_HANDS, 0)
        for bet, course in courses.items():
            wager = placings[bet].data.wager
            if wager in totals:
                totals[wager] += _amount_at(closing, course, rulings.get(bet, _NO_RULINGS), clock.tolerance)
        player, banker = totals["player"], totals["banker"]
        if abs(player - banker) <= limit:
            continue
        lighter[place] = "player" if player < banker else "banker"
        for bet, course in courses.items():
            wager = placings[bet].data.wager
            if course.late and wager == lighter[place]:
                courses[bet] = _follow(facts.acts[bet], wager, clock, lighter, rulings.get(bet, _NO_RULINGS))


def _amount_at(moment: Fact, course: _Course, rulings: _Rulings, tolerance: int) -> int:
    """What stood of a bet at a moment."""
    if rulings.gone or any(not surely_later(removal, moment, tolerance) for removal in rulings.removals):
        return 0
    return sum(change for act, change in course.steps if not surely_later(act, moment, tolerance))


def standing_stakes(
    document: RuleDocument | None, configuration: Configuration | None, facts: RoundFacts, tolerance: int
) -> Stakes:
    """What stands of every bet that was placed in the round. Where the game is not known, by what holds in all."""
    plain = _stakes_in_time(facts)
    if plain is not None:
        if document is None or configuration is None or not document.differential:
            return Stakes(plain, None)
        return Stakes(plain, _differential(configuration.differential_limit, plain, facts))
    clock = _clock(document, configuration, facts, tolerance)
    rulings = _rulings_on_bets(facts, clock) if facts.rulings else {}
    placings = {bet: placed for bet, acts in sorted(facts.acts.items()) if (placed := _placing(acts)) is not None}
    courses = {
        bet: _follow(facts.acts[bet], placed.data.wager, clock, {}, rulings.get(bet, _NO_RULINGS))
        for bet, placed in placings.items()
    }
    if document is None or configuration is None or not document.differential:
        return Stakes(_stakes(placings, courses, clock, rulings), None)
    limit = configuration.differential_limit
    if limit is not None and any(course.late for course in courses.values()):
        _allowed_on_lighter_hand(limit, courses, placings, facts, clock, rulings)
    stakes = _stakes(placings, courses, clock, rulings)
    return Stakes(stakes, _differential(limit, stakes, facts))


def _stakes_in_time(facts: RoundFacts) -> tuple[Stake, ...] | None:
    """The stakes of a round in which all that players did came before the closing and the first card, and nobody ruled
    on anything, as in nearly every round: what lies on the layout in the end stands. None for any other round."""
    if facts.rulings:
        return None
    end = min([first.at for first in (*facts.closings[:1], *facts.cards[:1])], default=EVER_AFTER)
    stakes = []
    for bet, acts in sorted(facts.acts.items()):
        last = acts[-1]
        if last.at >= end:
            return None
        placed = _placing(acts)
        if placed is not None:
            data = placed.data
            amount = data.amount if placed is last else _amount(last)
            stakes.append(
                _stake_of((bet, data.position, data.player, data.wager, amount, amount, amount, False, False))
            )
    return tuple(stakes)


def _stakes(
    placings: Mapping[str, Fact], courses: Mapping[str, _Course], clock: _Clock, rulings: Mapping[str, _Rulings]
) -> tuple[Stake, ...]:
    return tuple(
        _stake(placing, courses[bet], clock, rulings.get(bet, _NO_RULINGS)) for bet, placing in placings.items()
    )


def _stake(placing: Fact, course: _Course, clock: _Clock, rulings: _Rulings) -> Stake:
    data = placing.data
    closing = first_card = standing = 0
    if not rulings.gone:
        for act, change in course.steps:
            standing += change
            if clock.by_closing(act):
                closing += change
            if clock.by_first_card(act):
                first_card += change
        for removal in rulings.removals:
            standing = 0
            if clock.by_closing(removal):
                closing = 0
            if clock.by_first_card(removal):
                first_card = 0
    return Stake(
        data.bet, data.position, data.player, data.wager, closing, first_card, standing,
        placed_late=course.late > 0 and not rulings.gone,
        # Chips of a bet that a ruling took out go back to the player: that is no withdrawal.
        withdrawn_late=course.withdrawn_late and not rulings.gone and not rulings.removals,
    )  # fmt: skip


def _differential(limit: int | None, stakes: Sequence[Stake], facts: RoundFacts) -> Differential:
    closing = first_card = 0
    for stake in stakes:
        if stake.wager in MAIN_HANDS:
            sign = 1 if stake.wager == "player" else -1
            closing += sign * stake.closing
            first_card += sign * stake.first_card
    # Money ends at 2^53-1: many bets of that size together are told as that.
    closing, first_card = min(abs(closing), LARGEST), min(abs(first_card), LARGEST)
    return Differential(closing if facts.closings else None, first_card if facts.cards else None, limit)
