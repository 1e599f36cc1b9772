"""Numbers: their grammar, units and dimensions, and how they are displayed."""
