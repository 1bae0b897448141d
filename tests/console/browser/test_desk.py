"""The alert desk in a real browser: what its lists say, what stands beside them, and what a resolution asks for."""

import re
import time
from dataclasses import replace
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from console.auth.roles import Role
from schemas.findings import Finding
from streams.alerting.acts import SystemAct
from streams.alerting.desk import Done, perform, record_raised
from streams.alerting.raising import UNKNOWN_PLACE, alert_of
from streams.alerting.standstill import CODE as NOT_JUDGED
from tests.console.browser.conftest import Visitor
from tests.console.house import ConsoleServer, await_that, made_up_finding

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def raise_all(console: ConsoleServer, *findings: Finding) -> None:
    """They are on the desk."""
    console.raise_findings(list(findings))
    for each in findings:
        await_that(partial(console.parts.live.floor.alerts.get, each.id), "the alert is there")


def resolve(console: ConsoleServer, finding: Finding, role: Role, disposition: str) -> None:
    """Somebody resolves it at another desk."""
    with console.client(role) as client:
        answer = client.post(
            f"/api/v1/alerts/{finding.id}/resolve", json={"disposition": disposition, "note": "Looked at it."}
        )
    assert answer.status_code == 200, answer.text


def listed(page: Page) -> list[str]:
    """The alerts of the queue from above."""
    return list(page.locator(".alert").evaluate_all("nodes => nodes.map(node => node.dataset.alert)"))


def test_the_closed_ones_are_listed_last_closed_first_with_who_closed_them_and_when(
    console: ConsoleServer, visitor: Visitor
) -> None:
    worst = made_up_finding(9301, message="To be closed in turn, the worst.")
    least = made_up_finding(9302, "position-not-on-layout", message="To be closed in turn, the least.")
    gone = made_up_finding(9303, "too-many-wagers", message="To be closed in turn, by itself.")
    raise_all(console, gone, least, worst)
    resolve(console, worst, "shift_manager", "false alarm")
    resolve(console, least, "administrator", "training")
    console.raise_findings([replace(gone, cleared=True)])
    board = console.parts.live.floor.alerts
    await_that(lambda: (known := board.get(gone.id)) and not known.open, "it is taken back")
    page = visitor.page(console, "shift_manager", "/desk")
    page.get_by_label("Filter alerts").fill("closed in turn")
    page.get_by_label("State").select_option("closed")
    expect(page.locator(".alert")).to_have_count(3)
    assert listed(page) == [gone.id, least.id, worst.id]
    when = r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d"
    expect(page.locator(".alert .clock").first).to_have_text(re.compile("^closed .* ago$"))
    expect(page.locator(".alert-foot")).to_have_text([
        re.compile(f"cleared by a later fact, {when}$"),
        re.compile(f"resolved as training by administrator, {when}$"),
        re.compile(f"resolved as false alarm by shift-manager, {when}$"),
    ])  # fmt: skip
    waited = page.locator(".alert-pane .waited")
    page.locator(".alert").first.click()
    expect(waited).to_have_text(re.compile(f"^Cleared by a later fact, {when}.$"))
    page.locator(".alert").last.click()
    expect(waited).to_have_text(re.compile(f"^Resolved: false alarm, by shift-manager, {when}.$"))


def test_what_others_close_or_reopen_comes_into_the_closed_ones_and_goes_by_itself(
    console: ConsoleServer, visitor: Visitor
) -> None:
    first, second = (made_up_finding(number, message="Closed while looked at.") for number in (9305, 9306))
    raise_all(console, first, second)
    resolve(console, first, "administrator", "test")
    page = visitor.page(console, "shift_manager", "/desk")
    page.get_by_label("Filter alerts").fill("closed while looked at")
    page.get_by_label("State").select_option("closed")
    expect(page.locator(".alert")).to_have_count(1)
    resolve(console, second, "administrator", "training")
    expect(page.locator(".alert")).to_have_count(2)
    assert listed(page) == [second.id, first.id]
    with console.client("administrator") as client:
        answer = client.post(f"/api/v1/alerts/{first.id}/reopen", json={"note": "The video shows otherwise."})
    assert answer.status_code == 200, answer.text
    expect(page.locator(".alert")).to_have_count(1)
    assert listed(page) == [second.id]


def take(console: ConsoleServer, finding: Finding, role: Role) -> None:
    """Somebody takes it at another desk."""
    with console.client(role) as client:
        answer = client.post(f"/api/v1/alerts/{finding.id}/take")
    assert answer.status_code == 200, answer.text


def page_of_what_is_taken(console: ConsoleServer, visitor: Visitor, number: int, by: Role, seen_by: Role) -> Page:
    """An alert that one has taken, at the desk of another."""
    finding = made_up_finding(number, message="Somebody has it.")
    raise_all(console, finding)
    take(console, finding, by)
    return visitor.page(console, seen_by, f"/desk?alert={finding.id}")


def test_an_operator_is_offered_nothing_that_would_be_refused_of_what_somebody_else_has(
    console: ConsoleServer, visitor: Visitor
) -> None:
    page = page_of_what_is_taken(console, visitor, 9351, "shift_manager", "operator")
    expect(page.locator(".alert-pane .waited")).to_contain_text("shift-manager has it")
    offered = page.locator("[data-deed]").evaluate_all("nodes => nodes.map(node => node.dataset.deed)")
    assert offered == ["note"]


def test_what_was_typed_stays_where_it_was_refused(console: ConsoleServer, visitor: Visitor) -> None:
    finding = made_up_finding(9352, message="Taken while somebody typed.")
    raise_all(console, finding)
    page = visitor.page(console, "shift_manager", f"/desk?alert={finding.id}")
    pane, dialog = page.locator(".alert-pane"), page.get_by_role("dialog")
    pane.get_by_role("button", name="Resolve").click()
    dialog.get_by_label("What was it?").select_option("confirmed")
    dialog.get_by_label("What was found").fill("Many words about it.")
    take(console, finding, "operator")
    dialog.get_by_role("button", name="Resolve").click()
    expect(dialog.get_by_role("alert")).to_have_text(
        "It is taken by operator. Take it over first: press Take over, or hand it over to yourself."
    )
    expect(dialog.get_by_label("What was found")).to_have_value("Many words about it.")
    dialog.get_by_role("button", name="Cancel").click()
    expect(pane.get_by_role("button", name="Take over")).to_be_visible()


def test_the_closed_ones_are_found_by_who_closed_them(console: ConsoleServer, visitor: Visitor) -> None:
    finding = made_up_finding(9304, message="One for its closer.")
    raise_all(console, finding)
    resolve(console, finding, "administrator", "test")
    page = visitor.page(console, "shift_manager", "/desk")
    page.get_by_label("State").select_option("closed")
    page.get_by_label("Filter alerts").fill("administrator")
    expect(page.locator(f"[data-alert='{finding.id}']")).to_be_visible()


@pytest.mark.parametrize("to", ["closed", "mine"])
def test_a_list_that_the_chosen_alert_is_not_in_has_none_chosen(
    console: ConsoleServer, visitor: Visitor, to: str
) -> None:
    finding = made_up_finding(9310 + len(to), message=f"Open, and not {to}.")
    raise_all(console, finding)
    page = visitor.page(console, "shift_manager", f"/desk?alert={finding.id}")
    pane = page.locator(".alert-pane")
    expect(pane.locator(".steps li").or_(pane.get_by_text("nothing yet")).first).to_be_visible()
    page.get_by_label("State").select_option(to)
    expect(pane).to_have_text(re.compile("^Choose an alert"))
    expect(page).to_have_url(re.compile("/desk$"))
    page.get_by_label("State").select_option("open")
    expect(page.locator(f"[data-alert='{finding.id}']")).to_be_visible()
    expect(page.locator("[aria-current=true][data-alert]")).to_have_count(0)


def test_a_list_that_the_chosen_alert_is_in_keeps_it(console: ConsoleServer, visitor: Visitor) -> None:
    finding = made_up_finding(9320, message="Chosen in both lists.")
    raise_all(console, finding)
    page = visitor.page(console, "shift_manager", f"/desk?alert={finding.id}")
    pane = page.locator(".alert-pane")
    expect(pane).to_contain_text("Chosen in both lists.")
    page.get_by_label("Filter alerts").fill("in both lists")
    page.get_by_label("State").select_option("unattended")
    page.get_by_label("Severity").select_option("critical")
    expect(page.locator("[aria-current=true][data-alert]")).to_have_attribute("data-alert", finding.id)
    expect(pane).to_contain_text("Chosen in both lists.")
    page.get_by_label("Severity").select_option("low")
    expect(pane).to_have_text(re.compile("^Choose an alert"))


def test_what_was_just_acknowledged_is_mine_before_the_stream_tells_of_it(
    console: ConsoleServer, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = made_up_finding(9325, message="Mine at once.")
    raise_all(console, finding)
    page = visitor.page(console, "shift_manager", f"/desk?alert={finding.id}")
    pane = page.locator(".alert-pane")
    expect(page.locator(f"[data-alert='{finding.id}']")).to_be_visible()
    monkeypatch.setattr(console.parts.live, "tick", lambda: None)
    pane.get_by_role("button", name="Acknowledge").click()
    expect(pane).to_contain_text("Acknowledged by shift-manager")
    page.get_by_label("State").select_option("mine")
    expect(page.locator("#total")).to_contain_text("mine")
    expect(pane).to_contain_text("Acknowledged by shift-manager")
    monkeypatch.undo()
    expect(page.locator(f"[data-alert='{finding.id}']")).to_have_attribute("aria-current", "true")


def test_resolving_needs_a_choice_and_none_is_made_beforehand(console: ConsoleServer, visitor: Visitor) -> None:
    finding = made_up_finding(9330, message="What was this?")
    raise_all(console, finding)
    page = visitor.page(console, "shift_manager", f"/desk?alert={finding.id}")
    pane, dialog = page.locator(".alert-pane"), page.get_by_role("dialog")
    pane.get_by_role("button", name="Resolve").click()
    chosen = dialog.get_by_label("What was it?")
    expect(chosen).to_have_value("")
    dialog.get_by_label("What was found").fill("Nothing yet.")
    dialog.get_by_role("button", name="Resolve").click()
    expect(dialog).to_be_visible()
    expect(chosen).to_be_focused()
    known = console.parts.live.floor.alerts.get(finding.id)
    assert known is not None and known.open
    chosen.select_option("training")
    dialog.get_by_role("button", name="Resolve").click()
    expect(pane).to_contain_text("Resolved: training")


def test_resolving_needs_a_choice_by_the_keyboard_too(console: ConsoleServer, visitor: Visitor) -> None:
    finding = made_up_finding(9331, message="What was this, by keys?")
    raise_all(console, finding)
    page = visitor.page(console, "shift_manager", f"/desk?alert={finding.id}")
    pane, dialog = page.locator(".alert-pane"), page.get_by_role("dialog")
    expect(pane.locator("[data-deed=resolve]")).to_be_visible()
    page.keyboard.press("r")
    chosen = dialog.get_by_label("What was it?")
    expect(chosen).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.type("Typed.")
    for key in ("Tab", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(chosen).to_be_focused()
    page.keyboard.type("false")
    for key in ("Tab", "Tab", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(pane).to_contain_text("Resolved: false alarm")


def test_a_command_in_the_advice_is_shown_as_one(console: ConsoleServer, visitor: Visitor) -> None:
    # The alert service raises it, of no finding.
    alert = replace(alert_of(made_up_finding(9340), UNKNOWN_PLACE, time.time_ns() // 1_000_000, {}), code=NOT_JUDGED)
    record_raised(console.parts.store, [alert])
    await_that(lambda: console.parts.live.floor.alerts.get(alert.id), "the alert is there")
    page = visitor.page(console, "shift_manager", f"/desk?alert={alert.id}")
    advice = page.locator(".alert-pane .advice")
    expect(advice.locator("code")).to_have_text("tablewatch doctor")
    expect(advice).to_contain_text("tablewatch doctor says whether")
    expect(advice).not_to_contain_text("`")


def test_an_alert_about_many_tables_names_all_and_is_found_by_each(console: ConsoleServer, visitor: Visitor) -> None:
    tables = [f"STILL{number:02d}" for number in range(1, 14)]
    alert = alert_of(made_up_finding(9341), UNKNOWN_PLACE, time.time_ns() // 1_000_000, {})
    record_raised(console.parts.store, [replace(alert, table=None, code=NOT_JUDGED, detail={"tables": tables})])
    await_that(lambda: console.parts.live.floor.alerts.get(alert.id), "the alert is there")
    page = visitor.page(console, "shift_manager", "/desk")
    page.get_by_label("Filter alerts").fill(tables[-1])
    page.locator(".alert").click()
    expect(page.locator(".alert-pane .facts")).to_contain_text(f"Tables{', '.join(tables)}")
    expect(page.locator(".alert-pane .facts").get_by_role("link", name=tables[-1])).to_be_visible()


def test_whom_an_escalation_called_is_not_said_to_have_escalated(console: ConsoleServer, visitor: Visitor) -> None:
    finding = made_up_finding(9342, message="For the next one.")
    raise_all(console, finding)
    act = SystemAct(deed="escalate", at=time.time_ns() // 1_000, role="shift_manager")
    known = console.parts.live.floor.alerts.get(finding.id)
    assert isinstance(perform(console.parts.store, finding.id, act, known.alert if known else None), Done)
    page = visitor.page(console, "shift_manager", f"/desk?alert={finding.id}")
    expect(page.locator(".steps")).to_contain_text("escalated to the shift manager")
    expect(page.locator(".steps")).not_to_contain_text("(Shift manager)")


def test_what_is_shown_as_a_command_is_never_read_as_markup(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "shift_manager", "/desk")
    expect(page.locator("#total")).to_contain_text("open")
    told = page.evaluate(
        """async () => {
          const { coded } = await import("/static/coded.js");
          const node = document.createElement("p");
          node.append(...coded("a `<b>x</b>` <i>y</i> `z` and a lone ` one"));
          return [node.innerHTML, coded("plain"), coded("").length];
        }"""
    )
    assert told == [
        "a <code>&lt;b&gt;x&lt;/b&gt;</code> &lt;i&gt;y&lt;/i&gt; <code>z</code> and a lone ` one",
        ["plain"],
        0,
    ]


def test_after_a_reopened_alert_is_taken_the_keys_go_on_from_where_it_stood(
    console: ConsoleServer, visitor: Visitor
) -> None:
    findings = [made_up_finding(9470 + n, message="Reopened among others.") for n in range(3)]
    raise_all(console, *findings)
    page = visitor.page(console, "shift_manager", "/desk")
    page.get_by_label("Filter alerts").fill("reopened among others")
    expect(page.locator(".alert")).to_have_count(3)
    _, middle, last = listed(page)
    resolve(console, next(each for each in findings if each.id == middle), "shift_manager", "test")
    expect(page.locator(".alert")).to_have_count(2)
    page.get_by_label("State").select_option("closed")
    page.locator(f"[data-alert='{middle}']").click()
    page.locator(".alert-pane").get_by_role("button", name="Reopen").click()
    page.get_by_role("dialog").get_by_role("textbox").fill("The video shows otherwise.")
    page.get_by_role("dialog").get_by_role("button", name="Reopen").click()
    expect(page.get_by_text("It is open again")).to_be_visible()
    page.get_by_label("State").select_option("open")
    expect(page.locator(".alert")).to_have_count(3)
    expect(page.locator(".alert[aria-current]")).to_have_attribute("data-alert", middle)
    page.keyboard.press("t")
    expect(page.locator(".alert-pane")).to_contain_text("shift-manager has it")
    expect(page.locator(".alert").last).to_have_attribute("data-alert", middle)
    page.keyboard.press("j")
    expect(page.locator(".alert[aria-current]")).to_have_attribute("data-alert", last)


def test_age_and_time_left_of_an_alert_are_no_more_than_its_escalation_takes(
    console: ConsoleServer, visitor: Visitor
) -> None:
    page = visitor.page(console, "operator", "/desk")
    told = page.evaluate(
        "async (all) => { const { age } = await import('/static/format.js'); return all.map((ms) => age(ms)); }",
        [161_000, 119_900, 7_199_000, 47 * 3_600_000 + 3_599_000],
    )
    assert told == ["2 min", "119 s", "119 min", "47 h"]
