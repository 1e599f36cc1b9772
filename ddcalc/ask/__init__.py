"""Questions on any problem type; they know declarations and the door to their working alone."""
