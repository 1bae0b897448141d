"""The statements of a re-audit: stored rounds held against what their cards and stakes come to.

Games that are dealt alike are looked at together: one statement for each would go through all rounds for its own.
Rows of every revision are looked at, since each has to agree with itself, which spares the engine the merging of
revisions; what is found is then looked up in its last state. What the cards alone cannot decide is taken as stored:
what stands of a bet, and whether the round is void or in doubt (status and codes). Bets over the maximum and under the
minimum of DTB and FF4 (5.14, 5.15) take their limits from the findings of the verdict.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from games.rulebook import Game
from replay.reaudit.dealing import Dealt
from replay.reaudit.settlement import Dues, dues_of

SETTINGS = {
    # Both sides of a condition are cheap here; to evaluate them one by one for those rows that need them is not.
    "short_circuit_function_evaluation": "disable",
    "max_ast_elements": 1_000_000,
    "max_expanded_ast_elements": 5_000_000,
    "max_query_size": 16_000_000,
}

_VOIDS = ("void-required", "void-unfounded")
_LIMITS = ("above-maximum", "below-minimum")
_PAYOUTS = ("payout-wrong", "payout-missing", "payout-unexpected")
_DOUBTFUL = "(winner = '' AND (hasAny(codes, ['card-conflict', 'round-incomplete']) OR status = 'void'))"
"""Which cards were dealt is not clear, or a round is void anyway: the verdict has no outcome, rightly."""
_PARTS = 1_000_000
"""The parts of a unit in which the store has what is due."""


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _parts_of(due: str) -> str:
    """What is due, in whole parts: decimals that are multiplied beyond their size begin anew, and nobody is told."""
    return f"reinterpret(assumeNotNull({due}), 'Int128')"


def _far(moved: str, due: str) -> str:
    return f"abs({_parts_of(due)} - toInt128(assumeNotNull({moved})) * {_PARTS}) >= {_PARTS}"


_PAID_WRONGLY = f"if(isNull(paid), stake > 0, {_far('paid', 'due_paid')} OR {_far('collected', 'due_collected')})"
"""Money moved otherwise than is due; where that is not whole, either side is right."""
_UNSAID = f"NOT hasAny(codes, [{_quoted(_PAYOUTS)}])"


@dataclass(frozen=True)
class Statement:
    """The SQL of games that are dealt alike."""

    games: tuple[Game, ...]
    settlement: bool = True
    """Whether bets are settled too, or outcomes alone are held against the cards."""

    @property
    def _dealt(self) -> Dealt:
        return self._dues.dealt

    @property
    def _dues(self) -> Dues:
        return dues_of(self.games)

    def counted(self, condition: str, *, plain: bool) -> str:
        """By game: how many rows, how many bets, how many rows differ, and of how many the outcome is in doubt; of
        outcomes alone in plain rounds the last is how many rows have none, and are left to the other statement."""
        doubtful = "winner = ''" if plain and not self.settlement else f"{_DOUBTFUL} AND enough"
        return (
            f"{self._with(plain)} SELECT game, count(), sum(length(`bets.bet`)),"
            f" countIf({self._differs(plain)}), countIf({doubtful}) {self._from(condition, plain)} GROUP BY game"
        )

    def listed(self, condition: str, most: int, *, plain: bool) -> str:
        """The rows that differ: table, shoe, round, revision, and what of them differs."""
        outcome, bets, paid = self._parts(plain)
        return (
            f"{self._with(plain)} SELECT table, shoe, round, revision, toUInt8({outcome}), toUInt8({bets}),"
            f" toUInt8({paid}) {self._from(condition, plain)} AND ({self._differs(plain)})"
            f" ORDER BY table, shoe, round, revision LIMIT {most}"
        )

    def _with(self, plain: bool) -> str:
        names = self._dealt.names | (self._dues.names if self.settlement else {})
        if not plain and self._limited:
            names["limits"] = "arrayFilter(each -> each.1 != '', limits_said)"
        return "WITH " + ", ".join(f"{sql} AS {name}" for name, sql in names.items())

    def _from(self, condition: str, plain: bool) -> str:
        if not self.settlement:
            # What a row without an outcome takes more is not read for the others.
            without = "" if plain else " AND winner = ''"
            return f"FROM rounds PREWHERE {self._of_games}{without} WHERE ({condition})"
        # The few columns that tell plain rounds are read first, and the rest of those rows alone that are meant.
        chosen = self.is_plain if plain else f"NOT ({self.is_plain})"
        where = f"PREWHERE {self._of_games} AND {chosen} WHERE ({condition})"
        if plain or not self._limited:
            return f"FROM rounds {where}"
        rows = f"SELECT table, shoe, round, revision, digest FROM rounds {where} AND {self._has_limits}"
        findings = (
            "arrayMap(each -> (JSONExtractString(each, 'bet'), JSONExtractString(each, 'code'),"
            " JSONExtractInt(each, 'expected')), arrayFilter(each -> JSONExtractString(each, 'code') IN"
            f" ({_quoted(_LIMITS)}), JSONExtractArrayRaw(verdict, 'findings')))"
        )
        return (
            "FROM rounds GLOBAL ANY LEFT JOIN"
            f" (SELECT table, shoe, round, revision, digest, {findings} AS limits_said FROM verdicts"
            f" WHERE (table, shoe, round, revision, digest) GLOBAL IN ({rows})) AS said"
            f" USING (table, shoe, round, revision, digest) {where}"
        )

    @property
    def _of_games(self) -> str:
        return f"game IN ({_quoted(game.name for game in self.games)})"

    @property
    def _limited(self) -> list[Game]:
        """5.14 and 5.15 of DTB and FF4."""
        return [game for game in self.games if game.document.limits_settle]

    @property
    def _has_limits(self) -> str:
        """Rounds with bets over the maximum or under the minimum, in a game in which that settles them otherwise."""
        limited = _quoted(game.name for game in self._limited)
        return f"(game IN ({limited}) AND hasAny(codes, [{_quoted(_LIMITS)}]))"

    @property
    def is_plain(self) -> str:
        """Rounds that cards and stakes decide alone, as nearly all are."""
        plain = f"status IN ('verified', 'flagged') AND winner != '' AND NOT hasAny(codes, [{_quoted(_VOIDS)}])"
        return f"({plain} AND NOT {self._has_limits})" if self._limited else f"({plain})"

    def any_other(self, condition: str) -> str:
        """A row if there are rounds that are not plain."""
        where = f"PREWHERE {self._of_games} AND NOT {self.is_plain} WHERE ({condition})"
        return f"SELECT 1 FROM rounds {where} LIMIT 1"

    def _differs(self, plain: bool) -> str:
        outcome, bets, paid = self._parts(plain)
        if plain and self.settlement:
            # Bets are gone through once for both.
            return f"({outcome}) OR {self._any_bet(f'{self._due_wrongly} OR ({_UNSAID} AND {_PAID_WRONGLY})')}"
        return " OR ".join(f"({part})" for part in (outcome, bets, paid) if part != "0")

    def _parts(self, plain: bool) -> tuple[str, str, str]:
        """Whether the outcome, what bets are due, or what was paid differs."""
        right = f"(enough AND decks > 0 AND pairs = {self._dealt.pairs_due} AND {self._dealt.outcome_agrees})"
        unsaid = f"(enough AND decks > 0 AND NOT {_DOUBTFUL})"
        if not self.settlement:
            return f"winner != '' AND NOT {right}" if plain else unsaid, "0", "0"
        if plain:
            return f"NOT {right}", self._any_bet(self._due_wrongly), f"{_UNSAID} AND {self._any_bet(_PAID_WRONGLY)}"
        return f"if(winner = '', {unsaid}, NOT {right})", self._odd_bets, "0"

    @property
    def _nets(self) -> str:
        """By bet: its net in parts of the stake."""
        dues = self._dues
        return f"arrayMap(number -> {dues.net('number')}, arrayMap(name -> {dues.wager_number('name')}, `bets.wager`))"

    def _any_bet(self, wrong: str) -> str:
        """Whether something is wrong with a bet of a plain round."""
        return (
            f"arrayExists((net, stake, due_paid, due_collected, paid, collected) -> {wrong}, {self._nets},"
            " `bets.stake`, `bets.expected_paid`, `bets.expected_collected`, `bets.paid`, `bets.collected`)"
        )

    @property
    def _due_wrongly(self) -> str:
        """A bet is due its net, whole; what it wins is paid and what it loses is collected."""
        return f"(isNull(due_paid) OR NOT {self._due('stake')})"

    def _due(self, stake: str) -> str:
        paid, collected = _parts_of("due_paid"), _parts_of("due_collected")
        assert _PARTS % self._dues.scale == 0
        net = f"toInt128({stake}) * (net * {_PARTS // self._dues.scale})"
        return f"({paid} - {collected} = {net} AND least({paid}, {collected}) = 0)"

    @property
    def _odd_bets(self) -> str:
        """Void rounds return everything; where the outcome is not known nothing can be said of what stands; limits of
        5.14 and 5.15 go by the findings; of a round that cannot be verified any of these may be said."""
        nothing = "(NOT isNull(due_paid) AND assumeNotNull(due_paid) = 0 AND assumeNotNull(due_collected) = 0)"
        void = "(status = 'void' OR has(codes, 'void-required'))"
        unknown = "(winner = '' OR NOT enough OR decks = 0 OR has(codes, 'void-unfounded'))"
        stake, below = "stake", "0"
        if self._limited:
            stake = (
                "if(arrayExists(each -> each.1 = name AND each.2 = 'above-maximum', limits),"
                " arrayFirst(each -> each.1 = name AND each.2 = 'above-maximum', limits).3, stake)"
            )
            below = "arrayExists(each -> each.1 = name AND each.2 = 'below-minimum', limits)"
        due = f"(NOT isNull(due_paid) AND {self._due(stake)})"
        right = (
            f"multiIf(stake = 0 OR {void}, {nothing} OR (stake > 0 AND status = 'unverifiable'),"
            f" status = 'unverifiable', isNull(due_paid) OR {nothing} OR (NOT {unknown} AND {due}),"
            f" {unknown}, isNull(due_paid),"
            f" {below}, {due} OR {nothing},"
            f" {due})"
        )
        return (
            f"arrayExists((name, net, stake, due_paid, due_collected) -> NOT {right}, `bets.bet`, {self._nets},"
            " `bets.stake`, `bets.expected_paid`, `bets.expected_collected`)"
        )
