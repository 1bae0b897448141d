"""What the API tells of rounds."""

from typing import Any

from console.api.models import Told
from replay.cards import Reason
from replay.refund import Ground


class RoundFound(Told):
    """A round in a list."""

    table: str
    shoe: str
    round: int
    revision: int
    opened: int
    """Milliseconds since 1970."""
    game: str | None
    pit: str | None
    dealer: str | None
    status: str
    codes: list[str]
    """Of its findings."""
    cards: list[str]
    winner: str | None
    displayed: str | None
    """The winner that the display showed last."""
    handle: int
    """In minor units of the currency, as the win is."""
    win: int
    currency: str | None
    decimals: int
    """Of the currency (ISO 4217)."""


class RoundsFound(Told):
    """A page of rounds, the latest first."""

    total: int
    """How many there are by this filter."""
    rounds: list[RoundFound]


class MomentTold(Told):
    """One thing that happened in a round."""

    at: int
    """Microseconds since 1970."""
    after: int
    """Microseconds since the first moment."""
    kind: str
    words: str
    source: str
    event: str
    time: str
    """By the device's clock."""
    bet: str | None
    draw: int | None
    card: str | None
    hand: str | None
    hands: dict[str, list[str]]
    """The cards so far, in their hands."""
    totals: dict[str, int | str | None]
    beside: list[str]
    """Cards so far that belong to no hand."""
    reason: Reason | None
    next: str | None
    """After a card: what the Table of Play asks for."""
    findings: list[str]
    """Ids of what this moment decided."""


class MoneyTold(Told):
    """Money that moves on a bet; an amount that is not whole is a decimal string."""

    paid: int | str
    collected: int | str


class BetTold(Told):
    """A bet from its stake to its money."""

    bet: str
    position: int
    player: str | None
    wager: str
    title: str
    stake: int | str
    expected: MoneyTold | None
    actual: MoneyTold | None
    reason: Reason | None
    right: bool | None
    """Whether what moved is due; null where it cannot be said."""


class FindingTold(Told):
    """A broken rule."""

    id: str
    code: str
    severity: str
    rule: str | None
    bet: str | None
    draw: int | None
    expected: Any
    actual: Any
    message: str
    basis: str
    corrected: bool = False
    cleared: bool = False


class DisplayTold(Told):
    """What the display showed last."""

    winner: str
    totals: dict[str, int | str] | None


class DifferentialTold(Told):
    """The difference of all player and all banker stakes."""

    closing: int | None
    first_card: int | None
    limit: int | None


class LimitTold(Told):
    """The smallest and the largest stake of a wager, in minor units."""

    min: int
    max: int


class StoryTold(Told):
    """One round from its first moment to its last."""

    table: str
    shoe: str
    round: int
    game: str | None
    title: str | None
    document: str | None
    document_title: str | None
    in_force: str | None
    status: str | None
    """Null: the round is still open."""
    revision: int | None
    judge: str
    judged: int | None
    """Milliseconds since 1970."""
    digest: str | None
    currency: str | None
    decimals: int
    """Of the currency's minor unit."""
    pit: str | None
    area: str | None
    dealer: str | None
    cameras: list[str]
    decks: int | None
    began: int
    """Microseconds since 1970."""
    ended: int
    outcome: str | None
    displayed: DisplayTold | None
    differential: DifferentialTold | None
    limits: dict[str, LimitTold]
    """By wager, as the table's configuration had them."""
    settings: dict[str, Any]
    """Tolerances and readings of the verdict."""
    moments: list[MomentTold]
    bets: list[BetTold]
    findings: list[FindingTold]
    clauses: list[str]
    """Every clause that is cited, as document and number."""
    subjects: dict[str, str]
    """What each of them is about."""


class RevisionTold(Told):
    """One verdict on the round."""

    revision: int
    judged: int
    """Milliseconds since 1970."""
    judge: str
    digest: str
    status: str
    findings: int
    settings: dict[str, Any]


class Neighbours(Told):
    """The rounds of the shoe before and after."""

    before: int | None
    after: int | None


class VoidRulingTold(Told):
    """The ruling at the table by which the round is void."""

    clause: str
    ground: Ground | None
    """Of the grounds of a refund sheet; null: the clause is of none of them."""


class RoundTold(Told):
    """A round with all that is stored of it."""

    story: StoryTold
    revisions: list[RevisionTold]
    neighbours: Neighbours
    lacks: str | None
    """What of it is gone: rows of its events, or its verdict."""
    leaves_out: str | None
    """Which of its events were refused, and are not told."""
    void_by: VoidRulingTold | None


class DifferenceTold(Told):
    """One part in which two verdicts differ."""

    part: str
    first: Any
    second: Any


class ComparisonTold(Told):
    """Two verdicts on one round."""

    first: RevisionTold
    second: RevisionTold
    differences: list[DifferenceTold]
