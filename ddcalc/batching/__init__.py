"""How many workers to take, each with which batch: every number is tried."""
