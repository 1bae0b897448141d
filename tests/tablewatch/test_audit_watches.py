"""The statistical watches in `tablewatch audit --findings`: what many rounds show, and nothing of small files."""

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from audit.settings import JudgeSettings
from audit.watches.summary import DealtRound, SettledBet, ShoeSummary
from games.rulebook import GAMES, Game
from games.settlement import outcome_of
from schemas.findings import STATISTICAL
from tablewatch.auditing.filing import Filing
from tablewatch.auditing.judging import judge_filed
from tablewatch.settings import InvalidSetting, watch_settings
from tests.audit.case import BANKER_WINS, PLAYER_WINS, TIE
from tests.audit.watches.dealt_shoes import PlacedBet, deal, fair_shoe, picked_up, with_slug
from tests.audit.watches.told_shoes import lines_of

GAME = GAMES["no_commission"]


def audited(lines: Sequence[bytes], findings: bool = True) -> tuple[list[dict[str, Any]], bool]:
    """What the command prints, and whether it calls the file clean."""
    out = io.BytesIO()
    with Filing() as filing:
        filing.take(list(lines))
        found = judge_filed(filing, JudgeSettings(), out, findings=findings, strict=True)
    return [json.loads(line) for line in out.getvalue().splitlines()], found


def codes(lines: Sequence[bytes]) -> list[str]:
    return [finding["code"] for finding in audited(lines)[0]]


def main_bets(random: Random, game: Game, before: DealtRound | None) -> list[PlacedBet]:
    return [("P1", random.choice(("player", "banker")), 1_000)]


def foreseen(shoe: ShoeSummary, player: str, wager: str | None = None) -> ShoeSummary:
    """The same shoe with one player who backs the winner of every round, or this wager in those that it wins."""

    def with_bet(each: DealtRound) -> DealtRound:
        outcome = outcome_of(GAME, each.cards)
        assert outcome is not None
        chosen = wager or outcome.winner
        net = outcome.nets[chosen] * 1_000
        return replace(each, bets=(SettledBet(player, chosen, 1_000, int(net)),) if net > 0 else ())

    return replace(shoe, rounds=tuple(map(with_bet, shoe.rounds)))


def test_fair_shoes_bring_no_finding() -> None:
    random = Random(1)
    shoes = [fair_shoe(random, f"A{n}", bets=main_bets) for n in range(6)]
    assert audited(lines_of(shoes)) == ([], False)


@pytest.mark.parametrize("reverse", [False, True])
def test_a_slug_that_comes_again_is_told_after_all_other_findings_and_changes_no_verdict(reverse: bool) -> None:
    random = Random(2)
    shoes = [fair_shoe(random, f"A{n}") for n in range(3)]
    slug = picked_up(random, shoes[0].rounds[20:30], reverse)
    shoes.append(deal(with_slug(random, slug, GAME.name, 8, 150), "A3"))
    lines = [*lines_of(shoes), b"nonsense"]
    findings, found = audited(lines)
    assert found
    assert [finding["code"] for finding in findings] == ["event-rejected", "shuffle-repeat"]
    told = findings[-1]
    assert (told["table"], told["shoe"], told["round"], told["basis"]) == ("BT1", "A3", None, "statistics")
    assert told["actual"]["earlier_shoe"] == "A0"
    assert told["actual"]["reversed"] is reverse
    assert told["p_value"] <= 1e-6
    verdicts, found = audited(lines, findings=False)
    assert found
    assert {verdict["status"] for verdict in verdicts} == {"verified"}
    assert all(verdict["findings"] == [] for verdict in verdicts)


def test_cards_that_are_gone_from_every_shoe_are_told() -> None:
    random = Random(41)
    shoes = [fair_shoe(random, f"A{n:02}", without=["4C"] * 6, stop_after=380) for n in range(20)]
    findings, _ = audited(lines_of(shoes))
    assert {finding["code"] for finding in findings} == {"card-frequency"}
    assert findings[0]["actual"]["subject"] in {"card 4C", "rank 4"}


def test_a_player_who_foresees_the_winner_is_told_over_two_tables() -> None:
    random = Random(5)
    first = [foreseen(fair_shoe(random, f"A{n}", stop_after=300), "P1") for n in range(2)]
    second = [foreseen(fair_shoe(random, f"B{n}", stop_after=300), "P1") for n in range(2)]
    assert codes(lines_of(first)) == []  # about 120 rounds
    findings, _ = audited([*lines_of(second, "BT2"), *lines_of(first, "BT1")])
    assert [finding["code"] for finding in findings] == ["player-over-expectation"]
    assert findings[0]["actual"]["player"] == "P1"
    assert findings[0]["actual"]["shoes"] == 4


def test_a_table_at_which_the_winner_is_always_foreseen_is_out_of_range() -> None:
    random = Random(6)
    shoes = [foreseen(fair_shoe(random, f"A{n}"), "P1") for n in range(4)]
    assert sorted(set(codes(lines_of(shoes)))) == ["hold-out-of-range", "player-over-expectation"]


def test_bets_that_are_paid_wrongly_are_told_one_by_one_and_not_once_more_as_statistics() -> None:
    random = Random(7)
    shoes = [fair_shoe(random, f"A{n}", bets=main_bets) for n in range(4)]
    paid = [
        replace(
            shoe,
            rounds=tuple(
                replace(each, bets=tuple(replace(bet, net=9_000) for bet in each.bets)) for each in shoe.rounds
            ),
        )
        for shoe in shoes
    ]
    assert set(codes(lines_of(paid))) == {"payout-wrong"}


def by_hand(name: str, rounds: Sequence[list[str]], wager: str) -> ShoeSummary:
    """A shoe as people write it: the same hands again and again, and always a huge win."""

    def written(number: int, cards: list[str]) -> DealtRound:
        outcome = outcome_of(GAME, cards)
        assert outcome is not None
        return DealtRound(number, tuple(cards), (SettledBet("ann", wager, 9_000, int(outcome.nets[wager] * 9_000)),))

    return ShoeSummary("BT1", name, GAME.name, 8, tuple(written(*each) for each in enumerate(rounds, start=1)))


def test_files_made_by_hand_bring_no_statistics() -> None:
    same = [by_hand(f"A{n:02}", [PLAYER_WINS] * 8, "player") for n in range(30)]
    three_hands = [by_hand(f"B{n:02}", [PLAYER_WINS, BANKER_WINS, TIE] * 2, "tie") for n in range(30)]
    lucky = [by_hand(f"C{n:02}", [TIE] * 8, "tie") for n in range(30)]
    for shoes in (same, three_hands, lucky):
        assert not STATISTICAL & set(codes(lines_of(shoes)))


def test_one_long_shoe_of_nothing_but_rare_wins_brings_no_statistics() -> None:
    random = Random(8)
    shoes = [foreseen(fair_shoe(random, f"A{n}"), "P1", "tie") for n in range(2)]
    assert codes(lines_of(shoes)) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("HOLD_RATE", "0"), ("HOLD_RATE", "often"), ("PLAYER_RATE", "1"), ("SLUG_CARDS", "0"), ("FEWEST_ROUNDS", "-1")],
)
def test_a_setting_of_the_watches_that_means_nothing_is_named(name: str, value: str) -> None:
    with pytest.raises(InvalidSetting, match=f"TABLEWATCH_WATCH_{name}"):
        watch_settings({f"TABLEWATCH_WATCH_{name}": value})


def test_the_watches_are_set_by_the_environment() -> None:
    settings = watch_settings({"TABLEWATCH_WATCH_HOLD_RATE": "0.5", "TABLEWATCH_WATCH_SLUG_SHOES": "7"})
    assert (settings.hold_rate, settings.slug_shoes, settings.player_rate) == (0.5, 7, 1e-6)
