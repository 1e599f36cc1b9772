"""What does it save to send a gradient as two thin factors?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.algebra import Eq
from ddcalc.compression import paying
from ddcalc.problem import Condition, Equations, Problem
from ddcalc.quantity import count, derived, number
from ddcalc.units import BYTE


class LowRank(Problem):
    """What does it save to send a gradient as two thin factors?

    The gradient of an m × n matrix is told as the product of an m × r and an r × n one (PowerSGD).
    Both factors are linear in the gradient, so a ring all-reduce can add them on the way. The
    approximation is biased; error feedback adds what it misses to the next gradient. How much that
    is depends on the gradient and is not asked here.
    """

    answer = "ratio"
    group = "compression"
    terms = ("sparsification", "quantization", "ring all-reduce")
    source = "PowerSGD: Vogels, Karimireddy and Jaggi, NeurIPS 2019, arXiv:1905.13727"

    rows = count("m", "rows of the matrix", example="4096")
    columns = count("n", "columns of the matrix", example="4096")
    rank = count("r", "rank of the factors", example="20")
    wanted = number("c_0", "a compression that is wanted", above=0, optional=True)
    full = paying.full()
    bandwidth = paying.bandwidth()
    encode = paying.encode()
    decode = paying.decode()

    dense = paying.dense()
    sent = derived("S_c", "Bytes sent", "the values of both factors", BYTE)
    ratio = paying.ratio("c")
    saved = paying.saved()
    dense_time = paying.dense_time()
    sent_time = paying.sent_time()
    saved_time = paying.saved_time()
    break_even = paying.break_even()
    most_rank = derived(
        "r_eq", "Both factors are as large as the matrix at rank", "a larger rank saves nothing",
    )  # fmt: skip
    wanted_rank = derived(
        "r_0", "The compression that is wanted has rank", "m·n is so many times r·(m + n)"
    )

    def conditions(self) -> Iterator[Condition]:
        yield Condition(self.rank <= self.rows, "rank", "is more than there are rows")
        yield Condition(self.rank <= self.columns, "rank", "is more than there are columns")

    def equations(self) -> Equations:
        matrix, sides = self.rows * self.columns, self.rows + self.columns
        yield self.dense, paying.in_bytes(matrix * self.full)
        yield self.sent, paying.in_bytes(self.rank * sides * self.full)
        yield from paying.cost(self)
        yield self.most_rank, Eq(matrix, self.most_rank * sides)
        if self.states("wanted"):
            yield self.wanted_rank, Eq(matrix, self.wanted * self.wanted_rank * sides)
