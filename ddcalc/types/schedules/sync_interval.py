"""After how many local steps should the models be averaged?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, Least, Rel, ceiling, sqrt
from ddcalc.numbers.units import SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Equations, Problem
from ddcalc.problem.quantity import count, derived, duration, number


class SyncInterval(Problem):
    """After how many local steps should the models be averaged?

    With local SGD every worker takes H steps on its own, then all models are averaged. One average
    is shared by H steps, so its cost for each step falls as 1/H; meanwhile the models drift apart,
    which costs more the longer they are left alone. The sum has one minimum.

    The formula assumes that nothing is sent while a worker computes, that the cost of drift grows
    in proportion to H, and that it can be stated as a time. That time (the weight) is a judgement:
    measure how many more steps the same loss takes. Both parts are extra: computing a step is not
    in them.
    """

    answer = "steps"
    terms = ("local SGD", "federated averaging")
    source = (
        "the cost is that of an exercise in The Algebra of Distributed Training (ttsugriy); the"
        " bound of Wang and Joshi, Adaptive Communication Strategies, arXiv:1810.08313, has the"
        " same two terms in H; Stich, ICLR 2019, arXiv:1805.09767, on how rarely one may average"
    )

    communication = duration(
        "T_comm", "one average of the models", group="communication", example="50 ms"
    )
    weight = duration("lambda", "what a drift of 1 costs", above=0, group="drift", example="1 s")
    drift = number("gamma", "drift that each local step adds", above=0, example="0.001")
    interval = count("h", "an interval to compare, in steps", optional=True)

    optimum = derived("H_opt", "The minimum, in parts of a step", "where the cost stops falling")
    steps = derived(
        "H",
        "The best whole number of steps",
        "the first from which one step more is no gain; of two equally good ones the smaller",
    )
    cost = derived(
        "C", "Its cost for each step", "a share of the average, and drift", SECOND, better="less"
    )
    interval_cost = derived(
        "C_h", "The cost of the stated interval", "the same sum", SECOND, better="less"
    )
    excess = derived("D", "More than the best", "for each step", SECOND, least=0, better="less")

    def laws(self) -> Iterator[Law]:
        yield Rises("steps", "communication", "a dearer average is shared by more steps")
        yield Falls("steps", "drift", "models that drift faster are averaged sooner")
        yield Falls("steps", "weight", "dearer drift is ended sooner")
        yield Rises("cost", "communication", "each average costs more")
        yield Rises("cost", "drift", "each step costs more")
        if self.states("interval"):
            yield Holds(self.cost <= self.interval_cost, "no interval costs less than the best")

    def equations(self) -> Equations:
        slope = self.weight * self.drift
        yield self.optimum, sqrt(self.communication / slope)
        yield self.steps, self._best(slope)
        yield self.cost, self._cost(self.steps)
        if self.states("interval"):
            yield self.interval_cost, self._cost(self.interval)
            yield self.excess, self.interval_cost - self.cost

    def _cost(self, steps: Expr) -> Expr:
        return self.communication / steps + self.weight * self.drift * steps

    def _best(self, slope: Expr) -> Least:
        """The least H whose cost is at most that of H + 1: T_comm <= H(H + 1)·slope."""
        relation = slope * self.steps * (self.steps + 1) >= self.communication
        assert isinstance(relation, Rel)
        root = ceiling(sqrt(1 + 4 * self.communication / slope))
        return Least(relation, ceiling((root - 1) / 2), first="one step is enough")
