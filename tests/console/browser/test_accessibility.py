"""axe-core finds no serious accessibility fault on any screen, dark or light, on a desk or on a phone."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from console.auth.roles import Role
from tests.console.browser.conftest import DESKTOP, PHONE, Visitor
from tests.console.house import ConsoleServer

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SCREENS: list[tuple[Role, str, str]] = [
    ("operator", "/", ".tile"),
    ("shift_manager", "/tables/{table}", ".road-board"),
    ("shift_manager", "/desk?alert={alert}", ".alert-pane .facts"),
    ("administrator", "/people", "tbody tr"),
    ("auditor", "/access", "tbody tr"),
    ("operator", "/account", "form.panel"),
]


def serious(page: Page) -> list[Any]:
    """What axe-core calls serious or critical, as rule and places."""
    found = Axe().run(page).response["violations"]
    return [
        (each["id"], each["help"], [(node["html"][:200], node["failureSummary"][:300]) for node in each["nodes"][:3]])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", [pytest.param(DESKTOP, id="desktop"), pytest.param(PHONE, id="phone")])
@pytest.mark.parametrize(("role", "path", "shown"), SCREENS)
def test_a_screen_can_be_used_by_everybody(
    console: ConsoleServer, visitor: Visitor, role: Role, path: str, shown: str, size: tuple[int, int], theme: str
) -> None:
    floor = console.parts.live.floor
    table = next(name for name, each in sorted(floor.tables.items()) if each.round and each.game)
    alert = next(each.alert.id for each in floor.alerts.all() if each.open)
    page = visitor.page(console, role, path.format(table=table, alert=alert), size, theme)
    expect(page.locator(shown).first).to_be_visible()
    page.wait_for_timeout(300)
    assert serious(page) == []


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_sign_in_page_can_be_used_by_everybody(console: ConsoleServer, visitor: Visitor, theme: str) -> None:
    page = visitor.page(console, None, "/", theme=theme)
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    assert serious(page) == []


def test_the_big_screen_can_be_read_by_everybody(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "operator")
    expect(page.locator(".tile").first).to_be_visible()
    page.keyboard.press("b")
    expect(page.locator(".big .tile").first).to_be_visible()
    assert serious(page) == []
