"""From what size on is computation, not bandwidth, the limit?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import ceiling, floor, same, smallest
from ddcalc.numbers.units import FLOP_PER_BYTE, unit_named
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import amount, count, derived, given, share
from ddcalc.problem.sentences import Crosscheck, First, Premise, Said, Sentence

# Units whose quotient is FLOP/B, so that numbers in them go into formulas as they are
TFLOP_PER_SECOND, TB_PER_SECOND = map(unit_named, ("TFLOP/s", "TB/s"))
OUTSIDE = "only parts outside the node count"


class Roofline(Problem):
    """From what size on is computation, not bandwidth, the limit?

    A processor computes while the next data come, from a memory or through a network, so whichever
    takes longer sets the pace. Small sizes make few operations for each byte, and the processor
    waits; large ones make many, and it computes at its peak.

    Work that makes many operations for each byte is limited by the peak; work that makes few, by
    the bandwidth. At the ridge, peak over bandwidth, both take the same time. This supposes that
    data move while others are computed.

    Often the operations for each byte grow with a size. State them for a size of 1. For a batch of
    B tokens and a matrix of weights from memory they are B operations for each byte, so 1. For
    gradients of B tokens on each processor, all-reduced behind the backward pass by data
    parallelism, 1; with a mixture of experts k/E. For a matrix split over two chips along a width
    D, D/2, so 0.5. For tensor parallelism and a layer of width F, 1. All this is for weights,
    gradients or activations of 16 bits: what moves in 32 bits (gradients often do) halves it, what
    moves in 8 bits doubles it.

    Where a size is shared by several processors, each has its part: state the size of the whole and
    the parts. Where some of the parts are in one node and exchange without this network, a part
    receives only those of the others through it: state how many are inside.
    """

    answer = "critical"
    terms = ("roofline", "overlap")
    source = (
        "Williams, Waterman and Patterson, Roofline, CACM 52(4), 2009; sizes, and the parts within"
        " a node: Austin et al., How to Scale Your Model (Google DeepMind), 2025, chapters on"
        " rooflines, training and GPUs"
    )

    peak = given("C", "peak of a processor", TFLOP_PER_SECOND, above=0, example="197 TFLOP/s")
    bandwidth = given("W", "bandwidth", TB_PER_SECOND, above=0, example="820 GB/s")
    intensity = given(
        "k", "operations for each byte, at a size of 1", FLOP_PER_BYTE, above=0, default="1 FLOP/B"
    )
    size = amount("n", "the size: tokens, a width", above=0, optional=True)
    parts = count("Y", "parts that share the size", optional=True)
    inside = count(
        "Y_in", "parts in one node, which exchange without this network", least=0, optional=True
    )

    ridge = derived("I_r", "The ridge: operations in the time of a byte", "", FLOP_PER_BYTE)
    critical = derived(
        "n_c",
        "Size from which computation is the limit",
        "there the operations for each byte reach the ridge",
    )
    whole = derived("n_w", "The least whole size", "")
    needed = derived("n_all", "Size of the whole for these parts", "each part needs that size")
    most = derived("Y_max", "Parts up to which computation is the limit", "")
    most_whole = derived("Y_w", "Whole parts", "one more would be limited by the bandwidth")
    part = derived("n_Y", "Size of a part", "", name="share")
    crossing = share(
        "x", "Part of the exchange that this network carries", "what comes from outside the node"
    )
    performed = derived("I", "Operations for each byte", "", FLOP_PER_BYTE, name="own")
    attained = derived(
        "P", "Speed attained", "what bandwidth or peak allow, whichever is less", TFLOP_PER_SECOND,
        better="more",
    )  # fmt: skip
    used = share("u", "Part of the peak", "1 where computation is the limit", better="more")

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

    def conclusion(self) -> Iterator[Said]:
        parts = self.states("parts")
        if parts:
            limit = "computation is the limit; below that, it is bandwidth."
            yield First(
                Sentence(f"From a size of {{needed}} on, {limit}", same(self.parts, 1)),
                Sentence(f"From a size of {{needed}} on, shared by {{parts part}}, {limit}"),
            )
        elif self.states("inside"):
            yield Sentence(
                "A size of {critical} for each part outside the node makes computation the limit: a"
                " size of {size} does for {most_whole part}, {inside} of them inside."
            )
            return
        else:
            yield Sentence(
                "From a size of {critical} on computation is the limit; below that, it is"
                " bandwidth."
            )
        if not self.states("size"):
            return
        at = "A size of {size}, shared by {parts part}," if parts else "A size of {size}"
        yield First(
            Sentence(
                f"{at} is limited by bandwidth: {{attained}}, {{used %}} of the peak.",
                self.performed < self.ridge,
            ),
            Sentence(
                f"{at} is just at the balance: both limits are reached.",
                same(self.performed, self.ridge),
            ),
            Sentence(f"{at} is limited by computation: the peak of {{attained}} is attained."),
        )

        if parts:
            yield First(
                Sentence("Undivided, bandwidth would limit it, too.", self.most_whole < 1),
                Sentence("It may be shared by up to {most_whole part} before bandwidth limits it."),
            )

    def insights(self) -> Iterator[Said]:
        if self.states("size") and (self.states("parts") or not self.states("inside")):
            slow, fast = self.performed < self.ridge, self.performed > self.ridge
            yield Sentence(
                "A faster processor would change nothing; for the whole peak, the bandwidth would"
                " have to be {need}.",
                slow,
                need=self.peak / self.performed,
            )
            yield Sentence(
                "A faster network or memory would change nothing: {need} would be enough.",
                fast,
                need=self.peak / self.performed,
            )
        size = self.needed if self.states("parts") else self.critical
        yield Sentence(
            "While a byte comes, the processor can make {ridge_count operation}: with twice the"
            " bandwidth {half} would be enough, a processor twice as fast needs {double}.",
            ridge_count=self.ridge,
            half=size / 2,
            double=2 * size,
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        text = "the operations on the bytes of a second, at that size, are the peak"
        yield Crosscheck(text, same(self.bandwidth * self.intensity * self.critical, self.peak))

    def premises(self) -> Iterator[Premise]:
        yield Premise("data move while others are computed", "overlap")
        yield Premise("peak and bandwidth can both be reached in full")
        yield Premise("operations for each byte grow in proportion to the size", "intensity")
        if self.states("parts"):
            yield Premise("the size is shared equally")

    def equations(self) -> Equations:
        yield self.ridge, self.peak / self.bandwidth
        yield self.critical, self.ridge / self.intensity
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
            why = "fewer bytes pass this network"
            yield self.performed, self.intensity * size / self.crossing, why
        else:
            yield self.performed, self.intensity * size
        yield self.attained, smallest(self.peak, self.bandwidth * self.performed)
        yield self.used, self.attained / self.peak
