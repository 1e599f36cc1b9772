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

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import accumulate, pairwise
from operator import add, mul
from typing import Final, Literal, NamedTuple

from ddcalc.errors import BadValue, OverLimit
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.number import Number
from ddcalc.problem.play import ASIDE, PlayedGivens, listed, whole
from ddcalc.problem.said.steps import Exchange, Held, Sent

Vector = tuple[Number, ...]

DIGITS: Final = 1000  # of a product
ALL: Final = 8  # processes up to which every step is played out; else a phase's first two and last
FIRST: Final = 2
SHORT: Final = 4  # processes up to which every step is shown unasked; else a phase's first and last

_JOINS: Final[Mapping[str, Callable[[Number, Number], Number]]] = {
    "sum": add,
    "max": max,
    "min": min,
    "prod": mul,
    "mean": add,
}


def table(given: PlayedGivens, reading: Mapping[str, str]) -> dict[str, tuple[Number, ...]]:
    """The lengths of the chunks, and how often each process sends a whole vector."""
    ring = _question(given, reading)
    ranks = tuple(range(1, len(ring.vectors) + 1))
    senders = [sender for _, _, hops in ring.hops() for sender, _ in hops]
    return {
        "lengths": ring.lengths,
        "cut": ring.lengths,
        "places": tuple(range(1, len(ring.vectors[0]) + 1)),
        "ranks": ranks,
        "turns": tuple(map(senders.count, ranks)),
    }


def steps(
    given: PlayedGivens, reading: Mapping[str, str], text: Callable[..., str]
) -> Iterator[Exchange]:
    """Every exchange, with the texts of the sheet: who sends what, and who holds what then."""
    ring = _question(given, reading)
    last = len(ring.vectors) - 1
    chunks = tuple(text("part", k) for k in range(1, last + 2))
    parts = chunks if ring.way == "chunks" else (text("whole"),)
    what: Literal["chunk", "vector"] = "chunk" if ring.way == "chunks" else "vector"
    for phase, at, sent, holds in ring.play(reading["op"]):
        if not phase:
            begin = text("begin")
            yield Exchange(begin, text("at_first"), what, parts, holds, (), "", begin.lower())
        elif last < ALL or at <= FIRST or at == last:
            named = text(f"{phase}_phase")
            yield Exchange(
                title=f"{named.capitalize()}, {text('place', at)}",
                why=text(f"{phase}_why", at),
                what=what,
                parts=parts,
                holds=holds,
                sent=sent,
                how=text(f"{phase}_done"),
                phase=named,
                name=ASIDE if last >= SHORT - (phase == "share") and at not in (1, last) else None,
            )


def _question(given: PlayedGivens, reading: Mapping[str, str]) -> Ring:
    """The vectors of the processes, and their way; BadValue where the list makes none."""
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
    cut = split(length, processes, reading["uneven"] == "rounded_up")
    way, first = reading["way"], 0 if reading["first"] == "own" else -1
    return Ring(way, vectors, *((cut, first) if way == "chunks" else ((length,), 0)))


def _digits(factors: Iterable[Number]) -> int:
    """About as many digits as the product of *factors* has, above and below together."""
    bits = sum(f.numerator.bit_length() + f.denominator.bit_length() - 2 for f in factors)
    return bits * 3 // 10


class Ring(NamedTuple):
    """The *vectors* of the processes, which go round in a *way*, cut into chunks of these *lengths*
    or whole; a process first sends the chunk of its own number plus *first* (0, or −1)."""

    way: str
    vectors: tuple[Vector, ...]
    lengths: tuple[int, ...]
    first: int

    def hops(self) -> Iterator[tuple[str, int, list[tuple[int, int]]]]:
        """The phase and number of each step, p − 1 to reduce and then those to share; who sends (to
        the next process), and which chunk or whose vector (0: what it holds). No chunk is empty."""
        p = len(self.vectors)
        for share, phase in enumerate(("reduce", "share")):
            for step in range(1, 1 if self.way == "whole" and share else p):
                shift = self.first + share - step + 1
                hops = [(j, (j + shift - 1) % p + 1) for j in range(1, p + 1)]
                if self.way == "relay":
                    hops = [((step - 1 - share) % p + 1, 0)]
                yield phase, step, [hop for hop in hops if self.lengths[self._part(hop[1])]]

    def _part(self, number: int) -> int:
        return number - 1 if self.way == "chunks" else 0

    def play(
        self, op: str
    ) -> Iterator[tuple[str, int, tuple[Sent, ...], tuple[tuple[Held, ...], ...]]]:
        """Each step with its messages, and what each process then holds; first what it begins with.
        A mean is a sum that is divided as soon as it is complete."""
        p, cuts = len(self.vectors), [*pairwise((0, *accumulate(self.lengths)))]
        start = [[vector[a:b] for a, b in cuts] for vector in self.vectors]
        held = [[*parts] for parts in start]
        complete = {(1, part) for part in range(len(cuts)) if p == 1}

        def rows(sent: tuple[Sent, ...]) -> tuple[tuple[Held, ...], ...]:
            changed = {(message.receiver, message.part) for message in sent}
            return tuple(
                tuple(
                    Held(values, (j, k) in changed, (j, k) in complete and bool(values))
                    for k, values in enumerate(parts)
                )
                for j, parts in enumerate(held, 1)
            )

        yield "", 0, (), rows(())
        for phase, step, hops in self.hops():
            sent = tuple(
                Sent(j, j % p + 1, number, part, values)
                for j, number in hops
                for part in (self._part(number),)
                for values in (start[number - 1][0] if self.way == "whole" else held[j - 1][part],)
            )
            for message in sent:
                values, mine = message.values, held[message.receiver - 1]
                if phase == "reduce":
                    values = tuple(map(_JOINS[op], values, mine[message.part]))
                if op == "mean" and phase == "reduce" and step == p - 1:
                    values = tuple(Fraction(value) / p for value in values)
                mine[message.part] = values
                if phase == "share" or step == p - 1:
                    complete.add((message.receiver, message.part))
            yield phase, step, sent, rows(sent)


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
