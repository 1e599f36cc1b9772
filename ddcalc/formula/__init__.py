"""Formulas as they are written, and what becomes of them."""
