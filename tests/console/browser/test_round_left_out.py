"""The page of a round that is not whole, in a real browser: what is gone or was refused is said above its story."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from store.connect import Store
from streams.broker_url import EmbeddedLog
from streams.topics import create
from tests.console.browser.conftest import Visitor
from tests.console.house import console_server
from tests.replay.test_refused_events import with_another
from tests.streams.stored import Floor

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_refused_events_and_those_whose_rows_are_gone_are_named(store: Store, tmp_path: Path, visitor: Visitor) -> None:
    Floor().store(store, with_another("bet.placed.v1", 2, amount=200))
    store.command("ALTER TABLE events DELETE WHERE round = 2 AND type = 'card.drawn.v1'",
                  settings={"mutations_sync": 2})  # fmt: skip
    broker = EmbeddedLog(tmp_path / "log")
    create(broker)
    with console_server(tmp_path, broker, store) as server:
        page = visitor.page(server, "auditor", "/rounds/BT1/S1/2")
        notes = page.get_by_role("note")
        expect(notes).to_have_count(2)
        expect(notes.first).to_contain_text("event rows of BT1/S1/2 are gone: past retention, or taken away.")
        expect(notes.last).to_contain_text(
            "Refused, since another event of the same source and id has different content: bet.placed.v1 of"
        )
        page.goto("/rounds/BT1/S1/1")
        expect(page.get_by_role("heading", name="BT1 / S1 / 1")).to_be_visible()
        expect(notes).to_have_count(0)
        # The server ends with the test: the page has all its answers by then.
        expect(page.locator(".proof")).to_be_visible()
