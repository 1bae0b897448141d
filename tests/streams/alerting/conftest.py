"""A site on the store that the tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.connect import Store
from tests.streams.alerting.site import Site


@pytest.fixture
def site(tmp_path: Path, store: Store) -> Iterator[Site]:
    """One that is gone after the test."""
    made = Site(tmp_path, store)
    yield made
    made.end()
