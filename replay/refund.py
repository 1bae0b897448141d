"""Refunds: what has to go back to whom if rounds are void, bet by bet and player by player, with the clauses."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from games.documents import DOCUMENTS, RuleDocument
from games.register import REGISTER
from replay.unplaced import Unplaced
from schemas.findings import plain
from schemas.verdicts import Settled, Verdict
from store.rows.verdicts import RoundKey

Ground = Literal[
    "foreign-card", "missing-card", "unshuffled-cards", "order-altered", "drawn-together", "insufficient-cards",
    "wrong-count", "power-failure", "decision",
]  # fmt: skip
"""Why rounds are void, by the subjects of the rule documents; ``decision``: the Gaming Shift Manager decides (6.1)."""

GROUNDS: Final[dict[str, str]] = {
    "foreign-card": "a foreign card",
    "missing-card": "a missing card",
    "unshuffled-cards": "unshuffled cards",
    "order-altered": "the order of the cards was altered",
    "drawn-together": "cards drawn together in an unknown order",
    "insufficient-cards": "not enough cards in the shoe",
    "wrong-count": "a hand with the wrong number of cards",
    "power-failure": "the power failed",
    "decision": "decided by the Gaming Shift Manager",
}

_RETURNED: Final = "reading A-20: in a void round every wager is returned, those already decided included"
_SUBJECT: Final = {(clause.document, clause.number): clause.subject for clause in REGISTER}


@dataclass(frozen=True, slots=True)
class RefundLine:
    """One bet of a round that is void."""

    key: RoundKey
    bet: str
    position: int | None
    """None for a bet whose placing is not on record, though money moved on it: its stake is not known either."""
    player: str | None
    wager: str | None
    stake: int
    """What stood."""
    to_player: int
    """What was collected and goes back to the player."""
    from_player: int
    """Winnings that were paid and go back to the house."""
    on_layout: int
    """A stake that was never settled: it is handed back as it lies."""

    @property
    def net(self) -> int:
        """What the player gets, below zero gives back; a stake that still lies on the layout is not counted."""
        return self.to_player - self.from_player


@dataclass(frozen=True, slots=True)
class PlayerRefund:
    """What one player gets and gives back, over all rounds."""

    who: str
    """The player, or the position at the table of one who is not known."""
    known: bool
    table: str
    bets: int
    rounds: int
    to_player: int
    from_player: int
    on_layout: int

    @property
    def net(self) -> int:
        """What the player gets, below zero gives back."""
        return self.to_player - self.from_player


@dataclass(frozen=True, slots=True)
class Basis:
    """By what the rounds of one document are void."""

    document: str
    in_force: str
    clause: str | None
    """None: the document has no clause on this ground."""
    words: str
    rounds: int


@dataclass(frozen=True, slots=True)
class Refund:
    """What has to go back if these rounds are void."""

    ground: str
    rounds: tuple[RoundKey, ...]
    already_void: tuple[RoundKey, ...]
    """Declared void as it is; money that moved in them all the same is among the lines."""
    unknown: tuple[RoundKey, ...]
    """Rounds of which not even the game is known: their bets are listed, no clause is."""
    without_events: tuple[RoundKey, ...]
    """Rounds whose events are gone: money on a bet that their verdict does not have cannot be told."""
    lines: tuple[RefundLine, ...]
    players: tuple[PlayerRefund, ...]
    bases: tuple[Basis, ...]
    currency: str | None
    """Of the tables; None where they have several, or it is not known."""

    @property
    def to_players(self) -> int:
        """What the house gives back in all."""
        return sum(line.to_player for line in self.lines)

    @property
    def from_players(self) -> int:
        """What players give back in all."""
        return sum(line.from_player for line in self.lines)


def refund(
    verdicts: Iterable[Verdict], ground: str, currency: str | None = None, unplaced: Unplaced | None = None
) -> Refund:
    """What has to go back if the rounds of these verdicts are void; ``unplaced``: what their events tell besides."""
    rounds = list(verdicts)
    told = Unplaced() if unplaced is None else unplaced
    lines = [line for verdict in rounds for line in _lines(verdict, told.moved.get(_key(verdict), {}))]
    return Refund(
        ground=ground,
        rounds=tuple(_key(verdict) for verdict in rounds),
        already_void=tuple(_key(verdict) for verdict in rounds if verdict.status == "void"),
        unknown=tuple(_key(verdict) for verdict in rounds if verdict.rules is None),
        without_events=told.unread,
        lines=tuple(lines),
        players=tuple(_players(lines)),
        bases=tuple(_bases(rounds, ground)),
        currency=currency,
    )


def _key(verdict: Verdict) -> RoundKey:
    return RoundKey(verdict.table, verdict.shoe, verdict.round)


def _lines(verdict: Verdict, unplaced: Mapping[str, Settled]) -> Iterable[RefundLine]:
    key = _key(verdict)
    placed = {bet.bet for bet in verdict.bets}
    for bet in verdict.bets:
        paid, collected = (int(bet.actual.paid), int(bet.actual.collected)) if bet.actual else (0, 0)
        on_layout = int(bet.stake) if bet.actual is None else 0
        if paid or collected or on_layout:
            yield RefundLine(
                key, bet.bet, bet.position, bet.player, bet.wager, int(bet.stake), collected, paid, on_layout
            )  # fmt: skip
    # Money that moved on a bet that nobody placed is on record as a finding, or by the events alone.
    found: set[str] = set()
    for finding in verdict.findings:
        if finding.code in ("payout-unexpected", "void-not-returned") and finding.bet not in placed:
            moved = finding.actual if isinstance(finding.actual, dict) else {}
            paid, collected = int(moved.get("paid", 0)), int(moved.get("collected", 0))
            if finding.bet is None:
                continue
            found.add(finding.bet)
            if not finding.corrected and (paid or collected):
                yield RefundLine(key, finding.bet, None, None, None, 0, collected, paid, 0)
    for name, money in unplaced.items():
        if name not in placed and name not in found and (money.paid or money.collected):
            yield RefundLine(key, name, None, None, None, 0, int(money.collected), int(money.paid), 0)


def _players(lines: Iterable[RefundLine]) -> list[PlayerRefund]:
    """By player; one who is not known, by the position at the table."""
    found: dict[tuple[bool, str, str], list[RefundLine]] = {}
    for line in lines:
        if line.player is not None:
            who = True, line.player, ""
        else:
            place = "a bet without a placing on record" if line.position is None else f"position {line.position}"
            who = False, f"{line.key.table}, {place}", line.key.table
        found.setdefault(who, []).append(line)
    refunds = [
        PlayerRefund(
            who=name,
            known=known,
            table=table,
            bets=len(theirs),
            rounds=len({line.key for line in theirs}),
            to_player=sum(line.to_player for line in theirs),
            from_player=sum(line.from_player for line in theirs),
            on_layout=sum(line.on_layout for line in theirs),
        )
        for (known, name, table), theirs in found.items()
    ]
    return sorted(refunds, key=lambda each: (not each.known, -each.net, each.who))


def _bases(rounds: Iterable[Verdict], ground: str) -> list[Basis]:
    counted: dict[tuple[str, str], int] = {}
    for verdict in rounds:
        if verdict.rules is not None:
            named = verdict.rules.document, verdict.rules.in_force
            counted[named] = counted.get(named, 0) + 1
    documents = {document.name: document for document in DOCUMENTS}
    return [
        Basis(name, in_force, *_clause(documents[name], ground), count)
        for (name, in_force), count in sorted(counted.items())
        if name in documents
    ]


def _clause(document: RuleDocument, ground: str) -> tuple[str | None, str]:
    clause = document.clauses.get(ground)
    if clause is None:
        fallback = document.clauses.get("decision")
        if fallback is None:
            return None, f"the document has no clause for “{GROUNDS[ground]}”, and none to fall back on; {_RETURNED}"
        return fallback, f"no clause of its own for “{GROUNDS[ground]}”: {_about(document, fallback)}; {_RETURNED}"
    return clause, f"{_about(document, clause)}; {_RETURNED}"


def _about(document: RuleDocument, clause: str) -> str:
    return _SUBJECT.get((document.name, clause), GROUNDS["decision"])


def refund_json(found: Refund) -> dict[str, Any]:
    """A refund as JSON has it; amounts in minor units."""
    said: dict[str, Any] = plain(
        {
            "ground": found.ground,
            "currency": found.currency,
            "rounds": [str(key) for key in found.rounds],
            "already_void": [str(key) for key in found.already_void],
            "unknown": [str(key) for key in found.unknown],
            "without_events": [str(key) for key in found.without_events],
            "to_players": found.to_players,
            "from_players": found.from_players,
            "basis": [
                {name: getattr(basis, name) for name in Basis.__slots__} for basis in found.bases
            ],
            "players": [
                {"who": each.who, "known": each.known, "bets": each.bets, "rounds": each.rounds,
                 "to_player": each.to_player, "from_player": each.from_player, "on_layout": each.on_layout,
                 "net": each.net}
                for each in found.players
            ],
            "bets": [
                {"table": line.key.table, "shoe": line.key.shoe, "round": line.key.round, "bet": line.bet,
                 "position": line.position, "player": line.player, "wager": line.wager, "stake": line.stake,
                 "to_player": line.to_player, "from_player": line.from_player, "on_layout": line.on_layout,
                 "net": line.net}
                for line in found.lines
            ],
        }
    )  # fmt: skip
    return said
