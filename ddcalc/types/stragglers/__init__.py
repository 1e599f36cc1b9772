"""Problem types on stragglers."""
