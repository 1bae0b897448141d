"""From a finding to a person: who is told, by which way, and what people do about it."""
