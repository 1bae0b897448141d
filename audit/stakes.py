"""What stands of every bet: at the closing, at the first card and at the end, and which acts came too late."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from audit.facts import Fact, RoundFacts, surely_later
from audit.roles import within
from games.documents import RuleDocument
from schemas.payloads import TableConfiguredData

MAIN_HANDS = ("player", "banker")


@dataclass(frozen=True, slots=True)
class Stake:
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

    closing: Fact | None
    """The first "No more bets"."""
    last_closing: Fact | None
    reopened: tuple[tuple[Fact, Fact | None], ...]
    """5.9: each reset of the dealing device with the closing that follows it."""
    first_card: Fact | None
    offers: tuple[Fact, ...]
    """Rulings that let players withdraw."""
    tolerance: int

    def late(self, act: Fact) -> bool:
        """After the closing, and not in the time that a reset opened again."""
        if self.closing is None or not surely_later(act, self.closing, self.tolerance):
            return False
        return not any(
            not surely_later(reset, act, self.tolerance)
            and (closing is None or not surely_later(act, closing, self.tolerance))
            for reset, closing in self.reopened
        )

    def after_closing(self, act: Fact) -> bool:
        """After the first closing."""
        return self.closing is not None and surely_later(act, self.closing, self.tolerance)

    def by_closing(self, act: Fact) -> bool:
        """Not after the last closing."""
        return self.last_closing is None or not surely_later(act, self.last_closing, self.tolerance)

    def by_first_card(self, act: Fact) -> bool:
        """Not after the first card."""
        return self.first_card is None or not surely_later(act, self.first_card, self.tolerance)

    def offered(self, act: Fact) -> bool:
        """Whether players had been given the option to withdraw before."""
        return any(not surely_later(offer, act, self.tolerance) for offer in self.offers)


@dataclass(slots=True)
class _Course:
    """How one bet came to stand."""

    steps: list[tuple[Fact, int]]
    """The changes that count, each with the act that made it."""
    late: int = 0
    """What was added too late and is still on the layout."""
    withdrawn_late: bool = False


def _amount(act: Fact) -> int:
    return 0 if act.event.type == "bet.withdrawn.v1" else int(act.data.amount)


def _follow(acts: Iterable[Fact], clock: _Clock, *, may_increase: bool, refused: bool) -> _Course:
    """Follow the acts of one bet in order; what a ruling refused may be taken back at any time."""
    course = _Course([])
    on_layout = 0
    for act in acts:
        amount = _amount(act)
        change = amount - on_layout
        on_layout = amount
        if change > 0:
            if not clock.late(act) or (may_increase and clock.by_first_card(act)):
                course.steps.append((act, change))
            else:
                course.late += change
        elif change < 0:
            _take_back(course, act, -change, clock, refused)
    return course


def _take_back(course: _Course, act: Fact, amount: int, clock: _Clock, refused: bool) -> None:
    """Chips were taken back: before the closing, before the first card from what came late, or by a clause."""
    if not clock.after_closing(act):
        course.steps.append((act, -amount))
        return
    if course.late and (refused or clock.by_first_card(act)):
        from_late = min(amount, course.late)
        course.late -= from_late
        amount -= from_late
    if not amount:
        return
    if clock.offered(act):
        course.steps.append((act, -amount))
    else:
        course.withdrawn_late = True


def _offers(document: RuleDocument, configuration: TableConfiguredData, facts: RoundFacts) -> tuple[Fact, ...]:
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


def _clock(document: RuleDocument, configuration: TableConfiguredData, facts: RoundFacts, tolerance: int) -> _Clock:
    closings = facts.closings
    closing = closings[0] if closings else None
    if not facts.rulings:
        return _Clock(closing, closing, (), facts.first_card, (), tolerance)
    reopened = []
    last_closing = closing
    # 5.9 stands in DTB and FF4 alone, the documents with a table differential.
    for reset in facts.rulings_of("device-reset") if document.differential else ():
        following = next((again for again in closings if again > reset), None)
        reopened.append((reset, following))
        last_closing = following
    offers = _offers(document, configuration, facts)
    return _Clock(closing, last_closing, tuple(reopened), facts.first_card, offers, tolerance)


def _named(facts: RoundFacts, kind: str) -> dict[str, list[Fact]]:
    named: dict[str, list[Fact]] = {}
    for ruling in facts.rulings_of(kind) if facts.rulings else ():
        for bet in ruling.data.bets:
            named.setdefault(bet, []).append(ruling)
    return named


def _placing(acts: list[Fact]) -> Fact | None:
    return next((act for act in acts if act.event.type == "bet.placed.v1"), None)


def _lighter_hand(document: RuleDocument, limit: int | None, closing: Mapping[str, int]) -> str | None:
    """5.18.2: the hand on which players may still add when the differential is exceeded at the closing."""
    player, banker = closing["player"], closing["banker"]
    if not document.differential or limit is None or abs(player - banker) <= limit:
        return None
    return "player" if player < banker else "banker"


def standing_stakes(
    document: RuleDocument, configuration: TableConfiguredData, facts: RoundFacts, tolerance: int
) -> Stakes:
    """What stands of every bet that was placed in the round."""
    clock = _clock(document, configuration, facts, tolerance)
    refused, removed = _named(facts, "bets-refused"), _named(facts, "bets-removed")
    placings = {bet: placed for bet, acts in sorted(facts.acts.items()) if (placed := _placing(acts)) is not None}
    courses = {bet: _follow(facts.acts[bet], clock, may_increase=False, refused=bet in refused) for bet in placings}
    stakes = [
        _stake(placings[bet], courses[bet], clock, refused.get(bet, ()), removed.get(bet, ())) for bet in placings
    ]
    if document.differential and any(course.late for course in courses.values()):
        lighter = _lighter_hand(document, configuration.differential_limit, _by_hand(stakes, "closing"))
        for place, stake in enumerate(stakes):
            if stake.wager == lighter and courses[stake.bet].late:
                course = _follow(facts.acts[stake.bet], clock, may_increase=True, refused=stake.bet in refused)
                rulings = refused.get(stake.bet, ()), removed.get(stake.bet, ())
                stakes[place] = _stake(placings[stake.bet], course, clock, *rulings)
    return Stakes(tuple(stakes), _differential(document, configuration, stakes, clock))


def _stake(placing: Fact, course: _Course, clock: _Clock, refusals: Iterable[Fact], removals: Iterable[Fact]) -> Stake:
    data = placing.data
    closing = first_card = standing = 0
    refusals, removals = list(refusals), list(removals)
    # A refusal made before the closing takes the bet out whole; a later one what was placed or added after it.
    gone = any(clock.closing is None or refusal < clock.closing for refusal in refusals)
    if not gone:
        for act, change in course.steps:
            if refusals and change > 0 and clock.closing is not None and act.at > clock.closing.at:
                continue
            standing += change
            if clock.by_closing(act):
                closing += change
            if clock.by_first_card(act):
                first_card += change
        for removal in removals:
            standing = 0
            if clock.by_closing(removal):
                closing = 0
            if clock.by_first_card(removal):
                first_card = 0
    return Stake(
        data.bet, data.position, data.player, data.wager, closing, first_card, max(standing, 0),
        placed_late=course.late > 0 and not refusals,
        # Chips of a bet that a ruling took out go back to the player: that is no withdrawal.
        withdrawn_late=course.withdrawn_late and not gone and not removals,
    )  # fmt: skip


def _by_hand(stakes: Iterable[Stake], moment: str) -> dict[str, int]:
    totals = dict.fromkeys(MAIN_HANDS, 0)
    for stake in stakes:
        if stake.wager in totals:
            totals[stake.wager] += getattr(stake, moment)
    return totals


def _differential(
    document: RuleDocument, configuration: TableConfiguredData, stakes: Iterable[Stake], clock: _Clock
) -> Differential | None:
    if not document.differential:
        return None
    stakes = list(stakes)
    closing, first_card = _by_hand(stakes, "closing"), _by_hand(stakes, "first_card")
    return Differential(
        None if clock.closing is None else abs(closing["player"] - closing["banker"]),
        None if clock.first_card is None else abs(first_card["player"] - first_card["banker"]),
        configuration.differential_limit,
    )
