"""Asynchronous beside sequential SGD: the runs, the bound on their distance, and its proof."""
