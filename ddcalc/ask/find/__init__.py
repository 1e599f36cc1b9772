"""Find: which values of a given make relations between quantities hold, and why no others do."""
