"""The evidence bundle: one file that shows a stranger what happened in a round, and lets him check it."""
