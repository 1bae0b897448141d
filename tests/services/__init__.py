"""Real services for tests and measurements."""
