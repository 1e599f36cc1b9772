"""Who sends what to whom in a ring all-reduce, before any value is known.

Processes, chunks and vectors have numbers from 1. In every step a process sends to the next one,
the last to the first.

- *Chunks*: Patarasuk and Yuan, Bandwidth Optimal All-reduce Algorithms for Clusters of
  Workstations, JPDC 69(2), 2009; the order of chunks is that of ``RingAllreduce`` in
  baidu-research/baidu-allreduce (collectives.cu): in step i process j sends chunk j − i. Open MPI's
  ``ompi_coll_base_allreduce_intra_ring`` begins alike (rank r sends block r). NCCL's
  ``runRing`` (src/device/all_reduce.h) begins one chunk earlier: ``chunk = modRanks(ringIx +
  nranks - 1)``, so that a process finishes the chunk of its own number.
- *Whole vectors*: the ring all-reduce of the tutorial Writing Distributed Applications with PyTorch
  (``allreduce(send, recv)``), which leaves the chunks to its readers.
- *Relay*: the vector is reduced along the ring, one process after the other, and then goes round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Way = Literal["chunks", "whole", "relay"]
Phase = Literal["reduce", "share"]


@dataclass(frozen=True, slots=True)
class Hop:
    """One message: process *sender* sends the chunk, or the vector, of that *number*."""

    sender: int
    receiver: int
    number: int


@dataclass(frozen=True, slots=True)
class Round:
    """The messages of one step, which is number *step* of its *phase*."""

    phase: Phase
    step: int
    hops: tuple[Hop, ...]


@dataclass(frozen=True, slots=True)
class Route:
    """The steps of *way* among so many *processes*, with chunks of these *lengths*.

    *first* is how far a process's first chunk is from its own number: 0, or −1. Empty chunks are
    not sent. Without chunks *lengths* has one member, the whole vector.
    """

    way: Way
    processes: int
    lengths: Sequence[int]
    first: int = 0

    def rounds(self) -> Iterator[Round]:
        """All steps in their order: p − 1 to reduce, then those to share."""
        for step in range(1, self.processes):
            yield Round("reduce", step, tuple(self._reduce(step)))
        for step in range(1, self.processes if self.way != "whole" else 1):
            yield Round("share", step, tuple(self._share(step)))

    def length(self, hop: Hop) -> int:
        """The values that *hop* carries."""
        return self.lengths[hop.number - 1 if self.way == "chunks" else 0]

    def _reduce(self, step: int) -> Iterator[Hop]:
        if self.way == "relay":
            yield self._hop(step, step)
        elif self.way == "whole":
            yield from (self._hop(j, self._in_ring(j - step + 1)) for j in self._all)
        else:
            yield from self._chunks(self.first - step + 1)

    def _share(self, step: int) -> Iterator[Hop]:
        if self.way == "relay":
            yield self._hop(self._in_ring(self.processes + step - 1), self.processes)
        else:
            yield from self._chunks(self.first - step + 2)

    def _chunks(self, shift: int) -> Iterator[Hop]:
        """Every process sends the chunk that lies *shift* behind its own number."""
        hops = (self._hop(j, self._in_ring(j + shift)) for j in self._all)
        return (hop for hop in hops if self.length(hop))

    @property
    def _all(self) -> range:
        return range(1, self.processes + 1)

    def _hop(self, sender: int, number: int) -> Hop:
        return Hop(sender, self._in_ring(sender + 1), number)

    def _in_ring(self, number: int) -> int:
        return (number - 1) % self.processes + 1


def split(length: int, processes: int, rounded_up: bool = False) -> tuple[int, ...]:
    """The lengths of the chunks of a vector.

    The first ones have one value more (``RingAllreduce`` of Baidu), or all have as many, rounded
    up, until nothing is left (NCCL, apart from its alignment to 16 bytes).

    >>> split(9, 4), split(9, 4, rounded_up=True)
    ((3, 2, 2, 2), (3, 3, 3, 0))
    """
    if rounded_up:
        most = -(-length // processes)
        return tuple(min(most, max(0, length - i * most)) for i in range(processes))
    each, more = divmod(length, processes)
    return (each + 1,) * more + (each,) * (processes - more)
