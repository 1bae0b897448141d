"""What the API tells of shifts and incidents."""

from console.api.models import Told
from console.api.round_models import FindingTold, StoryTold


class BandTold(Told):
    """Theoretical hold of the rounds that the cards decided, beside what their wagers make likely."""

    rounds: int
    handle: int
    win: int
    expected: int
    """What the wagers placed give the house on average, in minor units."""
    deviation: int
    hold: float
    """Win over handle, as a share of 1."""
    low: float
    """Lower end of the 95 % band."""
    high: float
    inside: bool


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
    band: BandTold | None


class CodeTold(Told):
    """How often something was found."""

    code: str
    severity: str
    findings: int
    cleared: int
    corrected: int


class ResponseTold(Told):
    """How alerts were met; times in seconds."""

    code: str
    """Empty: all."""
    alerts: int
    acknowledged: int
    resolved: int
    to_acknowledge: float | None
    """Median."""
    slowest_acknowledge: float | None
    to_resolve: float | None
    """Median."""
    slowest_resolve: float | None
    false_alarms: int
    judged: int
    """Resolved as confirmed or as false alarm."""
    false_share: float | None
    """Of those judged, as a share of 1."""


class SpanTold(Told):
    """What a report is about."""

    start: int
    """Milliseconds since 1970."""
    end: int
    zone: str
    """The site's time zone."""
    running: bool
    """Whether the span is still going on: its figures will change."""
    at: int
    """When the report was made, in milliseconds since 1970."""
    table: str | None


class ShiftTold(Told):
    """What a shift comes to."""

    span: SpanTold
    totals: list[LineTold]
    """One line per currency."""
    findings: list[CodeTold]
    responses: list[ResponseTold]
    response: ResponseTold


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
    deeds: list[DeedTold]
    cameras: list[str]
