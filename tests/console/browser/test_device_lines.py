"""One broken device does not bury the queue of the desk: its alerts stand as one line, which opens."""

import re

import pytest
from playwright.sync_api import expect

from tests.console.browser.conftest import Visitor
from tests.console.browser.test_desk import raise_all
from tests.console.house import ConsoleServer, made_up_finding

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

READER = "/tables/BT01/counting-reader"


def test_what_is_folded_is_of_one_table_code_and_device_and_never_critical(
    console: ConsoleServer, visitor: Visitor
) -> None:
    page = visitor.page(console, "shift_manager", "/desk")
    told = page.evaluate(
        """async () => {
          const { gathered } = await import("/static/desk-queue.js");
          const common = { table: "T", code: "device-gap", severity: "high", open: true };
          const alert = (id, device, more) => ({ ...common, id, device, ...more });
          const alerts = [
            alert("a", "/r"), alert("b", "/r", { severity: "critical" }), alert("c", "/r", { code: "device-clock" }),
            alert("d", "/s"), alert("e", "/r"), alert("f", "/r", { table: "U" }), alert("g", "/r"),
            alert("h", ""), alert("i", ""), alert("l", "/r", { open: false }), alert("j", null), alert("k", null),
          ];
          const lines = (unfolded, chosen) => gathered(alerts, new Set(unfolded), chosen)
            .map((line) => `${line.under ? "-" : ""}${line.alert.id}${line.more}${line.folded}`).join(" ");
          const { key } = gathered(alerts, new Set(), null)[0];
          return [lines([], null), lines([], "g"), lines([key], null), lines([], "a")];
        }"""
    )
    rest = "b00 c00 d00 f00 h11 l00 j00 k00"
    assert told == [f"a22 {rest}", f"a21 -g00 {rest}", f"a20 -e00 -g00 {rest}", f"a22 {rest}"]


def test_alerts_of_one_device_are_one_line_that_opens_by_keyboard_and_keys_step_over_it(
    console: ConsoleServer, visitor: Visitor
) -> None:
    gaps = [
        made_up_finding(
            number, "device-gap", message=f"{READER} lost an event: nothing came between {number} and {number + 2}."
        )
        for number in range(9701, 9705)
    ]
    clock = made_up_finding(9706, "device-clock", message=f"The clock of {READER} is 9.0 s ahead of the others.")
    raise_all(console, *gaps, clock)
    page = visitor.page(console, "shift_manager", "/desk")
    page.get_by_label("Filter alerts").fill("counting-reader")
    page.get_by_label("Filter alerts").blur()
    lines, more = page.locator(".alert"), page.locator(".more-of")
    expect(page.locator("#total")).to_have_text("5 open")
    expect(lines).to_have_count(2)
    expect(more).to_have_text("and 3 more of this device")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".alert-pane .message")).to_have_text(re.compile("^The clock of"))
    page.keyboard.press("k")
    more.press("Enter")
    expect(lines).to_have_count(5)
    expect(more).to_have_attribute("aria-expanded", "true")
    expect(more).to_be_focused()
    page.keyboard.press("j")
    chosen = page.locator('.under .alert[aria-current="true"]')
    expect(chosen).to_have_count(1)
    # What is chosen stays in the queue, however the others are folded.
    more.press("Enter")
    expect(lines).to_have_count(3)
    expect(chosen).to_have_count(1)
    # The pane is drawn anew when the steps are there: a click meanwhile would meet a button that is gone.
    expect(page.locator(".alert-pane")).to_contain_text("nothing yet")
    page.locator(".alert-pane").get_by_role("button", name="Acknowledge").click()
    expect(page.locator(".alert-pane")).to_contain_text("Acknowledged by shift-manager")
    page.get_by_label("State").select_option("unattended")
    expect(page.locator("#total")).to_have_text("4 nobody at it")
    expect(more).to_have_text("and 2 more of this device")
