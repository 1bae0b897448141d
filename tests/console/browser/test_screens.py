"""Every screen, as every role, on a desk and on a phone: it shows the floor that the worker has judged."""

import re

import pytest
from playwright.sync_api import expect

from console.auth.roles import ROLES, Role
from console.masking import MASK
from tests.console.browser.conftest import PHONE, SIZES, Visitor
from tests.console.house import PASSWORD, ConsoleServer, await_that, made_up_finding, name_of

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.mark.parametrize("size", SIZES)
def test_signing_in_and_out(console: ConsoleServer, visitor: Visitor, size: tuple[int, int]) -> None:
    page = visitor.page(console, None, "/desk", size)
    page.get_by_label("Name").fill("shift-manager")
    page.get_by_label("Password").fill("wrong wrong wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("wrong")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    # After signing in it is the page that was asked for.
    expect(page.get_by_role("heading", name="Alert desk")).to_be_attached()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("role", ROLES)
def test_the_wall_shows_every_table(
    console: ConsoleServer, visitor: Visitor, role: Role, size: tuple[int, int]
) -> None:
    page = visitor.page(console, role, "/", size)
    tables = console.parts.live.floor.tables
    page.get_by_label("Filter tables").fill("pit")
    page.get_by_label("Filter tables").fill("")
    expect(page.locator("#summary")).to_contain_text(f"{len(tables)} tables")
    expect(page.locator("#pulse")).to_have_text("live")
    bar = page.get_by_role("navigation", name="Screens")
    assert (bar.get_by_role("link", name="People").count() == 1) == (role == "administrator")
    page.get_by_label("Order").select_option("name")
    first = page.locator(".tile").first
    expect(first).to_contain_text(sorted(tables)[0])
    expect(first).to_contain_text("ago")


def test_the_wall_has_the_worst_first_and_is_led_by_the_keyboard(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "operator")
    board = console.parts.live.floor.alerts

    def worst() -> str:
        return max(
            console.parts.live.floor.tables,
            key=lambda name: (board.open_of(name)["critical"], board.open_of(name)["high"]),
        )

    await_that(lambda: page.locator(".tile").count(), "there are tiles")
    expect(page.locator(".tile[aria-posinset='1'], [aria-posinset='1'] .tile")).to_have_attribute("data-table", worst())
    page.keyboard.press("/")
    expect(page.get_by_label("Filter tables")).to_be_focused()
    page.keyboard.press("Tab")
    page.locator("[aria-posinset='1'] .tile").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[aria-posinset='2'] .tile")).to_be_focused()
    table = page.locator("[aria-posinset='2'] .tile").get_attribute("data-table")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(table or "")


def test_the_big_screen_has_big_letters_and_ends_with_escape(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "operator")
    name = page.locator(".tile .name").first
    expect(name).to_be_visible()
    small = name.evaluate("node => parseFloat(getComputedStyle(node).fontSize)")
    page.keyboard.press("b")
    expect(page.locator("body")).to_have_class(re.compile("big"))
    assert name.evaluate("node => parseFloat(getComputedStyle(node).fontSize)") >= 1.8 * small
    page.evaluate("document.exitFullscreen?.().catch(() => null)")
    page.keyboard.press("Escape")
    expect(page.locator("body")).not_to_have_class(re.compile("big"))


@pytest.mark.parametrize("size", SIZES)
def test_the_big_screen_shows_all_its_counts(console: ConsoleServer, visitor: Visitor, size: tuple[int, int]) -> None:
    page = visitor.page(console, "operator", "/", size)
    expect(page.locator("#summary")).to_contain_text("not heard")
    page.keyboard.press("b")
    expect(page.locator("body")).to_have_class(re.compile("big"))
    ends = page.locator("#summary > *").evaluate_all("nodes => nodes.map(node => node.getBoundingClientRect().right)")
    assert max(ends) <= size[0]


def test_a_tile_says_what_is_wrong_at_its_table(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "operator")
    board = console.parts.live.floor.alerts
    await_that(lambda: page.locator(".tile").count(), "there are tiles")
    for name in console.parts.live.floor.tables:
        worst = board.worst_of(name)
        told = page.locator(f".tile[data-table='{name}'] .devices")
        expect(told).to_have_text(worst.code if worst else re.compile("devices"))


def test_a_table_that_is_not_heard_and_a_device_that_is_silent_are_told_in_two_words(
    console: ConsoleServer, visitor: Visitor
) -> None:
    finding = made_up_finding(
        9700, "device-silent", table="SD01", shoe=None, round=None, message="display was silent while others went on."
    )
    console.raise_findings([finding])
    page = visitor.page(console, "operator")
    page.get_by_label("Filter tables").fill("SD01")
    expect(page.locator(".tile[data-table='SD01'] .devices")).to_have_text("device-silent")
    summary = page.locator("#summary")
    expect(summary).to_contain_text(re.compile(r"○ \d+ not heard"))
    expect(summary.get_by_text("not heard")).to_have_class("muted")
    expect(summary).not_to_contain_text("silent")
    only = page.get_by_label("Show", exact=True)
    only.select_option(label="Not heard, or a device silent")


def test_the_wall_counts_what_it_shows_and_says_what_stands_elsewhere(console: ConsoleServer, visitor: Visitor) -> None:
    console.raise_findings([made_up_finding(9710, "payout-wrong", table="SD10")])
    page = visitor.page(console, "operator")
    summary = page.locator("#summary")
    board = console.parts.live.floor.alerts
    await_that(lambda: sum(board.open_of("SD10").values()) == 1, "it is heard")
    total = board.open_count.total()
    of_no_table = total - sum(sum(board.open_of(name).values()) for name in console.parts.live.floor.tables)
    page.get_by_label("Filter tables").fill("SD10")
    expect(summary).to_contain_text("1 of ")
    expect(summary.locator(".sev.critical")).to_have_text("critical: 1")
    expect(summary.locator(".sev.high").first).to_have_text("high: 0")
    expect(page.locator("#elsewhere")).to_have_text(f"{total - 1:,} elsewhere")
    page.get_by_label("Filter tables").fill("")
    expect(page.locator("#elsewhere")).to_have_text([f"{of_no_table:,} elsewhere"] if of_no_table else [])


def test_the_tile_that_has_the_keyboard_goes_with_the_others_that_are_not_looked_for(
    console: ConsoleServer, visitor: Visitor
) -> None:
    page = visitor.page(console, "operator")
    page.locator("[aria-posinset='1'] .tile").focus()
    # Of itself, as when the tables of a filter are heard again.
    page.evaluate(
        "() => { const field = document.getElementById('filter');"
        " field.value = 'no such table'; field.dispatchEvent(new Event('input')); }"
    )
    expect(page.locator("main")).to_contain_text("No table is like this.")
    expect(page.locator(".tile")).to_have_count(0)


def test_escape_leaves_the_filter_and_the_keys_of_the_page_work_again(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "operator")
    expect(page.locator(".tile").first).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("bt")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Filter tables")).not_to_be_focused()
    expect(page.get_by_label("Filter tables")).to_have_value("bt")
    page.keyboard.type("gd")
    expect(page.locator("#total")).to_contain_text("open")


def test_the_wall_by_pit_has_its_headings(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "operator")
    page.get_by_label("Order").select_option("pit")
    expect(page.locator(".pit").first).to_contain_text("Pit P1")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("role", ROLES)
def test_a_table_shows_its_round_shoe_roads_and_rounds(
    console: ConsoleServer, visitor: Visitor, role: Role, size: tuple[int, int]
) -> None:
    name, picture = next(
        (name, each)
        for name, each in sorted(console.parts.live.floor.tables.items())
        if each.round and each.round.cards and each.game and any(bet.player for bet in each.round.bets.values())
    )
    page = visitor.page(console, role, f"/tables/{name}", size)
    assert picture.round is not None
    cards = page.locator(".hands .playing-card:not(.empty), .beside .playing-card")
    expect(cards).to_have_count(len(picture.round.cards))
    expect(page.locator(".panel.check")).to_contain_text("Winner")
    expect(page.locator(".panel.ledger h2")).to_contain_text(f"{picture.ledger().total()} of")
    expect(page.locator(".road-board")).to_have_count(5)
    expect(page.locator(".panel.rounds tbody tr")).to_have_count(min(40, len(picture.history)))
    expect(page.locator(".panel.hold")).to_contain_text("Drop and fills are not known here")
    expect(page.locator(".panel.devices tbody tr")).to_have_count(len(picture.devices))
    for panel in ("rounds", "devices"):
        assert page.locator(f".panel.{panel} .scroll").evaluate("(node) => node.scrollWidth <= node.clientWidth + 1")
    players = {bet.player for bet in picture.round.bets.values() if bet.player}
    shown = page.locator(".panel.bets").inner_text()
    sees = role in ("shift_manager", "auditor")
    assert any(str(player) in shown for player in players) == sees
    assert (MASK in shown) == (not sees)
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0, "the page is wider than the screen"


@pytest.mark.parametrize("size", SIZES)
def test_an_alert_is_acknowledged_taken_resolved_and_reopened_by_clicking(
    console: ConsoleServer, visitor: Visitor, size: tuple[int, int]
) -> None:
    finding = made_up_finding(100 + size[0], message=f"A made-up finding for a screen of {size[0]}.")
    page = visitor.page(console, "shift_manager", "/desk", size)
    expect(page.locator(".alert").first).to_be_visible()
    console.raise_findings([finding])
    page.get_by_label("Filter alerts").fill(f"screen of {size[0]}")
    page.locator(".alert").click()
    pane = page.locator(".alert-pane")
    expect(pane).to_contain_text("Have the stake refused")
    expect(pane).to_contain_text("dragon-tiger-baccarat 5.4")
    expect(pane).to_contain_text("Nobody has acknowledged it")
    pane.get_by_role("button", name="Acknowledge").click()
    expect(pane).to_contain_text("Acknowledged by shift-manager")
    pane.get_by_role("button", name="Take").click()
    expect(pane.locator(".steps")).to_contain_text("taken")
    pane.get_by_role("button", name="Resolve").click()
    page.get_by_label("What was it?").select_option("false alarm")
    page.get_by_label("What was found").fill("The clock of the sensor was slow.")
    page.get_by_role("dialog").get_by_role("button", name="Resolve").click()
    expect(pane).to_contain_text("Resolved: false alarm")
    pane.get_by_role("button", name="Reopen").click()
    page.get_by_role("dialog").locator("textarea").fill("Another look.")
    page.get_by_role("dialog").get_by_role("button", name="Reopen").click()
    expect(pane.locator(".steps")).to_contain_text("Another look.")
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0, "the page is wider than the screen"


def test_on_a_phone_an_alert_is_read_from_its_head_and_the_queue_is_where_it_was(
    console: ConsoleServer, visitor: Visitor
) -> None:
    page = visitor.page(console, "shift_manager", "/desk", PHONE)
    expect(page.locator(".alert").nth(5)).to_be_visible()
    page.locator(".alert").nth(5).scroll_into_view_if_needed()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    before = page.evaluate("scrollY")
    page.locator(".alert").last.click()
    title = page.locator(".alert-pane h2")
    expect(title).to_be_visible()
    expect(page.locator(".alert-pane")).to_be_focused()
    bar, head = page.locator("#bar").bounding_box(), title.bounding_box()
    assert bar and head and head["y"] >= bar["y"] + bar["height"]
    page.get_by_role("button", name="‹ Queue").click()
    expect(page.locator(".alert").last).to_be_visible()
    # Alerts come and go meanwhile: it is about where it was.
    assert before > 0
    assert page.evaluate("scrollY") > 0.8 * before


def test_alerts_are_worked_at_with_the_keyboard_alone(console: ConsoleServer, visitor: Visitor) -> None:
    console.raise_findings([made_up_finding(7000, message="A finding for the keyboard.")])
    page = visitor.page(console, "shift_manager", "/desk")
    expect(page.locator(".alert").first).to_be_visible()
    page.get_by_label("Filter alerts").fill("for the keyboard")
    expect(page.locator(".alert")).to_have_count(1)
    page.get_by_label("Filter alerts").blur()
    page.keyboard.press("j")
    expect(page.locator(".alert-pane")).to_contain_text("for the keyboard")
    page.keyboard.press("a")
    expect(page.locator(".alert-pane")).to_contain_text("Acknowledged by shift-manager")
    page.get_by_label("State").select_option("mine")
    expect(page.locator(".alert"), "it would be handed over with the others").to_have_count(1)
    page.get_by_label("State").blur()
    page.keyboard.press("t")
    expect(page.locator(".alert-pane .steps")).to_contain_text("taken")


def test_what_is_reopened_leaves_the_closed_ones(console: ConsoleServer, visitor: Visitor) -> None:
    finding = made_up_finding(7500, message="A finding that comes back.")
    console.raise_findings([finding])
    await_that(lambda: console.parts.live.floor.alerts.get(finding.id), "the alert is there")
    page = visitor.page(console, "shift_manager", f"/desk?alert={finding.id}")
    pane = page.locator(".alert-pane")
    pane.get_by_role("button", name="Resolve").click()
    page.get_by_label("What was it?").select_option("confirmed")
    page.get_by_label("What was found").fill("Nothing.")
    page.get_by_role("dialog").get_by_role("button", name="Resolve").click()
    expect(pane).to_contain_text("Resolved: confirmed")
    page.get_by_label("Filter alerts").fill("that comes back")
    page.get_by_label("State").select_option("closed")
    expect(page.locator(".alert")).to_have_count(1)
    pane.get_by_role("button", name="Reopen").click()
    page.get_by_role("dialog").locator("textarea").fill("Another look.")
    page.get_by_role("dialog").get_by_role("button", name="Reopen").click()
    expect(pane).to_contain_text("since it was opened again")
    expect(page.locator(".alert")).to_have_count(0)
    expect(page.get_by_text("It is open again, and stands among the open alerts.")).to_be_visible()


@pytest.mark.parametrize(("role", "deeds"), [
    ("operator", {"acknowledge", "take", "note"}),
    ("auditor", {"note"}),
    ("shift_manager", {"acknowledge", "take", "resolve", "note"}),
])  # fmt: skip
def test_the_desk_offers_what_the_role_may_do(
    console: ConsoleServer, visitor: Visitor, role: Role, deeds: set[str]
) -> None:
    finding = made_up_finding(8000 + len(role), message=f"For the {role}.")
    console.raise_findings([finding])
    await_that(lambda: console.parts.live.floor.alerts.get(finding.id), "the alert is there")
    page = visitor.page(console, role, f"/desk?alert={finding.id}")
    expect(page.locator(".alert-pane")).to_contain_text(f"For the {role}.")
    offered = page.locator("[data-deed]").evaluate_all("nodes => nodes.map(node => node.dataset.deed)")
    assert set(offered) == deeds


def test_alerts_are_handed_over_at_the_end_of_a_shift(console: ConsoleServer, visitor: Visitor) -> None:
    finding = made_up_finding(9000, message="To be handed over.")
    console.raise_findings([finding])
    await_that(lambda: console.parts.live.floor.alerts.get(finding.id), "the alert is there")
    page = visitor.page(console, "shift_manager", f"/desk?alert={finding.id}")
    page.locator(".deeds").get_by_role("button", name="Take").click()
    expect(page.locator(".steps")).to_contain_text("taken")
    page.get_by_label("Filter alerts").fill("handed over")
    expect(page.locator(".alert")).to_contain_text("shift-manager")
    page.locator(".deeds").get_by_role("button", name="Hand over").click()
    page.get_by_role("dialog").get_by_label("To").select_option("operator")
    page.get_by_role("dialog").get_by_role("button", name="Hand over").click()
    expect(page.locator(".steps")).to_contain_text("to operator")


def test_people_and_access_log_for_the_administrator(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "administrator", "/people")
    page.get_by_label("Name").fill("new.person")
    page.get_by_label("First password").fill("a good long password")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("tbody")).to_contain_text("new.person")
    page.locator("tr", has_text="new.person").get_by_role("button", name="Disable").click()
    expect(page.locator("tr", has_text="new.person")).to_contain_text("disabled")
    expect(page.get_by_label("Role of administrator")).to_be_disabled()
    page.get_by_role("link", name="Access log").click()

    def logged() -> bool:
        page.get_by_role("button", name="Look again").click()
        page.wait_for_timeout(300)
        return "added a person" in page.locator("main").inner_text()

    await_that(logged, "it is in the access log")


@pytest.mark.parametrize("role", ROLES)
def test_a_page_for_other_roles_says_so(console: ConsoleServer, visitor: Visitor, role: Role) -> None:
    if role == "administrator":
        return
    page = visitor.page(console, role, "/people")
    expect(page.locator("main")).to_contain_text(f"not for the role {name_of(role).replace('-', ' ')}")


def test_the_other_look_is_kept(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "operator", "/", theme="light")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.get_by_role("button", name="Dark").click()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_on_the_big_screen_the_last_result_has_its_room_beside_three_counts(
    console: ConsoleServer, visitor: Visitor
) -> None:
    page = visitor.page(console, "operator")
    expect(page.locator(".tile").first).to_be_visible()
    page.keyboard.press("b")
    expect(page.locator(".big .tile").first).to_be_visible()
    wide = page.locator(".tile").first.evaluate(
        """tile => {
          const marks = [...tile.querySelectorAll(".marks .sev")];
          marks.forEach((mark, place) => {
            mark.textContent = place;
            mark.className = `sev ${["critical", "high", "medium", "low"][place]}${place ? "" : " none"}`;
          });
          const result = tile.querySelector(".result");
          return ["Tie 10–10", "Dragon 10–10", "Unverifiable"].map(words => {
            result.textContent = words;
            return [words, result.scrollWidth - result.clientWidth];
          });
        }"""
    )
    assert wide == [["Tie 10–10", 0], ["Dragon 10–10", 0], ["Unverifiable", 0]]
