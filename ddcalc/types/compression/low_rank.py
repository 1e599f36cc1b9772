"""What does it save to send a gradient as two thin factors?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import Eq
from ddcalc.numbers.units import BYTE
from ddcalc.problem.laws import Falls, Holds, Law
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, count, derived, number
from ddcalc.types.compression import _paying as paying


class LowRank(Problem):
    """What does it save to send a gradient as two thin factors?

    The gradient of an m × n matrix is sent as the product of an m × r and an r × n one (PowerSGD).
    With one factor held fixed the other one is linear in the gradient, so a ring all-reduce can add
    it on the way: the first one, which is then orthogonalised, and with it the second. Products and
    orthogonalisation count as encoding; latency, which two all-reduces have twice, is left out. The
    approximation is biased; error feedback adds what it misses to the next gradient. How much that
    is depends on the gradient and is not asked here.

    With `--workers` bytes, times and the break-even are those of their exchange, beside a ring
    all-reduce of whole gradients; without them one message is timed.
    """

    answer = "ratio"
    terms = ("sparsification", "quantization", "ring all-reduce")
    source = (
        "PowerSGD: Vogels, Karimireddy and Jaggi, NeurIPS 2019, arXiv:1905.13727, and PyTorch,"
        " torch/distributed/algorithms/ddp_comm_hooks/powerSGD_hook.py (two all-reduces); ring"
        " all-reduce: Patarasuk and Yuan, Journal of Parallel and Distributed Computing 69(2), 2009"
    )

    rows = count("m", "rows of the matrix", example="4096")
    columns = count("n", "columns of the matrix", example="4096")
    rank = count("r", "rank of the factors", example="20")
    wanted = number("c_0", "a compression that is wanted", above=0, optional=True)
    full = paying.full()
    workers = paying.workers()
    bandwidth, encode, decode = paying.link()

    aggregation = choice(
        paying.AGGREGATION,
        added="both factors are added on the way, by an all-reduce each (PowerSGD)",
        gathered="every worker gathers the factors of all others, which cannot be added",
        server=paying.SERVER,
    )

    dense = paying.dense()
    sent = derived("S_c", "Bytes sent", "the values of both factors", BYTE, better="less")
    ratio, reduced, gathered = paying.received("c")
    added = paying.added(
        "two ring all-reduces: of the first factor and, once that is orthogonalised, the second"
    )
    saved, dense_time, sent_time, saved_time = paying.savings()
    break_even, most_workers = paying.limits()
    most_rank = derived(
        "r_eq", "Both factors are as large as the matrix at rank", "a larger rank saves nothing",
        noun="rank at which both factors are as large as the matrix",
    )  # fmt: skip
    wanted_rank = derived(
        "r_0", "The compression that is wanted has rank", "m·n is that many times r·(m + n)",
        noun="rank with the compression that is wanted",
    )  # fmt: skip

    def conditions(self) -> Iterator[Condition]:
        yield Condition(self.rank <= self.rows, "rank", "is more than there are rows")
        yield Condition(self.rank <= self.columns, "rank", "is more than there are columns")

    def laws(self) -> Iterator[Law]:
        yield from paying.laws(self)
        yield Falls("ratio", "rank", "thicker factors have more values")
        saves, rank = self.saved >= 0, self.most_rank
        if paying.way(self) != "gathered":
            yield Holds(saves, "thin factors have fewer values", when=self.rank <= rank)

    def equations(self) -> Equations:
        matrix, sides = self.rows * self.columns, self.rows + self.columns
        yield self.dense, paying.in_bytes(matrix * self.full)
        yield self.sent, paying.in_bytes(self.rank * sides * self.full)
        yield from paying.cost(self)
        yield self.most_rank, Eq(matrix, self.most_rank * sides)
        if self.states("wanted"):
            yield self.wanted_rank, Eq(matrix, self.wanted * self.wanted_rank * sides)
