"""ClickHouse: the embedded server, migrations, writing and reading. Knows games and schemas."""
