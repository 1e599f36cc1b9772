"""The ways to synchronise workers, one module each."""
