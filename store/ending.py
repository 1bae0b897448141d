"""How a process is asked to end, by SIGTERM or Ctrl-C: as often as it may be, it does not stand still over it."""

import signal
from _thread import start_new_thread
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

ASKING: Final = (signal.SIGTERM, signal.SIGINT)


def on_asked_to_end(end: Callable[[], None]) -> Callable[[], None]:
    """Have ``end`` called whenever a signal asks for it; gives what puts things back as they were. In the main thread.

    A handler runs between any two steps of the main thread, also while that holds the lock of the event that it waits
    for: to set the event there would be to wait for oneself. A signal to a whole group comes twice where somebody hands
    it on, the second when the first has just ended the waiting. So another thread sets it.
    """
    before = {number: signal.signal(number, lambda *_: _apart(end)) for number in ASKING}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    return restore


@contextmanager
def asked_to_end(end: Callable[[], None]) -> Iterator[None]:
    """As ``on_asked_to_end``, for a while."""
    restore = on_asked_to_end(end)
    try:
        yield
    finally:
        restore()


def _apart(end: Callable[[], None]) -> None:
    # Not `threading.Thread`, which has locks of its own.
    start_new_thread(end, ())
