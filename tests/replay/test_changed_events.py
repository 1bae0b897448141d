"""What event rows say besides where their event is counts nowhere: the records do, which are sealed."""

import pytest

from store.connect import Store
from tests.replay.commands import Run, four_rounds
from tests.replay.stored import fill


@pytest.mark.parametrize("change", ["card = 'AS' WHERE draw = 3", "draw = 3 WHERE round = 2 AND draw = 4"])
def test_the_account_of_a_shoe_is_of_the_cards_in_its_records(store: Store, run: Run, change: str) -> None:
    fill(store, four_rounds().lines())
    before = run("shoe", "BT1/S1")
    assert before.exit_code == 0 and "16 dealt" in before.stdout
    store.command(f"ALTER TABLE events UPDATE {change} SETTINGS mutations_sync = 2")
    changed = run("shoe", "BT1/S1")
    assert (changed.exit_code, changed.stdout) == (0, before.stdout)
