"""How a process is asked to end, by SIGTERM or Ctrl-C: as often as it may be, it does not stand still over it."""

import os
import signal
from _thread import start_new_thread
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Final

ASKING: Final = (signal.SIGTERM, signal.SIGINT)


def on_asked_to_end(end: Callable[[], None], by: Collection[signal.Signals] = ASKING) -> Callable[[], None]:
    """Have ``end`` called whenever a signal asks for it; gives what puts things back as they were. In the main thread.

    A thread of its own calls it, and hears of a signal through a pipe. Python's handlers run in the main thread,
    between any two of its steps: also while it holds the lock of the event that it waits for, where to set that event
    would be to wait for oneself; and never while it waits without a bound and another thread was given the signal.
    """
    heard, told = os.pipe()
    os.set_blocking(told, False)
    before = {number: signal.signal(number, lambda *_: None) for number in by}
    told_before = signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    # Not `threading.Thread`, for whose end the process would wait, or whose locks the main thread may hold.
    start_new_thread(_listen, (heard, end, by))

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(told_before)
        os.close(told)

    return restore


@contextmanager
def asked_to_end(end: Callable[[], None], by: Collection[signal.Signals] = ASKING) -> Iterator[None]:
    """As ``on_asked_to_end``, for a while."""
    restore = on_asked_to_end(end, by)
    try:
        yield
    finally:
        restore()


def _listen(heard: int, end: Callable[[], None], by: Collection[signal.Signals]) -> None:
    """Until nobody can tell anything more: the numbers of signals, a byte each."""
    with os.fdopen(heard, "rb", buffering=0) as pipe:
        while numbers := pipe.read(64):
            if any(number in by for number in numbers):
                end()
