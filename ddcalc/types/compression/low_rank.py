"""What does it save to send a gradient as two thin factors?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import Eq, Num, ceiling, floor, same, smallest
from ddcalc.numbers.units import BYTE
from ddcalc.problem.laws import Falls, Holds, Law
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, count, derived, number
from ddcalc.problem.sentences import Argument, First, Premise, Said, Sentence
from ddcalc.types.compression import _paying as paying


class LowRank(Problem):
    """What does it save to send a gradient as two thin factors?

    The gradient of a matrix is approximated by the product of two thin matrices, and only these are
    sent; the receiver multiplies them again. The smaller the rank, the fewer values travel, and the
    more is missed.

    In PowerSGD one factor is held fixed while the other one is computed, which is then linear in
    the gradient, so that a ring all-reduce can add it on the way: the first one, which is then
    orthogonalised, and with it the second. Products and orthogonalisation count as encoding;
    latency, which two all-reduces have twice, is left out. The approximation is biased; error
    feedback adds what it misses to the next gradient. How much that is depends on the gradient and
    is not asked here.

    With `--workers` bytes, times and the break-even are those of their exchange, beside a ring
    all-reduce of whole gradients; without them one message is timed.
    """

    answer = "ratio"
    keywords = "PowerSGD; low-rank approximation of gradients; matrix factorization"
    terms = ("sparsification", "quantization", "ring all-reduce", "error feedback")
    source = (
        "PowerSGD: Vogels, Karimireddy and Jaggi, NeurIPS 2019, arXiv:1905.13727, and PyTorch,"
        " torch/distributed/algorithms/ddp_comm_hooks/powerSGD_hook.py (two all-reduces); ring"
        " all-reduce: Patarasuk and Yuan, Journal of Parallel and Distributed Computing 69(2), 2009"
    )

    rows = count("m", "rows of the matrix", example="4096")
    columns = count("n", "columns of the matrix", example="4096")
    rank = count("r", "rank of the factors", example="20")
    wanted = number("c_0", "times fewer bytes that are wanted", above=0, optional=True)
    full = paying.full()
    workers = paying.workers()
    bandwidth, encode, decode = paying.link()

    aggregation = choice(
        paying.AGGREGATION,
        added="a ring all-reduce for each factor (PowerSGD)",
        gathered="every worker gathers the factors of all others",
        server=paying.SERVER,
    )

    dense = paying.dense()
    sent = derived(
        "S_c", "Bytes sent", "one factor has m·r values, the other n·r", BYTE, better="less"
    )
    ratio, reduced, gathered = paying.received("c")
    added = paying.added("two ring all-reduces")
    saved, dense_time, sent_time, saved_time = paying.savings()
    break_even, most_workers = paying.limits()
    most_rank = derived(
        "r_eq", "Both factors are as large as the matrix at rank", "",
        noun="rank at which both factors are as large as the matrix",
    )  # fmt: skip
    wanted_rank = derived(
        "r_0", "Rank for the wanted saving", "",
        noun="rank with the compression that is wanted",
    )  # fmt: skip

    def conditions(self) -> Iterator[Condition]:
        yield Condition(self.rank <= self.rows, "rank", "is more than there are rows")
        yield Condition(self.rank <= self.columns, "rank", "is more than there are columns")

    def mechanism(self) -> str:
        match paying.way(self):
            case "added":
                return (
                    "Two thin factors have as many values as the rank times the SUM of the matrix's"
                    " sides, not their product. With one factor held fixed the other is linear in"
                    " the gradient, so a ring all-reduce can add it on the way: first the one,"
                    " then the other."
                )
            case "gathered":
                return (
                    "Every worker sends two thin factors in place of its gradient matrix. A sum of"
                    " products is not the product of sums, so factors cannot be added on the way:"
                    " every worker gathers all of them."
                )
        return super().mechanism()

    def conclusion(self) -> Iterator[Said]:
        yield from paying.conclusion(self)
        if self.states("wanted"):
            most = smallest(floor(self.wanted_rank), self.rows, self.columns)
            yield First(
                Sentence(
                    "The largest rank with no more bytes than the matrix is {most}.",
                    (self.wanted_rank >= 1, same(self.wanted, 1)),
                    most=most,
                ),
                Sentence(
                    "The largest rank with at least {wanted} times fewer bytes is {most} ({times}"
                    " times fewer).",
                    (self.wanted_rank >= 1, self.wanted > 1),
                    most=most,
                    times=self.ratio * self.rank / most,
                ),
                Sentence(
                    "Every rank up to {most} compresses by at least the factor {wanted}.",
                    self.wanted_rank >= 1,
                    most=most,
                ),
                Sentence("Even rank 1 has more bytes than the matrix.", self.most_rank < 1),
                Sentence(
                    "Not even rank 1 has {wanted} times fewer bytes: only {times}.",
                    times=self.ratio * self.rank,
                ),
            )

    def insights(self) -> Iterator[Said]:
        if self.states("bandwidth"):
            yield from self._hurry()
        if self.states("wanted"):
            yield from paying.insights(self)
            return
        yield Sentence(
            "Every rank adds {each} to a message; up to rank {most} the factors are smaller than"
            " the matrix.",
            self.most_rank > 1,
            each=self.sent / self.rank,
            most=ceiling(self.most_rank) - 1,
        )
        yield from paying.insights(self)

    def _hurry(self) -> Iterator[Said]:
        """How much faster the exchange becomes, beside how many bytes fewer it sends."""
        coding, faster = self.encode + self.decode, self.dense_time / self.sent_time
        yield Sentence(
            "{ratio} times fewer bytes make the exchange only {faster} times as fast, as {coding}"
            " of the {sent_time} left is encoding and decoding; with nothing left to send it would"
            " be {limit} times.",
            (coding > 0, self.saved_time > 0, faster < Num(19) / 20 * self.ratio),
            faster=faster,
            coding=coding,
            limit=self.dense_time / coding,
        )

    def premises(self) -> Iterator[Premise]:
        yield Premise("values keep all their bits", "quantize")
        yield from paying.premises(self)

    def arguments(self) -> Iterator[Argument]:
        yield from paying.arguments(self)

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
