"""Every fault that can be injected, by finding code."""

from collections.abc import Mapping
from typing import Final

from simulator.faults import announcements, authority, bets, cards, devices, late, payouts, shoes, voids
from simulator.faults.variant import Variant

_RULE: Final = (
    *cards.VARIANTS, *bets.VARIANTS, *late.VARIANTS, *announcements.VARIANTS, *authority.VARIANTS, *voids.VARIANTS,
    *payouts.VARIANTS, *devices.VARIANTS, *shoes.VARIANTS,
)  # fmt: skip

RULE_CODES: Final[tuple[str, ...]] = tuple(dict.fromkeys(variant.code for variant in _RULE))
"""Finding codes whose basis is a rule: what ``--faults`` draws from."""

STATISTICAL_CODES: Final[tuple[str, ...]] = tuple(variant.code for variant in shoes.STATISTICAL)
"""Finding codes whose basis is statistics: injected only when named."""

CODES: Final[tuple[str, ...]] = (*RULE_CODES, *STATISTICAL_CODES)


def variants_by_code() -> Mapping[str, tuple[Variant, ...]]:
    """The ways to bring about each code."""
    everything = (*_RULE, *shoes.STATISTICAL)
    return {code: tuple(variant for variant in everything if variant.code == code) for code in CODES}


VARIANTS: Final = variants_by_code()
