"""The outcome of the self-test at the desk: for shift manager and administrator, light and dark, desk and phone."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from console.auth.roles import Role
from streams.alerting.raising import SELF_TEST_TABLE
from streams.alerting.self_test import CODE, shoe_of
from streams.broker_url import EmbeddedLog
from streams.topics import create
from tests.console.browser.conftest import DESKTOP, PHONE, Visitor
from tests.console.house import NOWHERE, await_that, console_server, impatient, made_up_finding

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.mark.parametrize(
    ("role", "size", "theme"),
    [("shift_manager", DESKTOP, "dark"), ("administrator", PHONE, "light"), ("shift_manager", PHONE, "dark")],
)
def test_a_run_that_passed_and_one_that_failed_are_told(
    visitor: Visitor, tmp_path: Path, role: Role, size: tuple[int, int], theme: str
) -> None:
    broker = EmbeddedLog(tmp_path / "log")
    create(broker)
    with console_server(tmp_path, broker, impatient(NOWHERE)) as server:
        picture = server.parts.live.floor.self_test
        page = visitor.page(server, role, "/desk", size, theme)
        expect(page.locator("#self-test")).to_have_text("No self-test in the last day")
        server.raise_findings([replace(made_up_finding(1, CODE, SELF_TEST_TABLE), shoe=shoe_of("1"))])
        await_that(lambda: picture.outcome == "passed", "the run is heard of")
        page.reload()
        expect(page.locator("#self-test")).to_contain_text("Self-test passed")
        expect(page.locator("#total")).to_have_text("0 open")
        picture.failed(shoe_of("2"), (picture.at or 0) + 1)
        page.goto("/")
        expect(page.locator("main")).to_contain_text("Waiting for the floor")
        page.goto("/desk")
        expect(page.locator("#self-test")).to_contain_text("Self-test FAILED")


def test_an_operator_is_not_told(visitor: Visitor, tmp_path: Path) -> None:
    broker = EmbeddedLog(tmp_path / "log")
    create(broker)
    with console_server(tmp_path, broker, impatient(NOWHERE)) as server:
        page = visitor.page(server, "operator", "/desk")
        expect(page.locator("#total")).to_have_text("0 open")
        expect(page.locator("#self-test")).to_be_empty()


def test_an_alert_of_no_table_as_a_failed_self_test_is_missing_on_no_wall(visitor: Visitor, tmp_path: Path) -> None:
    broker = EmbeddedLog(tmp_path / "log")
    create(broker)
    with console_server(tmp_path, broker, impatient(NOWHERE)) as server:
        page = visitor.page(server, "shift_manager", "/")
        expect(page.locator("#elsewhere")).to_have_count(0)
        server.raise_findings([replace(made_up_finding(1), table=None)])
        expect(page.locator("#elsewhere")).to_have_text("1 elsewhere")
        expect(page.locator("#bubble")).to_have_text("1")
