"""Tables come up when their moment is read, and only then."""

from hypothesis import given
from hypothesis import strategies as st

from streams.agenda import Agenda

_ENTRIES = st.lists(st.tuples(st.integers(0, 50), st.sampled_from(["A", "B", "C", "D"])), max_size=60)


@given(_ENTRIES, st.lists(st.integers(0, 50), max_size=8))
def test_every_moment_that_was_added_comes_up_when_it_is_read(
    entries: list[tuple[int, str]], moments: list[int]
) -> None:
    agenda = Agenda()
    waiting: set[tuple[int, str]] = set()
    for place, moment in enumerate(sorted(moments)):
        for entry in entries[place::8]:
            agenda.add(*entry)
            waiting.add(entry)
        due = {table for at, table in waiting if at <= moment}
        assert agenda.due(moment) == due
        waiting = {(at, table) for at, table in waiting if at > moment}


def test_a_table_that_waits_for_the_same_moment_again_and_again_is_noted_once() -> None:
    agenda = Agenda()
    for _ in range(1_000):
        agenda.add(7, "A")
    assert agenda.due(7) == {"A"}
    assert agenda.due(7) == set()
    agenda.add(7, "A")
    assert agenda.due(7) == {"A"}
