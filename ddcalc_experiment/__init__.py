"""Real training under the engine's clock: which scheme comes first to a target accuracy."""
