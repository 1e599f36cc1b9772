"""What an experiment states: the machine, the batch and its step, the target, the seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import cast

from ddcalc.errors import BadValue, DdcalcError, Repeated, Several
from ddcalc.experiment.contender import Contender, Together, alone, contender
from ddcalc.experiment.data import LOSS, Data
from ddcalc.numbers.number import Number
from ddcalc.problem.givens import Played
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import choice, count, duration, number
from ddcalc.problem.stated import Stated
from ddcalc.types.schedules.timeline import Timeline
from ddcalc.types.schedules.timeline.question import ALONE, Question
from ddcalc.types.schedules._workload import Workload

PARAMETERS, GRADIENTS = 50_000_000, 10_000_000  # of a model, and of a run, at most
COPIES = 10**9  # numbers of all the parameters that workers may have seen, at most
LOOKS, MOST = 1000, 10_000  # at the accuracy of a run: usually, and at most
IN_A_PASS = 20  # looks, at most, where nothing else is stated
CHEAP = 10**8  # multiplications that a look may take at any time; dearer ones are made less often,
DEAR = 4  # so that a look has at most so many times the samples that are trained with before it
MODELS = ("dense", "lenet")
LENET = 416_520  # multiplications that LeNet makes for a sample of ten classes
READ = "arrival"  # of Timeline.read: gradients are taken on what was sent
_LAWS = Timeline.distribution.options


class Experiment(Problem):
    """Which scheme comes first to a target accuracy on real data?"""

    workers = count("n", "workers", most=1000, default="8")
    batch = count("B", "samples of a global batch, split over the workers", default="128")
    step_size = number("eta", "step size", above=0, default="0.5")
    target = number("a", "accuracy on the test samples to reach", above=0, most=1, default="90 %")
    epochs = count("E", "passes over the data, after which a run ends", most=10_000, default="10")
    seeds = count("R", "runs of each scheme, with one seed after the other", most=1000, default="5")
    seed = count("seed", "first seed: of parameters, order of the data and times", least=0,
                 default="1", most=10**9)  # fmt: skip
    interval = count("V", "global batches between two looks at the accuracy", optional=True)
    periods = duration(
        "t_comp",
        "computing the gradient of a worker's share of the batch",
        many="list",
        of="worker",
        above=0,
        default="1 s",
    )
    shift = Timeline.shift
    spread = Timeline.spread
    tail = Timeline.tail
    download = Timeline.download
    upload = Timeline.upload
    aggregation = Timeline.aggregation
    update_time = Timeline.update_time

    distribution = choice(
        "how computation times are distributed",
        **{"exponential": _LAWS["exponential"], **_LAWS},
    )
    step_for = choice(
        "what a step of η is made for",
        gradient="each gradient steps by η times its share of the batch, in whatever update it is",
        update="each update steps by η times the mean of its gradients, however few they are",
    )

    def needs(self) -> Iterator[tuple[str, ...]]:
        """What the distribution takes."""
        yield from ((name,) for name in ALONE.get(self.distribution, ()))


@dataclass(frozen=True, slots=True)
class Setting:
    """The numbers of an experiment, checked, and who takes part."""

    given: Played
    reading: dict[str, str]
    contenders: tuple[Contender, ...]
    hidden: tuple[int, ...]
    model: str = "dense"

    def whole(self, name: str) -> int:
        """The count *name*."""
        return int(cast(Number, self.given[name]))

    def number(self, name: str) -> Number:
        """The value of *name*."""
        return cast(Number, self.given[name])

    def step(self, of: Contender) -> Number:
        """The step size of a contender."""
        return self.number("step_size") if of.step is None else of.step

    @property
    def seeds(self) -> range:
        """The seeds of the runs."""
        return range(self.whole("seed"), self.whole("seed") + self.whole("seeds"))

    def interval(self, data: Data) -> int:
        """The global batches of *data* between two looks at the accuracy.

        Raises BadValue where the looks would be too many.
        """
        samples, batch = len(data.labels), self.whole("batch")
        batches = samples * self.whole("epochs") // batch
        if "interval" not in self.given:
            looked = len(data.test_labels) + min(samples, LOSS)
            dear = -(-looked // (DEAR * batch)) if looked * self._work(data) > CHEAP else 1
            return max(samples // batch // IN_A_PASS, batches // LOOKS, dear)
        stated = self.whole("interval")
        if batches // stated > MOST:
            told = f"is too short for {batches} batches; a run is looked at {MOST} times at most"
            raise BadValue(str(stated), told).about("interval")
        return stated

    def _work(self, data: Data) -> int:
        """The multiplications that the model makes for a sample."""
        if self.model == "lenet":
            return LENET
        return sum(a * b for a, b in pairwise((data.features, *self.hidden, data.classes)))

    def check(self, data: Data, parameters: int) -> None:
        """Refuse what is too much for these *data* and a model of so many *parameters*."""
        self.interval(data)
        samples, batch = len(data.labels), self.whole("batch")
        if batch > samples:
            told = f"is more than the {samples} samples to train with"
            raise BadValue(str(batch), told).about("batch")
        if parameters > PARAMETERS:
            layers = ",".join(map(str, self.hidden))
            told = f"makes {parameters} parameters; at most {PARAMETERS} are trained"
            raise BadValue(layers, told).about("layers")
        workers = self.whole("workers")
        if 2 * (workers + 1) * parameters > COPIES:
            told = f"are too many for {parameters} parameters, of which each may see others"
            raise BadValue(str(workers), told).about("workers")
        epochs, each = self.whole("epochs"), batch // workers
        if epochs * samples // each > GRADIENTS:
            told = f"makes more than {GRADIENTS} gradients in a run, which are too many"
            raise BadValue(str(epochs), told).about("epochs")

    def workload(self, of: Contender, seed: int) -> Workload:
        """What the workers compute, and what the machine takes, in the run of that *seed*.

        One worker computes the share of every worker one after the other, and sends nothing.
        """
        given = {name: value for name, value in self.given.items() if name != "seed"}
        if self.reading["distribution"] != "constant":
            given["seed"] = seed
        base = Question(given, {**self.reading, **_USUAL}).workload
        if of.kind == "one":
            times = Together(base.times, self.whole("workers"))
            return replace(base, times=times, starts=(0,), down=0, up=0, aggregate=0)
        if of.compression is not None:
            return replace(base, up=base.up * of.compression.size)
        return base


_USUAL = {"scheme": "sync", "late": "drop", "order": "in_turn", "read": READ, "server": "serial",
          "step_times_for": "every_worker"}  # fmt: skip


def setting(
    stated: Stated, schemes: Sequence[str] | None, hidden: Sequence[int], model: str = "dense"
) -> Setting:
    """The experiment that is *stated*; one worker and sync always take part.

    The *model* is one of MODELS; *hidden* are the layers of a dense one.

    Raises the DdcalcErrors of what is wrong.
    """
    given = {
        name: tuple(each.value for each in told) if isinstance(told, tuple) else told.value
        for name, told in stated.measured.items()
    }
    periods = given["periods"]
    assert isinstance(periods, tuple)
    if len(periods) > 1 and "workers" not in stated.said:
        given["workers"] = len(periods)
    workers, batch = int(cast(Number, given["workers"])), int(cast(Number, given["batch"]))
    if batch % workers:
        told = f"cannot be split evenly over {workers} workers"
        raise BadValue(str(batch), told).about("batch")
    reading = dict(stated.shape.reading)
    made = Setting(given, reading, tuple(_contenders(schemes, workers)), tuple(hidden), model)
    made.workload(alone(), 0)  # refuses what goes with no law
    return made


def usual(workers: int) -> list[str]:
    """The schemes that take part where none are named; of k of n a quarter may be late."""
    k = max(workers - max(workers // 4, 1), 1)
    return ["sync", f"drop:{k}", f"reuse:{k}", "async", "ssp:2", "local:4"]


def _contenders(schemes: Sequence[str] | None, workers: int) -> Iterator[Contender]:
    yield alone()
    named = usual(workers) if schemes is None else list(schemes)
    if "sync" not in named:
        yield contender("sync", workers)
    seen: set[str] = set()
    errors: list[DdcalcError] = []
    for text in named:
        try:
            made = contender(text, workers)
            if made.key in seen:
                raise Repeated(text).about("schemes")
            seen.add(made.key)
            yield made
        except DdcalcError as error:
            errors.append(error)
    if errors:
        raise Several(errors) if len(errors) > 1 else errors[0]
