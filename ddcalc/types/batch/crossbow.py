"""How many learners train soonest, or how does a step move their models?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ddcalc.formula.algebra import (
    Expr,
    Num,
    Rel,
    cases,
    largest,
    position_of_largest,
    same,
    smallest,
    total,
)
from ddcalc.numbers.units import PER_SECOND, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Alternatives, Condition, Equations, Problem, Shape
from ddcalc.problem.quantity import LESS, choice, count, derived, duration, number
from ddcalc.problem.sentences import Crosscheck, First, Premise, Said, Sentence

OF_A_STEP = ("models", "gradients", "average", "eta")
FEW: Final = 5  # numbers of learners, all compared in lines of their own
DAY: Final = Num(86400)  # seconds
LISTED: Final = 6  # numbers that a sentence lists
OF_TUNING = ("samples", "batch", "round_times", "epochs")


class Crossbow(Problem):
    """How many learners train soonest, or how does a step move their models?

    Several learners share a GPU. At the same time each takes a step with a model and a small
    batch of its own, and is pulled back towards a central average model by a share of its distance.
    The average moves by the sum of what they give up.

    CROSSBOW does so to keep batches small with any number of learners, and their models together.

    The share is α, the average z, which has a momentum from its second step on. Without momentum
    and with α = 1/k the new average is the plain mean of the k models before the step. With α = 0
    everybody learns alone, and the average stays where it is.

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
    keywords = "synchronous model averaging; several learners on a GPU; SMA; elastic averaging"
    terms = ("CROSSBOW", "batch size", "local SGD", "update rule", "momentum")
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
        "t", "time of a round, a batch for each learner, with 1, 2, … learners", above=0,
        many="list", of="number of learners", optional=True,
    )  # fmt: skip
    epochs = number(
        "e", "epochs to the target with 1, 2, … learners", above=0, many="list",
        of="number of learners", optional=True,
    )  # fmt: skip

    correct = choice(
        "which model the correction looks at",
        before="the correction looks at the model before its step",
        after="the correction looks at the model after its step",
    )

    learners = derived("k", "Learners", "each has as many weights as the average", least=1)
    share = derived(
        "alpha_k",
        "Share that is corrected",
        "",
        least=0,
        most=1,
    )
    stepped = derived("u", "After the learner's own step", "", many="models")
    corrections = derived(
        "c", "Corrections", "a share of the distance from the average", many="models"
    )
    new_models = derived(
        "w_new", "New models", "a step against the gradient, less the correction", many="models"
    )
    pull = derived("C", "Sum of the corrections", "", many="average")
    new_average = derived(
        "z_new", "New average", "it moves by what the learners gave up", many="average"
    )
    old_distance = derived("D_old", "Largest distance from the average before", "", least=0)
    distance = derived(
        "D",
        "Largest distance from the average",
        "",
        least=0,
    )
    throughputs = derived(
        "r", "Samples per second", "in a round each learner takes a batch", PER_SECOND,
        many="round_times", least=0,
    )  # fmt: skip
    hardware = derived(
        "h", "Hardware efficiency", "samples per second over one learner's", many="round_times",
        least=0,
    )  # fmt: skip
    statistical = derived(
        "s", "Statistical efficiency", "epochs of one learner over theirs", many="round_times",
        least=0,
    )  # fmt: skip
    speedups = derived(
        "g",
        "How many times as fast as one learner",
        "both efficiencies count",
        many="round_times",
        least=0,
    )
    times = derived(
        "T",
        "Time to the target",
        "the samples of all epochs pass at that rate",
        SECOND,
        many="round_times",
        least=0,
    )
    busiest = derived(
        "m_full", "Learners with the most samples per second", "",
        noun="learners with the most samples per second", least=1,
    )  # fmt: skip
    best = derived(
        "m", "Best number of learners", "the fastest, of equally fast ones the fewest", least=1
    )
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

    def mechanism(self) -> str:
        if not self._tunes:
            return super().mechanism()
        return (
            "Learners on a GPU work at the same time. One with a small batch leaves the GPU partly"
            " idle, so a few more raise the samples per second. But more learners, with models of"
            " their own, may take more epochs to the same target."
        )

    def conclusion(self) -> Iterator[Said]:
        if self._tunes:
            yield from self._tuned_in_words()
            return
        if len(self.average) <= LISTED:
            yield First(
                Sentence("The average stays at {new_average}.", self._unmoved()),
                Sentence("The average moves from {average} to {new_average}."),
            )
        if len(self.models) <= LISTED:
            weights = "weight is" if len(self.models) == 1 else "weights of the models are"
            yield f"The {weights} now {{new_models}}."
        farthest = "It is" if len(self.models) == 1 else "The farthest weight is"
        yield First(
            Sentence("No weight is away from the average now.", same(self.distance, 0)),
            f"{farthest} {{distance}} from the average.",
        )

    def _unmoved(self) -> tuple[Rel, ...]:
        pairs = zip(self.new_average, self.average, strict=True)
        return tuple(same(new, old) for new, old in pairs)

    def _tuned_in_words(self) -> Iterator[Said]:
        most = len(self.round_times)
        if most == 1:
            yield "With one learner on a GPU the target is reached in {best_time}."
            return
        first = largest(*self.speedups)
        yield First(
            Sentence(
                "One learner on a GPU is best, in {best_time}: more of them do not pay.",
                same(self.best, 1),
            ),
            Sentence(
                "{best learner} on a GPU are best: they reach the target in {best_time}, {times}"
                " times as fast as one.",
                times=first,
            ),
        )
        longer = self._time_of_busiest
        times, chooses = longer / self.best_time, "A tuner that looks only at samples per second"
        chooses += " would choose {busiest learner}, which {busiest|takes|take} "
        yield First(
            Sentence("They also pass the most samples per second.",
                     (same(self.busiest, self.best), self.best > 1)),
            Sentence("It also passes the most samples per second.", same(self.busiest, self.best)),
            *(
                Sentence(f"{chooses}{{{took}}}, {how}.", (*tests, *held),
                         longer=longer, extra=times - 1, times=times)
                for took, held in (("longer s", (longer < DAY,)), ("longer", ()))
                for how, tests in (
                    ("{extra %} longer", (times > 1, times < 2)),
                    ("{times} times as long", (times >= 2,)),
                )
            ),
            "{busiest learner} {busiest|passes|pass} more samples per second, in the same time.",
        )  # fmt: skip

    @property
    def _time_of_busiest(self) -> Expr:
        return self._with(self.times, self.busiest)

    def _with(self, values: Sequence[Expr], learners: Expr) -> Expr:
        """The one of *values*, for 1, 2, … learners, with so many *learners*."""
        *others, last = values
        tests = [(one, same(learners, i)) for i, one in enumerate(others, 1)]
        return cases(*tests, otherwise=last) if tests else last

    def _compared(self) -> Iterator[Said]:
        """Why the best number is: what it gains in samples, and what it loses in epochs."""
        for few, many, name in ((Num(1), self.best, "best"), (self.best, self.busiest, "busiest")):
            gain = self._with(self.throughputs, many) / self._with(self.throughputs, few) - 1
            more = self._with(self.epochs, many) / self._with(self.epochs, few) - 1
            yield Sentence(
                f"{{{name} learner}} {{{name}|passes|pass}} {{gain %}} more samples per second than"
                " {few}, but {" + name + "|needs|need} {more %} more epochs.",
                (many > few, gain > 0, more > 0),
                few=few,
                gain=gain,
                more=more,
            )

    def alternatives(self) -> Alternatives | None:
        if not self._tunes:
            return None
        most, least = largest(*self.throughputs), smallest(*self.times)
        return Alternatives(
            "All numbers of learners",
            "learners",
            {
                "round_times": "round",
                "epochs": "epochs",
                "throughputs": "samples per second",
                "times": "target after",
            },
            self.best,
            {
                "soonest": [same(time, least) for time in self.times],
                "most samples": [same(rate, most) for rate in self.throughputs],
            },
            ("hardware", "statistical", "speedups", "busiest", "best", "best_time"),
        )

    def insights(self) -> Iterator[Said]:
        if self._tunes:
            if len(self.round_times) < FEW:
                yield from self._compared()
        else:
            yield from self._at_rest()

    def _at_rest(self) -> Iterator[Said]:
        share = self.alpha if self.states("alpha") else self.share
        if self.states("alpha"):
            alone = "A correction of nothing leaves every learner alone"
            still = "" if self.states("previous") else " and the average where it is"
            yield Sentence(f"{alone}{still}.", same(share, 0))
            many = Num(len(self.models)) / Num(len(self.average))
            moved = largest(*(side for pull in self.pull for side in (pull, -pull)))
            yield Sentence(
                "All corrections together move the average {times} times its distance from the mean"
                " of the models: beyond it.",
                (many * share > 1, moved > 0),
                times=many * share,
            )

    @property
    def _means(self) -> bool:
        """Whether the new average is the mean of the models."""
        return not self.states_any("alpha", "previous")

    def crosschecks(self) -> Iterator[Crosscheck]:
        if not self._tunes and len(self.models) <= LISTED:
            width = len(self.average)
            if self._means and len(self.models) > width:
                for i, new in enumerate(self.new_average):
                    looked = self.models if self.correct == "before" else self.stepped
                    models = looked[i::width] or (new,)
                    yield Crosscheck(
                        f"the mean {self.correct} their steps",
                        same(total(models) / len(models), new),
                    )
            if not self.states("previous") and not self._means:
                before = total([*self.models, *self.average])
                moved = self.eta * total(self.gradients)
                after = total([*self.new_models, *self.new_average])
                yield Crosscheck(
                    "all models and the average together move only against the gradients",
                    same(before - moved, after),
                )

    def premises(self) -> Iterator[Premise]:
        if self._tunes:
            yield Premise("all learners on a GPU are equally fast")
            yield Premise("epochs need not end with a whole round")
            return
        yield Premise("all look at the average from before the step")

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
            yield self.new_average, moved


def _farthest(models: Sequence[Expr], average: Sequence[Expr]) -> Expr:
    """The largest distance of a weight in *models* from its one in *average*."""
    width = len(average)
    sides: list[Expr] = []
    for i, middle in enumerate(average):
        weights = models[i::width]
        if not weights:
            break
        most, least = (f(*weights) if len(weights) > 1 else weights[0] for f in (largest, smallest))
        sides += [most - middle, middle - least]
    return largest(*sides)
