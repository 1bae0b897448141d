"""A stored verdict that was changed until it is none any more is told in a sentence, and never as a trace."""

from dataclasses import replace
from pathlib import Path

import pytest

from store.connect import Store
from store.write.verdicts import write_verdicts
from tests.replay.commands import Run, four_rounds
from tests.replay.stored import fill

_CHANGES = {
    "a word that no verdict has": "replaceOne(verdict, '\"payout-wrong\"', '\"payout-xrong\"')",
    "no JSON": "'{broken'",
}


@pytest.mark.parametrize("change", _CHANGES.values(), ids=_CHANGES)
@pytest.mark.parametrize(
    "command",
    ["show BT1/S1/2", "show BT1/S1/2 --json", "shoe BT1/S1", "refund BT1/S1/2", "refund --from-round BT1/S1/1"],
)
def test_a_verdict_that_no_judge_wrote_is_named(store: Store, run: Run, command: str, change: str) -> None:
    fill(store, four_rounds().lines())
    store.command(f"ALTER TABLE verdicts UPDATE verdict = {change} WHERE round = 2 SETTINGS mutations_sync = 2")
    done = run(*command.split())
    assert done.exit_code == 1, done.output
    assert done.stderr == (
        "Revision 1 of the verdict on BT1/S1/2 is not one that a judge wrote: it was changed in the store."
        " `tablewatch replay verify --chain` tells what was changed.\n"
    )
    assert not done.stdout


@pytest.mark.parametrize("change", _CHANGES.values(), ids=_CHANGES)
def test_a_bundle_of_a_verdict_that_no_judge_wrote_is_not_handed_out(
    store: Store, run: Run, tmp_path: Path, change: str
) -> None:
    fill(store, four_rounds().lines())
    store.command(f"ALTER TABLE verdicts UPDATE verdict = {change} WHERE round = 2 SETTINGS mutations_sync = 2")
    done = run("export", "BT1/S1/2", "-o", str(tmp_path / "case.zip"))
    assert done.exit_code == 1 and "Revision 1 of the verdict on BT1/S1/2 is not one" in done.stderr
    assert not (tmp_path / "case.zip").exists()


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_an_earlier_verdict_that_no_judge_wrote_is_named_as_well(
    store: Store, run: Run, options: tuple[str, ...]
) -> None:
    wrong = fill(store, four_rounds().lines())[1]
    write_verdicts(store, [replace(wrong, verdict=replace(wrong.verdict, revision=2), judged=wrong.judged + 1)])
    store.command("ALTER TABLE verdicts UPDATE verdict = '{' WHERE revision = 1 SETTINGS mutations_sync = 2")
    done = run("show", "BT1/S1/2", *options)
    assert done.exit_code == 1 and not done.stdout
    assert "Revision 1 of the verdict on BT1/S1/2 is not one that a judge wrote" in done.stderr


@pytest.mark.parametrize("options", [(), ("BT1/S1/2",)])
def test_a_what_if_of_a_verdict_without_settings_blames_the_store_and_not_the_change(
    store: Store, run: Run, options: tuple[str, ...]
) -> None:
    fill(store, four_rounds().lines())
    store.command("ALTER TABLE verdicts UPDATE verdict = '{broken' WHERE round = 2 SETTINGS mutations_sync = 2")
    done = run("what-if", *options, "--pays", "player=2")
    assert done.exit_code == 1 and "Revision 1 of the verdict on BT1/S1/2 is not one" in done.stderr
    assert "verify --chain" in done.stderr and "This cannot be" not in done.output
