"""Writing: typed rows in, columns out, each write idempotent by its token and by the table's sorting key."""
