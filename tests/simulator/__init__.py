"""Tests of the simulator: honest floors give nothing to find, and each fault gives exactly its truth."""
