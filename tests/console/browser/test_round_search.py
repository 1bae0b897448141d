"""The search for rounds in a real browser: what an address asks for."""

import re

import pytest
from playwright.sync_api import expect

from tests.console.browser.conftest import Visitor
from tests.console.past.evening import Evening

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_a_choice_in_the_address_that_there_is_not_is_said_and_shows_no_rounds(
    evening: Evening, visitor: Visitor
) -> None:
    page = visitor.page(evening.server, "auditor", "/rounds?status=flaged&game=tiger")
    said = page.get_by_role("region", name="Rounds found").get_by_role("status")
    expect(said).to_have_text("Status “flaged” is none: choose one of verified, flagged, void, unverifiable.")
    expect(page.locator("table.found")).to_have_count(0)
    page.get_by_label("Game").select_option("")
    page.get_by_role("button", name="Search").click()
    expect(said).to_contain_text("the latest first")
    expect(page).to_have_url(re.compile("/rounds$"))
