"""How much of the communication was hidden behind computation?"""

from collections.abc import Iterator

from ddcalc.algebra import Expr, largest, smallest
from ddcalc.problem import Condition, Equations, Problem
from ddcalc.quantity import choice, derived, duration
from ddcalc.units import SECOND


class OverlapFraction(Problem):
    """How much of the communication was hidden behind computation?

    A step was measured, and how long it computes and communicates each on its own. Had it done one
    after the other, it would have taken the sum; what is missing from the sum was done at the same
    time. No step is shorter than the longer of the two, and only the shorter one can be hidden
    whole. Where a step takes more than the sum, something else takes time, a straggler for example,
    and nothing can be said to be hidden.

    Two definitions of the overlap fraction are in use: the hidden time as part of the
    communication, or as part of the shorter of the two. They differ where communication takes
    longer than computation: then not all of it can be hidden, and the first never comes to 1.
    """

    answer = "fraction"
    group = "communication"
    terms = ("overlap",)
    source = (
        "both definitions: The Algebra of Distributed Training (ttsugriy), chapter on overlapping"
        " communication, its text and its Exercise 5; the hidden time as the sum less the step:"
        " Gibiansky, Bringing HPC Techniques to Deep Learning (Baidu), 2017"
    )

    compute = duration("t_comp", "computation on its own", above=0, example="80 ms")
    communication = duration("t_comm", "communication on its own", above=0, example="120 ms")
    step = duration("T", "the measured step", example="140 ms")

    part_of = choice(
        "the overlap fraction",
        communication="hidden time as part of the communication",
        shorter="hidden time as part of the shorter of the two",
    )

    serial = derived("T_sum", "One after the other", "nothing overlaps", SECOND)
    least = derived("T_min", "The shortest step", "the longer of the two takes its time", SECOND)
    hidden = derived("h", "Hidden", "what is missing from the sum", SECOND)
    exposed = derived("w", "Not hidden", "the rest of the communication", SECOND)
    other = derived("t_oth", "Neither of the two", "what goes beyond the sum", SECOND)
    fraction = derived("phi", "Overlap fraction", "what part was hidden")

    def conditions(self) -> Iterator[Condition]:
        yield Condition(
            self.step >= largest(self.compute, self.communication),
            "step",
            "is shorter than computation or communication on its own",
        )

    def equations(self) -> Equations:
        yield self.serial, self.compute + self.communication
        yield self.least, largest(self.compute, self.communication)
        yield self.hidden, largest(self.serial - self.step, 0)
        yield self.exposed, self.communication - self.hidden
        yield self.other, largest(self.step - self.serial, 0)
        yield self.fraction, self.hidden / self._whole(), self._part()

    def _whole(self) -> Expr:
        if self.part_of == "communication":
            return self.communication  # type: ignore[no-any-return]
        return smallest(self.compute, self.communication)

    def _part(self) -> str:
        """What the fraction is part of."""
        return (
            "of the communication"
            if self.part_of == "communication"
            else "of the shorter of the two"
        )
