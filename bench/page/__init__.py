"""The page of the measurements: what is run, what is kept of it, and how it is told and drawn."""
