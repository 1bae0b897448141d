"""The sound of an alert in a real browser: when it comes, what it waits for, and its button in the bar."""

import re

import pytest
from playwright.sync_api import Page, expect

from console.auth.roles import ROLES, Role
from tests.console.browser.conftest import PHONE, Visitor
from tests.console.house import ConsoleServer, await_that, made_up_finding

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def nobody_has_clicked(page: Page) -> None:
    """What Playwright asks a page counts as a click of its visitor: only real ones are counted from now on."""
    page.add_init_script(
        "let clicked = false; addEventListener('pointerdown', () => { clicked = true; }, true);"
        " Object.defineProperty(navigator, 'userActivation', { get: () => ({ hasBeenActive: clicked }) });"
    )
    page.reload()


def test_a_new_alert_is_counted_in_the_title_and_sounds(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "shift_manager", "/desk")
    nobody_has_clicked(page)
    expect(page.locator("#bubble")).to_be_visible()
    page.evaluate(
        "() => { window.tones = 0; const make = AudioContext.prototype.createOscillator;"
        " AudioContext.prototype.createOscillator = function () { window.tones += 1; return make.call(this); }; }"
    )
    counted = re.search(r"\((\d+)\)", page.title())
    assert counted is not None
    before = int(counted[1])
    console.raise_findings([made_up_finding(9500, message="One that sounds.")])
    expect(page).to_have_title(re.compile(rf"\({before + 1}\)"))
    await_that(lambda: page.evaluate("window.tones") == 2, "a critical alert has two tones")
    sound = page.locator("#sound")
    expect(sound).to_have_text("Sound: click once")
    expect(sound).to_have_attribute("aria-pressed", "mixed")
    sound.click()
    expect(sound).to_have_text("Sound")
    expect(sound).to_have_attribute("aria-pressed", "true")
    sound.click()
    expect(sound).to_have_text("Sound off")
    expect(sound).to_have_attribute("aria-pressed", "false")
    sound.click()
    expect(sound).to_have_text("Sound")


def test_any_click_gives_the_page_its_sound(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "shift_manager", "/desk")
    nobody_has_clicked(page)
    sound = page.locator("#sound")
    expect(sound).to_have_text("Sound: click once")
    page.locator("#total").click()
    expect(sound).to_have_text("Sound")
    expect(sound).to_have_attribute("aria-pressed", "true")


def test_a_phone_has_its_buttons_in_one_row_while_the_sound_waits(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "shift_manager", "/desk", PHONE)
    nobody_has_clicked(page)
    sound = page.locator("#sound")
    expect(sound).to_have_attribute("aria-pressed", "mixed")
    boxes = [each.bounding_box() for each in (sound, page.get_by_role("button", name="Sign out"))]
    assert len({round(box["y"]) for box in boxes if box is not None}) == 1, boxes


@pytest.mark.parametrize("role", ROLES)
def test_a_phone_has_its_buttons_in_one_row_while_the_sound_is_off_and_nobody_judges(
    console: ConsoleServer, visitor: Visitor, role: Role
) -> None:
    page = visitor.page(console, role, "/", PHONE)
    # A click would turn it off only where the page does not wait for one.
    page.evaluate("localStorage.setItem('tablewatch.sound', 'off')")
    page.reload()
    expect(page.locator("#pulse")).to_have_text("live")
    expect(page.locator("#sound")).to_have_text("Sound off")
    page.locator("#pulse").evaluate("node => { node.textContent = 'not judged 119 s'; }")
    parts = page.locator("#bar > :not(nav)")
    boxes = parts.evaluate_all(
        "nodes => nodes.map(node => node.getBoundingClientRect()).map(({top, bottom, right}) => ({top, bottom, right}))"
    )
    assert max(box["top"] for box in boxes) < min(box["bottom"] for box in boxes), boxes
    assert max(box["right"] for box in boxes) <= PHONE[0]
    cut = "node => [node.scrollWidth - node.clientWidth, node.scrollHeight - node.clientHeight]"
    assert page.locator("#pulse").evaluate(cut) == [0, 0], "the words of the pill are all there"
    assert page.locator("#bar .who").evaluate("node => node.getBoundingClientRect().width") >= 40


SOUNDS = """async () => {
  const heard = [];
  AudioContext.prototype.createOscillator = function () {
    const gain = this.createGain();
    return { frequency: { set value(pitch) { heard.push([pitch, Math.round(performance.now())]); } },
      connect: () => gain, start() {}, stop() {} };
  };
  const { soundFor } = await import("/static/sound.js");
  for (const severity of ["low", "high"]) soundFor(severity);
  await new Promise((done) => setTimeout(done, 200));
  for (const severity of ["high", "critical", "low"]) soundFor(severity);
  await new Promise((done) => setTimeout(done, 1700));
  return heard;
}"""


def test_every_alert_sounds_and_many_at_once_sound_together_as_the_worst_of_them(
    console: ConsoleServer, visitor: Visitor
) -> None:
    page = visitor.page(console, "operator", "/account")
    one, *together = page.evaluate(SOUNDS)
    assert one[0] == 560
    assert [pitch for pitch, _ in together] == [880, 660]
    # The page counts a second and a half from when it decided to sound; on a busy machine it is heard some time later.
    assert together[0][1] - one[1] >= 1_000


REOPENED = """async () => {
  const { LiveFloor } = await import("/static/live.js");
  const floor = new LiveFloor();
  const raised = [];
  floor.addEventListener("raised", (event) => raised.push(event.detail.map((alert) => alert.state)));
  const tell = (alert, whole = false) =>
    floor.take({ at: Date.now(), tables: {}, alerts: [alert], open_alerts: 0, status: {} }, whole);
  tell({ id: "old", open: true, state: "raised" }, true);
  for (const state of ["raised", "acknowledged", "resolved", "reopened"]) {
    tell({ id: "a", open: state !== "resolved", state });
  }
  // Closed and opened again before the stream told of either.
  for (const state of ["acknowledged", "reopened"]) tell({ id: "a", open: true, state });
  return raised;
}"""


def test_what_is_opened_again_sounds_as_what_is_new(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "operator", "/account")
    assert page.evaluate(REOPENED) == [["raised"], ["reopened"], ["reopened"]]
