"""Reads scenes: a few lines that tell what happened at a table and what must be found, and turns them into events.

A scene begins with `== name | game key=value…`. Its lines are `seconds what arguments key=value…`; a line that begins
with `!` is told by a device and never arrives, which leaves a hole in its sequence. Lines that begin with `->` say
what is expected: `-> 1 verified` the status of round 1, `-> late-bet 1 b1` a finding, `-> bet 1 b1 1000 50 0` stake,
paid and collected that are due, `-> outcome 1 banker 5 6`, `-> differential 1 200 100 150`. A round is written `1`, or
`S2/1`, or `T2:S1/1`; `-` stands for none. No other finding and no other round may come of the scene.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

BEGIN = datetime(2026, 3, 2, 12, tzinfo=UTC)

GAMES = {
    "dtb": ("dragon_tiger_baccarat", "player banker tie dragon_tiger big_dragon small_dragon big_tiger small_tiger"),
    "ff4": (
        "fa_fa_fabulous_4",
        "player banker tie player_precious_pair banker_precious_pair player_fabulous_4 banker_fabulous_4",
    ),
    "se": ("sands_elements_no_commission", "player banker tie player_pair banker_pair fortune_six"),
    "dt": ("dragon_tiger", "dragon tiger tie dragon_big dragon_small tiger_big tiger_small"),
    "super_six": ("super_six_no_commission", "player banker tie player_pair banker_pair super_six"),
    "fortune": (
        "fortune_six_no_commission",
        "player banker tie player_pair banker_pair fortune_six banker_dragon_bonus player_dragon_bonus",
    ),
    "super_6": (
        "super_6_no_commission",
        "player banker tie player_pair banker_pair super_6 banker_dragon_bonus player_dragon_bonus",
    ),
    "nc": ("no_commission", "player banker tie player_pair banker_pair"),
    "tiger": ("tiger", "player banker tie tiger_pair tiger small_tiger big_tiger tiger_tie"),
    "tnc": ("tiger_no_commission", "player banker tie tiger_pair tiger small_tiger big_tiger tiger_tie"),
}
RANKS_52 = ["A", *"23456789", "10", *"JQK"]
RANKS_65 = ["A", *"23456789", "10", *"SLF"]
DEVICES = {
    "cfg": "desk", "rule": "desk", "inc": "desk", "show": "display",
    "shoe": "reader", "cut": "reader", "ended": "reader", "card": "reader", "hb": "reader",
    "open": "dealer", "close": "dealer", "end": "dealer",
    "bet": "rfid", "chg": "rfid", "wd": "rfid", "set": "rfid", "fix": "rfid",
}  # fmt: skip


def moment(seconds: float) -> str:
    """The time so many seconds after the scene begins, as the contract writes it."""
    at = BEGIN + timedelta(microseconds=round(seconds * 1_000_000))
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def full_shoe(game: str, decks: int) -> list[str]:
    """The cards of a whole shoe of that game, sorted."""
    ranks, suits = (RANKS_65, "FGEWA") if game in ("ff4", "se") else (RANKS_52, "SHDC")
    return [rank + suit for rank in ranks for suit in suits for _ in range(decks)]


@dataclass(slots=True)
class Told:
    """One thing that happens: when, what, with what, and whether its event arrives."""

    at: float
    what: str
    words: list[str]
    keys: dict[str, str]
    extra: dict[str, Any] | None
    arrives: bool


@dataclass(slots=True)
class Scene:
    """One scene: its name, its table, what happens and what must be found."""

    name: str
    game: str
    keys: dict[str, str]
    lines: list[str] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    expected: list[list[str]] = field(default_factory=list)

    def table(self, short: str = "T1") -> str:
        """The table id, of this scene alone."""
        return f"{self.name}.{short}"

    def configuration(self, changes: dict[str, Any]) -> dict[str, Any]:
        game, wagers = GAMES[self.game]
        offered = self.keys.get("offers", wagers.replace(" ", ",")).split(",")
        whole: dict[str, Any] = {
            "game": game,
            "currency": "SGD",
            "area": self.keys.get("area", "main"),
            "positions": 7,
            "max_wagers_per_area": number(self.keys.get("areas", "null")),
            "differential_limit": number(self.keys.get("differential", "null")),
            "limits": {wager: {"min": 100, "max": 100_000} for wager in offered},
        }
        return whole | changes

    def events(self) -> list[bytes]:
        """The lines of its file of events, in the order of time."""
        told = sorted(self.told(), key=lambda one: one.at)
        counts: dict[tuple[str, str], int] = {}
        lines = []
        for one in told:
            table = self.table(one.keys.get("t", "T1"))
            source = f"/tables/{table}/{one.keys.get('src', DEVICES[one.what])}"
            sequence = int(one.keys.get("seq", counts.get((source, table), 0)))
            counts[source, table] = sequence + 1
            kind, data = self.payload(one)
            event = {
                "specversion": "1.0",
                "id": one.keys.get("id", f"e{sequence}"),
                "source": source,
                "type": kind,
                "subject": table,
                "time": moment(float(one.keys.get("time", one.at))),
                "sequence": sequence,
                "data": data,
            }
            if one.arrives:
                lines.append(json.dumps(event | json.loads(one.keys.get("with", "{}"))).encode())
        return lines + [line.replace("TABLE", self.table()).encode() for line in self.raw]

    def told(self) -> Iterator[Told]:
        if self.keys.get("setup") != "no":
            for table in self.keys.get("tables", "T1").split(","):
                yield Told(-100, "cfg", [], {"t": table}, {}, True)
                yield Told(-90, "shoe", ["S1", self.keys.get("decks", "8")], {"t": table}, None, True)
        for line in self.lines:
            yield from unfold(read_line(line), self)

    def payload(self, one: Told) -> tuple[str, dict[str, Any]]:
        words, keys = one.words, one.keys
        place = {"shoe": keys.get("s", "S1"), "round": int(keys.get("r", "1"))}
        match one.what:
            case "cfg":
                return "table.configured.v1", self.configuration(one.extra or {})
            case "shoe":
                return "shoe.loaded.v1", {"shoe": words[0], "decks": int(words[1])}
            case "cut":
                return "shoe.cutting_card.v1", place | {"before_draw": int(words[0])}
            case "ended":
                return "shoe.ended.v1", {"shoe": words[0], "remaining": self.remaining(words[0], words[1:], keys)}
            case "open":
                return "round.opened.v1", place | {"method": words[0] if words else None}
            case "close":
                return "bets.closed.v1", place
            case "end":
                return "round.closed.v1", place
            case "bet":
                player = keys.get("player", "P1")
                return "bet.placed.v1", place | {
                    "bet": words[0],
                    "position": int(keys.get("pos", "1")),
                    "player": None if player == "null" else player,
                    "wager": words[1],
                    "amount": int(words[2]),
                }
            case "chg":
                return "bet.changed.v1", place | {"bet": words[0], "amount": int(words[1])}
            case "wd":
                return "bet.withdrawn.v1", place | {"bet": words[0]}
            case "card":
                return "card.drawn.v1", place | {"draw": int(words[0]), "card": words[1]}
            case "show":
                return "result.displayed.v1", place | {"winner": words[0], "totals": self.totals(words[1:], one.extra)}
            case "set":
                return "bet.settled.v1", place | money(words)
            case "fix":
                by = keys.get("by", "pit_supervisor")
                return "bet.corrected.v1", place | money(words) | {"by": by}
            case "rule":
                ruling = {"ruling": words[0], "clause": words[1], "by": words[2]}
                return "ruling.made.v1", place | ruling | (one.extra or {})
            case "inc":
                draws = [int(word) for word in words[1:]]
                return "incident.reported.v1", place | {"incident": words[0], "draws": draws, "text": ""}
            case "hb":
                return "device.heartbeat.v1", {"device_time": moment(one.at + float(keys.get("off", "0")))}
        raise ValueError(f"{self.name}: no such line: {one.what}")

    def totals(self, words: list[str], extra: dict[str, Any] | None) -> dict[str, Any] | None:
        if extra is not None:
            return extra
        if not words:
            return None
        if self.game == "dt":
            return dict(zip(("dragon", "tiger"), words, strict=True))
        return dict(zip(("player", "banker"), map(int, words), strict=True))

    def remaining(self, shoe: str, words: list[str], keys: dict[str, str]) -> list[str] | None:
        """What is left of the shoe: nothing counted, or its cards less those drawn, with `less=` and `more=` off it."""
        if words == ["null"]:
            return None
        left = full_shoe(self.game, int(self.keys.get("decks", "8")))
        drawn = [one for line in self.lines for one in unfold(read_line(line), self) if one.what == "card"]
        cards = [one.words[1] for one in drawn if one.keys.get("s", "S1") == shoe]
        for card in cards + [card for card in keys.get("less", "").split(",") if card]:
            if card in left:
                left.remove(card)
        return left + [card for card in keys.get("more", "").split(",") if card]


def number(word: str) -> int | None:
    """A whole number, or nothing."""
    return None if word == "null" else int(word)


def money(words: list[str]) -> dict[str, Any]:
    """A bet, what was paid on it and what was collected."""
    return {"bet": words[0], "paid": int(words[1]), "collected": int(words[2])}


def read_line(line: str) -> Told:
    """One line of a scene."""
    arrives = not line.startswith("!")
    at, what, *rest = line.removeprefix("!").split(" ")
    text, extra = " ".join(rest), None
    if "{" in text:
        before, _, after = text.partition("{")
        text, extra = before, json.loads("{" + after)
    words = text.split()
    keys = dict(word.split("=", 1) for word in words if "=" in word)
    return Told(float(at), what, [word for word in words if "=" not in word], keys, extra, arrives)


def unfold(one: Told, scene: Scene) -> Iterator[Told]:
    """`deal` is a card a second, `play` a round that takes forty seconds, `fill` rounds until so many cards are out."""
    if one.what == "deal":
        first = int(one.keys.get("from", "1"))
        for place, card in enumerate(one.words):
            yield Told(one.at + place, "card", [str(first + place), card], one.keys, None, one.arrives)
    elif one.what == "play":
        leaves_out = one.keys.get("no", "").split(",")
        for what, later in (("open", 0), ("close", 10), ("end", 40)):
            if what not in leaves_out:
                method = [one.keys["method"]] if what == "open" and "method" in one.keys else []
                yield Told(one.at + later, what, method, one.keys, None, one.arrives)
        yield from unfold(Told(one.at + 11, "deal", one.words, one.keys, None, one.arrives), scene)
    elif one.what == "fill":
        cards = full_shoe(scene.game, int(scene.keys["decks"]))[: int(one.words[0])]
        for place in range(0, len(cards) - 1, 2):
            keys = one.keys | {"r": str(place // 2 + 1)}
            yield from unfold(Told(one.at + place * 25, "play", cards[place : place + 2], keys, None, True), scene)
    else:
        yield one


def read_scenes(folder: Path) -> list[Scene]:
    """All scenes of the files of a folder."""
    scenes: list[Scene] = []
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("=="):
                name, _, table = line.removeprefix("==").partition("|")
                game, *keys = table.split()
                title = f"{path.stem}/{name.strip().replace(' ', '-')}"
                scenes.append(Scene(title, game, dict(key.split("=", 1) for key in keys)))
            elif line.startswith("->"):
                scenes[-1].expected.append(line.removeprefix("->").split())
            elif line.startswith("raw "):
                scenes[-1].raw.append(line.removeprefix("raw "))
            elif line.strip() and not line.startswith("#"):
                scenes[-1].lines.append(line)
    return scenes
