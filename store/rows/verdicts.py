"""What was judged: verdicts by revision, the last one of each round in compact form, and findings."""

from dataclasses import dataclass

from schemas.findings import Finding
from schemas.verdicts import Verdict
from schemas.verdicts_again import VerdictAgain

_TWENTY_BITS = 1 << 20
_TIME_BITS = 44


@dataclass(frozen=True, slots=True, order=True)
class RoundKey:
    """One round of one shoe at one table."""

    table: str
    shoe: str
    round: int

    def __str__(self) -> str:
        return f"{self.table}/{self.shoe}/{self.round}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judgement:
    """What the judge knew of a round that its verdict does not say."""

    judge: str
    """Version of the judge."""
    judged: int
    """When, in milliseconds since 1970 by the worker's clock."""
    opened: int
    """Time of the opening, or of the first fact, in microseconds since 1970."""
    ended: int
    """Time of the last fact, in microseconds since 1970."""
    cards: tuple[str, ...]
    """All cards dealt, in the order that counts."""
    decks: int | None = None
    """Of the shoe; None: not known."""
    pit: str | None = None
    currency: str | None = None
    dealer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRound(_Judgement):
    """A verdict, with what the judge knew beside it."""

    verdict: Verdict
    json: bytes | None = None
    """The verdict as published; None: it is still to be written."""

    def __post_init__(self) -> None:
        _check_order(self.verdict.revision)

    @property
    def key(self) -> RoundKey:
        return RoundKey(self.verdict.table, self.verdict.shoe, self.verdict.round)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRoundAgain(_Judgement):
    """The same of a verdict that was published and read back from that."""

    verdict: VerdictAgain
    json: bytes
    """The verdict as published."""

    def __post_init__(self) -> None:
        _check_order(self.verdict.revision)


def _check_order(revision: int) -> None:
    if revision >= _TWENTY_BITS:
        raise ValueError(f"revision {revision} is beyond what the store can put in order")


def revision_and_time(precedence: int) -> tuple[int, int]:
    """Of a verdict by its precedence, which is made of nothing else: its revision, and when it was judged in
    milliseconds since 1970."""
    return precedence >> _TIME_BITS, (1 << _TIME_BITS) - 1 - precedence % (1 << _TIME_BITS)


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """A verdict as stored."""

    key: RoundKey
    revision: int
    digest: str
    """SHA-256 over the canonical facts, 64 hex digits."""
    judge: str
    judged: int
    """Milliseconds since 1970."""
    json: bytes
    """As published."""


@dataclass(frozen=True, slots=True)
class RoundSummary:
    """The last verdict of a round in compact form, without its bets."""

    key: RoundKey
    revision: int
    digest: str
    judged: int
    """Milliseconds since 1970."""
    opened: int
    """Microseconds since 1970."""
    ended: int
    """Microseconds since 1970."""
    game: str | None
    document: str | None
    pit: str | None
    dealer: str | None
    status: str
    codes: tuple[str, ...]
    """Of its findings."""
    cards: tuple[str, ...]
    winner: str | None
    displayed_winner: str | None
    handle: int
    """Sum of the stakes that stand."""
    win: int
    """What the house collected less what it paid."""
    currency: str | None
    """Of handle and win; None: not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingState:
    """A finding in one of its states; of several the one with the highest version counts."""

    finding: Finding
    version: int
    """Grows with every state of this finding, e.g. the number of facts that the state rests on."""
    time: int
    """Device time of the fact that decided it, in microseconds since 1970."""
    raised: int
    """When the worker said so, in milliseconds since 1970."""

    def __post_init__(self) -> None:
        if not 0 <= self.version < _TWENTY_BITS:
            raise ValueError(f"version {self.version} is beyond what the store can put in order")
