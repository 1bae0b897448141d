"""The register of clauses: every numbered clause of the five rule documents, in the order of the documents."""

from games.register import (
    dragon_tiger,
    dragon_tiger_baccarat,
    electronic_baccarat,
    fa_fa_fabulous_4,
    sands_elements,
)

REGISTER = (
    *dragon_tiger_baccarat.CLAUSES,
    *fa_fa_fabulous_4.CLAUSES,
    *sands_elements.CLAUSES,
    *dragon_tiger.CLAUSES,
    *electronic_baccarat.CLAUSES,
)
"""Every clause, document by document."""
