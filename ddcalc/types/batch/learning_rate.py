"""What learning rate goes with another batch?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, Num, Rel, floor, same, smallest, sqrt
from ddcalc.problem.laws import Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem, Shape
from ddcalc.problem.quantity import amount, choice, count, derived, number


class LearningRate(Problem):
    """What learning rate goes with another batch?

    A batch k times as large makes 1/k of the steps on the same samples, so each step should lead
    further. How far depends on the optimizer. For SGD the linear rule is usual: k times the rate
    keeps the sum of the steps while the gradients hardly change from step to step. At the beginning
    of training they do change, so it comes with a warm-up. Adam divides by the size of the
    gradients, noise included, and its usual rule is the square root of k; its source changes the
    betas and epsilon too. The saturating rule is the best rate for plain SGD where a critical batch
    is known: far below B_crit it is linear, far above no larger batch allows a larger rate.

    The other batch is stated, or it follows from another number of workers who keep their own
    batch, as when machines join or fail.

    A warm-up leads in equal steps to the new rate: from the old one (gradual warm-up), or from 0.
    """

    answer = "new_rate"
    terms = ("batch size", "data parallelism", "update rule")
    source = (
        "linear, for SGD: Goyal et al., arXiv:1706.02677, section 2.1, and warm-up, section 2.2;"
        " square root, for Adam and RMSprop: Malladi et al., On the SDEs and Scaling Rules for"
        " Adaptive Gradient Algorithms, arXiv:2205.10287, and for SGD: Krizhevsky, One weird trick"
        " for parallelizing convolutional neural networks, arXiv:1404.5997; saturating,"
        " η_max/(1 + B_noise/B): McCandlish et al., arXiv:1812.06162"
    )

    rate = number("eta", "learning rate that fits the old batch", above=0, example="0.001")
    batch = count("B", "old batch of all workers, in samples", example="2048")
    new_batch = count("B_new", "new batch of all workers", optional=True)
    workers = count("n", "workers that shared the old batch", optional=True, example="64")
    new_workers = count(
        "n_new", "workers from now on, with the same batch each", optional=True, example="48"
    )
    critical_batch = amount("B_crit", "critical batch, in samples", above=0, optional=True)
    warmup_steps = count("W", "steps of a warm-up", optional=True)
    step = count("t", "a step of it, whose rate is asked", least=0, optional=True)

    optimizer = choice(
        "which optimizer takes the steps",
        sgd="SGD, plain or with momentum",
        adam="Adam, AdamW or RMSprop",
    )
    rule = choice(
        "how the rate follows the batch",
        usual="the usual rule: linear for SGD, the square root for Adam",
        linear="as many times the rate as the batch",
        square_root="the rate grows with the square root of the batch",
        saturating="the rate of plain SGD saturates beyond the critical batch",
    )
    warmup = choice(
        "where a warm-up begins",
        old="the warm-up begins with the old rate",
        zero="the warm-up begins with the rate 0",
    )

    worker_batch = derived("b", "Batch of each worker", "it does not change", least=0)
    scaled_batch = derived("B_all", "New batch of all workers", "each keeps its own batch")
    new_worker_batch = derived("b_new", "New batch of each worker", "shared equally")
    ratio = derived("k", "The new batch over the old one", "how many times as large", least=0)
    new_rate = derived("eta_new", "New learning rate", "the rule", least=0)
    rise = derived("z", "Rise with each step of the warm-up", "equal steps")
    step_rate = derived(
        "eta_t", "Learning rate at that step", "after the warm-up the new one", least=0
    )

    def laws(self) -> Iterator[Law]:
        yield Rises("new_rate", "new_batch", "a larger batch never takes a smaller step")
        yield Rises("new_rate", "new_workers", "more workers never take a smaller step")
        yield Rises("new_rate", "rate", "it is scaled")
        yield Holds(same(self.new_rate, self.rate), "the old batch has the old rate",
                    when=same(self.ratio, 1))  # fmt: skip
        larger = "at most as many times the rate as the batch"
        yield Holds(self.new_rate <= self.ratio * self.rate, larger, when=self.ratio >= 1)

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "new_batch", "new_workers"
        if self.states("new_workers"):
            yield ("workers",)
        if self.rule == "saturating":
            yield ("critical_batch",)
        if self.states("step"):
            yield ("warmup_steps",)

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """The other optimizer with the usual rule, else the other rules by name; the saturating
        one only where a critical batch is stated."""
        usual = dict(shape.reading)["rule"] == "usual"
        rules = {"saturating"} if usual else {"linear", "square_root", "saturating"}
        if "critical_batch" not in shape.stated:
            rules.discard("saturating")
        for name, option, other in super().neighbours(shape):
            if name != "rule" or option in rules:
                yield name, option, other

    def conditions(self) -> Iterator[Condition]:
        if self.states("new_workers"):
            message = (
                "is not divisible by the {workers worker} that shared it; state one that is, or"
                " the new batch instead of the new workers"
            )
            yield Condition(_divides(self.workers, self.batch), "batch", message)
        elif self.states("workers"):
            message = "is not divisible by {workers worker}; state one that is, or leave them out"
            yield Condition(_divides(self.workers, self.new_batch), "new_batch", message)
        if self.states("new_batch") and self.states("new_workers"):
            yield Condition(
                same(self.new_batch * self.workers, self.batch * self.new_workers),
                "new_batch",
                "is not what {new_workers worker} make of the same batch each; leave one out",
            )

    def equations(self) -> Equations:
        if self.states("new_workers"):
            yield self.worker_batch, self.batch / self.workers
            yield self.scaled_batch, self.new_workers * self.worker_batch
        elif self.states("workers"):
            yield self.new_worker_batch, self.new_batch / self.workers
        new = self.scaled_batch if self.states("new_workers") else self.new_batch
        yield self.ratio, new / self.batch
        yield self.new_rate, self.rate * self._growth(new), self.choices["rule"].options[self._rule]
        if self.states("warmup_steps"):
            start = self.rate if self.warmup == "old" else Num(0)
            yield self.rise, (self.new_rate - start) / self.warmup_steps
        if self.states("step"):
            yield self.step_rate, start + smallest(self.step, self.warmup_steps) * self.rise

    @property
    def _rule(self) -> str:
        """The rule that applies; the usual one by its own name."""
        if self.rule != "usual":
            return self.rule
        return "linear" if self.optimizer == "sgd" else "square_root"

    def _growth(self, new: Expr) -> Expr:
        if self._rule == "linear":
            return self.ratio
        if self._rule == "square_root":
            return sqrt(self.ratio)
        old = 1 + self.critical_batch / self.batch
        return old / (1 + self.critical_batch / new)


def _divides(workers: Expr, batch: Expr) -> Rel:
    return same(floor(batch / workers), batch / workers)
