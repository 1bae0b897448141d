"""The embedded store for the tests of the watch service."""

from tests.store.conftest import _shared_store, server_url, store

__all__ = ["_shared_store", "server_url", "store"]
