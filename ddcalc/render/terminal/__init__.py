"""Pages and pictures for people at a terminal; nothing else knows Rich."""
