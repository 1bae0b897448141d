"""Search, replay, reports and changes in a real browser, as every role that may, on a desk and on a phone."""

import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from console.auth.roles import Role
from replay.bundle import check_case
from replay.chain.keys import KeyRing
from replay.chain.seal import Sealer
from replay.rounds import load_round
from store.rows.verdicts import JudgedRound
from store.write.verdicts import write_verdicts
from tests.console.browser.conftest import PHONE, SIZES, WATCHING, Visitor, fits
from tests.console.browser.test_accessibility import serious
from tests.console.house import NOWHERE, console_server, impatient
from tests.console.past.evening import SCRIPT, Evening

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def _wrong(evening: Evening) -> JudgedRound:
    """A round in which a payout was wrong."""
    return evening.flagged("payout-wrong")


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize(
    ("role", "path", "column"),
    [
        ("auditor", "/rounds", "House won"),
        ("auditor", "/rounds/{round}", "Stake"),
        ("auditor", "/access", "From"),
        ("administrator", "/people", "Role"),
        ("shift_manager", "/reports?start={start}&end={end}", "Handle"),
    ],
    ids=["rounds", "one-round", "access", "people", "report"],
)
def test_on_a_phone_tables_stand_as_lines_and_nothing_scrolls_sideways(
    evening: Evening, visitor: Visitor, role: Role, path: str, column: str, theme: str
) -> None:
    start, wanted = round(evening.start.timestamp() * 1000), _wrong(evening)
    where = path.format(round=wanted.key, start=start - 60_000, end=start + 10_800_000)
    evening.client("auditor").get("/api/v1/rounds", player=SCRIPT, wager="banker", status="flagged")
    page = visitor.page(evening.server, role, where, PHONE, theme)
    cell = page.locator(f".stacked [data-column='{column}']").first
    expect(cell).to_be_visible()
    assert cell.evaluate("(node) => getComputedStyle(node, '::before').content") == f'"{column}"'
    assert page.get_by_role("columnheader", name=column, exact=True).count()
    wide = page.evaluate(
        "[...document.querySelectorAll('.scroll:has(.stacked)')]"
        ".filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.ariaLabel)"
    )
    assert wide == []
    over = page.evaluate(
        "[...document.querySelectorAll('.stacked :is(td, th)[data-column]')]"
        ".filter((each) => each.scrollHeight > each.clientHeight + 1"
        " || getComputedStyle(each, '::before').whiteSpace !== 'normal').map((each) => each.dataset.column)"
    )
    assert over == [], "the name of a column lies over its value or the next line"
    assert fits(page)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("role", WATCHING)
def test_a_round_is_found_and_opened(evening: Evening, visitor: Visitor, role: Role, size: tuple[int, int]) -> None:
    page = visitor.page(evening.server, role, "/rounds", size)
    expect(page.get_by_role("status").filter(has_text="rounds;")).to_contain_text(f"{len(evening.rounds)} rounds")
    assert (page.get_by_label("Player", exact=True).count() == 1) == (role != "operator")
    wanted = _wrong(evening)
    page.get_by_label("Finding").select_option("payout-wrong")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("table.found tbody tr")).to_have_count(1)
    assert "code=payout-wrong" in page.url
    assert fits(page)
    page.get_by_role("link", name=f"/ {wanted.key.round}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        f"{wanted.key.table} / {wanted.key.shoe} / {wanted.key.round}"
    )


def test_a_search_that_finds_nothing_says_so_and_pages_go_on(evening: Evening, visitor: Visitor) -> None:
    page = visitor.page(evening.server, "auditor", "/rounds?table=NONE")
    expect(page.get_by_text("No round meets this")).to_be_visible()
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("button", name="Earlier rounds").click()
    expect(page.get_by_text(f"51 to {len(evening.rounds)} shown")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("role", WATCHING)
def test_a_round_is_played_back(evening: Evening, visitor: Visitor, role: Role, size: tuple[int, int]) -> None:
    wanted = _wrong(evening)
    page = visitor.page(evening.server, role, f"/rounds/{wanted.key}", size)
    stage = page.locator(".stage")
    expect(stage).to_contain_text("The round is opened")
    assert stage.locator(".playing-card:not(.empty)").count() == 0
    page.get_by_role("button", name="One moment on").click()
    expect(page.locator(".moment.now")).to_have_count(1)
    page.get_by_role("button", name="Last moment").click()
    assert wanted.verdict.outcome is not None
    dealt = sum(map(len, wanted.verdict.outcome.hands.values()))
    expect(stage.locator(".hand .playing-card:not(.empty)")).to_have_count(dealt)
    for hand, total in wanted.verdict.outcome.totals.items():
        expect(stage.locator(f".hand.{hand} .total")).to_have_text(str(total))
    page.get_by_role("button", name="Show the moment").last.click()
    expect(stage.locator(".pinned")).to_contain_text("payout-wrong")
    expect(page.locator(".round-bets tr.wrong")).to_have_count(1)
    expect(page.get_by_role("heading", name="What if")).to_have_count(1 if role == "auditor" else 0)
    expect(page.get_by_role("heading", name="Refund sheet")).to_have_count(0 if role == "operator" else 1)
    assert ("•••" in page.locator(".round-bets").inner_text()) == (role == "operator")
    assert fits(page)


def test_the_keyboard_leads_the_playback(evening: Evening, visitor: Visitor) -> None:
    wanted = _wrong(evening)
    page = visitor.page(evening.server, "auditor", f"/rounds/{wanted.key}")
    clock = page.locator(".clock-of-round")
    expect(clock).to_contain_text("1 / ")
    count = page.locator(".moment").count()
    expect(clock).to_contain_text(f"1 / {count}")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(clock).to_contain_text(f"3 / {count}")
    page.keyboard.press("End")
    expect(clock).to_contain_text(f"{count} / {count}")
    page.keyboard.press("Home")
    page.keyboard.press("f")
    expect(page.locator(".stage .pinned").first).to_be_visible()
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("+")
    expect(page.get_by_label("Speed")).to_have_value("10")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(clock).to_contain_text(f"{count} / {count}")
    expect(page.get_by_role("button", name="Play", exact=False).first).to_be_visible()


def test_a_round_that_is_not_there_says_what_is_near(evening: Evening, visitor: Visitor) -> None:
    key = evening.rounds[0].key
    page = visitor.page(evening.server, "auditor", f"/rounds/{key.table}/{key.shoe}/999")
    expect(page.get_by_text(f"{key.table}/{key.shoe}/")).to_be_visible()


def test_an_auditor_asks_what_if_and_draws_the_refund_sheet(evening: Evening, visitor: Visitor) -> None:
    wanted = next(
        each
        for each in evening.rounds
        if each.verdict.game == "dragon_tiger" and each.verdict.outcome and each.verdict.outcome.winner == "dragon"
    )
    page = visitor.page(evening.server, "auditor", f"/rounds/{wanted.key}")
    page.get_by_role("combobox", name="Draw 1").select_option("AS")
    page.get_by_role("combobox", name="Draw 2").select_option("KS")
    page.get_by_role("button", name="What then?").click()
    answer = page.locator(".round-what-if [role=status]")
    expect(answer).to_contain_text("Outcome: Dragon")
    expect(answer).to_contain_text("Tiger A-K")
    page.get_by_label("Maximum").fill("50")
    page.get_by_role("button", name="What then?").click()
    # A limit without its wager is asked for where it is missing, and the answer to another question is gone.
    expect(page.locator("select[name=wager]:invalid")).to_be_visible()
    expect(answer).to_be_empty()
    configuration = load_round(evening.parts.store, wanted.key).configuration
    assert configuration is not None
    wager, limit = next(iter(configuration.data.limits.items()))
    page.locator("select[name=wager]").select_option(wager)
    expect(page.get_by_label("Minimum")).to_have_value(f"{limit.min / 100:g}")
    expect(page.get_by_label("Maximum")).to_have_value(f"{limit.max / 100:g}")
    page.get_by_role("button", name="Draw the sheet").click()
    moved = [bet.actual for bet in wanted.verdict.bets if bet.actual]
    back = sum(each.collected for each in moved)
    expect(page.locator(".round-refund [role=status]")).to_contain_text(f"the house gives back {back / 100:,.2f}")
    page.get_by_role("button", name="Judge anew").click()
    expect(page.get_by_text("the same verdict, byte for byte")).to_be_visible()


def test_the_refund_sheet_of_a_void_round_begins_with_the_ground_of_its_ruling(
    evening: Evening, visitor: Visitor
) -> None:
    auditor = evening.client("auditor")
    key, ruling = next(
        (each.key, ruling)
        for each in evening.rounds
        if (ruling := auditor.get(f"/api/v1/rounds/{each.key}").json()["void_by"])
        and ruling["ground"] not in (None, "decision")
    )
    page = visitor.page(evening.server, "auditor", f"/rounds/{key}")
    expect(page.get_by_role("combobox", name="Ground")).to_have_value(ruling["ground"])
    expect(page.locator(".round-refund")).to_contain_text(f"declared it void by {ruling['clause']}")
    page.get_by_role("button", name="Draw the sheet").click()
    expect(page.locator(".round-refund [role=status] .cite")).to_contain_text(ruling["clause"])


def test_a_round_is_printed_as_it_stood_in_the_end_without_its_buttons(evening: Evening, visitor: Visitor) -> None:
    wanted = max((each for each in evening.rounds if each.verdict.outcome), key=lambda each: len(each.verdict.bets))
    page = visitor.page(evening.server, "auditor", f"/rounds/{wanted.key}")
    expect(page.locator(".stage")).to_be_visible()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(".stage .playing-card").first).to_be_visible()
    expect(page.get_by_role("button", name="Judge anew")).to_be_hidden()
    expect(page.locator(".moments button").last).to_be_visible()
    # On a sheet of A4 all columns of the bets are there, and no amount is broken.
    page.set_viewport_size({"width": 718, "height": 1000})
    amount = page.locator(".round-bets tbody td.number").first
    assert amount.evaluate("cell => getComputedStyle(cell).whiteSpace") == "nowrap"
    assert page.locator(".round-bets table").evaluate("table => table.scrollWidth <= table.parentElement.clientWidth")


@pytest.mark.parametrize("size", SIZES)
def test_a_change_is_proposed_by_one_and_approved_by_another(
    evening: Evening, visitor: Visitor, size: tuple[int, int]
) -> None:
    value = str(600 + size[0])
    first = visitor.page(evening.server, "administrator", "/changes", size)
    tolerance = first.locator(".subject", has=first.get_by_text("Tolerance (ms)", exact=True))
    tolerance.get_by_text("Propose a change").click()
    tolerance.get_by_label("New value").fill(value)
    tolerance.get_by_label("Reason").fill("Clocks were set.")
    tolerance.get_by_role("button", name="Propose").click()
    expect(first.get_by_text("Another administrator must approve this.")).to_be_visible()
    assert first.get_by_role("button", name="Approve").count() == 0
    assert fits(first)
    second = visitor.page(evening.server, None, "/changes", size)
    second.context.add_cookies(
        [
            {
                "name": "tablewatch",
                "value": evening.parts.sessions.begin("second-admin", "127.0.0.1"),
                "url": evening.server.url,
            }
        ]
    )
    second.reload()
    second.get_by_role("button", name="Approve").click()
    expect(second.get_by_text("Nothing waits.")).to_be_visible()
    expect(second.locator(".subject", has=second.get_by_text("Tolerance (ms)", exact=True))).to_contain_text(value)
    row = second.get_by_role("row", name="Clocks were set.").first
    expect(row).to_contain_text("administrator")
    expect(row).to_contain_text("second-admin")


def test_auditors_see_changes_and_propose_none(evening: Evening, visitor: Visitor) -> None:
    page = visitor.page(evening.server, "auditor", "/changes")
    expect(page.get_by_text("Takes effect").first).to_be_visible()
    assert page.get_by_text("Propose a change").count() == 0


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize(
    "screen", ["/rounds", "/rounds/{round}", "/reports", "/reports/incidents/{finding}", "/changes"]
)
def test_axe_finds_no_serious_fault(evening: Evening, visitor: Visitor, screen: str, theme: str) -> None:
    path = screen.format(round=_wrong(evening).key, finding=evening.alerts[0].id)
    page = visitor.page(evening.server, "administrator" if screen == "/changes" else "auditor", path, theme=theme)
    expect(page.locator("main .panel").first).to_be_visible()
    expect(page.get_by_text("Adding up…")).to_have_count(0)
    assert serious(page) == []


@pytest.mark.parametrize("screen", ["/rounds", "/rounds/BT01/S1/1", "/reports", f"/reports/incidents/{'0' * 32}"])
def test_a_store_that_is_away_is_told_and_not_taken_for_an_empty_one(
    evening: Evening, visitor: Visitor, tmp_path: Path, screen: str
) -> None:
    with console_server(tmp_path, evening.server.broker, impatient(NOWHERE)) as alone:
        page = visitor.page(alone, "auditor", screen)
        expect(page.locator("main")).to_contain_text("The store is away")
        assert "No round" not in page.locator("main").inner_text()


def test_a_script_in_the_name_of_a_player_is_only_text(evening: Evening, visitor: Visitor) -> None:
    wanted = next(each for each in evening.rounds if any(bet.player == SCRIPT for bet in each.verdict.bets))
    page = visitor.page(evening.server, "auditor", f"/rounds/{wanted.key}")
    expect(page.locator(".round-bets")).to_contain_text(SCRIPT)
    page.get_by_role("button", name="Draw the sheet").click()
    expect(page.locator(".round-refund")).to_contain_text(SCRIPT)
    start = round(evening.start.timestamp() * 1000)
    report = visitor.page(evening.server, "auditor", f"/reports?start={start}&end={start + 10_800_000}")
    report.get_by_role("button", name="Players").click()
    expect(report.get_by_role("link", name=SCRIPT)).to_be_visible()
    for each in (page, report):
        assert each.locator("main img").count() == 0


def test_two_revisions_are_compared_on_the_page(evening: Evening, visitor: Visitor) -> None:
    first = next(each for each in reversed(evening.rounds) if each.verdict.status == "verified" and each.verdict.bets)
    for number in (2, 3):
        verdict = replace(first.verdict, revision=number, digest=str(number) * 64)
        write_verdicts(evening.parts.store, [replace(first, verdict=verdict, judged=first.judged + number)])
    page = visitor.page(evening.server, "auditor", f"/rounds/{first.key}")
    page.get_by_role("button", name="Compare", exact=True).click()
    row = page.locator(".round-revisions [role=status] tbody tr")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("digest")


def test_a_bundle_that_is_refused_says_why_and_is_drawn_once_the_round_is_sealed(
    evening_of_its_own: Evening, visitor: Visitor, tmp_path: Path
) -> None:
    evening = evening_of_its_own
    wanted = next(each for each in evening.rounds if each.verdict.status == "verified" and each.verdict.bets)
    ring = KeyRing(tmp_path / "keys")
    ring.make("test")
    sealer = Sealer(evening.parts.store, ring, lambda: time.time_ns() // 1_000_000)
    sealer.seal()
    page = visitor.page(evening.server, "auditor", f"/rounds/{wanted.key}")
    link = page.get_by_role("link", name="Download the evidence bundle")
    expect(link).to_be_visible()
    # Between the page's proof and the click the round is judged anew, on the same facts, and that is not sealed yet.
    verdict = replace(wanted.verdict, revision=wanted.verdict.revision + 1)
    write_verdicts(evening.parts.store, [replace(wanted, verdict=verdict, judged=time.time_ns() // 1_000_000)])
    link.click()
    expect(page.locator(".round-evidence .said")).to_contain_text("ask again after its next checkpoint")
    sealer.seal()
    with page.expect_download() as coming:
        link.click()
    assert coming.value.suggested_filename == f"{wanted.key.table}-{wanted.key.shoe}-{wanted.key.round}.zip"
    assert "verify.py" in zipfile.ZipFile(coming.value.path()).namelist()
    lines, right = check_case.check(coming.value.path())
    assert right, lines
    expect(page.locator(".round-evidence .said")).to_have_count(0)
