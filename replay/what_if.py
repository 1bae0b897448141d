"""What if: the same rounds judged with something otherwise, and what that changes in outcomes, findings and money."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from audit.table import RoundKey as ShoeAndRound
from audit.table import assemble, judge_table
from replay.changes import (
    Changes,
    InvalidChange,
    changed_before,
    changed_events,
    changed_rulebook,
    changed_settings,
)
from replay.verify import settings_in
from replay.windows import TableWindow, shoe_windows
from replay.words import winner_words
from schemas.findings import Finding, as_json, plain
from schemas.verdicts import Bet, Settled, Verdict
from store.connect import Store
from store.read.bulk import table_verdicts, tables_of
from store.read.rounds import read_verdict
from store.rows.verdicts import RoundKey, StoredVerdict


@dataclass(frozen=True, slots=True)
class BetChange:
    """A bet on which something else is due; amounts are what the player wins, below zero what is lost."""

    bet: str
    position: int
    player: str | None
    wager: str
    stake: int | Fraction
    due: Fraction | None
    """As it was; None where it cannot be said."""
    due_then: Fraction | None
    """With the change."""
    moved: Fraction | None
    """What the player got or lost in fact; None where the bet was not settled."""


@dataclass(frozen=True, slots=True)
class RoundChange:
    """A round that comes out otherwise."""

    key: RoundKey
    status: tuple[str, str]
    """As it is, and with the change."""
    outcome: tuple[str | None, str | None]
    appeared: tuple[Finding, ...]
    gone: tuple[Finding, ...]
    bets: tuple[BetChange, ...]

    @property
    def difference(self) -> Fraction:
        """What players would win more; bets of which one side cannot be said are left out."""
        return sum(
            (bet.due_then - bet.due for bet in self.bets if bet.due is not None and bet.due_then is not None),
            Fraction(0),
        )


@dataclass(slots=True)
class WagerTotal:
    """What a change comes to for one wager."""

    bets: int = 0
    """On which something else is due."""
    stake: Fraction = Fraction(0)
    difference: Fraction = Fraction(0)
    """What players would win more."""


@dataclass(slots=True)
class Compared:
    """What a what-if gave."""

    rounds: int = 0
    """Looked at."""
    touched: int = 0
    """Events that are otherwise."""
    changed: list[RoundChange] = field(default_factory=list)

    @property
    def difference(self) -> Fraction:
        """What players would win more, in all."""
        return sum((each.difference for each in self.changed), Fraction(0))

    @property
    def uncertain(self) -> int:
        """Bets of which it cannot be said what is due, as it is or with the change."""
        return sum(bet.due is None or bet.due_then is None for each in self.changed for bet in each.bets)

    def by_wager(self) -> dict[str, WagerTotal]:
        """The same by wager."""
        totals: dict[str, WagerTotal] = {}
        for each in self.changed:
            for bet in each.bets:
                total = totals.setdefault(bet.wager, WagerTotal())
                total.bets += 1
                total.stake += bet.stake
                if bet.due is not None and bet.due_then is not None:
                    total.difference += bet.due_then - bet.due
        return dict(sorted(totals.items()))

    def by_code(self) -> dict[str, tuple[int, int]]:
        """By code of finding: how many appear and how many go."""
        appeared = Counter(finding.code for each in self.changed for finding in each.appeared)
        gone = Counter(finding.code for each in self.changed for finding in each.gone)
        return {code: (appeared[code], gone[code]) for code in sorted(appeared.keys() | gone.keys())}


def _net(settled: Settled | None) -> Fraction | None:
    return None if settled is None else Fraction(settled.paid) - settled.collected


def compare(now: Verdict, then: Verdict) -> RoundChange | None:
    """How a round comes out otherwise; None where nothing that matters does."""
    before, after = ({finding.id: finding for finding in each.findings} for each in (now, then))
    change = RoundChange(
        RoundKey(now.table, now.shoe, now.round),
        (now.status, then.status),
        (_outcome(now), _outcome(then)),
        tuple(finding for name, finding in after.items() if name not in before),
        tuple(finding for name, finding in before.items() if name not in after),
        tuple(_bet_changes(now.bets, then.bets)),
    )
    same = change.status[0] == change.status[1] and change.outcome[0] == change.outcome[1]
    return None if same and not (change.appeared or change.gone or change.bets) else change


def _outcome(verdict: Verdict) -> str | None:
    outcome = verdict.outcome
    if outcome is None:
        return None
    return f"{winner_words(outcome.winner)} {'-'.join(str(total) for total in outcome.totals.values())}"


def _bet_changes(now: Iterable[Bet], then: Iterable[Bet]) -> Iterator[BetChange]:
    before, after = ({bet.bet: bet for bet in bets} for bets in (now, then))
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name), after.get(name)
        bet = other or one
        assert bet is not None
        due = None if one is None else _net(one.expected)
        due_then = None if other is None else _net(other.expected)
        if due != due_then or (one is None) != (other is None) or (one and other and one.stake != other.stake):
            yield BetChange(
                name, bet.position, bet.player, bet.wager, bet.stake, due, due_then, _net(bet.actual)
            )  # fmt: skip


def what_if_window(
    window: TableWindow,
    stored: Mapping[ShoeAndRound, StoredVerdict],
    changes: Changes,
    chosen: Callable[[ShoeAndRound], bool],
    meant: ShoeAndRound | None,
    result: Compared,
) -> None:
    """Judge the rounds of a window as they are and with the changes, and note what comes out otherwise."""
    facts = window.facts
    if changes.of_facts:
        events, touched = changed_events(window.events, changes, meant)
        result.touched += touched
        before = changed_before(window.before, changes)
        facts = assemble(window.table, events, window.places, before)
    by_settings: dict[Any, list[ShoeAndRound]] = {}
    for key, known in stored.items():
        if window.wants(key) and chosen(key):
            by_settings.setdefault(settings_in(known), []).append(key)
    for settings, keys in by_settings.items():
        if settings is None:
            read_verdict(stored[keys[0]])
            raise InvalidChange(f"the settings of the verdict on {stored[keys[0]].key} cannot be read.")
        wanted = set(keys)
        other = changed_settings(settings, changes)
        games = changed_rulebook(other, changes)
        now = _judged(judge_table(window.facts, settings, used=window.used, over=stored), wanted)
        then = _judged(judge_table(facts, other, used=window.used, over=stored, games=games), wanted)
        result.rounds += len(now)
        for key, verdict in now.items():
            if key in then:
                change = compare(verdict, then[key])
                if change is not None:
                    result.changed.append(change)


def _judged(verdicts: Iterable[Verdict], wanted: set[ShoeAndRound]) -> dict[ShoeAndRound, Verdict]:
    return {(each.shoe, each.round): each for each in verdicts if (each.shoe, each.round) in wanted}


def what_if(
    store: Store,
    keys: Iterable[RoundKey],
    changes: Changes,
    told: Callable[[int], None] = lambda _count: None,
    meant: RoundKey | None = None,
) -> Compared:
    """What stored rounds come to with something otherwise. Where a fact of one round (``meant``) is, later rounds of
    its shoe may come out otherwise as well, and are looked at."""
    result = Compared()
    round_meant = None if meant is None else (meant.shoe, meant.round)
    for table, shoes in tables_of(keys).items():

        def chosen(key: ShoeAndRound, shoes: Mapping[str, set[int]] = shoes) -> bool:
            return key[0] in shoes and (changes.of_facts or key[1] in shoes[key[0]])

        for window in shoe_windows(store, table, set(shoes)):
            names = sorted(window.shoes) if window.shoes is not None else sorted(shoes)
            looked = result.rounds
            what_if_window(window, table_verdicts(store, table, names), changes, chosen, round_meant, result)
            told(result.rounds - looked)
    if changes.of_facts and not result.touched and result.rounds:
        raise InvalidChange("nothing on record is touched by this: no such draw, event or configuration.")
    result.changed.sort(key=lambda each: each.key)
    return result


def compared_json(result: Compared) -> dict[str, Any]:
    """What a what-if gave, as JSON has it."""
    said: dict[str, Any] = plain(
        {
            "rounds": result.rounds,
            "changed": [
                {
                    "table": each.key.table,
                    "shoe": each.key.shoe,
                    "round": each.key.round,
                    "status": {"is": each.status[0], "then": each.status[1]},
                    "outcome": {"is": each.outcome[0], "then": each.outcome[1]},
                    "appeared": [as_json(finding) for finding in each.appeared],
                    "gone": [as_json(finding) for finding in each.gone],
                    "bets": [_bet_json(bet) for bet in each.bets],
                    "difference": each.difference,
                }
                for each in result.changed
            ],
            "difference": result.difference,
            "uncertain_bets": result.uncertain,
            "wagers": {
                wager: {"bets": total.bets, "stake": total.stake, "difference": total.difference}
                for wager, total in result.by_wager().items()
            },
            "findings": {code: {"appear": more, "go": fewer} for code, (more, fewer) in result.by_code().items()},
        }
    )
    return said


def _bet_json(bet: BetChange) -> dict[str, Any]:
    return {
        "bet": bet.bet,
        "position": bet.position,
        "player": bet.player,
        "wager": bet.wager,
        "stake": bet.stake,
        "due": bet.due,
        "due_then": bet.due_then,
        "moved": bet.moved,
    }
