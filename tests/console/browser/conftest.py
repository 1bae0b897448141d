"""A real Chromium, and pages of it that are signed in; an error on a page, or what its policy blocks, fails a test."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from console.auth.roles import ROLES, Role
from console.server.rights import PAGES
from tests.console.browser.chromium import launch
from tests.console.house import ConsoleServer

DESKTOP = (1440, 900)
PHONE = (390, 844)
SIZES = [pytest.param(DESKTOP, id="desktop"), pytest.param(PHONE, id="phone")]
WATCHING: list[Role] = [role for role in ROLES if role in PAGES["/rounds"]]
"""Who may look at what was played."""
EXPECTED = (
    "401",
    "403",
    "503",
    "504",
    "ERR_CONNECTION",
    "ERR_INCOMPLETE_CHUNKED",
    "ERR_EMPTY_RESPONSE",
    "409",
    "404",
    "422",
    "ERR_NETWORK",
)
"""What the browser itself says when an answer is no, or when a test has taken the server away."""


def fits(page: Page) -> bool:
    """Nothing of the page is wider than the screen."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser for the tests of one file. While it is there an event loop runs in this thread, so that it may not stay
    for tests that run one of their own."""
    # For a loaded machine; what is expected comes as soon as it can.
    expect.set_options(timeout=90_000)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        if browser is None:
            pytest.skip("there is no Chromium here")
        yield browser
        browser.close()


@dataclass
class Visitor:
    """Somebody at a browser."""

    browser: Browser
    faults: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def page(
        self,
        console: ConsoleServer,
        role: Role | None,
        path: str = "/",
        size: tuple[int, int] = DESKTOP,
        theme: str = "dark",
        zone: str | None = None,
    ) -> Page:
        """A page of the console, signed in with this role; None: nobody. ``zone``: where the visitor sits."""
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="light" if theme == "light" else "dark",
            base_url=console.url,
            timezone_id=zone,
        )
        context.set_default_timeout(90_000)
        self.contexts.append(context)
        if role is not None:
            context.add_cookies([{"name": "tablewatch", "value": console.token(role), "url": console.url}])
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._heard)
        page.goto(path)
        return page

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(word in message.text for word in EXPECTED):
            self.faults.append(message.text)


@pytest.fixture
def visitor(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Visitor]:
    somebody = Visitor(chromium)
    yield somebody
    shots = os.environ.get("TABLEWATCH_TEST_SHOTS")
    for number, context in enumerate(somebody.contexts):
        if shots:
            for page in context.pages:
                # A page that is gone gives no picture; what the test found is told all the same.
                with suppress(Exception):
                    page.screenshot(path=Path(shots) / f"{request.node.name}-{number}.png".replace("/", "_"))
        context.close()
    assert somebody.faults == []
