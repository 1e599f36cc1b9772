"""Training schedules played exactly, event by event."""
