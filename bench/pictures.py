"""Makes the pictures of the pages that the documentation shows: ``python -m bench.pictures [--minutes 7]``.

A demo of its own runs for so long, with the floor that every first demo has; then a shift manager and an auditor look
at the wall, the desk, the running shift, and a round that was paid wrongly. What they see goes to `docs/pictures/`.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import orjson
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tablewatch.commands.demo_logins import FILE
from tablewatch.commands.demo_parts import free_port
from tests.console.browser.chromium import launch

PICTURES: Final = Path("docs/pictures")
WALL: Final = {"width": 1440, "height": 900}
PAGE: Final = {"width": 1100, "height": 700}
_RUN: Final = "from tablewatch.command import main; main()"


def main() -> None:
    """Let the demo play, and look."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, default=7.0, help="before anybody looks")
    options.add_argument("--into", type=Path, default=PICTURES)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder, port = Path(made), free_port()
        environment = {**os.environ, "TABLEWATCH_DATA": made, "TABLEWATCH_CONSOLE_PORT": str(port)}
        with subprocess.Popen([sys.executable, "-c", _RUN, "demo"], env=environment) as demo:
            try:
                time.sleep(asked.minutes * 60)
                expect.set_options(timeout=60_000)
                with sync_playwright() as playwright:
                    browser = launch(playwright)
                    if browser is None:
                        sys.exit("There is no Chromium here (Debian: apt-get install chromium-headless-shell).")
                    take(browser, f"http://127.0.0.1:{port}", orjson.loads((folder / FILE).read_bytes()), asked.into)
            finally:
                demo.send_signal(signal.SIGINT)


def take(browser: Browser, address: str, logins: dict[str, str], into: Path) -> None:
    """The four pictures."""
    page = signed_in(browser, address, "shift-manager", logins)
    page.set_viewport_size(WALL)  # type: ignore[arg-type]  # a plain dict of two numbers
    expect(page.locator(".tile").first).to_be_visible()
    shoot(page, into / "wall.png")
    page.set_viewport_size(PAGE)  # type: ignore[arg-type]  # as above
    page.get_by_role("link", name="Alert desk").click()
    paid = page.locator(".alert", has_text="payout-wrong").first
    paid.click()
    expect(page.locator(".alert-pane .steps li").first).to_be_visible()
    replay = page.locator(".alert-pane a", has_text="replay").get_attribute("href")
    shoot(page, into / "desk.png")
    page.get_by_role("link", name="Reports").click()
    expect(page.get_by_text("Findings by code")).to_be_visible()
    shoot(page, into / "report.png")
    auditor = signed_in(browser, address, "auditor", logins)
    auditor.set_viewport_size(PAGE)  # type: ignore[arg-type]  # as above
    auditor.goto(f"{address}{replay}")
    auditor.get_by_role("button", name="Next finding").click()
    expect(auditor.locator("[aria-current=step]")).to_be_visible()
    shoot(auditor, into / "replay.png")


def signed_in(browser: Browser, address: str, name: str, logins: dict[str, str]) -> Page:
    """A page of somebody."""
    page = browser.new_context(color_scheme="dark", viewport=PAGE).new_page()  # type: ignore[arg-type]  # as above
    page.goto(address)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(logins[name])
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#pulse")).to_have_text("live")
    page.locator("h1").first.click(force=True)
    return page


def shoot(page: Page, file: Path) -> None:
    """The window as it is, once it stands still."""
    page.wait_for_timeout(1_500)
    page.screenshot(path=file)
    print(f"  {file}")


if __name__ == "__main__":
    main()
