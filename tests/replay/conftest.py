"""What the tests of the replay commands share: an auditor who runs them."""

from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from store.connect import Store
from tablewatch.command import app
from tests.replay.commands import Run, url_of


@pytest.fixture
def run(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """A replay command on the test's store."""
    monkeypatch.setenv("TABLEWATCH_CLICKHOUSE_URL", url_of(store))
    monkeypatch.setenv("TABLEWATCH_USER", "auditor.lim")
    yield lambda *arguments: CliRunner().invoke(app, ["replay", *arguments])
