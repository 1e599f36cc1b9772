"""A parameter server played: batches handed out round by round, messages dealt out to links.

Times are exact numbers of seconds, choices are written as in files.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

MOST = 3000  # workers that are counted


@dataclass
class Server:
    """What a server has seen: the time, the workers of each round that ran, its batches; the
    samples that were left for a last round, and the most that one worker got of them."""

    clock: Fraction = Fraction(0)
    rounds: tuple[int, ...] = ()
    batches: int = 0
    left: int = 0
    part: int = 0


def served(stated: Mapping[str, Any]) -> Server:
    """A server that cuts the data into batches and hands them out until none is left."""
    if stated["last_batch"] == "deal":
        return _dealt(stated)
    epochs = [cut(stated) for _ in range(stated["epochs"])]
    barrier = stated["queue"].replace("_", "-") == "per-epoch"
    queues = epochs if barrier else [[b for e in epochs for b in e]]
    server = Server()
    for batches in queues:
        server.batches += len(batches)
        _work(server, deque(batches), stated)
    return server


def _dealt(stated: Mapping[str, Any]) -> Server:
    """A server that makes full rounds of single samples, then deals out the rest like cards."""
    server, workers, batch = Server(), stated["workers"], stated["batch"]
    shared = stated["batch_for"].replace("_", "-") == "all-workers"
    takes = batch if shared else batch * workers
    hand = len(range(0, batch, workers)) if shared else batch  # that of the first worker
    barrier = stated["queue"].replace("_", "-") == "per-epoch"
    full = one_round(workers, stated)
    for _ in range(stated["epochs"] if barrier else 1):
        server.left = stated["samples"] * (1 if barrier else stated["epochs"])
        while server.left >= takes:
            server.left -= takes
            server.clock += full
            server.rounds += (workers,)
        server.part = len(range(0, server.left, workers))
        if server.left:
            shorter = stated["compute"] * Fraction(server.part, hand)
            server.clock += one_round(workers, {**stated, "compute": shorter})
            server.rounds += (workers,)
    return server


def cut(stated: Mapping[str, Any]) -> list[int]:
    """The batches of an epoch."""
    batches, left = [], stated["samples"]
    while left > 0:
        size = min(left, stated["batch"])
        if size == stated["batch"] or stated["last_batch"] == "keep":
            batches.append(size)
        left -= size
    return batches


def _work(server: Server, waiting: deque[int], stated: Mapping[str, Any]) -> None:
    if stated.get("batch_for", "worker").replace("_", "-") == "all-workers":
        while waiting:  # one batch a round, of which every worker takes a part
            waiting.popleft()
            server.clock += one_round(stated["workers"], stated)
            server.rounds += (stated["workers"],)
    while waiting:
        busy = [waiting.popleft() for _ in range(stated["workers"]) if waiting]
        present = len(busy)
        if present < stated["workers"] and stated["last_round"] == "drop":
            return
        if stated["last_round"] == "pad":
            present = stated["workers"]
        server.clock += one_round(present, stated)
        server.rounds += (len(busy),)


def one_round(present: int, stated: Mapping[str, Any]) -> Fraction:
    """How long a round takes in which this many workers are *present*."""
    links = 1 if stated["server_link"] == "shared" else present
    down, up = (_sent(present, links, stated[way]) for way in ("download", "upload"))
    adding = sum((stated["aggregate"] for _ in range(present)), Fraction(0))
    return down + stated["compute"] + up + adding  # type: ignore[no-any-return]


def _sent(messages: int, links: int, length: Fraction) -> Fraction:
    """How long the *links* take for messages of this *length* that are dealt out to them."""
    busy = [Fraction(0)] * links
    for i in range(messages):
        busy[i % links] += length
    return max(busy)


def counted(stated: Mapping[str, Any]) -> int | None:
    """The first number of workers whose communication overtakes computation, up to ``MOST``."""
    down, up = Fraction(stated["download"]), Fraction(stated["upload"])
    adding = Fraction(0)
    for workers in range(1, MOST + 1):
        if stated["server_link"] == "shared" and workers > 1:
            down, up = down + stated["download"], up + stated["upload"]
        adding += stated["aggregate"]
        ahead = down + up + adding - stated["compute"]
        if ahead > 0 or (ahead == 0 and stated["relation"] == "reaches"):
            return workers
    return None
