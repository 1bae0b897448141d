"""Whoever approves a change of a text sees what it changes: every line that goes, comes or moves."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from console.changes.ledger import Change
from tests.console.browser.conftest import Visitor
from tests.console.past.evening import ROUTING, Evening

pytestmark = pytest.mark.xdist_group("evening")

LONG = f"# {'The duty office answers these lines by night. ' * 3}\n"
TWO = ROUTING + LONG + ROUTING.replace("mei", "tan").replace("administrator", "shift_manager").replace(".1", ".2")
OTHER = {"administrator": "shift_manager", "shift_manager": "administrator"}
SWAPPED = re.sub("|".join(OTHER), lambda role: OTHER[role[0]], TWO)


@pytest.fixture
def swapped(evening: Evening) -> Iterator[Change]:
    """Two people's roles are to be swapped: no line is new, and none is gone."""
    ledger, person = evening.parts.changes, evening.parts.people.get("administrator")
    routing = ledger.subjects["ALERT_ROUTING"]
    before = routing.current()
    routing.apply(TWO, "the test")
    change = ledger.propose("ALERT_ROUTING", SWAPPED, "Tidy the file.", person)
    yield change
    if ledger.get(change.id).decision is None:
        ledger.withdraw(change.id, person)
    routing.apply(before, "the test")


def _as_second(evening: Evening, visitor: Visitor) -> Page:
    page = visitor.page(evening.server, None, "/changes")
    token = evening.parts.sessions.begin("second-admin", "127.0.0.1")
    page.context.add_cookies([{"name": "tablewatch", "value": token, "url": evening.server.url}])
    page.reload()
    return page


def test_whoever_approves_sees_lines_that_only_move(evening: Evening, visitor: Visitor, swapped: Change) -> None:
    page = _as_second(evening, visitor)
    shown = page.locator(".finding pre.lines")
    expect(shown.locator(".goes")).to_have_count(2)
    expect(shown).to_contain_text(
        '  [people.mei]\n  urls = ["json://127.0.0.1"]\n− roles = ["administrator"]\n+ roles = ["shift_manager"]\n'
    )
    expect(page.get_by_role("button", name="Approve")).to_be_visible()
    row = page.get_by_role("row", name=swapped.reason).first
    row.get_by_text("+ 2 lines").click()
    expect(row.locator("pre.lines")).to_contain_text('+ roles = ["administrator"]')


def test_a_text_is_proposed_as_it_was_typed_and_one_line_is_one_line(evening: Evening, visitor: Visitor) -> None:
    page = visitor.page(evening.server, "administrator", "/changes")
    routing = page.locator(".subject", has=page.get_by_text("Alert routing", exact=True))
    routing.get_by_text("Propose a change").click()
    text = evening.parts.changes.subjects["ALERT_ROUTING"].current()
    assert text.endswith("\n")
    routing.get_by_label("New value").fill(text.replace("127.0.0.1", "127.0.0.9"))
    routing.get_by_label("Reason").fill("Another address.")
    routing.get_by_role("button", name="Propose").click()
    shown = page.locator(".finding pre.lines")
    expect(shown.locator(".goes")).to_have_count(1)
    [change] = [each for each in evening.parts.changes.all() if each.decision is None]
    assert change.after == text.replace("127.0.0.1", "127.0.0.9")
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_text("Nothing waits.")).to_be_visible()


def test_a_rejection_asks_for_its_reason(evening: Evening, visitor: Visitor, swapped: Change) -> None:
    page = _as_second(evening, visitor)
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("Say in the note why it is rejected.")).to_be_visible()
    note = page.get_by_label("Note, needed to reject")
    expect(note).to_be_focused()
    note.fill("Nobody asked for it.")
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("Nothing waits.")).to_be_visible()
    assert evening.parts.changes.get(swapped.id).note == "Nobody asked for it."


def test_auditors_see_the_whole_digest_of_what_was_changed(evening: Evening, visitor: Visitor, swapped: Change) -> None:
    page = visitor.page(evening.server, "auditor", "/changes")
    row = page.get_by_role("row", name=swapped.reason).first
    expect(row).to_contain_text(re.compile("SHA-256 [0-9a-f]{64}SHA-256 [0-9a-f]{64}"))


def test_a_change_that_waits_fits_on_a_phone(evening: Evening, visitor: Visitor, swapped: Change) -> None:
    page = _as_second(evening, visitor)
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_role("button", name="Reject")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
