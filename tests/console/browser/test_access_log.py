"""The access log as an auditor reads it."""

import re

import pytest
from playwright.sync_api import expect

from tests.console.browser.conftest import Visitor
from tests.console.past.evening import Evening

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.mark.parametrize(("asked", "said"), [("reports/shift", "read the shift report"), ("rounds", "searched rounds")])
def test_the_access_log_says_in_dates_what_time_somebody_asked_about(
    evening: Evening, visitor: Visitor, asked: str, said: str
) -> None:
    start = round(evening.start.timestamp() * 1000)
    evening.client("shift_manager").get(f"/api/v1/{asked}", start=start, end=start + 60_000)
    while evening.parts.access.carry_some():
        pass
    page = visitor.page(evening.server, "auditor", "/access")
    entry = page.locator("tbody tr", has_text=said).first
    expect(entry).to_contain_text(re.compile(r"Start \d\d/\d\d/2\d{3} .*, End \d\d/\d\d/2\d{3} "))
