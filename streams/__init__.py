"""Kafka and Faust: topics, agents, the embedded log, alert delivery. Knows audit and store, never replay."""
