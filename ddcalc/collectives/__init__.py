"""Messages between workers: what is sent, over which links, and what a collective costs."""
