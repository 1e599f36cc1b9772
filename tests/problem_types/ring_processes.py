"""A ring all-reduce by real processes that pass messages through pipes: a witness of its own.

Nothing of ddcalc is imported here. Each process knows its own vector, a pipe from the one before it
and a pipe to the one behind it, and the textbook's loop.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

OPERATIONS: dict[str, Any] = {
    "sum": lambda a, b: a + b,
    "mean": lambda a, b: a + b,
    "max": lambda a, b: a if a > b else b,
    "min": lambda a, b: a if a < b else b,
    "prod": lambda a, b: a * b,
}
Log = list[tuple[int, list[Any]]]  # the chunk and its values of each message, in order


def member(
    rank: int,
    size: int,
    chunks: list[list[Any]],
    op: str,
    shift: int,
    left: Connection,
    right: Connection,
    done: Connection,
) -> None:
    """One process of the ring; ranks and chunks are counted from 0."""
    log: Log = []
    combine = OPERATIONS[op]
    for step in range(size - 1):
        outgoing = (rank + shift - step) % size
        incoming = (rank - 1 + shift - step) % size
        right.send(chunks[outgoing])
        log.append((outgoing, list(chunks[outgoing])))
        received = left.recv()
        chunks[incoming] = [combine(a, b) for a, b in zip(received, chunks[incoming], strict=True)]
    mine = (rank + 1 + shift) % size
    if op == "mean":
        chunks[mine] = [value / size for value in chunks[mine]]
    for step in range(size - 1):
        outgoing = (mine - step) % size
        incoming = (mine - 1 - step) % size
        right.send(chunks[outgoing])
        log.append((outgoing, list(chunks[outgoing])))
        chunks[incoming] = left.recv()
    done.send(([value for chunk in chunks for value in chunk], log))


def all_reduce(
    vectors: Sequence[Sequence[Any]], lengths: Sequence[int], op: str, shift: int = 0
) -> tuple[list[list[Any]], list[Log]]:
    """What each process ends with, and its messages; a process for each of *vectors*."""
    context = multiprocessing.get_context("spawn")
    size = len(vectors)
    pipes = [context.Pipe(duplex=False) for _ in range(size)]  # pipe i leads to process i
    results = [context.Pipe(duplex=False) for _ in range(size)]
    running = []
    for rank, vector in enumerate(vectors):
        queue = list(vector)
        chunks = [[queue.pop(0) for _ in range(length)] for length in lengths]
        right = pipes[(rank + 1) % size][1]
        arguments = (rank, size, chunks, op, shift, pipes[rank][0], right, results[rank][1])
        running.append(context.Process(target=member, args=arguments))
    for item in running:
        item.start()
    try:
        message = []
        for receiver, _ in results:
            assert receiver.poll(30), "a process of the ring does not answer"
            message.append(receiver.recv())
    finally:
        for item in running:
            item.join(10)
            item.kill()
    return [vector for vector, _ in message], [log for _, log in message]
