"""From how many tokens, or what size, on is computation the limit?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import NEVER, Expr, Num, Rel, ceiling, floor, same, smallest
from ddcalc.numbers.units import FLOP_PER_BYTE, unit_named
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import amount, count, derived, facts, given, share
from ddcalc.problem.sentences import (
    After,
    Argument,
    Crosscheck,
    Equated,
    First,
    Premise,
    Said,
    Sentence,
)

# Units whose quotient is FLOP/B, so that numbers in them go into formulas as they are
TFLOP_PER_SECOND, TB_PER_SECOND = map(unit_named, ("TFLOP/s", "TB/s"))
OUTSIDE = "only parts outside the node count"


class Roofline(Problem):
    """From how many tokens, or what size, on is computation the limit?

    The same bytes, such as weights, are read once for all tokens, while the operations grow with
    their number. Both go on at the same time, so the slower one decides: reading where tokens are
    few, computing from some number on.

    At the ridge, peak over bandwidth, both take the same time. This supposes that data move, from a
    memory or over a network, while others are computed.

    Often the operations for each byte grow with a size. State them for a size of 1. For a batch of
    B tokens and a matrix of weights from memory they are B operations for each byte, so 1. For
    gradients of B tokens on each processor, all-reduced behind the backward pass by data
    parallelism, 1; with a mixture of experts k/E. For a matrix split over two chips along a width
    D, D/2, so 0.5. For tensor parallelism and a layer of width F, 1. All this is for weights,
    gradients or activations of 16 bits: what moves in 32 bits (gradients often do) halves it, what
    moves in 8 bits doubles it.

    Where a size is shared by several processors, each has its part: state the size of the whole and
    the parts. Where some of the parts are in one node and exchange without this network, a part
    receives only those of the others through it: state how many are inside. Without parts, and with
    1 or 2 operations for each byte (weights of 16 or 8 bits), the answer speaks of tokens.
    """

    answer = "critical"
    keywords = (
        "arithmetic intensity; compute-bound or memory-bound; bottleneck of a GPU; ridge point;"
        " tokens to saturate a GPU"
    )
    terms = ("roofline", "overlap", "FLOPs")
    source = (
        "Williams, Waterman and Patterson, Roofline, CACM 52(4), 2009; sizes, and the parts within"
        " a node: Austin et al., How to Scale Your Model (Google DeepMind), 2025, chapters on"
        " rooflines, training and GPUs"
    )

    peak = given(
        "C", "peak of a processor", TFLOP_PER_SECOND, above=0, example="197 TFLOP/s",
        filled_by=facts("device.peak"),
    )  # fmt: skip
    bandwidth = given(
        "W", "bandwidth", TB_PER_SECOND, above=0, example="820 GB/s",
        filled_by=facts("link.bandwidth", "device.memory_bandwidth"),
    )  # fmt: skip
    intensity = given(
        "k",
        "operations for each byte read and each token",
        FLOP_PER_BYTE,
        above=0,
        default="1 FLOP/B",
    )
    size = amount("n", "tokens, or another size", above=0, optional=True)
    parts = count("Y", "parts that share the size", optional=True)
    inside = count(
        "Y_in", "parts in one node, which exchange without this network", least=0, optional=True
    )

    ridge = derived(
        "I_r", "The ridge", "operations that the processor does while a byte comes", FLOP_PER_BYTE
    )
    critical = derived("n_c", "The boundary", "")
    whole = derived("n_w", "The next whole number", "from there on computation is the limit")
    needed = derived("n_all", "Size of the whole for these parts", "each part needs that size")
    most = derived(
        "Y_max", "Parts up to which computation is the limit", "each needs the size found above"
    )
    most_whole = derived("Y_w", "Whole parts", "one more would be limited by the bandwidth")
    part = derived("n_Y", "Size of a part", "shared equally", name="share")
    crossing = share(
        "x", "Part of the exchange that this network carries", "what comes from outside the node"
    )
    performed = derived(
        "I", "Operations for each byte", "they grow with the size", FLOP_PER_BYTE, name="own"
    )
    attained = derived(
        "P", "Speed reached", "the peak, or the operations that the bytes bring: the smaller",
        TFLOP_PER_SECOND, better="more",
    )  # fmt: skip
    used = share("u", "Part of the peak", "", better="more")

    def heading(self) -> str:
        if self.states_any("parts", "inside"):
            return "From what size on is computation the limit?"
        return "When is computation the limit, and when the bandwidth?"

    def mechanism(self) -> str:
        if not self.states("parts"):
            return super().mechanism()
        inside = (
            "; those in one node exchange without this network" if self.states("inside") else ""
        )
        return (
            "Each processor computes and takes in data at the same time, so its work lasts as long"
            " as the slower of the two. It has an equal part of the size, and the smaller that is,"
            " the fewer operations each byte brings, while as many bytes come"
            f"{inside}. With too many parts the bandwidth is the limit."
        )

    @property
    def _placed(self) -> bool:
        """Whether a stated size says how fast a processor is."""
        return self.states("size") and (self.states("parts") or not self.states("inside"))

    def conclusion(self) -> Iterator[Said]:
        parts = "Computation is the limit where each part has a size of at least {critical}."
        if self.states("inside"):
            outside = "Computation is the limit from a size of {critical} on for each part outside"
            yield First(Sentence(parts, same(self.inside, 0)), f"{outside} the node.")
        elif self.states("parts"):
            yield parts
        else:
            yield First(
                Sentence(
                    "With any number of tokens computation is the limit (the boundary is"
                    " {critical}).",
                    (self._tokens, self.critical < 1),
                ),
                *self._starts("{critical token}", "{whole token}", "with fewer", self._tokens),
                *self._starts("a size of {critical}", "a size of {whole}", "below the boundary"),
            )
        if self.states("parts"):
            need = "{parts|needs|need} a size of {needed} in all."
            plain = f"{{parts part}} {need}"
            if self.states("inside"):
                within = f"{{parts part}}, {{inside}} of them in one node, {need}"
                yield First(Sentence(within, self.inside > 0), plain)
            else:
                yield plain
        if self._placed:
            yield from self._at_size()
        if self.states("size") and self.states_any("parts", "inside"):
            yield from self._parts_at_most()

    @property
    def _tokens(self) -> Rel:
        """Whether the size counts tokens, as for weights of 16 or 8 bits."""
        if self.states_any("parts", "inside"):
            return NEVER
        one = self.intensity
        return same((one - 1) * (one - 2), 0)

    def _starts(self, exact: str, whole: str, below: str, *also: Rel) -> Iterator[Sentence]:
        """From what size on computation is the limit."""
        yield Sentence(
            f"From {exact} on computation is the limit, {below} the bandwidth.",
            (*also, same(self.critical, self.whole)),
        )
        yield Sentence(
            f"From {whole} on (the boundary is {{critical}}) computation is the limit, {below} the"
            " bandwidth.",
            also,
        )

    def _at_size(self) -> Iterator[Said]:
        """What limits work of the stated size."""
        if self.states("parts"):
            yield First(*self._limits("With {size} in all", of=" of each processor"))
        else:
            yield First(
                *self._limits("With {size token}", self._tokens),
                *self._limits("At a size of {size}"),
            )

    def _limits(self, size: str, *also: Rel, of: str = "") -> Iterator[Sentence]:
        """What limits work of that *size*."""
        yield from (
            Sentence(
                f"{size} the bandwidth is the limit: the speed{of} is {{attained}}, {{used %}} of"
                " the peak.",
                (*also, self._brought < self.peak),
            ),
            Sentence(
                f"{size} both limits are reached at once: the speed{of} is the peak, {{peak}},"
                " and all of the bandwidth is used.",
                (*also, same(self._brought, self.peak)),
            ),
            Sentence(
                f"{size} computation is the limit: the speed{of} is the peak, {{peak}}.", also
            ),
        )

    def _parts_at_most(self) -> Iterator[Said]:
        """How many may share the stated size."""
        yield First(
            Sentence(
                "Even a single processor has too small a size to be limited by computation.",
                self.most_whole < 1,
            ),
            Sentence(
                "Already two parts that share it would be limited by the bandwidth.",
                same(self.most_whole, 1),
            ),
            "At most {most_whole part} can share it before the bandwidth is the limit.",
        )

    @property
    def _brought(self) -> Expr:
        """The operations that the bytes bring, per second."""
        if self.states_any("parts", "inside"):
            return self.bandwidth * self.performed
        return self.bandwidth * self.intensity * self.size

    def insights(self) -> Iterator[Said]:
        if self._placed:
            yield First(
                Sentence(
                    "Twice the bandwidth would give {faster}; a higher peak would gain nothing.",
                    self._brought < self.peak,
                    faster=After(self.attained, bandwidth=2 * self.bandwidth),
                ),
                Sentence(
                    "A bandwidth of {least} would do; more of it gains nothing.",
                    self._brought > self.peak,
                    least=self.peak * self.bandwidth / self._brought,
                ),
            )
        elif not self.states_any("parts", "inside"):
            yield Sentence(
                "Below the boundary the speed falls in proportion: at half of it, {at}, to half the"
                " peak, {half}.",
                self.critical > 1,
                at=self.critical / 2,
                half=self.peak / 2,
            )
        if self.states_any("parts", "inside"):
            yield Sentence(
                "Twice the bandwidth halves the size needed, to {less}.",
                less=After(self.critical, bandwidth=2 * self.bandwidth),
            )
            return
        yield Sentence(
            "With fewer than {critical token} the layer takes as long as with one, since reading"
            " takes the same time: more tokens in a batch cost no time.",
            (self._tokens, self.critical > 2),
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        if self.states_any("parts", "inside"):
            if self._placed:
                many = self.parts - self.inside if self.states("inside") else self.parts
                yield Crosscheck(
                    "the speed is to the peak as the size is to the size needed",
                    same(self.size / many / self.critical, self.used),
                    self.performed < self.ridge,
                )
            return
        bring = self.bandwidth * self.intensity
        yield Crosscheck(
            "with {fewer} the bytes bring less than the peak",
            bring * (self.whole - 1) < self.peak,
            self.whole > 1,
            fewer=self.whole - 1,
        )
        yield Crosscheck("with {whole} at least the peak", bring * self.whole >= self.peak)

    def premises(self) -> Iterator[Premise]:
        yield Premise("reading and computing go on at the same time")
        yield Premise("peak and bandwidth are reached in full")
        yield Premise("other traffic, such as inputs and outputs, is left out")
        if self.states("parts"):
            if self.states("inside"):
                yield Premise("exchange within a node is no limit")
            yield Premise("parts are equal, and each takes in as many bytes whatever its size")

    def arguments(self) -> Iterator[Argument]:
        reached = same(self.bandwidth * self.intensity * self.critical, self.peak)
        if not self.states_any("parts", "inside"):
            yield Equated(
                self.critical,
                same(2 * self.critical / self.peak, Num(2) / self.bandwidth),
                "2·n_c operations with a 16-bit weight last as long as its 2 bytes: k = 2/2",
                values={"k": 1},
            )
        yield Equated(self.critical, reached, "the bytes bring as many operations as the peak")

    def needs(self) -> Iterator[tuple[str, ...]]:
        if self.states("inside"):
            yield "size", "parts"

    def conditions(self) -> Iterator[Condition]:
        if self.states("inside", "parts"):
            message = "are no more than those inside one node; then nothing passes this network"
            yield Condition(self.parts > self.inside, "parts", message)

    def laws(self) -> Iterator[Law]:
        yield Falls("critical", "bandwidth", "a faster network suits less computation")
        yield Rises("critical", "peak", "a faster processor waits for bytes sooner")
        if self.states("size") and (self.states("parts") or not self.states("inside")):
            yield Rises("attained", "size", "more is computed for each byte")
            yield Rises("attained", "bandwidth", "bytes come sooner")
            yield Holds(self.attained <= self.peak, "nothing is computed faster than the peak")
            if self.states("parts"):
                few = self.parts <= self.most
                yield Holds(same(self.used, 1), "each part is large enough", when=few)

    def equations(self) -> Equations:
        yield self.ridge, self.peak / self.bandwidth
        yield self.critical, self.peak / (self.bandwidth * self.intensity)
        yield self.whole, ceiling(self.critical)
        if self.states("parts", "inside"):
            yield self.needed, self.critical * (self.parts - self.inside), OUTSIDE
        elif self.states("parts"):
            yield self.needed, self.critical * self.parts
        if self.states("size"):
            yield from self._of_the_size()

    def _of_the_size(self) -> Equations:
        most = self.size / self.critical
        if self.states("inside"):
            yield self.most, self.inside + most, OUTSIDE
        else:
            yield self.most, most
        yield self.most_whole, floor(self.most)
        if self.states("inside") and not self.states("parts"):
            return
        size = self.size
        if self.states("parts"):
            yield self.part, self.size / self.parts
            size = self.part
        if self.states("inside"):
            yield self.crossing, (self.parts - self.inside) / self.parts
            why = "they grow with the size; fewer bytes pass this network"
            yield self.performed, self.intensity * size / self.crossing, why
        else:
            yield self.performed, self.intensity * size
        yield self.attained, smallest(self.peak, self._brought)
        yield self.used, self.attained / self.peak
