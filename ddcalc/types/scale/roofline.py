"""From what size on is computation, not bandwidth, the limit?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import ceiling, floor, same, smallest
from ddcalc.numbers.units import FLOP_PER_BYTE, unit_named
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import amount, count, derived, given, share
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
    """From what size on is computation, not bandwidth, the limit?

    A processor computes and takes in data at the same time, so work lasts as long as the slower of
    the two. The more operations each byte brings, the longer the processor is busy with it; from
    some size on it cannot keep up with the bytes, and then its peak is the limit, not the
    bandwidth.

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

    ridge = derived(
        "I_r", "The ridge", "operations that the processor does while a byte comes", FLOP_PER_BYTE
    )
    critical = derived("n_c", "Size from which computation is the limit", "")
    whole = derived("n_w", "The least whole size", "at which bandwidth is no limit")
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
        "P", "Speed attained", "at most the peak, at most the operations that the bytes bring",
        TFLOP_PER_SECOND, better="more",
    )  # fmt: skip
    used = share("u", "Part of the peak", "", better="more")

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
            start = "Computation is the limit from a size of {critical} on"
            yield First(
                Sentence(f"{start}.", same(self.critical, self.whole)),
                f"{start} ({{whole}} in whole numbers).",
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

    def _at_size(self) -> Iterator[Said]:
        """What limits work of the stated size."""
        size = "With {size} in all" if self.states("parts") else "At a size of {size}"
        yield First(
            Sentence(
                f"{size} the bandwidth is the limit: a processor attains {{attained}}, {{used %}}"
                " of its peak.",
                self.performed < self.ridge,
            ),
            Sentence(
                f"{size} both limits are reached at once: a processor attains its peak and uses"
                " all of the bandwidth.",
                same(self.performed, self.ridge),
            ),
            f"{size} computation is the limit: a processor attains its peak.",
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

    def insights(self) -> Iterator[Said]:
        if self._placed:
            yield First(
                Sentence(
                    "Twice the bandwidth would give {faster}; a higher peak would gain nothing.",
                    self.performed < self.ridge,
                    faster=After(self.attained, bandwidth=2 * self.bandwidth),
                ),
                Sentence(
                    "A bandwidth of {least} would do; more of it gains nothing.",
                    self.performed > self.ridge,
                    least=self.peak / self.performed,
                ),
            )
            if not self.states("parts"):
                yield Sentence(
                    "Up to {most_whole} processors could share {size} before the bandwidth is"
                    " the limit.",
                    self.most_whole > 1,
                )
        elif not self.states_any("parts", "inside"):
            yield Sentence(
                "Below that size the speed falls with it: half the size gives half the peak,"
                " {half}.",
                half=self.peak / 2,
            )
        yield Sentence(
            "Twice the bandwidth halves the size needed, to {less}; a processor twice as fast"
            " doubles it, to {more}.",
            less=After(self.critical, bandwidth=2 * self.bandwidth),
            more=After(self.critical, peak=2 * self.peak),
        )
        yield Sentence(
            "Numbers of twice as many bits double the size needed: twice the bytes for the same"
            " operations."
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        if self._placed:
            part, below = self.size, self.performed < self.ridge
            if self.states("parts"):
                many = self.parts - self.inside if self.states("inside") else self.parts
                part = self.size / many
            yield Crosscheck(
                "below the ridge, as much of the peak as of the size",
                same(part / self.critical, self.used),
                below,
            )
        brought = self.bandwidth * self.intensity * self.critical
        yield Crosscheck("operations that the bytes bring at that size", same(brought, self.peak))

    def premises(self) -> Iterator[Premise]:
        yield Premise("data move while others are computed")
        yield Premise("peak and bandwidth are reached in full")
        yield Premise("operations for each byte grow in proportion to the size")
        if self.states("parts"):
            if self.states("inside"):
                yield Premise("exchange within a node is no limit")
            yield Premise("parts are equal, and each takes in as many bytes whatever its size")

    def arguments(self) -> Iterator[Argument]:
        reached = same(self.intensity * self.critical, self.ridge)
        yield Equated(self.critical, reached, "the operations for each byte reach the ridge")

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
            why = "they grow with the size; fewer bytes pass this network"
            yield self.performed, self.intensity * size / self.crossing, why
        else:
            yield self.performed, self.intensity * size
        yield self.attained, smallest(self.peak, self.bandwidth * self.performed)
        yield self.used, self.attained / self.peak
