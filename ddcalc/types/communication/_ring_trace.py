"""A ring all-reduce: who sends what to whom, and what every process then holds, in exact numbers.

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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import add, mul
from typing import Final, Literal, cast

from ddcalc.errors import BadValue, OverLimit
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.number import Number
from ddcalc.problem.play import ASIDE, PlayedGivens, listed, whole
from ddcalc.problem.steps import Exchange, Held, Sent

Way = Literal["chunks", "whole", "relay"]
Phase = Literal["reduce", "share"]
Op = Literal["sum", "max", "min", "prod", "mean"]
Vector = tuple[Number, ...]

DIGITS: Final = 1000  # of a product
ALL: Final = 8  # processes up to which every step is played out; else a phase's first two and last
FIRST: Final = 2
SHORT: Final = 4  # processes up to which every step is shown unasked; else a phase's first and last

_JOINS: Final[dict[Op, Callable[[Number, Number], Number]]] = {
    "sum": add,
    "max": max,
    "min": min,
    "prod": mul,
    "mean": add,
}


def table(given: PlayedGivens, reading: Mapping[str, str]) -> dict[str, tuple[Number, ...]]:
    """The lengths of the chunks, and how often each process sends a whole vector."""
    vectors, route = _question(given, reading)
    p = route.processes
    sent = [hop.sender for step in route.rounds() for hop in step.hops]
    return {
        "lengths": tuple(route.lengths),
        "cut": tuple(route.lengths),
        "places": tuple(range(1, len(vectors[0]) + 1)),
        "ranks": tuple(range(1, p + 1)),
        "turns": tuple(map(sent.count, range(1, p + 1))),
    }


def steps(
    given: PlayedGivens, reading: Mapping[str, str], text: Callable[..., str]
) -> Iterator[Exchange]:
    """Every exchange, with the texts of the sheet: who sends what, and who holds what then."""
    vectors, route = _question(given, reading)
    ring, last = Ring(vectors, route, cast(Op, reading["op"])), route.processes - 1
    chunks = [text("part", k) for k in range(1, route.processes + 1)]
    parts = tuple(chunks) if route.way == "chunks" else (text("whole"),)
    what: Literal["chunk", "vector"] = "chunk" if route.way == "chunks" else "vector"
    begin = text("begin")
    yield Exchange(begin, text("at_first"), what, parts, ring.rows(), (), "", begin.lower())
    for at, sent in ring.play():
        if last < ALL or at.step <= FIRST or at.step == last:
            phase = text(f"{at.phase}_phase")
            yield Exchange(
                title=f"{phase.capitalize()}, {text('place', at.step)}",
                why=text(f"{at.phase}_why", at.step),
                what=what,
                parts=parts,
                holds=ring.rows(sent),
                sent=sent,
                how=text(f"{at.phase}_done"),
                phase=phase,
                name=ASIDE if last >= SHORT and at.step not in (1, last) else None,
            )


def _question(given: PlayedGivens, reading: Mapping[str, str]) -> tuple[tuple[Vector, ...], Route]:
    """The vectors of the processes, and their route; BadValue where the list makes none."""
    values, processes = listed(given, "vectors"), whole(given, "processes")
    assert processes is not None
    length, rest = divmod(len(values), processes)
    if rest:
        reason = f"does not make {processes} vectors of equal length, one for each process"
        raise BadValue(f"a list of {count_text(len(values))}", reason).about("vectors")
    vectors = tuple(values[i : i + length] for i in range(0, len(values), length))
    if reading["op"] == "prod" and max(map(_digits, zip(*vectors, strict=True))) > DIGITS:
        reason = f"a product has more than {DIGITS} digits; round the numbers"
        raise OverLimit(reason).about("vectors")
    way = cast(Way, reading["way"])
    cut = split(length, processes, reading["uneven"] == "rounded_up")
    lengths = cut if way == "chunks" else (length,)
    return vectors, Route(way, processes, lengths, 0 if reading["first"] == "own" else -1)


def _digits(factors: Iterable[Number]) -> int:
    """About as many digits as the product of *factors* has, above and below together."""
    bits = sum(f.numerator.bit_length() + f.denominator.bit_length() - 2 for f in factors)
    return bits * 3 // 10


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
    """The steps of *way* among that many *processes*, with chunks of these *lengths*.

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


class Ring:
    """Processes with *vectors* that go along *route* and are reduced by *op*.

    *held* are the values of each process and part; *merged* says how many vectors are in them. A
    mean is a sum that is divided as soon as it is complete.
    """

    def __init__(self, vectors: Sequence[Vector], route: Route, op: Op) -> None:
        self.route, self.op = route, op
        self.start = [list(_cut(vector, route.lengths)) for vector in vectors]
        self.held = [list(parts) for parts in self.start]
        self.merged = [[1] * len(route.lengths) for _ in vectors]
        if len(vectors) == 1:  # complete before anything is sent
            for part in range(len(route.lengths)):
                self._divide(0, part)

    def play(self) -> Iterator[tuple[Round, tuple[Sent, ...]]]:
        """Each step with its messages; afterwards everything is as the step left it."""
        for step in self.route.rounds():
            sent = tuple(map(self._sent, step.hops))
            merged = [self._merged(hop) for hop in step.hops]
            for message, vectors in zip(sent, merged, strict=True):
                self._take(message, vectors, step.phase == "share")
            yield step, sent

    def rows(self, sent: Sequence[Sent] = ()) -> tuple[tuple[Held, ...], ...]:
        """What each process holds after the messages *sent*."""
        changed = {(message.receiver, message.part) for message in sent}
        whole = len(self.held)
        return tuple(
            tuple(
                Held(values, (j, k) in changed, vectors == whole and bool(values))
                for k, (values, vectors) in enumerate(zip(parts, merged, strict=True))
            )
            for j, (parts, merged) in enumerate(zip(self.held, self.merged, strict=True), 1)
        )

    def _part(self, hop: Hop) -> int:
        return hop.number - 1 if self.route.way == "chunks" else 0

    def _sent(self, hop: Hop) -> Sent:
        """The message with its values: a vector that is passed on whole is still its owner's."""
        part = self._part(hop)
        whole = self.route.way == "whole"
        values = self.start[hop.number - 1][0] if whole else self.held[hop.sender - 1][part]
        number = 0 if self.route.way == "relay" else hop.number
        return Sent(hop.sender, hop.receiver, number, part, values)

    def _merged(self, hop: Hop) -> int:
        return 1 if self.route.way == "whole" else self.merged[hop.sender - 1][self._part(hop)]

    def _take(self, message: Sent, vectors: int, share: bool) -> None:
        j, k = message.receiver - 1, message.part
        if share:
            self.held[j][k], self.merged[j][k] = message.values, vectors
            return
        self.held[j][k] = tuple(map(_JOINS[self.op], message.values, self.held[j][k]))
        self.merged[j][k] += vectors
        if self.merged[j][k] == len(self.held):
            self._divide(j, k)

    def _divide(self, j: int, k: int) -> None:
        """A complete sum becomes a mean."""
        if self.op == "mean":
            whole = len(self.held)
            self.held[j][k] = tuple(Fraction(value) / whole for value in self.held[j][k])


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
    least, more = divmod(length, processes)
    return (least + 1,) * more + (least,) * (processes - more)


def _cut(vector: Vector, lengths: Sequence[int]) -> Iterator[Vector]:
    start = 0
    for length in lengths:
        yield vector[start : start + length]
        start += length
