"""The ring all-reduce on given vectors: who sends what to whom, and how it is told."""
