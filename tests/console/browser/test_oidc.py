"""Signing in with the provider of the house by clicking, from another site and back."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.console.browser.conftest import DESKTOP, PHONE, Visitor
from tests.console.oidc_provider import small_provider
from tests.console.test_oidc import console_with

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.mark.parametrize(("size", "theme"), [(DESKTOP, "dark"), (PHONE, "light")], ids=["desktop", "phone"])
def test_a_click_leads_to_the_provider_and_back_onto_the_wall(
    visitor: Visitor, tmp_path: Path, size: tuple[int, int], theme: str
) -> None:
    with small_provider() as provider:
        # Another site to the browser: cookies that are held to our own are not sent on the way back.
        provider.issuer = provider.issuer.replace("127.0.0.1", "localhost")
        with console_with(provider, tmp_path) as house:
            page = visitor.page(house, None, "/", size, theme)
            page.get_by_role("link", name="Sign in with the house").click()
            expect(page.get_by_role("navigation", name="Screens")).to_be_visible()
            # It is told how things are: this console has no topics to read.
            expect(page.locator("#pulse")).to_have_text(re.compile(r"^not live \d"))
            assert page.evaluate("location.pathname") == "/"
            provider.claims["groups"] = []
            page.get_by_role("button", name="Sign out").click()
            link = page.get_by_role("link", name="Sign in with the house")
            expect(link).to_be_visible()
            link.click()
            expect(page.locator("main")).to_contain_text("You were not signed in")
            page.goto("/")
            expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
            expect(page.get_by_role("link", name="Sign in with the house")).to_be_visible()
