"""The alert desk while the console is away: what is not known is not said, and it comes back by itself."""

import re

import pytest
from playwright.sync_api import Route, expect

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


def test_an_act_that_did_not_reach_the_console_stays_under_the_bar_until_it_is_seen(
    console: ConsoleServer, visitor: Visitor
) -> None:
    finding = made_up_finding(9602, message="Pressed while the console is away.")
    raise_all(console, finding)
    page = visitor.page(console, "shift_manager", f"/desk?alert={finding.id}")
    expect(page.locator(".alert-pane")).to_contain_text("nothing yet")
    page.route("**/api/v1/**", lambda route: route.abort("connectionrefused"))
    page.locator(".deeds").get_by_role("button", name="Acknowledge").click()
    expect(page.locator("#toast")).to_contain_text("as far as is known, this does not count")
    missed = page.locator(".notice.act")
    expect(missed).to_contain_text("Does not count, as far as is known: “acknowledge” of")
    expect(missed).to_contain_text("at late-bet of BT01 — the console could not be reached.")
    page.get_by_role("link", name="Wall").click()
    expect(missed).to_have_count(1)
    page.unroute("**/api/v1/**")
    expect(missed).to_contain_text("Does not count: “acknowledge”")
    page.reload()
    missed.get_by_role("link", name="Look at it").click()
    expect(page.locator(".alert-pane .message")).to_have_text("Pressed while the console is away.")
    missed.get_by_role("button", name="Seen").click()
    expect(missed).to_have_count(0)
    page.reload()
    expect(page.locator(".alert-pane .message")).to_have_text("Pressed while the console is away.")
    expect(missed).to_have_count(0)


def test_an_act_whose_answer_alone_was_lost_is_told_to_count(console: ConsoleServer, visitor: Visitor) -> None:
    finding = made_up_finding(9603, message="Taken, and the answer is lost.")
    raise_all(console, finding)
    page = visitor.page(console, "shift_manager", f"/desk?alert={finding.id}")
    expect(page.locator(".alert-pane")).to_contain_text("nothing yet")

    def lose(route: Route) -> None:
        route.fetch()
        route.abort("connectionreset")

    page.route(f"**/{finding.id}/take", lose)
    page.locator(".deeds").get_by_role("button", name="Take").click()
    expect(page.locator("#toast")).to_contain_text("The console has it: “take” of")
    expect(page.locator(".notice.act")).to_have_count(0)


def test_a_dialog_whose_act_did_not_reach_the_console_says_so_and_keeps_what_was_typed(
    console: ConsoleServer, visitor: Visitor
) -> None:
    finding = made_up_finding(9604, message="Noted while the console is away.")
    raise_all(console, finding)
    page = visitor.page(console, "shift_manager", f"/desk?alert={finding.id}")
    page.route(f"**/{finding.id}/note", lambda route: route.abort("connectionrefused"))
    page.locator(".deeds").get_by_role("button", name="Add a note").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Note").fill("The dealer has been told.")
    dialog.get_by_role("button", name="Note").click()
    expect(dialog).to_contain_text("this does not count")
    expect(dialog.get_by_label("Note")).to_have_value("The dealer has been told.")
    expect(page.locator(".notice.act")).to_have_count(0)
