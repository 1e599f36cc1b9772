"""Problem types on epoch and step timing."""
