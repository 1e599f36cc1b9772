"""What a problem type declares, and what becomes of a question of it."""
