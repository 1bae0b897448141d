"""Section 6, Cards: what was dealt, in which order, whether the shoe can have held it, and the outcome."""

from __future__ import annotations

from collections import Counter
from itertools import islice, product
from typing import Any

from tests.oracle import rules
from tests.oracle.record import Holes, Round
from tests.oracle.timeline import Finding, after, before, finding
from tests.oracle.validate import Event


def reads(r: Round) -> dict[int, list[str]]:
    """The different cards read for each draw, in the order of draws."""
    found: dict[int, list[str]] = {}
    for event in r.of("card.drawn.v1"):
        cards = found.setdefault(event["data"]["draw"], [])
        if event["data"]["card"] not in cards:
            cards.append(event["data"]["card"])
    return dict(sorted(found.items()))


def account(rounds: list[Round]) -> Counter[str]:
    """The shoe's account counts cards as read; a draw that was read as two cards counts as neither."""
    return Counter(cards[0] for r in rounds for cards in reads(r).values() if len(cards) == 1)


class Cards:
    """What the cards of one round show."""

    def __init__(self, r: Round, holes: Holes, game: str | None = None) -> None:
        self.r = r
        self.game = game = game or r.game
        read = reads(r)
        of_draw = {draw: cards[0] for draw, cards in read.items()}
        replaced = {ruling["data"]["draw"]: ruling["data"]["card"] for ruling in r.rulings("replacement-card")}
        of_draw |= replaced  # "its card is the card of that draw, read or not"
        self.double = [draw for draw, cards in read.items() if len(cards) > 1 and draw not in replaced]
        order = sorted(of_draw)
        for ruling in r.rulings("reconstructed")[-1:]:  # "later draws follow in their own"
            listed = list(dict.fromkeys(ruling["data"]["order"]))
            order = listed + [draw for draw in order if draw not in listed]
        unread = (draw for draw in range(1, max(order, default=0) + 1) if draw not in of_draw)
        self.skipped = list(islice(unread, 1_000))  # a draw of an absurd number skips more than anyone wants to be told
        self.order = order
        self.sequence = [of_draw[draw] for draw in order if draw in of_draw]
        self.foreign = self.find_foreign(read, replaced)
        self.unclear = bool(self.double or self.skipped)
        off_deck = any(card not in rules.deck(game) for card in self.sequence)
        self.dealt = None if self.unclear or off_deck else rules.deal(game, self.sequence)
        self.asks_for_more = not self.unclear and not off_deck and self.dealt is None
        size = None if r.decks is None else r.decks * len(rules.deck(game))
        drawn = sum(len(reads(each)) for each in [*r.earlier, r])
        self.insufficient = self.asks_for_more and size is not None and drawn >= size
        self.extra = self.dealt is not None and len(self.sequence) > self.dealt[1]
        self.short = self.asks_for_more and not self.insufficient
        self.spoilt = bool(self.foreign or self.insufficient)
        # A draw is missed when one was skipped or the Table of Play asks for more, and a hole could be it.
        self.hidden = bool(self.skipped or (self.short and not self.spoilt)) and holes.could_be(r, "draw")
        self.outcome: dict[str, Any] | None = rules.outcome(game, self.dealt[0]) if self.dealt else None
        self.wrong_count = self.extra or self.short

    def find_foreign(self, read: dict[int, list[str]], replaced: dict[int, str]) -> list[int]:
        """Draws with a card of another deck, or with one copy more than the shoe's decks hold."""
        deck, seen = rules.deck(self.game), account(self.r.earlier)
        found = {draw for draw, card in replaced.items() if card not in deck}
        for draw, cards in read.items():
            if any(card not in deck for card in cards):
                found.add(draw)
            elif len(cards) == 1:
                seen[cards[0]] += 1
                if self.r.decks is not None and seen[cards[0]] > self.r.decks:
                    found.add(draw)
        return sorted(found)

    def findings(self, void: bool) -> list[Finding]:
        r, found = self.r, []
        where = r.about()
        for draw in self.foreign:
            found.append(finding("foreign-card", r.table, **where, draw=draw))
        if self.insufficient:
            found.append(finding("insufficient-cards", r.table, **where))
        for draw in self.double:
            found.append(finding("card-conflict", r.table, **where, draw=draw, actual=reads(r)[draw]))
        if not self.hidden:
            for draw in self.skipped:
                found.append(finding("card-conflict", r.table, **where, draw=draw))
        if not self.spoilt:  # "Neither is raised where a foreign card or insufficient cards are."
            if self.extra and self.dealt:
                first = self.order[self.dealt[1]]
                counts = {"expected": self.dealt[1], "actual": len(self.sequence)}
                found.append(finding("card-extra", r.table, **where, draw=first, **counts))
            if self.short and not self.hidden and not void:
                found.append(finding("card-missing", r.table, **where, actual=len(self.sequence)))
        return found


def early_cards(r: Round) -> list[Finding]:
    """card-before-close: drawn beyond doubt before "No more bets"; after a device reset, before the next one."""
    closings = r.of("bets.closed.v1")
    found: dict[int, Finding] = {}
    for card in r.of("card.drawn.v1"):
        early = bool(closings) and before(card, closings[0])
        for reset in r.rulings("device-reset"):
            following = [c for c in closings if c["key"] > reset["key"]]
            if after(card, reset) and following and before(card, following[0]):
                early = True
        if early:
            draw = card["data"]["draw"]
            found.setdefault(draw, finding("card-before-close", r.table, **r.about(), draw=draw))
    return list(found.values())


def shoe_findings(events: list[Event], rounds: list[Round], holes: Holes) -> list[Finding]:
    """decks-not-allowed and shoe-short."""
    found = []
    loads = {(e["subject"], e["data"]["shoe"]): e for e in events if e["type"] == "shoe.loaded.v1"}
    for load in loads.values():
        table, shoe, decks = load["subject"], load["data"]["shoe"], load["data"]["decks"]
        of_shoe = [r for r in rounds if (r.table, r.shoe) == (table, shoe)]
        game = shoe_game(events, of_shoe, load)
        if game is None:
            continue
        if not rules.decks_allowed(game, decks):
            found.append(finding("decks-not-allowed", table, shoe=shoe, actual=decks))
        ends = [
            e for e in events if e["type"] == "shoe.ended.v1" and (e["subject"], e["data"]["shoe"]) == (table, shoe)
        ]
        if not ends or ends[-1]["data"]["remaining"] is None:
            continue
        ways = balances(of_shoe, ends[-1]["data"]["remaining"], rules.deck(game), decks)
        if any(Cards(r, holes, game).hidden for r in of_shoe):
            # The cards may have been in the draws that were lost; what is left over was not.
            ways = [([], left_over) for _, left_over in ways]
        missing, left_over = min(ways, key=lambda way: len(way[0]) + len(way[1]), default=([], []))
        if missing or left_over:
            found.append(finding("shoe-short", table, shoe=shoe, expected=missing, actual=left_over))
    return found


def balances(
    of_shoe: list[Round], remaining: list[str], deck: list[str], decks: int
) -> list[tuple[list[str], list[str]]]:
    """Cards missing and left over, for every way to take the draws that were read as two cards; none beyond eight."""
    doubtful = [cards for r in of_shoe for cards in reads(r).values() if len(cards) > 1]
    wanted = Counter(dict.fromkeys(deck, decks))
    ways = []
    for chosen in product(*doubtful) if len(doubtful) <= 8 else ():
        counted = account(of_shoe) + Counter(remaining) + Counter(chosen)
        ways.append((sorted((wanted - counted).elements()), sorted((counted - wanted).elements())))
    return ways


def shoe_game(events: list[Event], of_shoe: list[Round], load: Event) -> str | None:
    """The game of a shoe: that of the table when it was loaded, else of its first round with a configuration."""
    configs = [
        e
        for e in events
        if e["type"] == "table.configured.v1" and e["subject"] == load["subject"] and e["eff"] <= load["eff"]
    ]
    if configs:
        return str(configs[-1]["data"]["game"])
    in_time = sorted(of_shoe, key=lambda r: r.start["key"])
    return next((r.game for r in in_time if r.config is not None), None)
