"""What is known of the types: where they are, what they are about, and what has a name."""
