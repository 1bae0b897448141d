"""A process that is asked to end once more, when it has just been asked, ends."""

import signal
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
        with stop._cond:
            signal.raise_signal(number)
        assert stop.wait(PATIENCE_SECONDS)


def test_what_was_there_before_is_put_back() -> None:
    before = {number: signal.getsignal(number) for number in ASKING}
    with asked_to_end(lambda: None):
        assert {number: signal.getsignal(number) for number in ASKING}.items().isdisjoint(before.items())
    assert {number: signal.getsignal(number) for number in ASKING} == before
