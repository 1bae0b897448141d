"""What a page says of a table once its set-up is known: its game at the desk, amounts in its own currency."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from streams.broker_url import EmbeddedLog
from streams.topics import create
from tests.console.browser.conftest import DESKTOP, PHONE, Visitor
from tests.console.house import console_server, impatient, made_up_finding, say
from tests.streams.pipeline import Pipeline

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

LIMITS = {"player": {"min": 1, "max": 9_000_000}, "banker": {"min": 1, "max": 9_000_000}}


def set_up(broker: EmbeddedLog, table: str, currency: str, sequence: int = 1) -> None:
    """The table is set up, and a bet of 1,234,567 minor units is placed there."""
    say(
        broker, table, "table.configured.v1", "desk", sequence, game="dragon_tiger_baccarat", currency=currency,
        area="main", positions=7, max_wagers_per_area=None, differential_limit=None, limits=LIMITS, pit="P7",
        cameras=[f"{table}-overhead"],
    )  # fmt: skip
    say(broker, table, "round.opened.v1", "desk", sequence + 1, shoe="S1", round=1, method="A")
    say(
        broker, table, "bet.placed.v1", "rfid", sequence, shoe="S1", round=1, bet="b1", position=1, player=None,
        wager="player", amount=1_234_567,
    )  # fmt: skip


@pytest.mark.parametrize("size", [pytest.param(DESKTOP, id="desktop"), pytest.param(PHONE, id="phone")])
def test_an_open_alert_tells_the_game_as_soon_as_its_table_is_set_up(
    ground: Pipeline, visitor: Visitor, tmp_path: Path, size: tuple[int, int]
) -> None:
    broker = EmbeddedLog(tmp_path / "log")
    create(broker)
    with console_server(tmp_path, broker, impatient(ground.environment["TABLEWATCH_CLICKHOUSE_URL"])) as server:
        page = visitor.page(server, "shift_manager", "/desk", size)
        server.raise_findings([made_up_finding(1, table="KW01")])
        page.locator(".alert", has_text="KW01").click()
        pane = page.locator(".alert-pane")
        expect(pane).to_contain_text("not set up")
        set_up(broker, "KW01", "KWD")
        expect(pane).to_contain_text("Dragon Tiger Baccarat")
        expect(pane).to_contain_text("KW01-overhead")
        expect(pane).not_to_contain_text("not set up")


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize(("currency", "words"), [("JPY", "1,234,567"), ("KWD", "1,234.567"), ("SGD", "12,345.67")])
def test_a_table_tells_amounts_in_the_decimals_of_its_currency(
    ground: Pipeline, visitor: Visitor, tmp_path: Path, currency: str, words: str, theme: str
) -> None:
    broker = EmbeddedLog(tmp_path / "log")
    create(broker)
    with console_server(tmp_path, broker, impatient(ground.environment["TABLEWATCH_CLICKHOUSE_URL"])) as server:
        set_up(broker, "MO01", currency)
        page = visitor.page(server, "operator", "/tables/MO01", theme=theme)
        expect(page.locator(".panel.bets .stake")).to_have_text(words)
        expect(page.locator(".panel.bets")).to_contain_text(f"1 bet · {words} {currency}")
        expect(page.locator(".panel.limits")).to_contain_text(words)
        said = "Bet b1 on player is 1234567, over the maximum of 1000000."
        over = made_up_finding(2, "above-maximum", "MO01", message=said, expected=1_000_000, actual=1_234_567)
        server.raise_findings([over])
        expect(page.locator(".panel.alerts")).to_contain_text(f"Bet b1 on Player is {words} {currency}, over the")
        page.goto(f"{server.url}/desk?alert={over.id}")
        expect(page.locator(".alert-pane .message")).to_contain_text(f"is {words} {currency}, over the maximum of")
        expect(page.locator(".alert-pane .facts")).to_contain_text(words)
        expect(page.locator(".alert-pane")).not_to_contain_text("1234567")
