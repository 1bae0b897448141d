"""What strangers write is shown and never run, and whoever is not signed in sees nothing."""

from contextlib import suppress

import pytest
from playwright.sync_api import Error, expect

from tests.console.browser.conftest import Visitor
from tests.console.browser.test_desk import raise_all
from tests.console.house import (
    PASSWORD,
    ConsoleServer,
    await_that,
    made_up_finding,
    say,
)

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.mark.parametrize("name", ["<script>window.owned = 1</script>", '"><img src=x onerror="window.owned = 1">'])
def test_a_script_in_a_players_name_is_shown_and_never_run(
    console_of_its_own: ConsoleServer, visitor: Visitor, name: str
) -> None:
    console = console_of_its_own
    table = next(each for each, picture in sorted(console.parts.live.floor.tables.items()) if picture.game)
    shoe = f"scripted {len(name)}"
    configured = console.parts.live.floor.tables[table].configured
    assert configured is not None
    wager = next(iter(configured.limits))
    say(console.broker, table, "round.opened.v1", f"scripted-{len(name)}", 0, shoe=shoe, round=1, method=None)
    say(
        console.broker, table, "bet.placed.v1", f"scripted-{len(name)}", 1, shoe=shoe, round=1, bet=name, position=1,
        player=name, wager=wager, amount=500,
    )  # fmt: skip
    say(
        console.broker, table, "incident.reported.v1", f"scripted-{len(name)}", 2, shoe=shoe, round=1, incident="other",
        draws=[], text=name,
    )  # fmt: skip
    page = visitor.page(console, "auditor", f"/tables/{table}")
    expect(page.locator(".panel.bets")).to_contain_text(name)
    expect(page.locator(".panel.cards")).to_contain_text(name)
    assert page.evaluate("window.owned") is None


def test_a_script_in_a_finding_is_shown_and_never_run(console: ConsoleServer, visitor: Visitor) -> None:
    words = "<img src=x onerror='window.owned = 1'> wins"
    finding = made_up_finding(13_000, message=words, actual={"<b>x</b>": words})
    console.raise_findings([finding])
    await_that(lambda: console.parts.live.floor.alerts.get(finding.id), "the alert is there")
    page = visitor.page(console, "auditor", f"/desk?alert={finding.id}")
    expect(page.locator(".alert-pane .message")).to_have_text(words)
    expect(page.locator(".alert-pane .facts")).to_contain_text("<b>x</b>")
    assert page.evaluate("window.owned") is None


def test_a_forged_cookie_sees_the_sign_in_page_alone(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, None, "/healthz")
    page.context.add_cookies([{"name": "tablewatch", "value": "A" * 43, "url": console.url}])
    for path in ("/", "/desk", "/tables/BT01"):
        page.goto(path)
        expect(page.get_by_role("button", name="Sign in")).to_be_visible()
        assert page.locator("#bar").count() == 0


def test_a_session_that_is_ended_shows_the_sign_in_page(console: ConsoleServer, visitor: Visitor) -> None:
    console.parts.people.add("leaving", "operator", "a good long password")
    page = visitor.page(console, None, "/")
    page.get_by_label("Name").fill("leaving")
    page.get_by_label("Password").fill("a good long password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".tile").first).to_be_visible()
    console.parts.people.disable("leaving")
    page.locator(".tile").first.click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    expect(page.locator("#news")).to_have_text("Your session has ended: sign in again.")


def test_what_was_being_written_as_the_session_ended_stands_there_again_for_its_author(
    console: ConsoleServer, visitor: Visitor
) -> None:
    raise_all(console, finding := made_up_finding(12_030, message="Written about as the session ended."))
    passwords = ["a good long password", "another good long one"]
    console.parts.people.add("writing", "shift_manager", passwords[0])
    page = visitor.page(console, None, f"/desk?alert={finding.id}")
    pane, dialog = page.locator(".alert-pane"), page.get_by_role("dialog")

    def sign_in(name: str, password: str) -> None:
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()
        pane.get_by_role("button", name="Resolve").click()

    sign_in("writing", passwords[0])
    dialog.get_by_label("What was it?").select_option("false alarm")
    dialog.get_by_label("What was found").fill("Many words about it.")
    console.parts.people.change_password("writing", passwords[1])
    # The stream may end before it is pressed, and the page with it.
    with suppress(Error):
        page.evaluate("document.querySelector('dialog button[type=submit]')?.click()")
    expect(page.locator("#news")).to_have_text("Your session has ended: sign in again.")
    sign_in("shift-manager", PASSWORD)
    expect(dialog.get_by_label("What was found")).to_have_value("")
    dialog.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_enabled()
    expect(page.locator("#news")).to_be_empty()
    page.goto(f"/desk?alert={finding.id}")
    sign_in("writing", passwords[1])
    expect(dialog.get_by_label("What was it?")).to_have_value("false alarm")
    expect(dialog.get_by_label("What was found")).to_have_value("Many words about it.")
    dialog.get_by_role("button", name="Cancel").click()
    pane.get_by_role("button", name="Resolve").click()
    expect(dialog.get_by_label("What was found")).to_have_value("")
