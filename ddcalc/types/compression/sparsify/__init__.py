"""What does it save to send only some values of a gradient?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import (
    NOTHING,
    Expr,
    Num,
    cases,
    ceiling,
    ceiling_log2,
    floor,
    largest,
    same,
)
from ddcalc.formula.expression import Pow
from ddcalc.numbers.units import BYTE
from ddcalc.problem.laws import Falls, Law, Rises
from ddcalc.problem.play import Outcome, PlayedGivens
from ddcalc.problem.problem import Condition, Equations
from ddcalc.problem.quantity import LESS, choice, count, derived, facts, number
from ddcalc.problem.sentences import (
    Argument,
    Crosscheck,
    First,
    Premise,
    Rewritten,
    Said,
    Sentence,
)
from ddcalc.types.compression import _errors as errors
from ddcalc.types.compression import _paying as paying
from ddcalc.types.compression.sparsify.account import SparsifyAccount
from ddcalc.types.compression.sparsify.model import Sparse
from ddcalc.types.compression.sparsify.question import sparsifying


class Sparsify(errors.OnVector):
    """What does it save to send only some values of a gradient?

    Only some values of the gradient travel, and with them where they belong, unless both sides draw
    the places alike. The message is shorter, but to choose values and put them back takes time.

    Of d values k are sent, or a part of them: the largest (top-k), or some at random, as they are
    or times d/k so that the mean is right. What is lost is kept and added to the next gradient
    (error feedback), except where values were sent times d/k: these are right on average, and if
    d/k is 2 or more what is kept would grow without end.

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
    keywords = (
        "top-k gradients; random-k; send only the largest values; gradient sparsity; index overhead"
    )
    terms = ("sparsification", "error feedback")
    source = (
        "Stich et al., Sparsified SGD with Memory, NeurIPS 2018, arXiv:1809.07599, definitions 2.1"
        " and 2.2 for top-k and random-k, section 2.2 for d/k times random values; ring all-reduce:"
        " Patarasuk and Yuan, Journal of Parallel and Distributed Computing 69(2), 2009"
    )

    values = count(
        "d", "values of the gradient", optional=True, example="25M",
        filled_by=facts("model.parameters", unless=["vector", "dimension"]),
    )  # fmt: skip
    kept = count("k", "values that are sent", optional=True, example="25000")
    share = number(
        "c", "share of the values that is sent", above=0, most=1,
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
        shortest="an index of just enough bits for each value sent",
        stated="an index of the stated bits, else 32, for each value sent",
        bitmap="one bit for every value says whether it is sent",
    )
    aggregation = choice(
        paying.AGGREGATION,
        gathered=paying.GATHERED,
        added="all draw the same places, so a ring adds the values",
        server=paying.SERVER,
    )

    chosen = derived("k_c", "Values that are sent", "a share of all, rounded up")
    index_width = derived("i", "Bits of an index", "")
    dense = paying.dense()
    sent = derived("S_c", "Bytes sent", "", BYTE)
    ratio, reduced, gathered = paying.received()
    added = paying.added("as all send the same places, these pass the ring like a shorter gradient")
    saved, dense_time, sent_time, saved_time = paying.savings()
    break_even, most_workers = paying.limits()
    most_kept = derived(
        "k_eq", "Gathering loses with more values than", "",
        noun="values beyond which gathering loses", least=0,
    )  # fmt: skip
    density = derived(
        "c_eq", "That part of all values", "from 1 on gathering never loses", least=0,
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

    def mechanism(self) -> str:
        match paying.way(self):
            case "added":
                return (
                    "All workers draw the same places and send only their values there. So nobody"
                    " has to say which ones they are, and a ring all-reduce adds them on the way"
                    " like a shorter gradient."
                )
            case "gathered":
                return (
                    "Every worker sends few values and where they belong. As places differ,"
                    f" messages cannot be added on the way:{paying.GATHERING}"
                )
        return super().mechanism()

    def conclusion(self) -> Iterator[Said]:
        yield from paying.conclusion(self)

    def insights(self) -> Iterator[Said]:
        if self.states("values"):
            yield from self._price()
        yield from paying.insights(self)
        if self._alike or self.states("bandwidth"):
            return
        if self.index == "bitmap":
            yield Sentence(
                "The bitmap alone takes {map}: however few values are sent, a message shrinks by"
                " less than a factor of {full}.",
                map=paying.in_bytes(self._values()),
            )
        else:
            yield Sentence(
                "From {many value} on ({part %} of all), a bitmap takes fewer bits than indexes.",
                self.index_width > 1,
                many=floor(self._values() / self.index_width) + 1,
                part=(floor(self._values() / self.index_width) + 1) / self._values(),
            )

    def _price(self) -> Iterator[Said]:
        """What is lost for it."""
        kept, values = self._kept(), self._values()
        whole = Sentence("All values are sent, so nothing is lost.", same(kept, values))
        limit = errors.sparse_bound(self.method, values, kept)
        before, few = "with {few %} of the values ", kept / values
        if self.method == "top_k":
            yield First(whole, *errors.missing(before, limit, few=few))
        elif self.method == "random_k":
            yield First(whole, *errors.missing(before, limit, mean=True, few=few))
        else:
            noise = "What arrives is right on average, but with noise: the squared error is"
            yield First(
                whole,
                Sentence(
                    f"{noise} {{off %}} of the gradient's squared length on average.",
                    limit <= 1,
                    off=limit,
                ),
                Sentence(
                    f"{noise} {{off}} times the gradient's squared length on average.", off=limit
                ),
            )

    def crosschecks(self) -> Iterator[Crosscheck]:
        if not self._alike and self.index != "bitmap" and not self.states("bandwidth"):
            fewer = self._values() / self._kept()
            bits = self.full + self.index_width
            text = "{times} times fewer values, each sent with {bits} bits instead of {full}"
            holds = same(fewer * self.full / bits, self.ratio)
            yield Crosscheck(text, holds, self.index_width > 0, times=fewer, bits=bits)

    def premises(self) -> Iterator[Premise]:
        if paying.way(self) == "gathered" and self.method != "top_k":
            yield Premise("every worker draws places of its own", "aggregation")
        elif paying.way(self) == "gathered":
            yield Premise("a value that several workers choose is sent by each of them")
        yield Premise("values keep all their bits", "quantize")
        yield from paying.premises(self)

    def arguments(self) -> Iterator[Argument]:
        yield from paying.arguments(self)
        kept, values, bound = self._kept(), self._values(), self.bound
        chance = kept / values
        if self.method == "top_k":
            rest = "those left out are the smallest: at most their share"
            yield Rewritten(bound, (((values - kept) / values, rest),), "Stich et al. 2018")
        elif self.method == "random_k":
            rest = "each value is left out with this chance"
            yield Rewritten(bound, (((values - kept) / values, rest),), "Stich et al. 2018")
        else:
            off = "it arrives with the chance k/d, then d/k times as large"
            spread = chance * Pow(values / kept - 1, Num(2)) + (1 - chance)
            yield Rewritten(bound, ((spread, off),))

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
        limit = "square of the error over the gradient's"
        if self.method != "top_k":
            limit += ", on average"
        yield self.bound, errors.sparse_bound(self.method, values, self._kept()), limit

    def play(self, given: PlayedGivens) -> Outcome:
        """Send some values of the vector."""
        work = Sparse(sparsifying(given, self.method))
        return SparsifyAccount(work, self.declared()).outcome(self)

    def _index(self) -> Equations:
        if self._alike or self.index == "bitmap":
            return
        if self.index == "shortest":
            number = "the fewest that can number all values"
            yield self.index_width, ceiling_log2(self._values()), number
        elif self.states("index_bits"):
            yield self.index_width, self.index_bits
        else:
            yield self.index_width, Num(32), "a whole number of usual size"

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
