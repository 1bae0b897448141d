"""A finding as the console tells it: in the table's currency, with wagers as printed, without names where need be."""

from console.findings import told_finding
from console.masking import MASK


def test_wagers_are_named_as_printed_in_the_sentence_and_in_its_values() -> None:
    found = {
        "code": "wager-not-offered",
        "message": "Bet b7 is on tiger_pair, which this game does not offer.",
        "expected": ["banker_pair", "super_six"],
        "actual": "tiger_pair",
        "bet": "b7",
    }
    told = told_finding(found, None, masking=False)
    assert told["message"] == "Bet b7 is on Tiger Pair, which this game does not offer."
    assert (told["expected"], told["actual"], told["bet"]) == (["Banker Pair", "Super Six"], "Tiger Pair", "b7")
    assert found["actual"] == "tiger_pair"


def test_a_winner_that_is_called_like_a_wager_stays_as_displayed() -> None:
    found = {"code": "display-mismatch", "message": "Wrong.", "expected": {"winner": "tiger"}, "actual": "tie"}
    assert told_finding(found, "SGD", masking=False) == found


def test_amounts_are_told_in_the_currency_and_players_only_where_they_may_be_seen() -> None:
    found = {
        "code": "below-minimum",
        "message": "Bet b1 on player_pair is 500, under the minimum of 1000.",
        "expected": 1000,
        "actual": {"player": "Lim", "amount": 500},
    }
    told = told_finding(found, "SGD", masking=True)
    assert told["message"] == "Bet b1 on Player Pair is 5.00 SGD, under the minimum of 10.00."
    assert told["actual"] == {"player": MASK, "amount": 500}
