"""One stored evening for all tests of the past: filling the store takes longer than looking at it."""

from collections.abc import Iterator

import pytest

from store.migrate import migrate
from tests.console.past.evening import Evening, open_evening
from tests.services.store import database_of_its_own
from tests.store.floor import LONG


@pytest.fixture(scope="session")
def evening(server_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    """The console over the evening."""
    yield from _opened(server_url, tmp_path_factory)


@pytest.fixture
def evening_of_its_own(server_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    """The same for one test alone, which may seal it."""
    yield from _opened(server_url, tmp_path_factory)


def _opened(server_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    for store in database_of_its_own(server_url):
        migrate(store, LONG)
        with open_evening(store, tmp_path_factory.mktemp("evening")) as filled:
            yield filled
