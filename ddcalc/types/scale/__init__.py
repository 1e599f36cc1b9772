"""Problem types on scaling and cost."""
