"""Screens about the past, over a store that holds an evening of a simulated floor: rounds, reports, changes."""
