"""The pictures of the README and the handbooks, taken anew from a running demo.

python -m tests.console.browser.pictures [FOLDER OF THE DEMO] [ADDRESS OF ITS CONSOLE]

Let the demo play for some minutes first, so that its floor has something to show.
"""

import re
import sys
from pathlib import Path

import orjson
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.console.browser.chromium import launch
from tests.console.browser.conftest import DESKTOP

PICTURES = Path(__file__).resolve().parents[3] / "docs" / "pictures"
PAGE = (1100, 700)


def main(folder: Path, address: str) -> None:
    """Take them all."""
    logins = orjson.loads((folder / "demo-logins.json").read_bytes())
    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        if browser is None:
            sys.exit("There is no Chromium here.")
        manager = _signed_in(browser, address, "shift-manager", logins, DESKTOP)
        _wall(manager)
        manager.set_viewport_size({"width": PAGE[0], "height": PAGE[1]})
        where = _desk(manager)
        _report(manager)
        _replay(_signed_in(browser, address, "auditor", logins, PAGE), where)
        browser.close()


def _signed_in(browser: Browser, address: str, name: str, logins: dict[str, str], size: tuple[int, int]) -> Page:
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme="dark", base_url=address, locale="en-GB"
    )
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.goto("/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(logins[name])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("navigation", name="Screens")).to_be_visible()
    return page


def _wall(page: Page) -> None:
    expect(page.locator(".tile .sev:not(.none)").first).to_be_visible()
    _taken(page, "wall")


def _desk(page: Page) -> str:
    """The desk with a wrong payout; gives back where its round is."""
    page.goto("/desk")
    expect(page.locator(".alert").first).to_be_visible()
    page.locator(".alert", has_text="payout-wrong").first.click()
    replay = page.get_by_role("link", name=re.compile("round .*: replay"))
    expect(replay).to_be_visible()
    _taken(page, "desk")
    return str(replay.get_attribute("href"))


def _report(page: Page) -> None:
    page.goto("/reports")
    expect(page.get_by_text("Findings by code")).to_be_visible()
    _taken(page, "report")


def _replay(page: Page, where: str) -> None:
    """The round at the moment of its first finding."""
    page.goto(where)
    page.get_by_role("button", name="Next finding").click()
    _taken(page, "replay")


def _taken(page: Page, name: str) -> None:
    page.evaluate("scrollTo(0, 0)")
    # What a page was sent is drawn by then.
    page.wait_for_timeout(1500)
    page.screenshot(path=PICTURES / f"{name}.png")


if __name__ == "__main__":
    main(Path(*sys.argv[1:2] or ["data/demo"]), *sys.argv[2:3] or ["http://127.0.0.1:8470"])
