"""Problem types on communication."""
