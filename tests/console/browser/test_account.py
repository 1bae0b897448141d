"""One's own account: another password by clicking, and times by the site's clock wherever the reader sits."""

import re
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page, Route, expect

from tests.console.browser.conftest import DESKTOP, PHONE, Visitor
from tests.console.house import PASSWORD, ConsoleServer
from tests.console.oidc_provider import small_provider
from tests.console.test_oidc import console_with

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ANOTHER = "quite another one"


def sign_in(page: Page, name: str, password: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


@pytest.mark.parametrize(("size", "theme"), [(DESKTOP, "dark"), (PHONE, "light")], ids=["desktop", "phone"])
def test_a_person_changes_the_own_password_and_signs_in_with_it(
    console: ConsoleServer, visitor: Visitor, size: tuple[int, int], theme: str
) -> None:
    name = f"own-{theme}"
    console.parts.people.add(name, "auditor", PASSWORD)
    page = visitor.page(console, None, "/", size, theme)
    sign_in(page, name, PASSWORD)
    page.get_by_role("link", name=name).click()
    expect(page.get_by_role("heading", name="Your account")).to_be_visible()
    expect(page.locator("main")).to_contain_text(f"{name} is signed in as auditor")
    said = page.locator("form").get_by_role("alert")

    def fill(current: str, new: str, again: str) -> None:
        page.get_by_label("Current password").fill(current)
        page.get_by_label("New password", exact=True).fill(new)
        page.get_by_label("New password again").fill(again)
        page.get_by_role("button", name="Change").click()

    fill(PASSWORD, ANOTHER, "something else again")
    expect(said).to_contain_text("are not the same")
    fill("not " + PASSWORD, ANOTHER, ANOTHER)
    expect(said).to_contain_text("The current password is wrong")
    fill(PASSWORD, f"{name} {name}", f"{name} {name}")
    expect(said).to_contain_text("does not have the name in it")
    fill(PASSWORD, ANOTHER, ANOTHER)
    expect(page.get_by_role("status")).to_have_text("Your password is changed: sign in with it.")
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    sign_in(page, name, PASSWORD)
    expect(page.get_by_role("alert")).to_contain_text("wrong")
    sign_in(page, name, ANOTHER)
    expect(page.get_by_role("navigation", name="Screens")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_enabled()
    expect(page.locator("#news")).to_be_empty()


def test_what_is_typed_before_the_page_is_ready_waits_for_it(console: ConsoleServer, visitor: Visitor) -> None:
    """The browser would send the form itself, and show what the server says to that in place of the page."""
    page = visitor.page(console, None)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/public/sign-in.js", hold)
    page.goto("/", wait_until="commit")
    page.get_by_label("Name").fill("auditor")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Password").press("Enter")
    expect(page.get_by_role("button", name="Sign in")).to_be_disabled()
    for route in held:
        route.continue_()
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("navigation", name="Screens")).to_be_visible()


def test_whoever_comes_from_the_provider_is_told_that_the_password_is_kept_there(
    visitor: Visitor, tmp_path: Path
) -> None:
    with small_provider() as provider:
        provider.issuer = provider.issuer.replace("127.0.0.1", "localhost")
        with console_with(provider, tmp_path) as house:
            page = visitor.page(house, None)
            page.get_by_role("link", name="Sign in with the house").click()
            page.locator("#bar .who").click()
            expect(page.locator("main")).to_contain_text("your password is kept and changed there")
            expect(page.get_by_label("Current password")).to_have_count(0)


def test_all_entries_of_the_bar_are_on_a_phone(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "auditor", "/", PHONE)
    links = page.get_by_role("navigation", name="Screens").get_by_role("link")
    entries = ("Wall", "Alert desk", "Replay", "Reports", "Changes", "Access log")
    expect(links).to_have_text([re.compile(name) for name in entries])
    for link in links.all():
        box = link.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE[0], link.inner_text()


def test_times_and_searches_are_by_the_clock_of_the_site(console: ConsoleServer, visitor: Visitor) -> None:
    """The simulated floor is in Singapore, eight hours ahead of UTC; the reader sits in Los Angeles."""
    page = visitor.page(console, "auditor", "/rounds", zone="America/Los_Angeles")
    row = page.locator("tbody tr").first
    expect(row).to_be_visible()
    with console.client("auditor") as client:
        newest = client.get("/api/v1/rounds", params={"count": 1}).json()["rounds"][0]["opened"]
        second = newest - newest % 1000
        wanted = client.get("/api/v1/rounds", params={"start": second}).json()["rounds"]
    at = datetime.fromtimestamp(second / 1000, ZoneInfo("Asia/Singapore"))
    expect(row).to_contain_text(at.strftime("%d/%m/%Y %H:%M:%S"))
    page.get_by_label("Opened from").fill(at.strftime("%Y-%m-%dT%H:%M:%S"))
    page.get_by_role("button", name="Search").click()
    # All others were opened before; by the reader's own clock all would be before, or none.
    expect(page.locator("tbody tr")).to_have_count(len(wanted))
    expect(row).to_contain_text(at.strftime("%H:%M:%S"))
