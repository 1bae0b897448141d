"""Tamper evidence: rows are leaves of a Merkle tree and links of their table's chain, under signed checkpoints."""
