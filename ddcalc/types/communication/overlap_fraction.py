"""How much of the communication was hidden behind computation?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import NOTHING, Expr, cases, largest, same, smallest
from ddcalc.numbers.units import SECOND
from ddcalc.problem.laws import Falls, Holds, Law
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, derived, duration, share

UNKNOWN = "the step takes more than the sum, so that it cannot be told"


class OverlapFraction(Problem):
    """How much of the communication was hidden behind computation?

    A step was measured, and how long it computes and communicates each on its own. Had it done one
    after the other, it would have taken the sum; what is missing from the sum was done at the same
    time, if nothing else takes any. No step is shorter than the longer of the two, and only the
    shorter one can be hidden whole. Where a step takes more than the sum, something else does take
    time, a straggler for example; how much was hidden cannot be told then.

    Two definitions of the overlap fraction are in use: the hidden time as part of the
    communication, or as part of the shorter of the two. They differ where communication takes
    longer than computation: then not all of it can be hidden, and the first never comes to 1.
    """

    answer = "fraction"
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
    hidden = derived("h", "Hidden", "missing from the sum, if nothing else takes time", SECOND)
    exposed = derived("w", "Not hidden", "the rest of the communication", SECOND)
    other = derived("t_oth", "Neither of the two", "at least what goes beyond the sum", SECOND)
    fraction = share("phi", "Overlap fraction", "what part was hidden", better="more")

    def conditions(self) -> Iterator[Condition]:
        yield Condition(
            self.step >= largest(self.compute, self.communication),
            "step",
            "is shorter than computation or communication on its own",
        )

    def laws(self) -> Iterator[Law]:
        yield Falls("fraction", "step", "the longer the step, the less of the sum is missing")
        shortest = same(self.step, self.least)
        yield Holds(same(self.hidden, self._shorter()), "the shorter one runs beside", shortest)

    def equations(self) -> Equations:
        yield self.serial, self.compute + self.communication
        yield self.least, largest(self.compute, self.communication)
        unknown = (NOTHING, self.step > self.serial, UNKNOWN)
        yield self.hidden, cases(unknown, otherwise=self.serial - self.step)
        yield self.exposed, cases(unknown, otherwise=self.communication - self.hidden)
        yield self.other, largest(self.step - self.serial, 0)
        yield self.fraction, cases(unknown, otherwise=self.hidden / self._whole(), why=self._part())

    def _whole(self) -> Expr:
        if self.part_of == "communication":
            return self.communication
        return self._shorter()

    def _shorter(self) -> Expr:
        return smallest(self.compute, self.communication)

    def _part(self) -> str:
        """What the fraction is part of."""
        return (
            "of the communication"
            if self.part_of == "communication"
            else "of the shorter of the two"
        )
