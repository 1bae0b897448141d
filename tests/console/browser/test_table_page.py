"""What of a table's page is in sight, in a real browser: the newest of its roads, and every column."""

import pytest
from playwright.sync_api import expect

from tests.console.browser.conftest import SIZES, Visitor
from tests.console.house import ConsoleServer, made_up_finding

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


LONG_ROADS = """async (back) => {
  const { drawRoads } = await import("/static/roads.js");
  const panel = document.querySelector(".panel.roads .body");
  const cells = Array.from({ length: 120 }, (_, place) => [place, 0, place % 2 ? "player" : "banker", place + 1, []]);
  const road = { bead_plate: cells, big_road: cells, big_eye_boy: [], small_road: [], cockroach_pig: [] };
  drawRoads(panel, road);
  const board = () => panel.querySelector(".scroll");
  if (back) board().scrollLeft = 30;
  drawRoads(panel, road);
  return [board().scrollLeft, board().scrollWidth - board().clientWidth];
}"""


@pytest.mark.parametrize("size", SIZES)
def test_the_newest_of_a_long_road_is_in_sight_until_somebody_scrolls_back(
    console: ConsoleServer, visitor: Visitor, size: tuple[int, int]
) -> None:
    table = min(console.parts.live.floor.tables)
    page = visitor.page(console, "operator", f"/tables/{table}", size)
    expect(page.locator(".panel.roads .scroll").first).to_be_visible()
    shown, end = page.evaluate(LONG_ROADS, False)
    assert end > 100 and abs(shown - end) <= 1
    assert page.evaluate(LONG_ROADS, True)[0] == 30


SHORT_ROADS = LONG_ROADS.replace("length: 120", "length: 3")


def test_the_empty_columns_of_a_road_push_no_others_out_of_sight(console: ConsoleServer, visitor: Visitor) -> None:
    table = min(console.parts.live.floor.tables)
    page = visitor.page(console, "operator", f"/tables/{table}", (390, 844))
    expect(page.locator(".panel.roads .scroll").first).to_be_visible()
    narrow = "panel => { panel.style.width = '200px'; panel.querySelector('.body').replaceChildren(); }"
    page.locator(".panel.roads").evaluate(narrow)
    shown, end = page.evaluate(SHORT_ROADS, False)
    assert (shown, end > 50) == (0, True)


def test_no_column_of_a_table_is_cut_off_where_two_panels_stand_beside_each_other(
    console: ConsoleServer, visitor: Visitor
) -> None:
    table = min(console.parts.live.floor.tables)
    page = visitor.page(console, "operator", f"/tables/{table}", (1100, 700))
    for panel in ("bets", "rounds"):
        wide = page.locator(f".panel.{panel} .scroll")
        expect(wide).to_be_visible()
        assert wide.evaluate("node => node.scrollWidth - node.clientWidth") <= 0, panel


def test_a_device_that_used_a_number_twice_has_no_word_of_a_gap(console: ConsoleServer, visitor: Visitor) -> None:
    table = min(console.parts.live.floor.tables)
    source, device = min(console.parts.live.floor.tables[table].devices.items())
    page = visitor.page(console, "operator", f"/tables/{table}")
    row = page.locator(".panel.devices tbody tr").filter(has_text=source)
    expect(row).to_be_visible()
    device.twice = True
    try:
        # The page is told what is new of a table when something comes of it.
        console.raise_findings([made_up_finding(9720, "device-silent", table=table, shoe=None, round=None)])
        expect(row.locator(".sev.high").first).to_have_text("number used twice")
        expect(row).not_to_contain_text("no gap")
    finally:
        device.twice = False
