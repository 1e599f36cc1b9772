"""What does it save to send only some values of a gradient?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import NOTHING, Expr, Num, cases, ceiling, ceiling_log2, largest, same
from ddcalc.numbers.units import BYTE
from ddcalc.problem.laws import Falls, Law, Rises
from ddcalc.problem.play import Outcome, Played
from ddcalc.problem.problem import Condition, Equations
from ddcalc.problem.quantity import LESS, choice, count, derived, number
from ddcalc.types.compression import _errors as errors
from ddcalc.types.compression import _paying as paying
from ddcalc.types.compression.sparsify.account import SparsifyAccount
from ddcalc.types.compression.sparsify.model import Sparse
from ddcalc.types.compression.sparsify.question import sparsifying


class Sparsify(errors.OnVector):
    """What does it save to send only some values of a gradient?

    Of d values k are sent, or a part of them: the largest (top-k), or some at random, as they are
    or times d/k so that the mean is right. Which ones they are has to be sent too: an index for
    each, or a bit for every value (a bitmap). Random ones need no index if sender and receiver draw
    alike. What is lost is kept and added to the next gradient (error feedback), except where values
    were sent times d/k: these are right on average, and if d/k is 2 or more what is kept would grow
    without end.

    One message saves time if encoding, sending and decoding it together are faster than sending the
    gradient as it was. The bound says how large the square of the error is at most, over the square
    of the vector itself: always for top-k, on average for random values.

    Between workers there is a second price. They choose different values, so these cannot be added
    on the way: every worker gathers those of all others, where a ring all-reduce of whole gradients
    moves less than two of them however many workers there are. Random values can be added if all
    workers draw the same ones, and then need no index. With `--workers` bytes, times and the
    break-even are those of this exchange.

    With a vector, stated or drawn at random, it is worked on these values, with the error beside
    the bound. Of its values as large a part is kept as of the gradient's, rounded up.
    """

    answer = "ratio"
    terms = ("sparsification",)
    source = (
        "Stich et al., Sparsified SGD with Memory, NeurIPS 2018, arXiv:1809.07599, definitions 2.1"
        " and 2.2 for top-k and random-k, section 2.2 for d/k times random values; ring all-reduce:"
        " Patarasuk and Yuan, Journal of Parallel and Distributed Computing 69(2), 2009"
    )

    values = count("d", "values of the gradient, else of the vector", optional=True, example="25M")
    kept = count("k", "values that are sent", optional=True, example="25000")
    share = number(
        "c", "part of the values that is sent, instead of their number", above=0, most=1,
        optional=True,
    )  # fmt: skip
    full = paying.full()
    index_bits = count(
        "i_0", "bits of an index where they are stated, else 32 (0: drawn alike)", least=0,
        optional=True,
    )  # fmt: skip
    workers = paying.workers()
    bandwidth, encode, decode = paying.link()
    vector, dimension, seed = errors.givens()

    method = choice(
        "which values are sent",
        top_k="the largest values",
        random_k="random values, as they are",
        unbiased="random values, times d/k so that the mean is right",
    )
    index = choice(
        "how the receiver learns which values they are",
        shortest="an index for each, of as many bits as it takes to tell all values apart",
        stated="an index for each, of the stated bits",
        bitmap="a bit for each value of the gradient",
    )
    aggregation = choice(
        paying.AGGREGATION,
        gathered=paying.GATHERED,
        added="all workers draw the same values, which are added on the way, without an index",
        server=paying.SERVER,
    )

    chosen = derived("k_c", "Values that are sent", "so large a part of them, rounded up")
    index_width = derived("i", "Bits of an index", "as stated")
    dense = paying.dense()
    sent = derived("S_c", "Bytes sent", "the values, and which ones they are", BYTE)
    ratio, reduced, gathered = paying.received()
    added = paying.added("the same places of all workers, by a ring all-reduce")
    saved, dense_time, sent_time, saved_time = paying.savings()
    break_even, most_workers = paying.limits()
    most_kept = derived(
        "k_eq", "Gathering loses with more values than", "p·S_c > 2·S in bits, with these workers",
        noun="values beyond which gathering loses", least=0,
    )  # fmt: skip
    density = derived(
        "c_eq", "That part of all values", "if it is 1 or more, gathering never loses", least=0,
        noun="density beyond which gathering loses",
    )  # fmt: skip
    bound = derived("omega", "Bound on the error", "", **LESS)

    drawn, square = errors.lengths()
    kept_values = derived("k_v", "Values of the vector that are sent", "as large a part of them")
    vector_bound = derived("omega_v", "Bound on the error for this vector", "for its own length")
    sparse = derived("Q", "The vector as it arrives", "nothing in place of what is not sent")
    allowed, memory, expected_error, error = errors.errors()

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "values", "vector", "dimension"
        yield "kept", "share"

    def conditions(self) -> Iterator[Condition]:
        if self.states("kept"):
            yield Condition(self.kept <= self._values(), "kept", "is more than there are values")
        if self.states("kept") and self.states("share"):
            part = ceiling(self.share * self._values())
            yield Condition(same(self.kept, part), "share", "does not fit kept; state one of them")
        yield from super().conditions()
        if self.method == "top_k" and paying.way(self) == "added":
            never = same(Num(0), Num(1))
            yield Condition(never, "aggregation", "needs all workers to draw the same values, but"
                " each has its own largest ones; choose method random-k or unbiased")  # fmt: skip

    def laws(self) -> Iterator[Law]:
        yield from paying.laws(self)
        if self.states("kept"):
            yield Rises("sent", "kept", "more values are more bytes")
            yield Falls("bound", "kept", "more values leave less out")

    def equations(self) -> Equations:
        values = self._values()
        if not self.states("kept"):
            yield self.chosen, ceiling(self.share * values)
        yield from self._index()
        yield self.dense, paying.in_bytes(values * self.full)
        yield self.sent, paying.in_bytes(self._bits(self._kept()))
        yield from paying.cost(self)
        if paying.way(self) == "gathered":
            yield from self._most()
        square = "square" if self.method == "top_k" else "expected square"
        limit = f"the {square} of the error over the vector's, at most"
        yield self.bound, errors.sparse_bound(self.method, values, self._kept()), limit

    def play(self, given: Played) -> Outcome:
        """Send some values of the vector."""
        work = Sparse(sparsifying(given, self.method))
        return SparsifyAccount(work, self.declared()).outcome(self)

    def _index(self) -> Equations:
        if self._alike or self.index == "bitmap":
            return
        if self.index == "shortest":
            yield self.index_width, ceiling_log2(self._values()), "enough to number all values"
        elif self.states("index_bits"):
            yield self.index_width, self.index_bits
        else:
            yield self.index_width, Num(32), "as usual"

    def _most(self) -> Equations:
        workers, values = self.workers, self._values()
        bits = self.full if self.index == "bitmap" else self.full + self.index_width
        both = 2 * values * self.full
        if self.index == "bitmap":
            both = largest(both - workers * values, 0)
        alone = "a single worker gathers nothing"
        most = both / (workers * bits)
        yield self.most_kept, cases((most, workers > 1), otherwise=NOTHING, why=alone)
        part = self.most_kept / values
        yield self.density, cases((part, workers > 1), otherwise=NOTHING, why=alone)

    @property
    def _alike(self) -> bool:
        """Whether all workers draw the same values, so that no index is sent."""
        return paying.way(self) == "added"

    def _kept(self) -> Expr:
        return self.kept if self.states("kept") else self.chosen

    def _bits(self, kept: Expr) -> Expr:
        """The bits of *kept* values, and of which ones they are."""
        bits = kept * self.full
        if self._alike:
            return bits
        if self.index == "bitmap":
            return bits + self._values()
        return kept * (self.full + self.index_width)
