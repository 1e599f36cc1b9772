"""Messages that are compressed: what that costs and saves, and what it does to a vector."""
