"""Sweeps: any problem type at very many points at once, exactly where NumPy allows it."""
