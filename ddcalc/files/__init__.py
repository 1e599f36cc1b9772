"""Problem files: what they mean, and how they are solved in batch."""
