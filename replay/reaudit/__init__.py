"""Bulk re-audit inside the engine: the rulebook read out as SQL, and the judge's word on every difference."""
