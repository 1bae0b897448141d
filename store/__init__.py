"""ClickHouse: the embedded server, migrations, writing and reading. Knows games and schemas."""

import os

# Before the driver is imported: it would make a table of all days from 1900 to 2299, for a quarter of a second at the
# start of every command. So it looks days up as they come; the name is spelled as the driver spells it.
os.environ.setdefault("CLICKHOUSE_DRIVER_LASY_DATE_LUT", "as they come")
