"""A proof of a round is of all that was sealed of it: a row that is gone is no smaller round."""

from dataclasses import replace
from pathlib import Path

import pytest

from replay.chain.prove import NotAsSealed, NotSealed, prove_round
from replay.chain.seal import Sealer
from store.connect import Store
from store.read.events import round_events
from store.rows.verdicts import JudgedRound
from store.write.findings import write_findings
from store.write.verdicts import write_verdicts
from tests.audit.case import Case
from tests.replay.evidence import NOW, ring_in
from tests.replay.stored import fill
from tests.store.floor import state


@pytest.fixture
def wrong(store: Store, tmp_path: Path) -> JudgedRound:
    """A round with a finding, sealed in two revisions, the first of which had none, beside another round."""
    case = Case().round(bets={"b1": ("player", 100)}, settled={"b1": (50, 0)}).round()
    rounds = fill(store, case.lines())
    flagged = replace(rounds[0], verdict=replace(rounds[0].verdict, revision=2), judged=rounds[0].judged + 1)
    write_verdicts(store, [flagged])
    [found] = flagged.verdict.findings
    write_findings(store, [state(found), state(found, version=2)])
    assert Sealer(store, ring_in(tmp_path), lambda: NOW).seal() is not None
    assert _prove(store, flagged) >= 4
    return flagged


def _prove(store: Store, judged: JudgedRound) -> int:
    key = judged.key
    records = [each.key for each in round_events(store, key.table, key.shoe, key.round)]
    return len(prove_round(store, key, records).rows)


@pytest.mark.parametrize("gone", ["findings WHERE 1", "rounds WHERE round = 1", "verdicts WHERE revision = 2"])
def test_a_row_that_is_gone_is_not_as_sealed(store: Store, wrong: JudgedRound, gone: str) -> None:
    table, _, condition = gone.partition(" WHERE ")
    store.command(f"ALTER TABLE {table} DELETE WHERE {condition} SETTINGS mutations_sync = 2")
    with pytest.raises(NotAsSealed, match="was sealed and is gone; run: tablewatch replay verify --chain"):
        _prove(store, wrong)


def test_rows_of_another_round_may_go(store: Store, wrong: JudgedRound) -> None:
    store.command("ALTER TABLE rounds DELETE WHERE round = 2 SETTINGS mutations_sync = 2")
    store.command("ALTER TABLE verdicts DELETE WHERE round = 2 SETTINGS mutations_sync = 2")
    assert _prove(store, wrong) >= 4


def test_an_earlier_revision_may_be_past_its_time(store: Store, wrong: JudgedRound) -> None:
    store.command("ALTER TABLE verdicts DELETE WHERE revision = 1 AND round = 1 SETTINGS mutations_sync = 2")
    assert _prove(store, wrong) >= 3


def test_a_row_that_was_put_in_is_not_said_to_be_sealed_soon(store: Store, wrong: JudgedRound) -> None:
    [found] = wrong.verdict.findings
    write_findings(store, [state(replace(found, id="0" * 32))])
    with pytest.raises(NotSealed, match="whether it came late or was put in"):
        _prove(store, wrong)
