"""A problem type as a page of text: read, never run."""
