"""The embedded broker: a durable log in one folder, and the Faust transport that runs the agents on it."""
