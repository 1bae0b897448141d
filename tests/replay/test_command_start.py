"""The replay commands before they come to a round: their help, and a store that is not there."""

from functools import partial

import pytest
from typer.testing import CliRunner

from store.connect import Patience
from tablewatch.command import app
from tablewatch.commands.replay import COMMANDS


def test_a_store_that_cannot_be_reached_ends_with_3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLEWATCH_CLICKHOUSE_URL", "clickhouse://default@127.0.0.1:1/tablewatch")
    monkeypatch.setattr("store.connect.Patience", partial(Patience, total=0.0))
    done = CliRunner().invoke(app, ["replay", "list"])
    assert done.exit_code == 3 and "127.0.0.1:1 cannot be reached" in done.stderr
    assert "TABLEWATCH_CLICKHOUSE_URL" in done.stderr and "tablewatch clickhouse" in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_begins_with_examples(name: str) -> None:
    said = CliRunner().invoke(app, ["replay", name, "--help"]).stdout
    body = said.split("\n\n", 1)[1].strip()
    assert body.startswith("Examples:") and f"tablewatch replay {name}" in body
