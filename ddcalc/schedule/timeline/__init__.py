"""One workload under a scheme: the run, its picture, and what it comes to."""
