"""What the API tells of shifts and incidents."""

from console.api.models import Told
from console.api.round_models import FindingTold, StoryTold
from console.shift import HoldBand, Response
from store.read.reports import FindingCount


class LineTold(Told):
    """One table, dealer or player in one currency."""

    name: str
    currency: str
    decimals: int
    rounds: int
    void: int
    flagged: int
    unverifiable: int
    bets: int
    handle: int
    win: int
    findings: int | None
    band: HoldBand | None


class SpanTold(Told):
    """What a report is about."""

    start: int
    """Milliseconds since 1970."""
    end: int
    zone: str
    """The site's time zone."""
    running: bool
    """Whether the span is still going on: its figures will change."""
    begun: bool
    """False: the span lies ahead as a whole."""
    at: int
    """When the report was made, in milliseconds since 1970."""
    table: str | None


class ShiftTold(Told):
    """What a shift comes to."""

    span: SpanTold
    heard: bool
    """False: nobody has ever heard of the table that was asked for."""
    totals: list[LineTold]
    """One line per currency."""
    findings: list[FindingCount]
    responses: list[Response]
    response: Response


class LinesTold(Told):
    """A shift by table, dealer or player."""

    span: SpanTold
    total: int
    lines: list[LineTold]
    """The highest handle first."""


class DeedTold(Told):
    """Something that was done about an incident."""

    at: int
    """Milliseconds since 1970."""
    kind: str
    who: str
    role: str
    what: str
    note: str


class IncidentTold(Told):
    """One finding with its round, its rule, and who did what when."""

    made: int
    """When the report was made, in milliseconds since 1970."""
    made_by: str
    zone: str
    table: str | None
    shoe: str | None
    round: int | None
    finding: FindingTold
    time: int
    """Device time of the fact that decided it, in milliseconds since 1970."""
    raised: int
    subjects: dict[str, str]
    advice: str
    outcome: str
    story: StoryTold | None
    no_story: str
    decimals: int | None
    """Of the currency of the finding's amounts; null: not known."""
    deeds: list[DeedTold]
    cameras: list[str]
