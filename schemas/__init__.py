"""The contract as code: events, verdicts, findings, topics, and how a record is decoded. Knows games alone."""
