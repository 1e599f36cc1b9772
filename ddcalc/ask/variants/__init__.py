"""Variants of a question: other numbers, as clean as its own, that lead through the same steps."""
