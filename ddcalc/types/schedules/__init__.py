"""Problem types on schedules and staleness."""
