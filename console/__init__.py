"""The web page: wall, table, alert desk, round replay. Knows audit, store and replay."""
