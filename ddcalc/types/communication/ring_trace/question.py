"""A ring all-reduce as a question states it: a list cut into vectors, or refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from ddcalc.errors import BadValue, OverLimit
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.number import Number
from ddcalc.problem.play import PlayedGivens, listed, one, whole
from ddcalc.types.communication.ring_trace.model import Op, Route, Vector, split

DIGITS: Final = 1000  # of a product


@dataclass(frozen=True, slots=True)
class RingQuestion:
    """The *vectors* of the processes, how they are reduced, and along which *route*.

    *element* is the size of a value (bytes), or None. *alternatives* are the same vectors along all
    ways, the first of which is by chunks.
    """

    vectors: tuple[Vector, ...]
    op: Op
    route: Route
    element: Number | None
    alternatives: tuple[Route, ...]

    @property
    def length(self) -> int:
        """The values of a vector."""
        return len(self.vectors[0])


def question(numbers: PlayedGivens, reading: Mapping[str, str]) -> RingQuestion:
    """What the *numbers* ask under *reading*; BadValue where they do not fit together."""
    values, processes = listed(numbers, "vectors"), whole(numbers, "processes")
    assert processes is not None
    length, rest = divmod(len(values), processes)
    if rest:
        reason = f"does not make {processes} vectors of equal length, one for each process"
        raise BadValue(f"a list of {count_text(len(values))}", reason).about("vectors")
    vectors = tuple(values[i : i + length] for i in range(0, len(values), length))
    op = cast(Op, reading["op"])
    if op == "prod":
        _check_products(vectors)
    chunks = split(length, processes, reading["uneven"] == "rounded_up")
    first = 0 if reading["first"] == "own" else -1
    routes: dict[str, Route] = {
        "chunks": Route("chunks", processes, chunks, first),
        "whole": Route("whole", processes, (length,)),
        "relay": Route("relay", processes, (length,)),
    }
    ways = tuple(routes.values())
    return RingQuestion(vectors, op, routes[reading["way"]], one(numbers, "element"), ways)


def _check_products(vectors: Sequence[Vector]) -> None:
    """Refuse, with OverLimit, products that would be too long to work out and to write."""
    if max(map(_digits, zip(*vectors, strict=True))) > DIGITS:
        raise OverLimit(f"a product has more than {DIGITS} digits; round the numbers").about(
            "vectors"
        )


def _digits(factors: Iterable[Number]) -> int:
    """About as many digits as the product of *factors* has, above and below together."""
    bits = sum(f.numerator.bit_length() + f.denominator.bit_length() - 2 for f in factors)
    return bits * 3 // 10
