"""Shuffled, repeated, split in any way, with other tables beside: the same verdicts, findings and digests."""

from __future__ import annotations

from random import Random

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from audit.judge import findings_so_far, judge
from audit.table import TableFacts, assemble, newly_used
from schemas.findings import Finding
from schemas.records import AnyEvent
from schemas.verdicts import Verdict, verdict_json
from simulator.floor import simulate
from tests.audit.both_judges import SETTINGS, Judged, judge_batches, judge_lines, table_facts, take_in
from tests.oracle.scenarios import scenario_lines
from tests.oracle.wild import wild_lines

SEEDS = st.integers(0, 2**32)
DICE = st.integers(0, 2**32).map(Random)
# A smaller seed is no simpler case, so there is nothing to shrink.
FEW = settings(max_examples=6, deadline=None, derandomize=True, phases=[Phase.generate])


def whole_shoes(seed: int, tables: int = 1) -> list[bytes]:
    """A table of any game that errs and cheats all the time, over a shoe and more, as its events arrive."""
    return list(simulate(tables, 45, seed, faults=0.3))


def said(judged: Judged) -> tuple[list[bytes], dict[str, object]]:
    """All that must not depend on arrival. Where a line was rejected, the message tells its place in the file."""
    beside: dict[str, object] = {
        each.id: (each.code, each.table, each.shoe, each.expected, each.actual) for each in judged.beside
    }
    return [verdict_json(verdict) for verdict in judged.verdicts], beside


def disturbed(lines: list[bytes], dice: Random) -> list[list[bytes]]:
    """The lines in another order, some repeated, in pieces of any size."""
    again = lines + dice.sample(lines, dice.randint(0, len(lines)))
    dice.shuffle(again)
    cuts = sorted(dice.sample(range(len(again) + 1), min(len(again), dice.choice([0, 1, 2, 7, 40]))))
    return [again[start:end] for start, end in zip([0, *cuts], [*cuts, len(again)], strict=True)]


@FEW
@given(seed=SEEDS, dice=DICE)
def test_whole_shoes_in_any_order(seed: int, dice: Random) -> None:
    lines = whole_shoes(seed)
    assert said(judge_batches(disturbed(lines, dice))) == said(judge_lines(lines))


@settings(FEW, max_examples=20)
@given(seed=SEEDS, dice=DICE, wild=st.booleans())
def test_scenarios_in_any_order(seed: int, dice: Random, wild: bool) -> None:
    lines = (wild_lines if wild else scenario_lines)(Random(seed))
    assert said(judge_batches(disturbed(lines, dice))) == said(judge_lines(lines))


@settings(FEW, max_examples=3)
@given(seed=SEEDS)
def test_other_tables_change_nothing(seed: int) -> None:
    lines = whole_shoes(seed, tables=3)
    together = judge_lines(lines)
    for table in {verdict.table for verdict in together.verdicts}:
        alone = judge_lines([line for line in lines if f'"{table}"'.encode() in line])
        expected = [verdict for verdict in together.verdicts if verdict.table == table]
        assert list(map(verdict_json, alone.verdicts)) == list(map(verdict_json, expected))


def looks(facts: TableFacts) -> list[tuple[Verdict, list[Finding], bool]]:
    """Each round of a table: its verdict, what can be said before its end, and whether it has come to that."""
    surroundings = facts.surroundings
    used: frozenset[str] = frozenset()
    seen = []
    for key in surroundings.in_time:
        context = surroundings.context(key, used)
        verdict = judge(facts.rounds[key], context, SETTINGS)
        seen.append((verdict, findings_so_far(facts.rounds[key], context, SETTINGS), context.over))
        used |= newly_used(verdict, context)
    return seen


@settings(FEW, max_examples=20)
@given(seed=SEEDS, wild=st.booleans())
def test_what_was_said_early_is_in_the_verdict_under_its_id(seed: int, wild: bool) -> None:
    lines = (wild_lines if wild else scenario_lines)(Random(seed))
    for facts in table_facts(lines):
        for verdict, early, over in looks(facts):
            if over:
                final = {finding.id: finding for finding in verdict.findings}
                assert {finding.id: final.get(finding.id) for finding in early} == {each.id: each for each in early}


CLEARS_NOTHING = ("bet.settled.v1", "bet.corrected.v1", "result.displayed.v1", "round.closed.v1")
"""What can no longer change a finding that rests on cards, bets and rulings: all else may clear one."""


def in_effective_order(events: list[AnyEvent]) -> list[AnyEvent]:
    """Events of one table by the largest time of their source up to their sequence."""
    latest: dict[str, str] = {}
    ordered = []
    for event in sorted(events, key=lambda each: (each.source, each.sequence)):
        latest[event.source] = max(latest.get(event.source, ""), event.time)
        ordered.append((latest[event.source], event.source, event.sequence, event))
    return [event for _, _, _, event in sorted(ordered, key=lambda each: each[:3])]


@settings(FEW, max_examples=4)
@given(seed=SEEDS, dice=DICE)
def test_a_finding_is_cleared_only_by_a_later_act_card_ruling_or_incident(seed: int, dice: Random) -> None:
    [(table, (events, rejected))] = [
        each for each in take_in([whole_shoes(seed)]).tables().items() if each[0].startswith("BT")
    ]
    final = {
        (each.shoe, each.round): {found.id for found in each.findings}
        for each, _, over in looks(assemble(table, events, rejected))
        if over
    }
    in_time = in_effective_order(events)
    for place in sorted(dice.sample(range(1, len(in_time)), 5)):
        open_still = {
            (event.data.shoe, event.data.round)
            for event in in_time[place:]
            if event.type not in CLEARS_NOTHING and hasattr(event.data, "round")
        }
        for verdict, early, _ in looks(assemble(table, in_time[:place], rejected)):
            key = verdict.shoe, verdict.round
            if key in final and key not in open_still:
                assert {finding.id for finding in early} <= final[key]
