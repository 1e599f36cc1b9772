"""Problem types on compression."""
