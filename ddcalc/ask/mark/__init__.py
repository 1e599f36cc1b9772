"""Stated answers marked: right or wrong, which slip leads there, and what follows from it."""
