"""The judge at work on tables that go on: the same facts and checks, folded event by event."""
