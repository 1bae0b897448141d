"""The judgement: facts of a round in, verdict out; pure, without I/O, clock or randomness. Knows games and schemas."""
