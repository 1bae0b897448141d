"""How often the statistical watches find what they are for, and how often they cry wolf, over seeded shoes.

    python -m bench.watches power --repetitions 200
    python -m bench.watches false-alarms --shoes 20000 --rate 0.01

Nothing is asserted.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from audit.watches.expectation import Account
from audit.watches.frequency import FrequencyState, card_frequency
from audit.watches.hold import hold_out_of_range
from audit.watches.players import PlayersState, watch_players
from audit.watches.settings import DEFAULT_SETTINGS, WatchSettings
from audit.watches.shuffle import shuffle_repeat
from audit.watches.summary import DealtRound, SettledBet, ShoeSummary
from audit.watches.watch import WatchState, watch_shoe
from bench.page.figures import tell
from games.rulebook import GAMES, Game
from tests.audit.watches.dealt_shoes import Bets, PlacedBet, cut, deal, fair_shoe, picked_up, with_slug

_MEASURED = ("found", "slowest_cpu_ms", "median_shoes")


def say(**figures: object) -> None:
    """Tell what was measured, with all that says of what."""
    of = ", ".join(
        value if isinstance(value, str) else f"{name.replace('_', ' ')} {value}"
        for name, value in figures.items()
        if name not in _MEASURED
    )
    for name in _MEASURED:
        value = figures.get(name)
        if isinstance(value, Counter):
            tell("watches: found in fair shoes", value.total(), of=of)
        elif isinstance(value, int | float):
            tell(f"watches: {name.replace('_', ' ')}", value, of=of)


def slug_power(repetitions: int, seed: int) -> None:
    """A slug of 24 cards, cut anywhere, each round in any order, among fifty earlier shoes."""
    for game in ("no_commission", "fa_fa_fabulous_4", "dragon_tiger"):
        random = Random(seed)
        past = [fair_shoe(random, f"S{number}", game) for number in range(50)]
        for length, lost in ((24, 0), (30, 1)):
            for reverse in (False, True):
                found, slowest = 0, 0.0
                for _ in range(repetitions):
                    slug = cut(random, picked_up(random, random.choice(past).rounds, reverse), length)
                    for _ in range(lost):
                        slug.pop(random.randrange(len(slug)))
                    shoe = deal(with_slug(random, slug, game, 8, random.randrange(360)), "N", game)
                    began = time.process_time()
                    found += len(shuffle_repeat(past, shoe, DEFAULT_SETTINGS))
                    slowest = max(slowest, time.process_time() - began)
                say(
                    watch="shuffle-repeat", game=game, slug=length, cards_lost=lost, reversed=reverse, found=found,
                    of=repetitions, slowest_cpu_ms=round(1000 * slowest, 1),
                )  # fmt: skip


def shoes_until_found(shoes: Iterator[ShoeSummary], gone: set[str]) -> int | None:
    """After how many shoes the watch over cards names one of those gone, or its rank."""
    state = FrequencyState()
    for number, shoe in enumerate(shoes, start=1):
        state, findings = card_frequency(state, shoe, DEFAULT_SETTINGS)
        if any(finding.actual["subject"] in gone for finding in findings):
            return number
    return None


def frequency_power(repetitions: int, seed: int) -> None:
    """Five cards gone from eight decks for sixty shoes, from the first shoe on or after some full ones."""
    random = Random(seed)
    ranks = GAMES["no_commission"].deck.ranks
    for what, game, stop_after, full_before in (
        ("five of one rank, half dealt", "no_commission", 204, 0),
        ("five of one rank, half dealt, after 63 full shoes", "no_commission", 204, 63),
        ("five of one rank, half dealt", "fa_fa_fabulous_4", 256, 0),
        ("five cards, all but 16 dealt", "no_commission", 395, 0),
        ("five cards, all but 30 dealt", "no_commission", 381, 0),
        ("five cards, all but 16 dealt", "fa_fa_fabulous_4", 499, 0),
    ):
        found = []
        deck = GAMES[game].deck
        for _ in range(repetitions):
            if "rank" in what:
                rank = random.choice(ranks[:10])
                gone = random.sample([rank + suit for suit in deck.suits for _ in range(8)], 5)
                names = {f"rank {rank}", *(f"card {card}" for card in gone)}
            else:
                gone = random.sample(deck.codes, 5)
                names = {f"card {card}" for card in gone}
            shoes = (
                fair_shoe(random, f"S{n}", game, without=gone if n > full_before else (), stop_after=stop_after)
                for n in range(1, full_before + 61)
            )
            found.append(shoes_until_found(shoes, names))
        hits = sorted(number - full_before for number in found if number is not None)
        say(
            watch="card-frequency", what=what, game=game, found=len(hits), of=repetitions,
            median_shoes=hits[len(hits) // 2] if hits else None,
        )  # fmt: skip


def punters(random: Random, game: Game, before: DealtRound | None) -> list[PlacedBet]:
    """Eight players of different purses on all wagers, and one who is not known."""
    wagers = list(game.wagers)
    bets: list[PlacedBet] = []
    for player in range(8):
        for _ in range(1 + (random.random() < 0.3)):
            stake = 100 * random.choice((1, 2, 5, 10)) * 4**player
            bets.append((f"P{player}", wagers[min(int(random.expovariate(0.6)), len(wagers) - 1)], stake))
    bets.append((None, random.choice(wagers), 500))
    return bets


def doublers(random: Random, game: Game, before: DealtRound | None) -> list[PlacedBet]:
    """Eight players who double what they lost, up to a limit, and begin again after a win."""
    lost = {bet.player: bet.stake for bet in before.bets if bet.net < 0} if before else {}
    return [
        (player, random.choice(list(game.wagers)[:3]), 2 * lost[player] if 0 < lost.get(player, 0) < 10_000 else 100)
        for player in (f"P{number}" for number in range(8))
    ]


def with_edge(shoe: ShoeSummary, random: Random, player: str, share: float) -> ShoeSummary:
    """The same shoe, save that this player is paid on this share of the bets that he lost."""

    def luckier(bet: SettledBet) -> SettledBet:
        cheats = bet.player == player and bet.net == -bet.stake and random.random() < share
        return replace(bet, net=bet.stake) if cheats else bet

    rounds = tuple(DealtRound(each.round, each.cards, tuple(map(luckier, each.bets))) for each in shoe.rounds)
    return replace(shoe, rounds=rounds)


def money_power(repetitions: int, seed: int) -> None:
    """A player, one of eight, who is paid on one in five of his lost bets (the table: two of them); sixty shoes."""

    def bets(random: Random, game: Game, before: DealtRound | None) -> list[PlacedBet]:
        return [(f"P{n}", random.choice(("player", "banker")), 100 * random.choice((1, 2, 5))) for n in range(8)]

    random = Random(seed)
    by_player, by_table = [], []
    for _ in range(repetitions):
        players, account = PlayersState(), Account()
        player_at = table_at = None
        for number in range(1, 61):
            shoe = with_edge(fair_shoe(random, f"S{number}", bets=bets), random, "P3", 0.2)
            players, findings = watch_players(players, shoe)
            if player_at is None and any(finding.actual["player"] == "P3" for finding in findings):
                player_at = number
            everybody = with_edge(shoe, random, "P5", 0.2)
            account, findings = hold_out_of_range(account, everybody, DEFAULT_SETTINGS)
            table_at = table_at or (number if findings else None)
        by_player.append(player_at)
        by_table.append(table_at)
    for watch, found in (("player-over-expectation", by_player), ("hold-out-of-range", by_table)):
        hits = sorted(number for number in found if number is not None)
        say(watch=watch, found=len(hits), of=repetitions, median_shoes=hits[len(hits) // 2] if hits else None)


def false_alarms(shoes: int, rate: float, seed: int) -> None:
    """Fair shoes at a raised rate: how many findings there were, against the most that the rate allows on average."""
    settings = WatchSettings(
        shuffle_repeat_rate=rate, card_frequency_rate=rate, hold_rate=rate, player_rate=rate, slug_cards=1
    )
    tables: list[tuple[str, str, int, Bets]] = [
        ("all wagers, half dealt", "fortune_six_no_commission", 204, punters),
        ("all wagers, dealt to the end", "fa_fa_fabulous_4", 506, punters),
        ("all wagers, dealt to the end", "dragon_tiger_baccarat", 402, punters),
        ("doubling after losses, dealt to the end", "tiger", 402, doublers),
        ("all wagers, dealt to the end", "dragon_tiger", 402, punters),
    ]
    for what, game, stop_after, bets in tables:
        random = Random(seed)
        state, players = WatchState(), PlayersState()
        found: Counter[str] = Counter()
        for number in range(shoes // len(tables)):
            shoe = fair_shoe(random, f"S{number}", game, stop_after=stop_after, bets=bets)
            state, findings = watch_shoe(state, shoe, settings)
            players, of_players = watch_players(players, shoe, settings)
            found.update(finding.code for finding in (*findings, *of_players))
        say(table=what, game=game, shoes=shoes // len(tables), allowed=rate * (shoes // len(tables)), found=found)


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("power", "false-alarms"))
    parser.add_argument("--watch", choices=("all", "slugs", "cards", "money"), default="all", help="whose power")
    parser.add_argument("--repetitions", type=int, default=200, help="of each power measurement")
    parser.add_argument("--shoes", type=int, default=20_000, help="fair shoes in all")
    parser.add_argument("--rate", type=float, default=0.01, help="false findings allowed per shoe and code")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.what == "false-alarms":
        false_alarms(asked.shoes, asked.rate, asked.seed)
        return
    if asked.watch in ("all", "slugs"):
        slug_power(asked.repetitions, asked.seed)
    if asked.watch in ("all", "cards"):
        frequency_power(asked.repetitions, asked.seed)
    if asked.watch in ("all", "money"):
        money_power(max(1, asked.repetitions // 5), asked.seed)


if __name__ == "__main__":
    main()
