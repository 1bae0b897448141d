"""Section 6, Stake and Differential: what stands of each bet, what came too late, and what clauses allow."""

from __future__ import annotations

from typing import Any

from tests.oracle.record import Holes, Round
from tests.oracle.rules import WAGERS
from tests.oracle.timeline import Finding, after, before, finding
from tests.oracle.validate import MAX_MONEY, Event

ACTS = ("bet.placed.v1", "bet.changed.v1", "bet.withdrawn.v1")
WITHDRAWAL_CLAUSES = ("3.17.1", "5.8.1", "5.8.2.2", "5.9", "5.17.1", "5.18.1")


def under_clause(cited: str, clause: str) -> bool:
    """A clause stands for its sub-clauses."""
    return cited == clause or cited.startswith(clause + ".")


def placings(r: Round) -> dict[str, Event]:
    """The bets ever placed in the round, by id, in the order of their ids."""
    found: dict[str, Event] = {}
    for event in r.of("bet.placed.v1"):
        found.setdefault(event["data"]["bet"], event)
    return dict(sorted(found.items()))


def closing_before(r: Round, act: Event) -> Event | None:
    """The last "No more bets" that this act is beyond doubt later than (a second one needs a device reset)."""
    past = [closing for closing in valid_closings(r) if after(act, closing)]
    return past[-1] if past else None


def valid_closings(r: Round) -> list[Event]:
    """The first closing, and in DTB and FF4 the first one after each reset (5.9); one doubled for no reason changes
    nothing."""
    closings = r.of("bets.closed.v1")
    valid = closings[:1]
    for reset in r.rulings("device-reset") if r.is_dtb_or_ff4 else []:
        following = [closing for closing in closings if closing["key"] > reset["key"]]
        if following and following[0] not in valid:
            valid.append(following[0])
    return sorted(valid, key=lambda event: event["key"])


def in_reset_window(r: Round, act: Event) -> bool:
    """DTB and FF4 5.9: after a device reset, until the next "No more bets"."""
    if not r.is_dtb_or_ff4:
        return False
    for reset in r.rulings("device-reset"):
        following = [c for c in r.of("bets.closed.v1") if c["key"] > reset["key"]]
        if not before(act, reset) and (not following or not after(act, following[0])):
            return True
    return False


def on_lighter_hand(r: Round, act: Event, wager: str) -> bool:
    """DTB and FF4 5.18.2: on the lighter hand, until the first card, when the differential was exceeded."""
    closing = closing_before(r, act)
    if not r.is_dtb_or_ff4 or closing is None or wager not in ("player", "banker"):
        return False
    if r.first_card is not None and after(act, r.first_card):
        return False
    limit = r.config["differential_limit"] if r.config else None
    sums = sums_at(r, closing)
    if limit is None or abs(sums["player"] - sums["banker"]) <= limit:
        return False
    return sums[wager] == min(sums.values())


def withdrawal_offered(r: Round, act: Event) -> bool:
    """DTB and FF4: a withdrawal-offered ruling with one of the clauses came before it."""
    if not r.is_dtb_or_ff4 or r.config is None:
        return False
    for ruling in r.rulings("withdrawal-offered"):
        clause = ruling["data"]["clause"]
        if before(act, ruling) or not any(under_clause(clause, known) for known in WITHDRAWAL_CLAUSES):
            continue
        if under_clause(clause, "3.17.1"):
            cut_first = any(e["data"]["before_draw"] == 1 for e in r.of("shoe.cutting_card.v1"))
            if r.config["area"] != "hlga" or not cut_first:
                continue
        return True
    return False


class Layer:
    """A part of a bet: what one act added to it."""

    def __init__(self, amount: int, kind: str) -> None:
        self.kind = kind  # base: in time; reset or lighter: late, but a clause allows it; late; refused
        self.lies = amount  # what the sensors still see of it
        self.counts = amount  # what stands of it; of a late part: what was not taken back in time


def refused_whole(r: Round, bet: str) -> bool:
    """Was the bet refused by a ruling made before the closing?"""
    return any(not closings_before(r, ruling) for ruling in refusals(r, bet))


def refused_since(r: Round, bet: str) -> int | None:
    """The moment after which all that was placed or added is refused: by plain time, since the ruling itself tells that
    it came after the closing."""
    since = [closings_before(r, ruling)[-1]["eff"] for ruling in refusals(r, bet) if closings_before(r, ruling)]
    return min(since) if since else None


def refusals(r: Round, bet: str) -> list[Event]:
    return [ruling for ruling in r.rulings("bets-refused") if bet in ruling["data"]["bets"]]


def closings_before(r: Round, ruling: Event) -> list[Event]:
    return [closing for closing in valid_closings(r) if closing["key"] < ruling["key"]]


class Standing:
    """What stands of one bet, from the acts and rulings up to a moment; a refusal counts from the beginning."""

    def __init__(self, r: Round, bet: str, upto: Event | None = None) -> None:
        self.layers: list[Layer] = []
        self.withdrew = False
        wager = placings(r)[bet]["data"]["wager"]
        since = refused_since(r, bet)
        for act in r.of(*ACTS):
            if act["data"]["bet"] == bet and not (upto and after(act, upto)):
                amount = 0 if act["type"] == "bet.withdrawn.v1" else act["data"]["amount"]
                lies = sum(layer.lies for layer in self.layers)
                if amount >= lies:
                    refused = since is not None and act["eff"] > since
                    self.layers.append(Layer(amount - lies, "refused" if refused else added_as(r, act, wager)))
                else:
                    self.take_back(r, act, lies - amount)
        removed = [ruling for ruling in r.rulings("bets-removed") if bet in ruling["data"]["bets"]]
        self.refused = refused_whole(r, bet)
        self.out = self.refused or any(not (upto and after(ruling, upto)) for ruling in removed)

    def take_back(self, r: Round, act: Event, amount: int) -> None:
        """A decrease takes back what was refused, then what was late, then what was added last."""
        for kinds in (["refused"], ["late"], ["base", "reset", "lighter"]):
            for layer in reversed(self.layers):
                if layer.kind not in kinds:
                    continue
                part = min(amount, layer.lies)
                layer.lies -= part
                amount -= part
                if part and self.free(r, act, layer.kind):
                    layer.counts -= part
                elif part and not withdrawal_offered(r, act):
                    self.withdrew = True
                elif part and layer.kind != "late":
                    layer.counts -= part

    def free(self, r: Round, act: Event, kind: str) -> bool:
        """May such a part be taken back at that moment without an offer?"""
        if kind == "refused":
            return True
        if kind == "base":
            return closing_before(r, act) is None
        if kind == "reset":
            return in_reset_window(r, act)
        # "A late bet or increase taken back before the first card counts as refused"
        return r.first_card is None or not after(act, r.first_card)

    @property
    def stake(self) -> int:
        if self.out:
            return 0
        return sum(layer.counts for layer in self.layers if layer.kind not in ("late", "refused"))

    @property
    def late(self) -> int:
        return 0 if self.refused else sum(layer.counts for layer in self.layers if layer.kind == "late")

    @property
    def late_withdrawal(self) -> bool:
        """Chips of a bet that a ruling took out go back to the player: that is no withdrawal."""
        return self.withdrew and not self.out


def added_as(r: Round, act: Event, wager: str) -> str:
    if closing_before(r, act) is None:
        return "base"
    if in_reset_window(r, act):
        return "reset"
    if on_lighter_hand(r, act, wager):
        return "lighter"
    return "late"


def sums_at(r: Round, moment: Event) -> dict[str, int]:
    """All player and all banker stakes standing at that moment."""
    sums = {"player": 0, "banker": 0}
    for bet, placing in placings(r).items():
        wager = placing["data"]["wager"]
        if wager in sums:
            sums[wager] += Standing(r, bet, moment).stake
    return sums


def differential(r: Round) -> dict[str, Any] | None:
    """DTB and FF4 only; at the (last) closing and at the first card."""
    if not r.is_dtb_or_ff4 or r.config is None:
        return None
    closings = valid_closings(r)

    def at(moment: Event | None) -> int | None:
        if moment is None:
            return None
        sums = sums_at(r, moment)
        return min(abs(sums["player"] - sums["banker"]), MAX_MONEY)

    return {
        "closing": at(closings[-1] if closings else None),
        "first_card": at(r.first_card),
        "limit": r.config["differential_limit"],
    }


def most_wagers(r: Round) -> int | None:
    """How many wagers one playing area may hold in this round."""
    assert r.config is not None
    bounds = [3] if r.is_dtb_or_ff4 else []
    if r.config["max_wagers_per_area"] is not None:
        bounds.append(r.config["max_wagers_per_area"])
    restrictions = [ruling for o in [*r.earlier, r] for ruling in o.rulings("wagers-restricted")]
    if restrictions:  # "holds for its round and the later ones of the shoe"; a later one takes its place
        bounds.append(restrictions[-1]["data"]["max_wagers_per_area"])
    return min(bounds) if bounds else None


def closing_may_be_lost(r: Round, holes: Holes, bet: str) -> bool:
    """May a "No more bets" that is not there have come before something that was done with this bet?"""
    closings, resets = r.of("bets.closed.v1"), r.rulings("device-reset")
    if not closings:
        since = r.first_fact
    elif resets and (all(before(e, resets[0]) for e in closings[1:]) or before(closings[-1], resets[-1])):
        since = resets[-1]
    else:
        return False
    acts = [act for act in r.of(*ACTS) if act["data"]["bet"] == bet]
    return any(holes.could_be(r, "announcement", since, act) for act in acts)


def bet_findings(r: Round, standings: dict[str, Standing]) -> list[Finding]:
    """Late acts, limits, counts and the differential."""
    assert r.config is not None
    found: list[Finding] = []
    areas: dict[tuple[int, str], int] = {}
    for bet, placing in placings(r).items():
        data, standing = placing["data"], standings[bet]
        where = {**r.about(), "bet": bet}
        wager, stake = data["wager"], standing.stake
        if wager not in WAGERS[r.game] or wager not in r.limits:
            found.append(finding("wager-not-offered", r.table, **where, actual=wager))
        if data["position"] > r.config["positions"]:
            found.append(finding("position-not-on-layout", r.table, **where, actual=data["position"]))
        if standing.late:
            found.append(finding("late-bet", r.table, **where, actual=standing.late))
        if standing.late_withdrawal:
            found.append(finding("late-withdrawal", r.table, **where))
        if stake:
            area = (data["position"], wager)
            areas[area] = areas.get(area, 0) + 1
            limit = r.limits.get(wager)
            if limit and stake < limit["min"]:
                found.append(finding("below-minimum", r.table, **where, expected=limit["min"], actual=stake))
            if limit and stake > limit["max"]:
                found.append(finding("above-maximum", r.table, **where, expected=limit["max"], actual=stake))
    most = most_wagers(r)
    for (position, wager), count in sorted(areas.items()):
        if most is not None and count > most:
            area_name = {"position": position, "wager": wager}
            found.append(finding("too-many-wagers", r.table, **r.about(), expected=most, actual=count, area=area_name))
    told = differential(r)
    if told and told["limit"] is not None and told["first_card"] is not None and told["first_card"] > told["limit"]:
        found.append(
            finding("differential-exceeded", r.table, **r.about(), expected=told["limit"], actual=told["first_card"])
        )
    return found
