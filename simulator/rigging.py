"""Tampering that shows over many rounds: cards arranged in favour of the players, or of one of them."""

from simulator.state import TableState


def arrange(state: TableState) -> None:
    raise NotImplementedError
