"""The statistical watches as a service of its own: summaries of ended shoes, and what many of them show."""
