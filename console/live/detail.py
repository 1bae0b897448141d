"""A table in full, in sections: each is told again only when it has changed."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from console.live.alerts import AlertPicture, finding_of
from console.live.desk import alert_json
from console.live.round import RoundPicture
from console.live.table import Device, TablePicture
from console.masking import masked
from games.rulebook import WAGERS, Game
from games.settlement import outcome_of
from replay.cards import asks_next, lay_out
from replay.roads import Bead, DerivedCell, roads_of
from schemas.findings import finding_id
from schemas.money import decimals_of
from schemas.records import Configuration

SHOWN_ROUNDS: Final = 40

Section = dict[str, Any] | list[Any] | None


def sections_of(
    picture: TablePicture, alerts: list[AlertPicture], gaps: Sequence[AlertPicture] = (), *, masking: bool
) -> dict[str, Section]:
    """Everything that the page of a table shows; ``gaps``: the holes that were found in what its devices sent,
    ``masking``: without player ids."""
    return {
        "table": _table(picture),
        "round": _round(picture, masking),
        "shoe": _shoe(picture),
        "history": _history(picture),
        "roads": _roads(picture),
        "devices": _devices(picture, gaps),
        "alerts": [alert_json(each, masking=masking, table=picture.configured) for each in alerts],
    }


def _table(picture: TablePicture) -> Section:
    configured, game = picture.configured, picture.game
    about: dict[str, Any] = {
        "name": picture.table,
        "heard": picture.heard,
        "judged_after": picture.judged_after,
        "decimals": decimals_of(configured.currency if configured else None),
    }
    if configured is None or game is None:
        return about
    return {
        **about,
        **setup_json(configured),
        "title": game.title,
        "document": game.document.name,
        "deck": game.deck.name,
        "hands": list(game.hands),
        # All of them: a bet may lie on one that the game has not.
        "wagers": dict(WAGERS),
        "area_maximum": configured.max_wagers_per_area or game.document.area_maximum,
        "judges_differential": game.document.differential,
    }


def setup_json(configured: Configuration) -> dict[str, Any]:
    """The set-up of a table as the page gets it."""
    return {
        "game": configured.game,
        "currency": configured.currency,
        "area": configured.area,
        "mode": configured.mode,
        "positions": configured.positions,
        "max_wagers_per_area": configured.max_wagers_per_area,
        "differential_limit": configured.differential_limit,
        "limits": {wager: [limit.min, limit.max] for wager, limit in configured.limits.items()},
        "pit": configured.pit,
        "site": configured.site,
        "time_zone": configured.time_zone,
        "cameras": list(configured.cameras or ()),
    }


def _round(picture: TablePicture, masking: bool) -> Section:
    round, game = picture.round, picture.game
    if round is None:
        return None
    displayed = round.displayed
    return {
        "shoe": round.shoe,
        "number": round.number,
        "phase": round.phase,
        "first": round.first // 1000,
        "opened": _ms(round.opened),
        "bets_closed": _ms(round.bets_closed),
        "closed": _ms(round.closed),
        "method": round.method,
        "dealer": round.dealer,
        "draws": [{"draw": draw, "card": card} for draw, card in sorted(round.cards.items())],
        "recomputed": recomputed(game, round, _over(picture, round)) if game else None,
        "displayed": None if displayed is None else {"winner": displayed[2], "totals": displayed[3]},
        "bets": _bets(picture, round, masked if masking else lambda player: player),
        "differential": _differential(picture, round),
        "rulings": list(round.rulings.values()),
        "incidents": list(round.incidents.values()),
    }


def recomputed(game: Game, round: RoundPicture, over: str | None) -> dict[str, Any]:
    """What the cards dealt so far come to, and what the Table of Play asks for next; ``over``: why nothing comes."""
    cards = round.in_order
    layout = lay_out(game, round.cards, sorted(round.cards))
    asked = asks_next(game, cards)
    outcome = outcome_of(game, cards)
    return {
        "hands": {hand: list(held) for hand, held in layout.hands.items()},
        "totals": dict(layout.totals),
        "beside": list(layout.beside),
        "winner": outcome.winner if outcome else None,
        "naturals": list(outcome.naturals) if outcome else [],
        "pairs": list(outcome.pairs) if outcome else [],
        "next": asked.words if over is None or asked.complete else None,
        "over": over,
        "complete": asked.complete,
        "rule": f"{game.document.name} {game.document.clauses[asked.clause]}",
    }


def _over(picture: TablePicture, round: RoundPicture) -> str | None:
    """Why no further card comes in a round, whatever the Table of Play asks for; None: one may come."""
    if any(each["ruling"] == "void" for each in round.rulings.values()):
        return "the round is void"
    if round.closed:
        return "the round is closed"
    shoe, game = picture.shoe, picture.game
    if shoe is None or shoe.name != round.shoe:
        return None
    ran_out = game is not None and shoe.decks is not None and len(shoe.cards) >= shoe.decks * game.deck.size
    return "the shoe ran out" if shoe.ended or ran_out else None


def _bets(
    picture: TablePicture, round: RoundPicture, shown: Callable[[str | None], str | None]
) -> list[dict[str, Any]]:
    limits: Mapping[str, Any] = picture.configured.limits if picture.configured else {}
    found = []
    for name, bet in sorted(round.bets.items(), key=lambda item: (item[1].position or 0, item[1].wager or "", item[0])):
        limit = limits.get(bet.wager or "")
        beyond = None
        if limit is not None and bet.amount:
            beyond = "below" if bet.amount < limit.min else "above" if bet.amount > limit.max else None
        found.append(
            {
                "bet": name, "position": bet.position, "player": shown(bet.player), "wager": bet.wager,
                "amount": bet.amount, "beyond": beyond, "paid": bet.paid, "collected": bet.collected,
            }
        )  # fmt: skip
    return found


def _differential(picture: TablePicture, round: RoundPicture) -> Section:
    """5.18: all stakes on Player against all on Banker; only the documents that have it."""
    game, configured = picture.game, picture.configured
    if game is None or configured is None or not game.document.differential:
        return None
    sides = {hand: sum(bet.amount for bet in round.bets.values() if bet.wager == hand) for hand in ("player", "banker")}
    return {
        **sides,
        "value": abs(sides["player"] - sides["banker"]),
        "limit": configured.differential_limit,
    }


def _shoe(picture: TablePicture) -> Section:
    shoe, game = picture.shoe, picture.game
    if shoe is None:
        return None
    ledger = picture.ledger()
    ranks, suits = (game.deck.ranks, game.deck.suits) if game else ((), ())
    return {
        "name": shoe.name,
        "decks": shoe.decks,
        "size": None if game is None or shoe.decks is None else shoe.decks * game.deck.size,
        "drawn": sum(ledger.values()),
        "ranks": list(ranks),
        "suits": list(suits),
        "seen": dict(sorted(ledger.items())),
        "cutting_card": None if shoe.cutting_card is None else list(shoe.cutting_card),
        "ended": shoe.ended,
    }


def _history(picture: TablePicture) -> Section:
    latest = picture.history[-SHOWN_ROUNDS:]
    return [
        {
            "shoe": each.shoe, "round": each.round, "revision": each.revision, "status": each.status,
            "winner": each.winner, "totals": list(each.totals.values()), "naturals": list(each.naturals),
            "pairs": list(each.pairs), "codes": list(each.codes), "severities": list(each.severities),
            "handle": each.handle, "win": each.win, "at": each.at,
        }
        for each in reversed(latest)
    ]  # fmt: skip


def _roads(picture: TablePicture) -> Section:
    beads = [
        Bead(each.round, each.winner, each.naturals, each.pairs)
        for each in picture.of_shoe
        if each.winner is not None and each.status != "void"
    ]
    roads = roads_of(beads)

    def derived(cells: Sequence[DerivedCell]) -> list[list[Any]]:
        return [[cell.place.column, cell.place.row, cell.colour, cell.round] for cell in cells]

    return {
        "bead_plate": [
            [each.place.column, each.place.row, each.bead.winner, each.bead.round, list(each.bead.pairs)]
            for each in roads.bead_plate
        ],
        "big_road": [
            [cell.place.column, cell.place.row, cell.bead.winner, cell.bead.round, cell.ties] for cell in roads.big_road
        ],
        "big_eye_boy": derived(roads.big_eye_boy),
        "small_road": derived(roads.small_road),
        "cockroach_pig": derived(roads.cockroach_pig),
        "leading_ties": roads.leading_ties,
    }


def _devices(picture: TablePicture, gaps: Sequence[AlertPicture]) -> Section:
    silent = set(picture.silent())
    told = []
    for source, device in sorted(picture.devices.items()):
        missing, resolved = _missing(picture.table, source, device, gaps)
        told.append(
            {
                "source": source, "arrival": device.arrival, "beats": device.beats, "silent": source in silent,
                "missing": missing, "resolved": resolved, "twice": device.twice, "clock_ms": device.clock_ms,
            }
        )  # fmt: skip
    return told


def _missing(table: str, source: str, device: Device, gaps: Sequence[AlertPicture]) -> tuple[int, int]:
    """How many events of a device have not come, and how many of resolved alerts: those that were found are known also
    where the console was not there yet."""
    missing, resolved = device.missing, 0
    for gap in gaps:
        found = finding_of(gap.alert)
        first, end = found.get("expected"), found.get("actual")
        if not isinstance(first, int) or not isinstance(end, int):
            continue
        # Its id is made of its source and its place.
        if gap.alert.finding != finding_id(gap.alert.code, table, None, None, None, None, f"{source} {first}"):
            continue
        seen = sum(first <= hole < end for hole in device.holes)
        if gap.open:
            missing += end - first - seen
        else:
            missing, resolved = missing - seen, resolved + end - first
    return missing, resolved


def _ms(micros: int | None) -> int | None:
    return None if micros is None else micros // 1000
