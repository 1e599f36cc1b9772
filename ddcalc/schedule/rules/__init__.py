"""The weights that a worker reads, as the first ones minus a step for each gradient in them."""
