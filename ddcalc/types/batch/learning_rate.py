"""Which learning rate suits a larger or smaller batch?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, Num, Rel, cases, floor, same, sqrt
from ddcalc.problem.laws import Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem, Shape
from ddcalc.problem.quantity import amount, choice, count, derived, number
from ddcalc.problem.sentences import Argument, Equated, First, Premise, Said, Sentence

MECHANISMS = {
    "linear": "With a batch twice as large, the same samples give only half as many steps. As long"
    " as the gradient hardly changes from one step to the next, one step with twice the rate leads"
    " where two with the old rate led.",
    "adam": "With a batch twice as large, the same samples give only half as many steps. Adam"
    " divides the gradient by its typical size. Where that is mostly noise, it falls by the square"
    " root of two, so that each step is already longer by this root. A rate larger by the same root"
    " makes up for the rest.",
    "square_root": "Averaging over a batch twice as large divides the noise of a gradient by the"
    " square root of two. A rate that is larger by the same root keeps the noise in each step as it"
    " was.",
    "saturating": "The noisier the gradient, the shorter the best step. In small batches noise"
    " decides, and twice the batch allows nearly twice the rate. Far beyond the critical batch"
    " there is hardly any noise left to average away: the step is limited by how fast the gradient"
    " itself changes.",
}


class LearningRate(Problem):
    """Which learning rate suits a larger or smaller batch?

    A batch twice as large makes half the steps on the same samples, so each step should lead
    further. How far depends on the optimizer and on how noisy the gradients are.

    For SGD the linear rule is usual: k times the rate for k times the batch keeps the sum of the
    steps while the gradients hardly change from step to step. At the beginning of training they do
    change, so it comes with a warm-up. Adam divides by the size of the gradients, noise included,
    and its usual rule is the square root of k; its source changes the betas and epsilon too. The
    saturating rule is the best rate for plain SGD where a critical batch is known: far below B_crit
    it is linear, far above no larger batch allows a larger rate.

    The other batch is stated, or it follows from another number of workers who keep their own
    batch, as when machines join or fail.

    A warm-up leads in equal steps to the new rate: from the old one (gradual warm-up), or from 0.
    """

    answer = "new_rate"
    keywords = "linear scaling rule; square-root scaling; warm-up; learning rate for a larger batch"
    terms = ("batch size", "data parallelism", "update rule", "learning rate")
    source = (
        "linear, for SGD: Goyal et al., arXiv:1706.02677, section 2.1, and warm-up, section 2.2;"
        " square root, for Adam and RMSprop: Malladi et al., On the SDEs and Scaling Rules for"
        " Adaptive Gradient Algorithms, arXiv:2205.10287, and for SGD: Krizhevsky, One weird trick"
        " for parallelizing convolutional neural networks, arXiv:1404.5997; saturating,"
        " η_max/(1 + B_noise/B): McCandlish et al., arXiv:1812.06162"
    )

    rate = number("eta", "learning rate that suits the old batch", above=0, example="0.001")
    batch = count("B", "old batch of all workers, in samples", example="2048")
    new_batch = count("B_new", "new batch of all workers", optional=True)
    workers = count("n", "workers that shared the old batch", optional=True, example="64")
    new_workers = count(
        "n_new", "workers from now on, with the same batch each", optional=True, example="48"
    )
    critical_batch = amount("B_crit", "critical batch, in samples", above=0, optional=True)
    warmup_steps = count("W", "steps of a warm-up", optional=True)
    step = count("t", "step of the warm-up whose rate is asked", least=0, optional=True)

    optimizer = choice(
        "which optimizer takes the steps",
        sgd="the optimizer is SGD, plain or with momentum",
        adam="the optimizer is Adam (or AdamW, RMSprop)",
    )
    rule = choice(
        "how the rate follows the batch",
        usual="the usual rule: linear for SGD, the square root for Adam",
        linear="the rate grows as the batch does",
        square_root="the rate grows with the square root of the batch",
        saturating="the rate of plain SGD saturates beyond the critical batch",
        also="sqrt square_root",
    )
    warmup = choice(
        "where a warm-up begins",
        old="the warm-up begins with the old rate",
        zero="the warm-up begins with the rate 0",
    )

    worker_batch = derived("b", "Batch of each worker", "", least=0)
    scaled_batch = derived("B_all", "New batch of all workers", "each keeps its own batch")
    new_worker_batch = derived("b_new", "New batch of each worker", "shared equally")
    ratio = derived("k", "The new batch over the old one", "", least=0)
    new_rate = derived("eta_new", "New learning rate", "", least=0)
    rise = derived("z", "Rise with each step of the warm-up", "equal steps")
    step_rate = derived("eta_t", "Learning rate at that step", "", least=0)

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
        yield self.ratio, self._new / self.batch
        growth = self._growth(self._new)
        yield self.new_rate, self.rate * growth, self.choices["rule"].options[self._rule]
        rise = self.new_rate if self.warmup == "zero" else self.new_rate - self.rate
        if self.states("warmup_steps"):
            yield self.rise, rise / self.warmup_steps
        if self.states("step"):
            risen = rise * self.step / self.warmup_steps
            during = risen if self.warmup == "zero" else self.rate + risen
            over = "the warm-up is over"
            rate = cases((during, self.step < self.warmup_steps), otherwise=self.new_rate, why=over)
            yield self.step_rate, rate

    @property
    def _rule(self) -> str:
        """The rule that applies; the usual one by its own name."""
        if self.rule != "usual":
            return self.rule
        return "linear" if self.optimizer == "sgd" else "square_root"

    @property
    def _kind(self) -> str:
        """The rule that applies, by why it is one."""
        return "adam" if (self._rule, self.optimizer) == ("square_root", "adam") else self._rule

    @property
    def _new(self) -> Expr:
        return self.scaled_batch if self.states("new_workers") else self.new_batch

    def mechanism(self) -> str:
        return MECHANISMS[self._kind]

    def conclusion(self) -> Iterator[Said]:
        yield First(
            Sentence(
                "The learning rate stays {rate}, as the batch stays {batch sample}.",
                same(self.ratio, 1),
            ),
            Sentence(
                "The batch of {new sample} takes a learning rate of {new_rate}: {grows} times the"
                " old rate for {ratio} times the batch.",
                new=self._new,
                grows=self._growth(self._new),
            ),
        )
        yield from self._warmed_up()
        yield from self._other_rule()

    def _other_rule(self) -> Iterator[Said]:
        """What the other common rule would give."""
        if self._rule == "linear":
            name, growth = "square-root rule", sqrt(self.ratio)
        else:
            name, growth = "linear rule", self.ratio
        usual = ""
        if self.rule == "usual" or self._kind == "adam":
            usual = ", usual for Adam," if self._rule == "linear" else ", usual for SGD,"
        yield Sentence(
            f"The {name}{usual} would give {{other}}, {{growth}} times the old rate.",
            (self.ratio > 1, self.new_rate > 0),
            other=self.rate * growth,
            growth=growth,
        )
        yield Sentence(
            f"The {name}{usual} would give {{other}}.", self.ratio < 1, other=self.rate * growth
        )

    def _warmed_up(self) -> Iterator[Said]:
        """What the warm-up does, in words."""
        if self.states("step"):
            yield First(
                Sentence(
                    "In step {step} the warm-up is over, and the rate is the new one.",
                    self.step >= self.warmup_steps,
                ),
                Sentence(
                    "In step {step} of the warm-up it is {step_rate}, just the old rate, since"
                    " {step} of {warmup_steps} is {part %} and the new rate is {growth} times the"
                    " old one.",
                    (same(self.step_rate, self.rate), self.ratio > 1, self.step > 0),
                    part=self.step / self.warmup_steps,
                    growth=self._growth(self._new),
                ),
                Sentence("In step {step} of the warm-up it is {step_rate}."),
            )
        elif self.states("warmup_steps"):
            yield First(
                Sentence("A warm-up has nothing to change.", same(self.rise, 0)),
                Sentence(
                    "The warm-up leads there from {start} in a single step.",
                    same(self.warmup_steps, 1),
                    start=self._start,
                ),
                Sentence(
                    "The warm-up leads there from {start} in {warmup_steps step}, {rise} more in"
                    " each.",
                    self.rise > 0,
                    start=self._start,
                ),
                Sentence(
                    "The warm-up leads there from {start} in {warmup_steps step}, {fall} less in"
                    " each.",
                    self.rise < 0,
                    start=self._start,
                    fall=-self.rise,
                ),
            )

    def insights(self) -> Iterator[Said]:
        if self._rule == "saturating":
            most = self.rate * (1 + self.critical_batch / self.batch)
            yield Sentence(
                "No batch allows a rate of {most} or more. Half of that is reached at the critical"
                " batch of {critical_batch sample}, {part %} with this one.",
                most=most,
                part=self.new_rate / most,
            )
        elif self._rule == "linear":
            if self.optimizer == "sgd":
                yield Sentence(
                    "The rule has an end: with a rate of {new_rate}, plain gradient descent"
                    " diverges where the loss curves more than {most}, two over the rate.",
                    self.ratio > 1,
                    most=2 / self.new_rate,
                )
        elif self._kind == "adam":
            yield from self._averages()
        if self.states("new_workers"):
            worker = self.batch / self.new_workers
            kept = "Keeping the batch of {batch sample} instead would keep the rate:"
            yield First(
                Sentence(
                    f"{kept} {{apiece sample}} for each of the {{new_workers worker}}.",
                    (same(floor(worker), worker), self.new_workers > 1, self.ratio < 1),
                    apiece=worker,
                ),
                Sentence(
                    f"{kept} {{some}} or {{others}} samples for each of the"
                    " {new_workers worker}.",
                    (worker > 1, self.new_workers > 1, self.ratio < 1),
                    some=floor(worker),
                    others=floor(worker) + 1,
                ),
            )

    def _averages(self) -> Iterator[Said]:
        """What the rule makes of Adam's averages: 1 − β grows as the batch does."""
        tenth, thousandth = self.ratio / 10, self.ratio / 1000
        yield First(
            Sentence(
                "The rule also asks for averages over {ratio} times fewer steps: Adam's β₂ = 0.999"
                " would become 1 − {ratio}·0.001 = {second}, while β₁ = 0.9 cannot follow, as"
                " {ratio}·0.1 is more than 1.",
                (tenth > 1, thousandth < 1),
                second=1 - thousandth,
            ),
            Sentence(
                "The rule also asks for averages over {ratio} times fewer steps: Adam's β₁ = 0.9"
                " would become 1 − {ratio}·0.1 = {first}, and β₂ = 0.999 would become {second}.",
                (self.ratio > 1, tenth < 1),
                first=1 - tenth,
                second=1 - thousandth,
            ),
        )

    def premises(self) -> Iterator[Premise]:
        yield Premise("the old rate is the best one for the old batch")
        yield Premise("as many epochs are trained as before", "training-steps")
        if self._rule == "linear":
            yield Premise("the gradient hardly changes over the steps that become one", "rule")
        elif self._kind == "adam":
            yield Premise("noise is the larger part of the gradients", "noise-scale")
            yield Premise("the betas and epsilon are scaled too (Malladi et al.)")
        elif self._rule == "square_root":
            yield Premise("the noise of each step counts, not how far all steps lead", "rule")
        else:
            yield Premise("the critical batch does not change during training", "critical-batch")

    def arguments(self) -> Iterator[Argument]:
        new, old, k = self.new_rate, self.rate, self.ratio
        if self._rule == "linear":
            says, law = "k times fewer steps: each has to lead k times as far", "Goyal et al."
            yield Equated(new, same(new / k, old), says, law)
        elif self._kind == "adam":
            says = (
                "all steps shall lead as far as before: there are k times fewer, and in each the"
                " gradient is √k times as large beside the noise that Adam divides by"
            )
            yield Equated(new, same(new * sqrt(k) / k, old), says, "Malladi et al.")
        elif self._rule == "square_root":
            says = "the noise of a step, 1/√k with the new batch, shall stay as it was"
            yield Equated(new, same(new / sqrt(k), old), says, "Krizhevsky")
        else:
            yield Equated(
                new,
                same(new * (1 + self.critical_batch / self._new),
                     old * (1 + self.critical_batch / self.batch)),
                "the rate of a batch is η_max/(1 + B_crit/B), so both sides are η_max",
                "McCandlish et al.",
            )  # fmt: skip

    @property
    def _start(self) -> Expr:
        """The rate with which a warm-up begins."""
        return self.rate if self.warmup == "old" else Num(0)

    def _growth(self, new: Expr) -> Expr:
        if self._rule == "linear":
            return self.ratio
        if self._rule == "square_root":
            return sqrt(self.ratio)
        old = 1 + self.critical_batch / self.batch
        return old / (1 + self.critical_batch / new)


def _divides(workers: Expr, batch: Expr) -> Rel:
    return same(floor(batch / workers), batch / workers)
