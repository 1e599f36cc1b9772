"""How does averaging move models, and how many learners pay?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddcalc.formula.algebra import Expr, Num, largest, position_of_largest, same, smallest, total
from ddcalc.numbers.units import PER_SECOND, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem, Shape
from ddcalc.problem.quantity import LESS, choice, count, derived, duration, number

OF_A_STEP = ("models", "gradients", "average", "eta")
OF_TUNING = ("samples", "batch", "round_times", "epochs")


class Crossbow(Problem):
    """How does averaging move models, and how many learners pay?

    CROSSBOW runs several learners on each GPU. Every learner has a model of its own and takes a
    step on a small batch of its own; meanwhile a share α of its distance from a central average
    model z is taken back. The average moves by the sum of these corrections and by its momentum.
    So the batch stays small however many learners there are, and the models stay together.

    Without momentum and with α = 1/k the new average is the plain mean of the k models before the
    step. With α = 0 everybody learns alone, and the average stays where it is.

    Models and gradients are listed weight by weight, learner after learner: as many learners as
    the models are longer than the average.

    How many learners on a GPU reach the target soonest is answered where measured rounds are
    stated, and the epochs to the target. One learner with a small batch leaves a GPU partly idle,
    so a second and a third raise the samples per second: hardware efficiency. But with more
    learners the same target may take more epochs: statistical efficiency falls. What counts is the
    product of the two. A tuner that sees only the throughput, as CROSSBOW's does, adds learners for
    as long as it grows; that is the best number only if the epochs do not grow as fast.
    """

    answer = "distance"
    terms = ("CROSSBOW", "batch size", "local SGD", "update rule")
    source = (
        "Koliousis et al., CROSSBOW: Scaling Deep Learning with Small Batch Sizes on Multi-GPU"
        " Servers, PVLDB 12(11), 2019, arXiv:1901.02244: the averaging, both efficiencies, and the"
        " number of learners tuned by the throughput; on one GPU their program"
        " corrects after the step (lsds/Crossbow, clib-multigpu/synch/sma.c @a8d2847; switched off"
        " there since @65aeeea)"
    )

    models = number(
        "w", "weights of each learner's model, learner after learner", many="list",
        of="weight of each learner", optional=True, example="1, 2, 4",
    )  # fmt: skip
    gradients = number(
        "G", "gradients of each learner, in the same order", many="list",
        of="weight of each learner", optional=True, example="0.5, 1, 3",
    )  # fmt: skip
    average = number(
        "z", "central average model", many="list", of="weight", optional=True, example="2"
    )
    previous = number(
        "y", "average one step earlier, else the same", many="list", of="weight", optional=True
    )
    eta = number("eta", "step size", above=0, optional=True, example="0.1")
    alpha = number("alpha", "share that is corrected, else 1/k", least=0, most=1, optional=True)
    momentum = number(
        "mu", "momentum of the average, from its second step on", least=0, most=1, default="0.9"
    )
    samples = count("N", "samples in an epoch", optional=True)
    batch = count("b", "samples in the small batch of each learner", optional=True)
    round_times = duration(
        "t", "time of a round with 1, 2, … learners on a GPU, a batch each", above=0,
        many="list", of="number of learners", optional=True,
    )  # fmt: skip
    epochs = number(
        "e", "epochs to the target with as many learners", above=0, many="list",
        of="number of learners", optional=True,
    )  # fmt: skip

    correct = choice(
        "which model the correction looks at",
        before="the model before its step",
        after="the model after its step",
    )

    learners = derived(
        "k", "Learners", "how many times as long as the average the models are", least=1
    )
    share = derived(
        "alpha_k", "Share that is corrected", "one over the number of learners", least=0, most=1
    )
    stepped = derived("u", "After the learner's own step", "against its gradient", many="models")
    corrections = derived(
        "c", "Corrections", "a share of the distance from the average", many="models"
    )
    new_models = derived(
        "w_new", "New models", "a step against the gradient, less the correction", many="models"
    )
    pull = derived("C", "Sum of the corrections", "of all learners", many="average")
    new_average = derived(
        "z_new", "New average", "it moves by what the learners gave up", many="average"
    )
    old_distance = derived(
        "D_old", "Largest distance from the average before", "of any weight", least=0
    )
    distance = derived(
        "D", "Largest distance from the average", "of any weight, after the step", least=0
    )
    throughputs = derived(
        "r", "Samples per second", "a batch for each learner in every round", PER_SECOND,
        many="round_times", least=0,
    )  # fmt: skip
    hardware = derived(
        "h", "Hardware efficiency", "samples per second beside one learner's", many="round_times",
        least=0,
    )  # fmt: skip
    statistical = derived(
        "s", "Statistical efficiency", "one learner's epochs beside theirs", many="round_times",
        least=0,
    )  # fmt: skip
    speedups = derived(
        "g", "How many times as fast as one learner", "both count", many="round_times", least=0
    )
    times = derived(
        "T", "Time to the target", "the samples of all epochs", SECOND, many="round_times", least=0
    )
    busiest = derived(
        "m_full", "Most samples per second with", "hardware alone",
        noun="learners with the most samples per second", least=1,
    )  # fmt: skip
    best = derived("m", "Best number of learners", "hardware and statistics together", least=1)
    best_time = derived("T_min", "Shortest time", "with that number", SECOND, **LESS)

    @classmethod
    def answer_in(cls, shape: Shape) -> str:
        """The best number of learners where measured rounds or epochs are stated."""
        return "best" if {*OF_TUNING} & {*shape.stated} else "distance"

    @property
    def _tunes(self) -> bool:
        return self.answer_in(self.shape) == "best"

    def needs(self) -> Iterator[tuple[str, ...]]:
        return ((name,) for name in (OF_TUNING if self._tunes else OF_A_STEP))

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """The other model to correct, if there are models."""
        return iter(()) if cls.answer_in(shape) == "best" else super().neighbours(shape)

    def laws(self) -> Iterator[Law]:
        if self._tunes:
            yield Holds(self.best_time <= self.times[0], "one learner is one of the choices")
            yield Rises("best_time", "samples", "an epoch is longer")
            yield Falls("best_time", "batch", "a round takes more samples in the same time")
        elif not self.states("previous"):
            given = zip(self.new_average, self.average, self.pull, strict=True)
            for new, old, pull in given:
                yield Holds(same(new, old + pull), "the average gains what the learners give up")

    def conditions(self) -> Iterator[Condition]:
        if not self._tunes:
            width = len(self.average)
            yield Condition(
                same(Num(len(self.models) % width), Num(0)),
                "models",
                f"are {len(self.models)} numbers, which do not make whole models of {width}",
            )

    def equations(self) -> Equations:
        return self._tuned() if self._tunes else self._stepped()

    def _tuned(self) -> Equations:
        """Hardware and statistics of 1, 2, … learners."""
        rounds = enumerate(self.round_times, 1)
        yield self.throughputs, [learners * self.batch / t for learners, t in rounds]
        yield self.hardware, [r / self.throughputs[0] for r in self.throughputs]
        yield self.statistical, [self.epochs[0] / e for e in self.epochs]
        both = zip(self.hardware, self.statistical, strict=True)
        yield self.speedups, [h * s for h, s in both]
        pairs = zip(self.throughputs, self.epochs, strict=True)
        yield self.times, [e * self.samples / r for r, e in pairs]
        yield self.busiest, position_of_largest(*self.throughputs)
        yield self.best, position_of_largest(*self.speedups)
        yield self.best_time, smallest(*self.times)

    def _stepped(self) -> Equations:
        """One step of all learners, and of their average."""
        width, z = len(self.average), self.average
        yield self.learners, Num(len(self.models)) / Num(width)
        alpha = self.alpha
        if not self.states("alpha"):
            alpha = self.share
            yield self.share, 1 / self.learners
        yield from self._moves(alpha, z)
        yield self.pull, [total(self.corrections[i::width]) for i in range(width)]
        yield from self._average(z)
        yield self.old_distance, _farthest(self.models, z)
        yield self.distance, _farthest(self.new_models, self.new_average)

    def _moves(self, alpha: Expr, z: Sequence[Expr]) -> Equations:
        """What each learner does."""
        steps = list(zip(self.models, self.gradients, strict=True))
        looked = self.models
        if self.correct == "after":
            yield self.stepped, [w - self.eta * g for w, g in steps]
            looked = self.stepped
        yield self.corrections, [alpha * (w - z[i % len(z)]) for i, w in enumerate(looked)]
        if self.correct == "after":
            pairs = zip(self.stepped, self.corrections, strict=True)
            yield self.new_models, [u - c for u, c in pairs], "less the correction"
        else:
            moved = zip(steps, self.corrections, strict=True)
            yield self.new_models, [w - self.eta * g - c for (w, g), c in moved]

    def _average(self, z: Sequence[Expr]) -> Equations:
        moved = [old + pulled for old, pulled in zip(z, self.pull, strict=True)]
        if self.states("previous"):
            earlier = zip(moved, z, self.previous, strict=True)
            yield self.new_average, [new + self.momentum * (old - y) for new, old, y in earlier]
        else:
            why = f"{type(self).new_average.why}; it has no momentum in its first step"
            yield self.new_average, moved, why


def _farthest(models: Sequence[Expr], average: Sequence[Expr]) -> Expr:
    """The largest distance of a weight in *models* from its one in *average*."""
    gaps = [w - average[i % len(average)] for i, w in enumerate(models)]
    return largest(*(side for gap in gaps for side in (gap, -gap)))
