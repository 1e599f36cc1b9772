"""Problem types on batch size."""
