"""How does one step of synchronous model averaging move models?"""

from collections.abc import Iterator, Sequence

from ddcalc.formula.algebra import Expr, Num, largest, same, total
from ddcalc.problem.laws import Holds, Law
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, derived, number


class Crossbow(Problem):
    """How does one step of synchronous model averaging move models?

    CROSSBOW runs several learners on each GPU. Every learner has a model of its own and takes a
    step on a small batch of its own; meanwhile a share α of its distance from a central average
    model z is taken back. The average moves by the sum of these corrections and by its momentum.
    So the batch stays small however many learners there are, and the models stay together.

    Without momentum and with α = 1/k the new average is the plain mean of the k models before the
    step. With α = 0 everybody learns alone, and the average stays where it is.

    Models and gradients are listed weight by weight, learner after learner: as many learners as
    the models are longer than the average. Whether another learner on a GPU pays at all is asked
    by `learners`.
    """

    answer = "distance"
    terms = ("CROSSBOW", "batch size", "local SGD", "update rule")
    source = (
        "Koliousis et al., CROSSBOW: Scaling Deep Learning with Small Batch Sizes on Multi-GPU"
        " Servers, PVLDB 12(11), 2019, arXiv:1901.02244; on one GPU their program"
        " corrects after the step (lsds/Crossbow, clib-multigpu/synch/sma.c @a8d2847; switched off"
        " there since @65aeeea)"
    )

    models = number(
        "w", "weights of each learner's model, learner after learner", many="list",
        of="weight of each learner", example="1, 2, 4",
    )  # fmt: skip
    gradients = number(
        "G", "gradients of each learner, in the same order", many="list",
        of="weight of each learner", example="0.5, 1, 3",
    )  # fmt: skip
    average = number("z", "central average model", many="list", of="weight", example="2")
    previous = number(
        "y", "average one step earlier, else the same", many="list", of="weight", optional=True
    )
    eta = number("eta", "step size", above=0, example="0.1")
    alpha = number("alpha", "share that is corrected, else 1/k", least=0, most=1, optional=True)
    momentum = number(
        "mu", "momentum of the average, from its second step on", least=0, most=1, default="0.9"
    )

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

    def laws(self) -> Iterator[Law]:
        if not self.states("previous"):
            given = zip(self.new_average, self.average, self.pull, strict=True)
            for new, old, pull in given:
                yield Holds(same(new, old + pull), "the average gains what the learners give up")

    def conditions(self) -> Iterator[Condition]:
        yield Condition(
            same(Num(len(self.models) % self._width), Num(0)),
            "models",
            f"are {len(self.models)} numbers, which do not make whole models of {self._width}",
        )

    @property
    def _width(self) -> int:
        return len(self.average)

    def equations(self) -> Equations:
        width, z = self._width, self.average
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
