"""Formulas along the number line: within bounds, and exactly between places of change."""
