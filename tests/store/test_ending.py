"""A process that is asked to end ends: whichever thread hears of it, and however often it is asked."""

import signal
import subprocess
import sys
import threading

import pytest

from store.ending import ASKING, asked_to_end

PATIENCE_SECONDS = 20


@pytest.mark.parametrize("number", ASKING)
def test_a_signal_that_comes_while_the_event_is_in_use_does_not_make_the_process_wait_for_itself(
    number: signal.Signals,
) -> None:
    stop = threading.Event()
    with asked_to_end(stop.set):
        # As `wait` holds it for a moment when it begins and when it ends.
        with stop._cond:  # type: ignore[attr-defined]  # of no stub: how an event waits is its own
            signal.raise_signal(number)
        assert stop.wait(PATIENCE_SECONDS)


_HEARD_BY_ANOTHER = """
import signal, threading, time
from store.ending import asked_to_end

stop = threading.Event()

def hear():
    time.sleep(0.5)
    signal.pthread_kill(threading.get_ident(), signal.Signals({number}))

with asked_to_end(stop.set):
    threading.Thread(target=hear, daemon=True).start()
    stop.wait()
print("ended")
"""


@pytest.mark.parametrize("number", ASKING)
def test_a_signal_that_another_thread_hears_ends_a_wait_without_a_bound(number: signal.Signals) -> None:
    """The kernel gives a signal to any thread; Python then calls its handler when the main thread next does something,
    which may be never."""
    code = _HEARD_BY_ANOTHER.format(number=int(number))
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=PATIENCE_SECONDS, check=True)
    assert ended.stdout == b"ended\n"


def test_what_was_there_before_is_put_back() -> None:
    before = {number: signal.getsignal(number) for number in ASKING}
    fd = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(fd)
    with asked_to_end(lambda: None):
        assert {number: signal.getsignal(number) for number in ASKING}.items().isdisjoint(before.items())
    assert {number: signal.getsignal(number) for number in ASKING} == before
    assert signal.set_wakeup_fd(fd) == fd
