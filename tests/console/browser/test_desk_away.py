"""The alert desk while the console is away: what is not known is not said, and it comes back by itself."""

import re

import pytest
from playwright.sync_api import expect

from tests.console.browser.conftest import Visitor
from tests.console.browser.test_desk import raise_all
from tests.console.house import ConsoleServer, made_up_finding

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ONE_ALERT = re.compile("/api/v1/alerts/[0-9a-f]+([?].*)?$")


def test_an_alert_chosen_while_the_console_is_away_is_shown_in_full_once_it_is_back(
    console: ConsoleServer, visitor: Visitor
) -> None:
    finding = made_up_finding(9601, message="Chosen while the console is away.")
    raise_all(console, finding)
    page = visitor.page(console, "shift_manager", "/desk")
    page.route(ONE_ALERT, lambda route: route.abort("connectionrefused"))
    page.locator(".alert", has_text="Chosen while").click()
    pane = page.locator(".alert-pane")
    expect(pane).to_contain_text("The console cannot be reached. The steps so far cannot be shown.")
    expect(pane).to_contain_text("what was done since is not known here")
    expect(pane).not_to_contain_text("nothing yet")
    page.unroute(ONE_ALERT)
    expect(pane).to_contain_text("nothing yet")
    expect(pane).not_to_contain_text("cannot be")
