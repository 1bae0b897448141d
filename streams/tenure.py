"""For how long a worker may store what it read: while its group cannot have given its partitions to another one.

A process can stand still in the middle of storing for longer than its session (its machine is moved, or halted), and
go on as if nothing had been. Another worker has its partitions then, has read more, and may have judged otherwise: of
two verdicts under one revision the earlier counts, which would be the one on fewer facts. So the end of every insert,
which makes it count, is sent only within the time for which the group was heard to know this worker.
"""

SHARE = 0.8
"""Of a session: what is left of it is for the store to finish what it was sent."""
OVER = float("-inf")


class NoLongerOurs(Exception):
    """The group may have given the partitions away: what was read from them is not stored before it says otherwise."""


class Tenure:
    """Until when the partitions are this worker's, by its clock, whatever happens to it."""

    def __init__(self, session_seconds: float, rebalance_seconds: float) -> None:
        self.until = OVER
        self._session = session_seconds * SHARE
        self._rebalance = rebalance_seconds * SHARE
        """A member that has not let go so long after partitions began to be dealt out anew is left out."""
        self._dealing_since: float | None = None

    def confirm(self, asked_at: float, *, dealing: bool = False) -> None:
        """The group, asked at this time, knows this worker; ``dealing``: it is dealing partitions out anew, and waits
        for the worker to let go of its own."""
        if not dealing:
            self._dealing_since = None
        elif self._dealing_since is None:
            self._dealing_since = asked_at
        let_go_by = asked_at if self._dealing_since is None else self._dealing_since
        self.until = min(asked_at + self._session, let_go_by + max(self._session, self._rebalance))
