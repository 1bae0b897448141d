"""The embedded store for the tests of alerts, and a site on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.connect import Store
from tests.store.conftest import _shared_store, server_url, store
from tests.streams.alerting.site import Site

__all__ = ["_shared_store", "server_url", "store"]


@pytest.fixture
def site(tmp_path: Path, store: Store) -> Iterator[Site]:
    """One that is gone after the test."""
    made = Site(tmp_path, store)
    yield made
    made.end()
