"""After how many local steps should the models be averaged?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, Num, cases, ceiling, floor, same, sqrt
from ddcalc.numbers.units import SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Equations, Problem
from ddcalc.problem.quantity import count, derived, duration, number
from ddcalc.problem.sentences import (
    After,
    Argument,
    Crosscheck,
    First,
    Premise,
    Said,
    Sentence,
    Stationary,
)


class SyncInterval(Problem):
    """After how many local steps should the models be averaged?

    The time of one average is shared by the local steps between two averages, so its part of a step
    falls with their number; meanwhile the models drift apart, and that part grows with it. The sum
    is least where the two parts are equal.

    With local SGD every worker takes some steps on its own; then all models are averaged. The
    formula assumes that nothing is sent while a worker computes, that the cost of drift grows
    in proportion to H, and that it can be stated as a time. That time (the weight) is a judgement:
    measure how many more steps the same loss takes. Both parts are extra: computing a step is not
    in them.
    """

    answer = "steps"
    keywords = (
        "local SGD; communication period; averaging interval; how often to synchronise models"
    )
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
    interval = count("h", "local steps of an interval to compare", optional=True)

    optimum = derived("H_opt", "Least cost per step, before rounding to whole steps", "")
    steps = derived(
        "H",
        "Best whole number of steps",
        "one of the two neighbours",
    )
    cost = derived(
        "C", "Cost per step", "its share of an average, and the drift since the last one",
        SECOND, better="less",
    )  # fmt: skip
    interval_cost = derived(
        "C_h",
        "Cost per step with the stated interval",
        "the same for h steps",
        SECOND,
        better="less",
    )
    excess = derived("D", "Cost above the least, per step", "", SECOND, least=0, better="less")

    def laws(self) -> Iterator[Law]:
        yield Rises("steps", "communication", "a dearer average is shared by more steps")
        yield Falls("steps", "drift", "models that drift faster are averaged sooner")
        yield Falls("steps", "weight", "dearer drift is ended sooner")
        yield Rises("cost", "communication", "each average costs more")
        yield Rises("cost", "drift", "each step costs more")
        if self.states("interval"):
            yield Holds(self.cost <= self.interval_cost, "no interval costs less than the best")

    def conclusion(self) -> Iterator[Said]:
        yield First(*self._after_every(), *self._after_several())
        if self.states("interval"):
            yield First(
                Sentence(
                    "The stated interval of {interval step} is the best one.",
                    same(self.interval, self.steps),
                ),
                Sentence(
                    "The stated interval of {interval step} costs {interval_cost} per step,"
                    " {more} or {extra %} more.",
                    self.excess > 0,
                    more=self.interval_cost - self.cost,
                    extra=self.interval_cost / self.cost - 1,
                ),
                Sentence("The stated interval of {interval step} costs just as much."),
            )

    def _after_every(self) -> Iterator[Sentence]:
        """The answer where every local step is averaged, or may be."""
        yield Sentence(
            "Averaging costs nothing, so average the models after every local step; drift then"
            " costs {cost} per step.",
            same(self.communication, 0),
        )
        yield Sentence(
            "Average the models after every local step or every {next}: with either the averages"
            " and drift cost {cost} per step.",
            (same(self.steps, 1), same(self._cost(self.steps + 1), self.cost)),
            next=self.steps + 1,
        )
        yield Sentence(
            "Average the models after every local step: the averages and drift then cost {cost} per"
            " step.",
            same(self.steps, 1),
        )

    def _after_several(self) -> Iterator[Sentence]:
        """The answer where several steps go between two averages."""
        yield Sentence(
            "Average the models after every {steps} or {next} local steps: with either the averages"
            " and drift cost {cost} per step.",
            same(self._cost(self.steps + 1), self.cost),
            next=self.steps + 1,
        )
        rounded = "(before rounding to whole steps, {optimum})"
        costs = "that costs {cost} per step, {part} for the average and {drifting} for drift."
        slots = {
            "part": self.communication / self.steps,
            "drifting": self._slope * self.steps,
        }
        for tests in ((self.optimum > self.steps,), (self.optimum < self.steps,)):
            every = f"Average the models after every {{steps}} local steps {rounded}: {costs}"
            yield Sentence(every, tests, **slots)
        plainly = f"Average the models after every {{steps}} local steps: {costs}"
        yield Sentence(plainly, None, **slots)

    def _of_the_stated(self) -> Iterator[Sentence]:
        """Which part of the cost is the larger one with the stated interval."""
        slots = {
            "drifting": self._slope * self.interval,
            "shared": self.communication / self.interval,
        }
        yield Sentence(
            "With {interval step} drift is the larger part: {drifting} of {interval_cost} per step;"
            " the average is {shared}.",
            slots["drifting"] > slots["shared"],
            **slots,
        )
        yield Sentence(
            "With {interval step} the average is the larger part: {shared} of {interval_cost} per"
            " step; drift is {drifting}.",
            slots["drifting"] < slots["shared"],
            **slots,
        )

    def insights(self) -> Iterator[Said]:
        several = self.steps >= 4
        if self.states("interval"):
            yield First(*self._of_the_stated())
        fewer, more = ceiling(2 * self.steps / 3), floor(3 * self.steps / 2)
        low, high = (self._cost(steps) / self.cost - 1 for steps in (fewer, more))
        tenth = Num(1) / 10
        yield Sentence(
            "The minimum is flat: {fewer} steps cost {below} per step, only {low %} more, and"
            " {more} steps {above}, {high %} more.",
            (several, low <= tenth, high <= tenth),
            fewer=fewer,
            more=more,
            below=self._cost(fewer),
            above=self._cost(more),
            low=low,
            high=high,
        )
        if not self.states("interval"):
            yield Sentence(
                "The best number grows as a root only: if an average took four times as long, one"
                " after every {rare} steps would be best.",
                several,
                rare=After(self.steps, communication=4 * self.communication),
            )
        yield Sentence(
            "The formula charges every step with the drift after all {steps}; with the average"
            " drift, about half as much, one average after every {rare} steps would be best.",
            several,
            rare=After(self.steps, drift=self.drift / 2),
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        more, fewer = self._cost(self.steps + 1), self._cost(self.steps - 1)
        yield Crosscheck(
            "one step more costs more",
            more > self.cost,
            self.steps * (self.steps + 1) * self._slope > self.communication,
        )
        yield Crosscheck("one step fewer costs more", fewer > self.cost, self.steps >= 2)

    def premises(self) -> Iterator[Premise]:
        yield Premise("nothing is sent while a worker computes", "overlap")
        yield Premise("each step costs what the drift after all H steps does")
        yield Premise("all workers are equally fast", "sync-step")

    def arguments(self) -> Iterator[Argument]:
        steps = self.optimum
        cost = self.communication / steps + self._slope * steps
        yield Stationary(
            steps, cost, steps, "the cost per step: its share of an average, and the drift"
        )

    def equations(self) -> Equations:
        slope = self._slope
        yield self.optimum, sqrt(self.communication / slope)
        yield self.steps, self._best()
        yield self.cost, self._cost(self.steps)
        if self.states("interval"):
            yield self.interval_cost, self._cost(self.interval)
            yield self.excess, self.interval_cost - self.cost

    @property
    def _slope(self) -> Expr:
        return self.weight * self.drift

    def _cost(self, steps: Expr) -> Expr:
        return self.communication / steps + self._slope * steps

    def _best(self) -> Expr:
        """The least H whose cost is at most that of H + 1: T_comm <= H(H + 1)·slope."""
        exact = sqrt(self.communication / self._slope)
        lower, upper = floor(exact), ceiling(exact)
        enough = self._slope * lower * (lower + 1) >= self.communication
        lower_why = (
            "the lower neighbour: one step more would save T_comm/(H(H + 1)), no more than the λγ"
            " of drift that it adds"
        )
        upper_why = (
            "the upper neighbour: its last step saves T_comm/(H(H − 1)), more than the λγ of drift"
            " that it adds"
        )
        return cases(
            (
                Num(1),
                2 * self._slope >= self.communication,
                "already the second step adds as much drift as it saves, or more",
            ),
            (lower, enough, lower_why),
            otherwise=upper,
            why=upper_why,
        )
