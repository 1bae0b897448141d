"""The store that the tests of replay share: as in the store's own suite."""

from tests.store.conftest import _shared_store, empty_store, own_store, server_url, store

__all__ = ["_shared_store", "empty_store", "own_store", "server_url", "store"]
