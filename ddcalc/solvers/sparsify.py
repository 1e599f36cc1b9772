"""What does it save to send only some values of a gradient?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.algebra import Eq, Expr, Num, ceiling, ceiling_log2, largest, same
from ddcalc.compression import bounds, paying
from ddcalc.compression.question import sparse
from ddcalc.compression.sparse_account import SparseAccount
from ddcalc.compression.vectors import LONG, MOST
from ddcalc.givens import Played
from ddcalc.play import Example, Outcome
from ddcalc.problem import Condition, Equations
from ddcalc.quantity import Derived, choice, count, derived, number
from ddcalc.shape import Shape
from ddcalc.units import BYTE


class Sparsify(Example):
    """What does it save to send only some values of a gradient?

    Of d values k are sent, or a part of them: the largest (top-k), or some at random, as they are
    or times d/k so that the mean is right. Which ones they are has to be sent too: an index for
    each, or a bit for every value (a bitmap). Random ones need no index if sender and receiver draw
    alike. What is not sent is kept and added to the next gradient (error feedback).

    A smaller message saves time if encoding, sending and decoding it together are faster than
    sending the gradient as it was. The bound says how large the square of the error is at most,
    over the square of the vector itself: always for top-k, on average for random values.

    Between workers there is a second price. They choose different values, so these cannot be added
    on the way: every worker gathers those of all others, where a ring all-reduce of whole gradients
    moves less than twice a gradient however many workers there are.

    With a vector, stated or drawn at random, it is worked on these values, with the error beside
    the bound. Of its values as large a part is kept as of the gradient's, rounded up.
    """

    answer = "ratio"
    group = "compression"
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
        "i_0", "bits of an index where they are stated (0: drawn alike)", least=0, default="32"
    )
    workers = count("p", "workers that exchange their gradients", optional=True)
    bandwidth = paying.bandwidth()
    encode = paying.encode()
    decode = paying.decode()
    vector = number("v", "values to work it on", many="list", of="value", optional=True)
    dimension = count("n", "values to draw and work it on", most=MOST, optional=True)
    seed = count("z", "seed of what is drawn", least=0, default="1")

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

    chosen = derived("k_c", "Values that are sent", "so large a part of them, rounded up")
    index_width = derived("i", "Bits of an index", "as stated")
    dense = paying.dense()
    sent = derived("S_c", "Bytes sent", "the values, and which ones they are", BYTE)
    ratio = paying.ratio()
    saved = paying.saved()
    dense_time = paying.dense_time()
    sent_time = paying.sent_time()
    saved_time = paying.saved_time()
    break_even = paying.break_even()
    gathered = derived(
        "S_gather", "Bytes that a worker receives", "those of all others, by a sparse all-gather",
        BYTE,
    )  # fmt: skip
    reduced = derived(
        "S_ring",
        "Bytes that a worker receives with whole gradients",
        "a ring all-reduce passes p − 1 parts of p twice",
        BYTE,
    )
    most_workers = derived(
        "p_eq",
        "Both are as many bytes at so many workers",
        "(p − 1)·S_c = 2·(p − 1)/p·S, over p − 1 and times p; with more the all-gather loses",
        noun="workers at which both are as many bytes",
    )
    most_kept = derived(
        "k_eq",
        "Both are as many bytes at so many values",
        "the same in bits, with these workers; with more values the all-gather loses",
        noun="values at which both are as many bytes",
    )
    density = derived("c_eq", "That part of all values", "the density from which it loses")
    bound = derived("omega", "Bound on the error", "the square of the error over the vector's")

    drawn = derived("x", "The random vector", "standard normal, rounded to hundredths")
    kept_values = derived("k_v", "Values of the vector that are sent", "as large a part of them")
    square = derived("N", "Square of the vector's length", "its values squared and added up")
    vector_bound = derived("omega_v", "Bound on the error for this vector", "for its own length")
    allowed = derived("E_max", "Largest expected square of the error", "the bound times the square")
    sparse = derived("Q", "The vector as it arrives", "nothing in place of what is not sent")
    memory = derived("m", "What is lost", "error feedback adds it to the next gradient")
    expected_error = derived("E", "Expected square of the error", "over all that may be drawn")
    error = derived("e", "Square of the error", "what is lost, squared and added up")

    @classmethod
    def is_played(cls, shape: Shape) -> bool:
        """Whether there is a vector."""
        return bool({"vector", "dimension"} & {*shape.stated})

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "values", "vector", "dimension"
        yield "kept", "share"

    def conditions(self) -> Iterator[Condition]:
        if self.states("kept"):
            yield Condition(self.kept <= self._values(), "kept", "is more than there are values")
        if self.states("kept") and self.states("share"):
            part = ceiling(self.share * self._values())
            yield Condition(same(self.kept, part), "share", "does not fit kept; state one of them")
        if self.states("vector") and self.states("dimension"):
            fits = same(self.dimension, Num(len(self.vector)))
            yield Condition(fits, "dimension", "does not fit the vector")

    def equations(self) -> Equations:
        values = self._values()
        if not self.states("kept"):
            yield self.chosen, ceiling(self.share * values)
        if self.index == "shortest":
            yield self.index_width, ceiling_log2(values), "enough to number all values"
        elif self.index == "stated":
            yield self.index_width, self.index_bits
        yield self.dense, paying.in_bytes(values * self.full)
        yield self.sent, paying.in_bytes(self._bits(self._kept()))
        yield from paying.cost(self)
        if self.states("workers"):
            yield from self._gathered()
        yield self.bound, bounds.sparsified(self.method, values, self._kept())

    def play(self, given: Played) -> Outcome:
        """Send some values of the vector."""
        declared = {name: q for name, q in self.quantities.items() if isinstance(q, Derived)}
        done = sparse(given, self.method)
        account = SparseAccount(done, not self.states("vector"), declared)
        asked = "" if self.states("values") else "error"
        long = len(done.vector) > LONG
        return Outcome(account.values(), account.steps, long, asked=asked)

    def _gathered(self) -> Equations:
        workers = self.workers
        yield self.gathered, (workers - 1) * self.sent
        yield self.reduced, 2 * (workers - 1) / workers * self.dense
        yield self.most_workers, Eq(self.most_workers * self.sent, 2 * self.dense)
        values = self._values()
        both = 2 * values * self.full
        if self.index == "bitmap":
            left = largest(both - workers * values, 0)
            yield self.most_kept, Eq(workers * self.most_kept * self.full, left)
        else:
            yield self.most_kept, Eq(workers * self._bits(self.most_kept), both)
        yield self.density, self.most_kept / values

    def _values(self) -> Expr:
        if self.states("values"):
            return self.values  # type: ignore[no-any-return]
        return Num(len(self.vector)) if self.states("vector") else self.dimension

    def _kept(self) -> Expr:
        return self.kept if self.states("kept") else self.chosen  # type: ignore[no-any-return]

    def _bits(self, kept: Expr) -> Expr:
        """The bits of so many values, and of which ones they are."""
        if self.index == "bitmap":
            bits: Expr = kept * self.full + self._values()
        else:
            bits = kept * (self.full + self.index_width)
        return bits
