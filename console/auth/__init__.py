"""People, passwords, sessions and limits."""
