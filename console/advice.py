"""What to do about a finding: the first steps for a shift manager, by code; the clause stands in the finding itself."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ADVICE: Final[Mapping[str, str]] = MappingProxyType({
    "display-mismatch": "Stop the settlement. Compare the cards on the camera with the display; have it put right.",
    "card-missing": "Hold the round. Look at the camera: was a card not drawn, or not read?",
    "card-extra": "Hold the round. Set the superfluous card aside, and look at the camera for how it came out.",
    "foreign-card": "Stop the game and secure the shoe. The round is void by the rules: stakes go back.",
    "card-conflict": "Hold the round. Of this draw the reader reports two cards, or none: the camera decides.",
    "decks-not-allowed": "Close the table until the shoe has a number of decks that the rules allow.",
    "shoe-short": "Secure the shoe, have its cards counted by a second person, keep the discards.",
    "insufficient-cards": "The shoe ran out in the round: the round is void, stakes go back.",
    "wager-not-offered": "Return the stake. Check the layout and the table's configuration.",
    "position-not-on-layout": "Check the sensor: it reports a position that the table does not have.",
    "below-minimum": "Tell the dealer. Whether the stake is settled once or returned is by the clause.",
    "above-maximum": "Have it settled as the clause says, and remind the dealer of the maximum.",
    "too-many-wagers": "Have the dealer take off what is beyond the number allowed on one area.",
    "differential-exceeded": "Have stakes reduced, or added on the lighter hand, before the first card.",
    "late-bet": "Have the stake refused. Look at the camera for the moment of No more bets.",
    "late-withdrawal": "Have the stake put back. Look at the camera for the moment of No more bets.",
    "card-before-close": "Look at the camera: who could bet when the card was seen?",
    "round-out-of-order": "Ask the dealer panel's user; announcements are missing or doubled.",
    "method-not-allowed": "Have the dealer go back to a method that this area allows.",
    "ruling-not-authorised": "Have the ruling confirmed by the role that the clause names.",
    "void-required": "Take the settlement back: the rules make this round void.",
    "void-unfounded": "Ask who declared the round void, and why; settle it by its cards unless there is a reason.",
    "void-not-returned": "Return every stake and take back every payout of the void round.",
    "payout-wrong": "Have the payout corrected now; the amount due is beside the amount paid.",
    "payout-missing": "Find out whether the player was paid; have it settled or corrected.",
    "payout-unexpected": "Have it put right: this money was not due to move, to the player or from the player.",
    "device-gap": "Events of a device were lost. Rounds of that time may be unverifiable: check the device.",
    "device-clock": "Have the device's clock set; times of its events cannot be relied on. Where it was far ahead, "
    "what it says counts as said at that later time, and rounds may look wrong, until it goes on under a new source.",
    "device-silent": "Check the device and its cable. The table is not watched while it is silent. Where the page of "
    "the table says that it speaks, its clock is behind: have it set.",
    "event-rejected": "Call the technician: a device sends what the contract does not allow.",
    "round-incomplete": "Keep the camera's recording: the events do not suffice to verify the round.",
    "shuffle-repeat": "Secure both shoes. Look at the shuffle on the camera. Accuse nobody yet.",
    "card-frequency": "Have the shoe's cards counted and inspected. Accuse nobody yet.",
    "hold-out-of-range": "Review the table's rounds with an auditor. Accuse nobody yet.",
    "player-over-expectation": "Review the player's rounds with an auditor. Accuse nobody yet.",
    "self-test-failed": "Real alerts may not come either: have tables watched by people, and call the administrator. "
    "`tablewatch doctor` says whether broker, workers and alert service are well.",
    "not-judged": "Have these tables watched by people until it is cleared, and call the administrator. "
    "`tablewatch doctor` says whether broker, store and workers are well.",
})  # fmt: skip


def advice_for(code: str) -> str:
    """The first steps; for an unknown code, to look at the round."""
    return ADVICE.get(code, "Look at the round.")
