"""Rounds that wait for the fastest of workers with random times: how long, and what that yields."""
