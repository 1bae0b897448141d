"""One shoe in the watches' book: its summary, and how the table and its players stood after it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from audit.watches.expectation import Account
from audit.watches.frequency import FrequencyState
from audit.watches.summary import ShoeSummary
from store.read.shoes import ShoeKey, ShoePlace
from store.rows.shoes import ShoeSummary as StoredShoe

AFTER = "after"
ACCOUNTS = "accounts"
SUMMARY = "shoe"


@dataclass(frozen=True, slots=True)
class TableAfter:
    """How the watches over one table stand after a shoe."""

    frequency: FrequencyState = field(default_factory=FrequencyState)
    hold: Account = field(default_factory=Account)
    players: int = 0
    """How many known players the last shoe with any had."""
    dealt: tuple[str, ...] = ()
    """Fingerprints of the cards of the last shoes in which slugs are looked for: when they differ, so may the slugs."""

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "frequency": self.frequency.to_json(),
            "hold": self.hold.to_json(),
            "players": self.players,
            "dealt": list(self.dealt),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "TableAfter":
        """Read back what ``to_json`` wrote."""
        return cls(
            FrequencyState.from_json(data["frequency"]),
            Account.from_json(data["hold"]),
            data["players"],
            tuple(data["dealt"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is kept of a shoe that has ended."""

    place: ShoePlace
    loaded: int
    """Microseconds since 1970."""
    heard: int
    """Arrival of the last event about it, in milliseconds since 1970."""
    judged: int
    """When the last of its verdicts was made, in milliseconds since 1970."""
    mode: str
    """Of the table when the shoe ended: only ``live`` raises alerts to people."""
    rounds: int
    summary: ShoeSummary | None
    """None: it was never loaded, or of no known game."""
    after: TableAfter | None = None
    """None: nothing can be told from this shoe, or it was not watched yet."""
    accounts: Mapping[str, Account] = field(default_factory=dict)
    """Of the players who bet in it, after it."""
    version: int = 0
    """Of the stored row; 0: there is none."""

    @property
    def key(self) -> ShoeKey:
        return self.place.key

    @property
    def tells(self) -> bool:
        """Whether the watches can tell anything from it."""
        return self.summary is not None and self.summary.tells_enough

    def to_row(self, version: int, now: int) -> StoredShoe:
        """As the store keeps it; a shoe that tells nothing has no game there."""
        summary = self.summary if self.tells else None
        content: dict[str, Any] = {
            "mode": self.mode,
            SUMMARY: None if self.summary is None else self.summary.to_json(),
            AFTER: None if self.after is None else self.after.to_json(),
            ACCOUNTS: {player: account.to_json() for player, account in sorted(self.accounts.items())},
        }
        marks = {"heard": self.heard, "judged": self.judged, "digest": digest_of(content)}
        return StoredShoe(
            table=self.place.table,
            shoe=self.place.shoe,
            version=version,
            game=None if summary is None else summary.game,
            decks=None if summary is None else summary.decks,
            loaded=self.loaded,
            ended=self.place.ended,
            rounds=self.rounds,
            summarised=now,
            summary={**marks, **content},
        )

    @classmethod
    def from_row(cls, row: StoredShoe) -> "Entry":
        """Read back what ``to_row`` wrote."""
        content = row.summary
        summary, after = content[SUMMARY], content[AFTER]
        return cls(
            place=ShoePlace(row.ended, row.table, row.shoe),
            loaded=row.loaded,
            heard=content["heard"],
            judged=content["judged"],
            mode=content["mode"],
            rounds=row.rounds,
            summary=None if summary is None else ShoeSummary.from_json(summary),
            after=None if after is None else TableAfter.from_json(after),
            accounts={player: Account.from_json(account) for player, account in content[ACCOUNTS].items()},
            version=row.version,
        )


def digest_of(content: Mapping[str, Any]) -> str:
    """A fingerprint of plain JSON."""
    return hashlib.blake2b(orjson.dumps(content), digest_size=12).hexdigest()


def dealt_mark(summary: ShoeSummary) -> str:
    """A fingerprint of a shoe's cards, round by round."""
    return digest_of(summary.without_bets().to_json())
