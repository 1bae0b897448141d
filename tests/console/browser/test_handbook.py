"""What the handbooks tell people to press and to choose, done as they say it."""

import pytest
from playwright.sync_api import expect

from replay.refund import GROUNDS
from tests.console.browser.conftest import Visitor
from tests.console.house import ConsoleServer
from tests.console.past.evening import Evening

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_an_arrow_key_on_the_fresh_wall_goes_to_the_first_tile(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "operator")
    expect(page.locator("[aria-posinset='1'] .tile")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[aria-posinset='1'] .tile")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[aria-posinset='2'] .tile")).to_be_focused()


def test_every_ground_of_a_void_round_can_be_chosen_before_a_sheet_is_drawn(evening: Evening, visitor: Visitor) -> None:
    page = visitor.page(evening.server, "shift_manager", f"/rounds/{evening.flagged('payout-wrong').key}")
    drawn: list[str] = []
    page.on("request", lambda request: drawn.append(request.url) if "/refund" in request.url else None)
    ground = page.get_by_label("Ground", exact=True)
    expect(ground.locator("option")).to_have_text(list(GROUNDS.values()))
    expect(ground).to_have_value("decision")
    ground.select_option("foreign-card")
    # A sheet that is drawn is in the access log: choosing alone draws none.
    assert drawn == []
    page.get_by_role("button", name="Draw the sheet").click()
    expect(page.locator(".round-refund")).to_contain_text("the house gives back")
    assert [url.split("?")[1] for url in drawn] == [
        f"ground=foreign-card&until={evening.flagged('payout-wrong').key.round}"
    ]
