"""Whether what the pages show can be relied on: the feed, the workers and the store, each with since when."""

import time
from dataclasses import dataclass
from typing import Any, Final, Literal

State = Literal["ok", "starting", "behind", "stopped", "away"]

STALLED_SECONDS: Final = 10.0
"""Records wait and none was judged for so long: the workers have stopped."""


@dataclass(slots=True)
class Part:
    """One thing that the page depends on."""

    state: State = "starting"
    since: int = 0
    """Milliseconds since 1970."""
    words: str = ""
    """What is the case, for people."""

    def set(self, state: State, words: str = "", noticed_after: float = 0.0) -> None:
        """A new state; `since` stays while it is the same. ``noticed_after``: seconds after it began."""
        if state != self.state or not self.since:
            self.since = time.time_ns() // 1_000_000 - round(noticed_after * 1000)
        self.state, self.words = state, words


class Health:
    """The state of all parts."""

    def __init__(self, stalled_seconds: float = STALLED_SECONDS) -> None:
        self._stalled_seconds = stalled_seconds
        self.feed = Part()
        """Reading the topics."""
        self.workers = Part()
        """Judging what comes."""
        self.store = Part()
        self.lag = 0
        """Records that are not judged and stored yet."""
        self.awaited = {"tables", "alerts"}
        """What the store has not told yet since the start: until then the floor is not shown whole."""
        self._moved = time.monotonic()

    def measured(self, lag: int, now: float | None = None) -> None:
        """How many records wait; told every few seconds."""
        now = time.monotonic() if now is None else now
        if lag == 0 or lag < self.lag:
            self._moved = now
        self.lag = lag
        if lag and now - self._moved >= self._stalled_seconds:
            says = f"{lag:,} records wait and nobody judges them: findings are not up to date"
            self.workers.set("stopped", says, now - self._moved)
        elif lag > 1000:
            self.workers.set("behind", f"{lag:,} records are not judged yet")
        else:
            self.workers.set("ok")

    def judged(self) -> None:
        """A verdict came: the workers are at work."""
        self._moved = time.monotonic()

    @property
    def parts(self) -> dict[str, Part]:
        """All of them by name."""
        return {"feed": self.feed, "workers": self.workers, "store": self.store}

    @property
    def ready(self) -> bool:
        """Whether pages get what they ask for: live tables, all of them, and older rounds."""
        return self.feed.state == "ok" and self.store.state == "ok" and not self.awaited

    def as_json(self) -> dict[str, Any]:
        """For the page."""
        return {
            name: {"state": part.state, "since": part.since, "words": part.words} for name, part in self.parts.items()
        } | {"lag": self.lag, "whole": not self.awaited}
