"""Ways to write formulas: one walk over an expression, and a notation for each output."""
