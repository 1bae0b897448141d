"""Handing alerts over and taking them over in a real browser: from whom, to whom, and what others did meanwhile."""

import time

import pytest
from playwright.sync_api import Route, expect

from streams.alerting.acts import Act
from streams.alerting.desk import Done, perform
from tests.console.browser.conftest import Visitor
from tests.console.browser.test_desk import page_of_what_is_taken, raise_all, take
from tests.console.house import ConsoleServer, made_up_finding

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def give(console: ConsoleServer, alert: str, to: str) -> None:
    """The administrator hands an alert over at another desk."""
    with console.client("administrator") as client:
        answer = client.post(f"/api/v1/alerts/{alert}/hand-over", json={"to": to})
    assert answer.status_code == 200, answer.text


def holder(console: ConsoleServer, alert: str) -> str:
    """Who has it, by the store."""
    with console.client("auditor") as client:
        return str(client.get(f"/api/v1/alerts/{alert}").json()["holder"])


def test_nobody_is_chosen_beforehand_to_hand_over_to(console: ConsoleServer, visitor: Visitor) -> None:
    finding = made_up_finding(9307, message="Whose is this?")
    raise_all(console, finding)
    page = visitor.page(console, "shift_manager", f"/desk?alert={finding.id}")
    pane, dialog = page.locator(".alert-pane"), page.get_by_role("dialog")
    pane.get_by_role("button", name="Take").click()
    expect(pane).to_contain_text("shift-manager")
    pane.get_by_role("button", name="Hand over").click()
    expect(dialog.get_by_label("To")).to_have_value("")
    dialog.get_by_role("button", name="Hand over").click()
    expect(dialog.get_by_label("To")).to_be_focused()
    dialog.get_by_label("To").select_option("operator")
    dialog.get_by_role("button", name="Hand over").click()
    expect(page.get_by_text("1 handed over to operator.")).to_be_visible()


def test_what_is_just_being_taken_is_handed_over_with_the_others(console: ConsoleServer, visitor: Visitor) -> None:
    finding = made_up_finding(9308, message="Taken at the end of a shift.")
    raise_all(console, finding)
    page = visitor.page(console, "shift_manager", f"/desk?alert={finding.id}")
    pane, dialog = page.locator(".alert-pane"), page.get_by_role("dialog")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/take", hold)
    with page.expect_request("**/take"):
        pane.get_by_role("button", name="Take").click()
    page.get_by_role("button", name="Hand over my alerts").click()
    held.pop().continue_()
    dialog.get_by_label("To").select_option("operator")
    dialog.get_by_role("button", name="Hand over").click()
    expect(dialog).to_have_count(0)
    with console.client("operator") as client:
        assert client.get(f"/api/v1/alerts/{finding.id}").json()["holder"] == "operator"


def test_a_shift_manager_takes_over_what_somebody_else_has_and_resolves_it(
    console: ConsoleServer, visitor: Visitor
) -> None:
    page = page_of_what_is_taken(console, visitor, 9350, "operator", "shift_manager")
    pane, dialog = page.locator(".alert-pane"), page.get_by_role("dialog")
    expect(pane.locator(".waited")).to_contain_text("operator has it")
    expect(pane.get_by_role("button", name="Resolve")).to_have_count(0)
    page.keyboard.press("r")
    expect(page.get_by_text("operator has taken this alert: take it over first.")).to_be_visible()
    pane.get_by_role("button", name="Take over").click()
    expect(dialog).to_contain_text("operator has taken this alert")
    dialog.get_by_role("button", name="Take over").click()
    expect(pane.locator(".waited")).to_contain_text("shift-manager has it")
    expect(pane.locator(".steps")).to_contain_text("taken over by shift-manager (Shift manager)")
    pane.get_by_role("button", name="Resolve").click()
    dialog.get_by_label("What was it?").select_option("confirmed")
    dialog.get_by_label("What was found").fill("Paid on the next day.")
    dialog.get_by_role("button", name="Resolve").click()
    expect(pane).to_contain_text("Resolved: confirmed, by shift-manager")


def test_what_a_colleague_takes_over_meanwhile_is_not_handed_over_with_the_others(
    console: ConsoleServer, visitor: Visitor
) -> None:
    kept, gone = (made_up_finding(number, message="Left to others while taken over.") for number in (12_010, 12_011))
    raise_all(console, kept, gone)
    page = visitor.page(console, "shift_manager", "/desk")
    dialog = page.get_by_role("dialog")
    for each in (kept, gone):
        take(console, each, "shift_manager")
    page.get_by_label("Filter alerts").fill("left to others")
    page.get_by_label("State").select_option("mine")
    expect(page.locator(".alert")).to_have_count(2)
    page.get_by_role("button", name="Hand over my alerts").click()
    dialog.get_by_label("To").select_option("operator")
    give(console, gone.id, "administrator")
    dialog.get_by_role("button", name="Hand over").click()
    refused = dialog.get_by_role("alert")
    expect(refused).to_contain_text("handed over to operator. Not handed over:")
    expect(refused.get_by_role("listitem")).to_have_count(1)
    expect(refused).to_contain_text("late-bet of BT01, round 12011: It is with administrator now: administrator")
    assert [holder(console, each.id) for each in (kept, gone)] == ["operator", "administrator"]
    dialog.get_by_role("button", name="Hand over").click()
    expect(refused).to_contain_text("0 handed over to operator. Not handed over:")
    dialog.get_by_role("button", name="Cancel").click()
    expect(page.locator(".alert")).to_have_count(0)


def test_an_alert_is_taken_over_from_nobody_whom_the_dialog_did_not_name(
    console: ConsoleServer, visitor: Visitor
) -> None:
    page = page_of_what_is_taken(console, visitor, 12_012, "operator", "shift_manager")
    pane, dialog = page.locator(".alert-pane"), page.get_by_role("dialog")
    pane.get_by_role("button", name="Take over").click()
    expect(dialog).to_contain_text("operator has taken this alert. It is yours then")
    dialog.get_by_label("Note").fill("He has gone home.")
    alert = page.url.partition("alert=")[2]
    give(console, alert, "administrator")
    dialog.get_by_role("button", name="Take over").click()
    expect(dialog.get_by_role("alert")).to_contain_text("It is with administrator now")
    assert holder(console, alert) == "administrator"
    expect(dialog).to_contain_text("administrator has taken this alert. It is yours then")
    expect(dialog.get_by_label("Note")).to_have_value("He has gone home.")
    dialog.get_by_role("button", name="Take over").click()
    expect(pane.locator(".waited")).to_contain_text("shift-manager has it")


def test_what_others_note_is_read_where_the_alert_is_open(console: ConsoleServer, visitor: Visitor) -> None:
    finding = made_up_finding(9360, message="Two look at this one.")
    raise_all(console, finding)
    pane = visitor.page(console, "operator", f"/desk?alert={finding.id}").locator(".alert-pane")
    expect(pane).to_contain_text("nothing yet")
    with console.client("shift_manager") as client:
        said = client.post(f"/api/v1/alerts/{finding.id}/note", json={"note": "The dealer has been told."})
    assert said.status_code == 200, said.text
    expect(pane).to_contain_text("The dealer has been told.")
    act = Act(deed="note", by="bob", role="auditor", at=time.time_ns() // 1000, note="The video is kept.")
    assert isinstance(perform(console.parts.store, finding.id, act, None), Done)
    expect(pane).to_contain_text("The video is kept.")
