"""The embedded store for the tests of commands that need one."""

from tests.store.conftest import _shared_store, server_url, store

__all__ = ["_shared_store", "server_url", "store"]
