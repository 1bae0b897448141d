"""Reading: typed functions, one file per question that is asked; no SQL lives outside this room."""
