"""The five rule documents: name, date in force, and the procedures in which they differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class RuleDocument:
    """One version of one rule document."""

    name: str
    """As findings cite it, e.g. ``dragon-tiger-baccarat``."""
    short: str
    """As people here call it, e.g. ``DTB``."""
    title: str
    in_force: date
    """It applies from 00:00 Singapore time of this day."""
    clauses: Mapping[str, str]
    """The clause behind each subject that is checked; a subject that the document is silent on is absent."""
    methods: bool
    """Whether the document knows the dealing methods A, B and C (DTB 3.9, FF4 3.8)."""
    limits_settle: bool
    """5.14 and 5.15: a wager under the minimum is settled once, one over the maximum as the maximum."""
    area_maximum: int | None
    """The most wagers on one playing area (DTB 3.7, FF4 3.6), or None."""
    differential: bool
    """Whether there is a table differential (5.18)."""
    withdrawal_clauses: frozenset[str]
    """The clauses that let players withdraw after "No more bets"."""
    decided_by_shift_manager: bool
    """6.1: what is not covered goes to the Gaming Shift Manager, who may declare a round void."""
    missing_or_unshuffled_void: bool
    """Missing and unshuffled cards make the round void (5.1 of DTB, FF4, EB; SE and DT name foreign cards alone)."""
    wrong_count_void: bool
    """A hand with the wrong number of cards may be declared void (SE 5.2, DT 5.2)."""
    together_void: str
    """When cards drawn together in an unknown order make the round void: ``initial-deal`` or ``always``."""
    power_void: bool
    """EB 5.9.1: a technical interruption before an outcome is established makes the round void."""
    pit_manager_clauses: tuple[str, ...] = ()
    """Clauses that need a Pit Manager."""
    dealer_clauses: tuple[str, ...] = ()
    """Clauses that a Dealer may act on."""


_WITHDRAWALS = frozenset({"3.17.1", "5.8.1", "5.8.2.2", "5.9", "5.17.1", "5.18.1"})

DRAGON_TIGER_BACCARAT = RuleDocument(
    name="dragon-tiger-baccarat",
    short="DTB",
    title="Dragon Tiger Baccarat",
    in_force=date(2023, 12, 7),
    clauses={
        "decks": "2.1", "positions": "Appendix", "wagers-offered": "3.5", "limits": "3.5.1", "under-minimum": "5.14",
        "over-maximum": "5.15", "area-maximum": "3.7", "opening-and-closing": "3.2", "round": "1.1.8",
        "late-bet": "5.4", "late-withdrawal": "5.5", "card-before-close": "3.2", "winner": "3.15", "totals": "3.4",
        "table-of-play": "3.14", "foreign-card": "5.1", "insufficient-cards": "5.3", "order-altered": "5.2",
        "drawn-together": "5.8.2.1", "differential": "5.18", "display": "6.3", "method": "3.9.2", "decision": "6.1",
        "reset": "5.9", "draw-order": "3.13", "missing-card": "5.1", "unshuffled-cards": "5.1",
        "reopened": "5.1.2",
    },
    methods=True,
    limits_settle=True,
    area_maximum=3,
    differential=True,
    withdrawal_clauses=_WITHDRAWALS,
    decided_by_shift_manager=True,
    missing_or_unshuffled_void=True,
    wrong_count_void=False,
    together_void="initial-deal",
    power_void=False,
    pit_manager_clauses=("3.7.1", "5.8.2.2", "5.18.3"),
    dealer_clauses=("3.17.1", "5.18.1"),
)  # fmt: skip

FA_FA_FABULOUS_4 = RuleDocument(
    name="fa-fa-fabulous-4",
    short="FF4",
    title="Fa Fa Fabulous 4 Baccarat",
    in_force=date(2020, 1, 23),
    clauses={
        "decks": "2.1", "positions": "Appendix", "wagers-offered": "3.5", "limits": "3.5.1", "under-minimum": "5.14",
        "over-maximum": "5.15", "area-maximum": "3.6", "opening-and-closing": "3.2", "round": "1.1.9",
        "late-bet": "5.4", "late-withdrawal": "5.5", "card-before-close": "3.2", "winner": "3.15", "totals": "3.4",
        "table-of-play": "3.14", "foreign-card": "5.1", "insufficient-cards": "5.3", "order-altered": "5.2",
        "drawn-together": "5.8.2.1", "differential": "5.18", "display": "6.3", "method": "3.8.2", "decision": "6.1",
        "reset": "5.9", "draw-order": "3.12", "missing-card": "5.1", "unshuffled-cards": "5.1",
        "reopened": "5.1.2",
    },
    methods=True,
    limits_settle=True,
    area_maximum=3,
    differential=True,
    withdrawal_clauses=_WITHDRAWALS,
    decided_by_shift_manager=True,
    missing_or_unshuffled_void=True,
    wrong_count_void=False,
    together_void="initial-deal",
    power_void=False,
    pit_manager_clauses=("3.6.1", "5.8.2.2", "5.18.3"),
    dealer_clauses=("3.17.1", "5.18.1"),
)  # fmt: skip

SANDS_ELEMENTS = RuleDocument(
    name="sands-elements-no-commission",
    short="SE",
    title="Sands Elements No Commission Baccarat",
    in_force=date(2017, 5, 5),
    clauses={
        "decks": "2.1", "wagers-offered": "3.5", "opening-and-closing": "3.2", "round": "1.1.7", "late-bet": "5.6",
        "late-withdrawal": "5.7", "card-before-close": "3.2", "winner": "3.10", "totals": "3.4",
        "table-of-play": "3.9", "foreign-card": "5.1", "insufficient-cards": "5.5", "order-altered": "5.4",
        "drawn-together": "5.3", "draw-order": "3.7", "wrong-count": "5.2", "reopened": "5.1.2",
    },
    methods=False,
    limits_settle=False,
    area_maximum=None,
    differential=False,
    withdrawal_clauses=frozenset(),
    decided_by_shift_manager=False,
    missing_or_unshuffled_void=False,
    wrong_count_void=True,
    together_void="initial-deal",
    power_void=False,
)  # fmt: skip

DRAGON_TIGER = RuleDocument(
    name="dragon-tiger",
    short="DT",
    title="Dragon Tiger",
    in_force=date(2013, 7, 17),
    clauses={
        "decks": "2.1", "wagers-offered": "3.3", "opening-and-closing": "3.2", "round": "1.1.2", "late-bet": "5.6",
        "late-withdrawal": "5.7", "card-before-close": "3.4", "winner": "3.6", "totals": "3.5",
        "table-of-play": "3.4", "foreign-card": "5.1", "insufficient-cards": "5.5", "order-altered": "5.4",
        "drawn-together": "5.3", "draw-order": "3.4", "wrong-count": "5.2", "reopened": "5.1.2",
    },
    methods=False,
    limits_settle=False,
    area_maximum=None,
    differential=False,
    withdrawal_clauses=frozenset(),
    decided_by_shift_manager=False,
    missing_or_unshuffled_void=False,
    wrong_count_void=True,
    together_void="always",
    power_void=False,
)  # fmt: skip

ELECTRONIC_BACCARAT = RuleDocument(
    name="electronic-baccarat",
    short="EB",
    title="Electronic Baccarat",
    in_force=date(2021, 10, 28),
    clauses={
        "decks": "2.1", "wagers-offered": "2.2", "limits": "2.2", "opening-and-closing": "3.2", "round": "1.1.13",
        "late-bet": "5.5", "late-withdrawal": "5.4", "card-before-close": "3.2", "winner": "3.9", "totals": "3.4",
        "table-of-play": "3.8", "foreign-card": "5.1", "insufficient-cards": "5.3", "order-altered": "5.2",
        "drawn-together": "5.8.1", "display": "6.3", "decision": "6.1", "draw-order": "3.6", "missing-card": "5.1",
        "unshuffled-cards": "5.1", "power-failure": "5.9.1", "reopened": "5.1.2",
    },
    methods=False,
    limits_settle=False,
    area_maximum=None,
    differential=False,
    withdrawal_clauses=frozenset(),
    decided_by_shift_manager=True,
    missing_or_unshuffled_void=True,
    wrong_count_void=False,
    together_void="always",
    power_void=True,
)  # fmt: skip

DOCUMENTS = (DRAGON_TIGER_BACCARAT, FA_FA_FABULOUS_4, SANDS_ELEMENTS, DRAGON_TIGER, ELECTRONIC_BACCARAT)
