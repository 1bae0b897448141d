"""What the handbooks tell people to press and to choose, done as they say it."""

import re

import pytest
from playwright.sync_api import expect

from replay.refund import GROUNDS
from tests.console.browser.conftest import Visitor
from tests.console.house import ConsoleServer, made_up_finding
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


def test_after_an_alert_is_acknowledged_the_keys_go_on_from_where_it_stood(
    console: ConsoleServer, visitor: Visitor
) -> None:
    console.raise_findings([made_up_finding(9100 + each, message=f"In a row, {each}.") for each in range(3)])
    page = visitor.page(console, "operator", "/desk")
    page.get_by_label("Filter alerts").fill("In a row")
    expect(page.locator(".alert")).to_have_count(3)
    row = page.locator(".alert").evaluate_all("nodes => nodes.map(node => node.dataset.alert)")
    page.get_by_label("Filter alerts").blur()
    pane = page.locator(".alert-pane")
    for seen, alert in enumerate(row, start=1):
        page.keyboard.press("j")
        expect(page.locator("[aria-current=true]")).to_have_attribute("data-alert", alert)
        page.keyboard.press("a")
        expect(pane).to_contain_text("Acknowledged by operator")
        # It goes behind those that nobody has seen to.
        expect(page.locator(".alert-foot", has_text="acknowledged")).to_have_count(seen)
        expect(page.locator(".alert-foot").last).to_contain_text("acknowledged")


def test_an_alert_that_was_opened_again_counts_from_then(console: ConsoleServer, visitor: Visitor) -> None:
    console.raise_findings([made_up_finding(9200, message="Once more from the start.")])
    page = visitor.page(console, "shift_manager", "/desk")
    page.get_by_label("Filter alerts").fill("Once more from the start")
    page.locator(".alert").click()
    pane = page.locator(".alert-pane")
    pane.get_by_role("button", name="Resolve").click()
    page.get_by_role("dialog").get_by_label("What was it?").select_option("confirmed")
    page.get_by_role("dialog").locator("textarea").fill("Seen to.")
    page.get_by_role("dialog").get_by_role("button", name="Resolve").click()
    expect(pane).to_contain_text("Resolved: confirmed")
    pane.get_by_role("button", name="Reopen").click()
    page.get_by_role("dialog").locator("textarea").fill("Not quite.")
    page.get_by_role("dialog").get_by_role("button", name="Reopen").click()
    expect(pane.locator(".waited")).to_contain_text("since it was opened again")


def test_bets_are_in_the_order_in_which_people_count(evening: Evening, visitor: Visitor) -> None:
    most = max(evening.rounds, key=lambda each: len(each.verdict.bets))
    numbers = sorted(int(bet.bet.removeprefix("b")) for bet in most.verdict.bets)
    assert len(numbers) > 10
    page = visitor.page(evening.server, "auditor", f"/rounds/{most.key}")
    expect(page.locator(".round-bets tbody td:first-child")).to_have_text([f"b{number}" for number in numbers])


def test_another_limit_needs_both_of_its_ends(evening: Evening, visitor: Visitor) -> None:
    page = visitor.page(evening.server, "auditor", f"/rounds/{evening.flagged('payout-wrong').key}")
    form = page.locator(".what-if-form")
    form.locator("[name=wager]").select_option(index=1)
    form.locator("[name=min]").fill("")
    assert not form.evaluate("form => form.checkValidity()")
    form.locator("[name=min]").fill("0")
    assert form.evaluate("form => form.checkValidity()")
    form.get_by_role("button", name="As it was").click()
    assert form.evaluate("form => form.checkValidity()")


def test_auditors_see_the_digest_of_the_alert_routing(evening: Evening, visitor: Visitor) -> None:
    page = visitor.page(evening.server, "auditor", "/changes")
    expect(page.locator(".subject", has_text="Alert routing").locator("code")).to_contain_text("SHA-256")


def test_commands_on_the_page_of_changes_are_shown_as_commands(evening: Evening, visitor: Visitor) -> None:
    page = visitor.page(evening.server, "administrator", "/changes")
    subjects = page.locator(".subjects")
    expect(subjects.locator("p code").first).to_have_text(re.compile("^tablewatch "))
    expect(subjects).not_to_contain_text("`")
