"""A verdict read back from what this program wrote a moment ago, for whoever stores it: in one step, and not looked at
again. For what comes from anywhere else there is ``schemas.verdicts.parse_verdict``."""

import msgspec


class SettledAgain(msgspec.Struct, frozen=True, gc=False):
    """Money that moves, or moved, on one bet; an amount that is not whole is a decimal string."""

    paid: int | str
    collected: int | str


class BetAgain(msgspec.Struct, frozen=True, gc=False):
    """A bet that was ever placed in the round."""

    bet: str
    position: int
    player: str | None
    wager: str
    stake: int | str
    expected: SettledAgain | None
    actual: SettledAgain | None


class RulesAgain(msgspec.Struct, frozen=True, gc=False):
    """The rule document that a round was judged by, and its date."""

    document: str
    in_force: str


class OutcomeAgain(msgspec.Struct, frozen=True, gc=False):
    """What the cards come to."""

    winner: str
    totals: dict[str, int | str]
    naturals: tuple[str, ...]
    pairs: tuple[str, ...]


class DisplayedAgain(msgspec.Struct, frozen=True, gc=False):
    """What the table's display showed last."""

    winner: str
    totals: dict[str, int | str] | None


class FindingAgain(msgspec.Struct, frozen=True, gc=False):
    """Of a finding in the verdict: what it is, and how bad."""

    code: str
    severity: str


class VerdictAgain(msgspec.Struct, frozen=True, gc=False):
    """What a round came to, with those fields of ``schemas.verdicts.Verdict`` that have columns of their own."""

    table: str
    shoe: str
    round: int
    revision: int
    game: str | None
    rules: RulesAgain | None
    status: str
    outcome: OutcomeAgain | None
    displayed: DisplayedAgain | None
    bets: tuple[BetAgain, ...]
    findings: tuple[FindingAgain, ...]
    digest: str


verdict_again = msgspec.json.Decoder(VerdictAgain).decode
