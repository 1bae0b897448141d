"""The page of a round whose cards contradict each other, in a real browser: nothing is called the same or different."""

import pytest
from playwright.sync_api import expect

from tests.console.browser.conftest import Visitor
from tests.console.past.evening import Evening

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_what_was_shown_cannot_be_compared_and_what_if_names_both_cards(evening: Evening, visitor: Visitor) -> None:
    wanted = evening.flagged("card-conflict")
    assert (wanted.verdict.status, wanted.verdict.outcome) == ("unverifiable", None)
    (conflict,) = [each for each in wanted.verdict.findings if each.code == "card-conflict"]
    page = visitor.page(evening.server, "auditor", f"/rounds/{wanted.key}")
    for fact in ("Winner", "Totals"):
        row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=fact, exact=True))
        expect(row.locator("td").last).to_have_text("cannot be compared")
        expect(row).not_to_have_class("wrong")
    choice = page.get_by_role("combobox", name=f"Draw {conflict.draw}", exact=True)
    as_read = choice.locator("option").first.inner_text()
    assert as_read.endswith("(as read)")
    named = as_read.removesuffix(" (as read)").split(" and ")
    assert len(named) == 2
    choice.select_option(label=named[0])
    page.get_by_role("button", name="What then?").click()
    answer = page.locator(".round-what-if [role=status]")
    expect(answer).to_contain_text("Status: unverifiable →")
    expect(answer).to_contain_text("what is due cannot be said in both cases")
