"""One iteration of data-parallel SGD on given rows: its numbers, and how they come about."""
