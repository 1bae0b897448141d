"""The checks: one file each, each naming its clauses; every one reads a case and writes findings down."""
