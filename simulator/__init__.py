"""Tables that play by the rules and err on demand, the truth beside. Knows games and schemas, never audit."""
