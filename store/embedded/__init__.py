"""ClickHouse in a process of its own: chdb behind ClickHouse's native TCP protocol, on a loopback port."""
