"""What goes wrong is said on the page: never a blank, never a trace, never an old number shown as fresh."""

import re
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import APIResponse, Route, expect

from console.live import room
from console.live.filling import Filling
from console.server import waiting
from simulator.floor import simulate
from store.connect import Store
from streams.broker_url import EmbeddedLog
from streams.publish import publish
from streams.topics import create
from tests.console.browser.conftest import Visitor
from tests.console.browser.test_desk import raise_all, take
from tests.console.house import (
    NOWHERE,
    ConsoleServer,
    await_that,
    console_on_a_store_of_its_own,
    console_server,
    impatient,
    made_up_finding,
)
from tests.streams.pipeline import Pipeline

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_workers_that_have_stopped_are_told_of_until_they_work_again(
    ground: Pipeline, visitor: Visitor, tmp_path: Path
) -> None:
    waiting = [40]
    store = impatient(ground.environment["TABLEWATCH_CLICKHOUSE_URL"])
    with console_server(tmp_path, ground.broker, store, lag=lambda: waiting[0], stalled_seconds=0.5) as server:
        page = visitor.page(server, "operator")
        expect(page.locator(".notice.bad")).to_contain_text("Pipeline stopped: 40 records wait")
        expect(page.locator(".notice.bad")).to_contain_text(re.compile(r"\(for \d+(\.\d)? (s|min)\)$"))
        expect(page.locator(".tile").first).to_be_visible()
        expect(page.locator("#pulse")).to_have_text(re.compile(r"^not judged \d"))
        waiting[0] = 0
        expect(page.locator(".notice")).to_have_count(0)
        expect(page.locator("#pulse")).to_have_text("live")


def test_results_are_marked_as_old_while_nobody_judges(ground: Pipeline, visitor: Visitor, tmp_path: Path) -> None:
    waiting = [40]
    store = impatient(ground.environment["TABLEWATCH_CLICKHOUSE_URL"])
    with console_server(tmp_path, ground.broker, store, lag=lambda: waiting[0], stalled_seconds=0.5) as server:
        page = visitor.page(server, "operator")
        result = page.locator(".tile .result", has_text=re.compile("–")).first
        expect(result).to_have_attribute("title", "Of an earlier round: nobody judges.")
        before = "node => getComputedStyle(node, '::before').content"
        assert (result.evaluate(before), result.evaluate("node => getComputedStyle(node).opacity")) == (
            '"old: "',
            "0.62",
        )
        result.click()
        for panel in ("roads", "rounds"):
            expect(page.locator(f".panel.{panel} h2")).to_contain_text("old: nobody judges")
            expect(page.locator(f".panel.{panel} .body")).to_have_css("opacity", "0.62")
        expect(page.locator(".panel.cards .body")).to_have_css("opacity", "1")
        waiting[0] = 0
        expect(page.locator("body.unjudged")).to_have_count(0)
        expect(page.locator(".panel.roads h2")).not_to_contain_text("old")
        page.get_by_role("link", name="Wall").click()
        expect(result).not_to_have_attribute("title", re.compile("earlier"))
        assert result.evaluate(before) == "none"


def test_nothing_is_called_live_before_it_is_known_whether_it_is_judged(
    ground: Pipeline, visitor: Visitor, tmp_path: Path
) -> None:
    asked = Event()
    store = impatient(ground.environment["TABLEWATCH_CLICKHOUSE_URL"])
    with console_server(tmp_path, ground.broker, store, lag=lambda: int(not asked.wait(60))) as server:
        try:
            page = visitor.page(server, "operator")
            expect(page.locator(".tile").first).to_be_visible()
            expect(page.locator("#pulse")).to_have_text("connecting")
            expect(page.locator("#pulse")).to_have_class("pulse warn")
        finally:
            asked.set()
        expect(page.locator("#pulse")).to_have_text("live")
        expect(page.locator("#pulse")).to_have_class("pulse good")


def test_a_console_that_is_started_again_is_called_live_when_its_floor_is_filled(
    ground: Pipeline, visitor: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = impatient(ground.environment["TABLEWATCH_CLICKHOUSE_URL"])
    with console_server(tmp_path, ground.broker, store) as server:
        page = visitor.page(server, "operator")
        expect(page.locator("#pulse")).to_have_text("live")
        server.stop()
        port = server.port
    read = Event()

    def read_late(asked: Store) -> Filling:
        read.wait(60)
        return Filling(asked)

    monkeypatch.setattr(room, "Filling", read_late)
    with console_server(tmp_path, ground.broker, store, port=port) as server:
        try:
            health = server.parts.live.health
            await_that(lambda: health.feed.state == health.workers.state == health.store.state == "ok", "all is well")
            expect(page.locator("#pulse")).to_have_text("connecting")
            assert not health.ready
        finally:
            read.set()
        expect(page.locator("#pulse")).to_have_text("live")
        expect(page.locator(".tile").first).to_be_visible()
        page.close()


def test_a_store_that_is_away_leaves_the_floor_live_and_acts_waiting(
    ground: Pipeline, visitor: Visitor, tmp_path: Path
) -> None:
    with console_server(tmp_path, ground.broker, impatient(NOWHERE)) as server:
        server.raise_findings([made_up_finding(11_000, message="While the store is away.")])
        page = visitor.page(server, "shift_manager", "/desk")
        expect(page.locator(".notice.bad")).to_contain_text("Store away")
        page.locator(".alert", has_text="While the store is away.").click()
        expect(page.locator(".alert-pane")).to_contain_text("The store is away")
        expect(page.locator(".alert-pane")).to_contain_text("What to do")
        page.locator(".alert-pane").get_by_role("button", name="Acknowledge").click()
        expect(page.locator("#toast")).to_contain_text("The store is away")
        page.get_by_role("link", name="Wall").click()
        page.locator(".tile").first.click()
        expect(page.locator(".panel.hold")).to_contain_text("The store is away")
        expect(page.locator(".panel.bets")).to_be_visible()


def test_an_act_that_was_lost_while_the_store_hung_is_told_with_the_words_that_were_written(
    visitor: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever did it may have gone on to another page, or loaded it anew."""
    monkeypatch.setattr(waiting, "ANSWER_SECONDS", 5.0)
    with console_on_a_store_of_its_own(tmp_path) as (server, clickhouse):
        server.raise_findings([made_up_finding(11_001, message="While the store hangs.")])
        page = visitor.page(server, "shift_manager", "/desk")
        page.locator(".alert", has_text="While the store hangs.").click()
        expect(page.locator(".alert-pane")).to_contain_text("nothing yet")
        clickhouse.pause()
        try:
            page.locator(".alert-pane").get_by_role("button", name="Resolve").click()
            dialog = page.get_by_role("dialog")
            dialog.get_by_label("What was it?").select_option("confirmed")
            dialog.get_by_label("What was found").fill("Paid again at the cage.")
            dialog.get_by_role("button", name="Resolve").click()
            # Pressed again it would be another act.
            expect(dialog).to_have_count(0)
            expect(page.locator("#toast")).to_contain_text("The store does not answer: whether this counts is told")
            page.get_by_role("link", name="Wall").click()
            lost = page.locator(".notice.act")
            expect(lost).to_contain_text("Does not count: “resolve”")
        finally:
            clickhouse.resume()
        page.reload()
        expect(lost).to_contain_text("at late-bet of BT01")
        expect(lost).to_contain_text("Your note was: “Paid again at the cage.”")
        lost.get_by_role("link", name="Look at it").click()
        expect(page.locator(".alert-pane .message")).to_have_text("While the store hangs.")
        lost.get_by_role("button", name="Seen").click()
        expect(lost).to_have_count(0)
        page.reload()
        expect(page.locator(".alert-pane .message")).to_have_text("While the store hangs.")
        expect(lost).to_have_count(0)


def test_why_an_act_does_not_count_ends_with_one_full_stop(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "shift_manager", "/desk")
    expect(page.locator("#total")).to_contain_text("open")
    told = page.evaluate(
        """async () => {
          const { UncertainActs } = await import("/static/uncertain-acts.js");
          const act = { id: "1", alert: "2", deed: "resolve", note: "Paid.", at: 0, outcome: "does not count" };
          const acts = new UncertainActs(() => null);
          const why = ["anna resolved it as confirmed.", "the store did not take it"];
          acts.lost = why.map((reason) => ({ ...act, reason }));
          return acts.notices().map((notice) => notice.textContent);
        }"""
    )
    assert "— anna resolved it as confirmed. Your note was: “Paid.”" in told[0]
    assert "— the store did not take it. Your note was: “Paid.”" in told[1]


def test_of_several_handed_over_what_is_uncertain_is_not_asked_for_again(
    console: ConsoleServer, visitor: Visitor
) -> None:
    findings = [made_up_finding(number, message="Left to a store that hangs.") for number in (12_020, 12_021)]
    raise_all(console, *findings)
    for finding in findings:
        take(console, finding, "operator")
    page = visitor.page(console, "operator", "/desk")
    dialog, toast = page.get_by_role("dialog"), page.locator("#toast")
    page.route(
        f"**/{findings[0].id}/hand-over",
        lambda route: route.fulfill(status=504, json={"detail": "whether this counts is told"}),
    )
    page.get_by_label("State").select_option("mine")
    expect(page.locator(".alert", has_text="to a store that hangs")).to_have_count(2)
    page.get_by_role("button", name="Hand over my alerts").click()
    dialog.get_by_label("To").select_option("shift-manager")
    dialog.get_by_role("button", name="Hand over").click()
    expect(dialog).to_have_count(0)
    expect(toast).to_have_text(re.compile(r"^\d+ handed over to shift-manager\. Whether this counts is told\.$"))


def test_topics_that_cannot_be_read_are_told_of(visitor: Visitor, tmp_path: Path) -> None:
    nothing = EmbeddedLog(tmp_path / "no log")
    with console_server(tmp_path, nothing, impatient(NOWHERE)) as server:
        page = visitor.page(server, "operator")
        expect(page.locator(".notice", has_text="No live data")).to_be_visible()
        expect(page.locator("main")).to_contain_text("Waiting for the floor")


def test_a_page_whose_console_is_gone_says_how_old_it_is_and_comes_back(
    ground: Pipeline, visitor: Visitor, tmp_path: Path
) -> None:
    store = impatient(ground.environment["TABLEWATCH_CLICKHOUSE_URL"])
    with console_server(tmp_path, ground.broker, store) as server:
        page = visitor.page(server, "operator")
        expect(page.locator(".tile").first).to_be_visible()
        server.stop()
        port = server.port
    expect(page.locator(".notice.bad")).to_contain_text("The console does not answer. What is shown is")
    expect(page.locator("#pulse")).to_contain_text("stale")
    expect(page.locator(".tile.quiet").first).to_be_visible()
    with console_server(tmp_path, ground.broker, store, port=port):
        expect(page.locator("#pulse")).to_have_text("live", timeout=60_000)
        expect(page.locator(".notice", has_text="does not answer")).to_have_count(0)
        page.close()


def test_while_the_console_is_gone_no_table_is_counted_as_not_heard(visitor: Visitor, tmp_path: Path) -> None:
    broker = EmbeddedLog(tmp_path / "log")
    create(broker)
    with console_server(tmp_path, broker, impatient(NOWHERE)) as server:
        page = visitor.page(server, "operator")
        page.clock.install()
        page.reload()
        publish(simulate(2, 1, 1), broker)
        expect(page.locator("#summary")).to_contain_text("2 tables")
        expect(page.locator("#summary")).to_contain_text("0 not heard")
        expect(page.locator(".tile")).to_have_count(2)
        server.stop()
    page.clock.run_for(60_000)
    expect(page.locator("#pulse")).to_contain_text("stale")
    expect(page.locator(".tile.quiet").first).to_be_visible()
    expect(page.locator("#summary")).to_contain_text("0 not heard")
    page.close()


def test_a_thousand_alerts_at_once_are_shown_worst_first_and_counted(
    ground: Pipeline, visitor: Visitor, tmp_path: Path
) -> None:
    store = impatient(ground.environment["TABLEWATCH_CLICKHOUSE_URL"])
    with console_server(tmp_path, ground.broker, store) as server:
        page = visitor.page(server, "shift_manager", "/desk")
        expect(page.locator("#pulse")).to_have_text("live")
        low = [made_up_finding(n, "position-not-on-layout", table="MANY") for n in range(1, 1001)]
        server.raise_findings([*low, made_up_finding(1, "payout-wrong", table="MANY", message="The one that counts.")])
        expect(page.locator("#bubble")).to_have_text(re.compile(r"^1,\d{3}$"))
        page.get_by_label("Filter alerts").fill("many")
        expect(page.locator("#total")).to_have_text("1,001 open")
        expect(page.locator(".alert").first).to_contain_text("The one that counts.")
        expect(page.locator("main")).to_contain_text("801 more")


def test_the_second_to_acknowledge_is_told_who_was_first(console: ConsoleServer, visitor: Visitor) -> None:
    finding = made_up_finding(12_000, message="For two people.")
    console.raise_findings([finding])
    await_that(lambda: console.parts.live.floor.alerts.get(finding.id), "the alert is there")
    first = visitor.page(console, "operator", f"/desk?alert={finding.id}")
    second = visitor.page(console, "shift_manager", f"/desk?alert={finding.id}")
    acknowledge = second.get_by_role("button", name="Acknowledge")
    expect(acknowledge).to_be_visible()
    first.get_by_role("button", name="Acknowledge").click()
    expect(first.locator(".alert-pane")).to_contain_text("Acknowledged by operator")
    with second.expect_response(re.compile("/acknowledge$")) as answered:
        second.evaluate(
            "path => import('/static/api.js').then(api => api.post(path)).catch(() => null)",
            f"/api/v1/alerts/{finding.id}/acknowledge",
        )
    assert answered.value.status == 409
    assert "operator" in answered.value.json()["detail"]
    expect(second.locator(".alert-pane")).to_contain_text("Acknowledged by operator")


def test_an_answer_that_an_act_has_overtaken_takes_nothing_back(console: ConsoleServer, visitor: Visitor) -> None:
    finding = made_up_finding(12_500, message="For a slow line.")
    console.raise_findings([finding])
    await_that(lambda: console.parts.live.floor.alerts.get(finding.id), "the alert is there")
    page = visitor.page(console, "operator", f"/desk?alert={finding.id}")
    expect(page.locator(".alert-pane")).to_contain_text("For a slow line.")
    late: list[tuple[Route, APIResponse]] = []
    page.route(f"**/api/v1/alerts/{finding.id}", lambda route: late.append((route, route.fetch())))
    with page.expect_request(f"**/api/v1/alerts/{finding.id}"):
        page.locator(".alert", has_text="For a slow line.").click()
    # Asking the page lets the browser's own messages through, of which the held answer is one.
    await_that(lambda: page.evaluate("true") and late, "the alert was read")
    page.locator(".deeds").get_by_role("button", name="Take").click()
    expect(page.locator(".steps")).to_contain_text("taken")
    route, answer = late[0]
    assert answer.json()["state"] == "raised"
    with page.expect_response(f"**/api/v1/alerts/{finding.id}"):
        route.fulfill(response=answer)
    assert "taken" in page.locator(".steps").inner_text()
    page.unroute_all(behavior="ignoreErrors")


def test_keys_act_on_the_alert_just_chosen_however_slow_the_line(console: ConsoleServer, visitor: Visitor) -> None:
    findings = [made_up_finding(number, message=f"Quick keys {number}.") for number in (12_100, 12_101)]
    console.raise_findings(findings)
    page = visitor.page(console, "operator", "/desk")
    page.get_by_label("Filter alerts").fill("quick keys")
    expect(page.locator(".alert")).to_have_count(2)
    page.get_by_label("Filter alerts").blur()
    # Nobody answers what the steps are; acts have paths of their own.
    page.route(re.compile("/api/v1/alerts/[^/]+$"), lambda _route: None)
    for keys in ("ja", "ka"):
        page.keyboard.type(keys)
        chosen = page.locator('.alert[aria-current="true"] .alert-words').inner_text()
        expect(page.locator(".alert-pane .message")).to_have_text(chosen)
        expect(page.locator(".alert-pane")).to_contain_text("Acknowledged by operator")
        expect(page.locator(".alert", has_text=chosen)).to_contain_text("acknowledged")
    pictures = [console.parts.live.floor.alerts.get(finding.id) for finding in findings]
    assert [each and each.state for each in pictures] == ["acknowledged"] * 2
    page.unroute_all(behavior="ignoreErrors")


def test_an_address_that_leads_nowhere_says_so(console: ConsoleServer, visitor: Visitor) -> None:
    page = visitor.page(console, "operator", "/nowhere")
    expect(page.get_by_role("heading")).to_have_text("Not Found")
    page.goto("/tables/NOWHERE")
    expect(page.locator("main")).to_contain_text("Nobody has heard of this table.")
    expect(page.locator(".table-head .pulse")).to_have_text("not heard yet")
    expect(page.locator(".table-grid")).to_be_hidden()
