"""The web page of the surveillance room: wall, table, alert desk, replay, reports; it reads, and runs no agent."""
