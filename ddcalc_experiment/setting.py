"""What an experiment states: machine, batch, target, seeds, and the schemes that take part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple, cast

from ddcalc.errors import BadValue, DdcalcError, Repeated, UnknownName, raise_all
from ddcalc.numbers.number import Number
from ddcalc.problem.play import PlayedGivens, several
from ddcalc.problem.sheet.loading import problem_of
from ddcalc.problem.stated import Stated
from ddcalc.schedule.engine import Engine, engine
from ddcalc.schedule.gradient import Machine
from ddcalc.schedule.scheme import Scheme, asynchronous, k_of_n, local_sgd, ssp, sync
from ddcalc.schedule.times import Distribution, Drawn, Fixed, Law, Times, common_unit, in_parts
from ddcalc_experiment.samples import Data

MODELS: Final = ("dense", "lenet")
GRADIENTS: Final = 300_000  # of a run, at most
COPIES: Final = 10**9  # numbers of all the parameters that workers may have seen, at most
IN_A_PASS, LOOKS = {"dense": 20, "lenet": 5}, 1000  # looks at the accuracy: of a pass, of a run
STEPS: Final = 10_000  # before an average, and how far somebody may be ahead, at most
WIDEST: Final = 100  # standard deviations of a mean time, at most


Experiment: Final = problem_of(Path(__file__).with_name("experiment.sheet"))
USUAL: Final = ("drop:{k}", "reuse:{k}", "async", "ssp:2", "local:4")  # where none are named
KNOWN: Final = ("sync", "drop:K", "reuse:K", "cancel:K", "async", "ssp:S", "local:H")


class Contender(NamedTuple):
    """A *scheme* of so many *workers*, as it is written, and the word that this begins with; "one"
    is one worker alone."""

    key: str
    kind: str
    scheme: Scheme
    workers: int

    @property
    def name(self) -> str:
        """What it is called in tables."""
        label = self.scheme.label.replace(" n,", f" {self.workers},")
        return "one worker" if self.kind == "one" else label


def contender(text: str, workers: int) -> Contender:
    """What *text* stands for: ``sync``, ``reuse:6``; raises a DdcalcError."""
    kind, colon, digits = text.partition(":")
    number = int(digits) if digits.isdecimal() and len(digits) < 8 else -1
    if number > workers and kind in ("drop", "reuse", "cancel"):
        reason = f"waits for more than the {workers} workers there are"
        raise BadValue(text, reason).about("schemes")
    match kind:
        case "sync" if not colon:
            return Contender(text, kind, sync(workers), workers)
        case "async" if not colon:
            return Contender(text, kind, asynchronous(), workers)
        case "ssp" if 0 <= number <= STEPS:
            return Contender(text, kind, ssp(number), workers)
        case "local" if 1 <= number <= STEPS:
            return Contender(text, kind, local_sgd(workers, number), workers)
        case "drop" | "reuse" | "cancel" if number >= 1:
            return Contender(text, kind, k_of_n(number, kind), workers)
    raise UnknownName("scheme", text, KNOWN).about("schemes")


def contenders(named: Sequence[str] | None, workers: int) -> tuple[Contender, ...]:
    """One worker, sync, and those that are *named*; by default of k of n a quarter may be late."""
    k = max(workers - max(workers // 4, 1), 1)
    made = [Contender("one", "one", sync(1), 1), contender("sync", workers)]
    errors: list[DdcalcError] = []
    for text in [one.format(k=k) for one in USUAL] if named is None else named:
        try:
            one = contender(text, workers)
            errors += [Repeated(text).about("schemes")] if one in made[2:] else []
            made += [one] if one != made[1] else []
        except DdcalcError as error:
            errors.append(error)
    raise_all(errors)
    return tuple(made)


@dataclass(frozen=True, slots=True)
class Setting:
    """The numbers of an experiment, checked, and who takes part."""

    given: PlayedGivens
    law: str
    contenders: tuple[Contender, ...]
    hidden: tuple[int, ...]
    model: str = "dense"

    def number(self, name: str) -> Number:
        """The value of *name*; 0 where it is not stated."""
        return cast(Number, self.given.get(name, 0))

    @property
    def seeds(self) -> range:
        """The seeds of the runs."""
        first = int(self.number("seed"))
        return range(first, first + int(self.number("seeds")))

    def interval(self, data: Data) -> int:
        """The global batches of *data* between two looks at the accuracy."""
        looks = min(Fraction(IN_A_PASS[self.model]), LOOKS / Fraction(self.number("epochs")))
        return max(int(len(data.labels) / looks / self.number("batch")), 1)

    def check(self, data: Data, parameters: int) -> None:
        """Refuse what is too much for these *data* and a model of this many *parameters*."""
        samples, batch, workers, epochs = (
            len(data.labels),
            *map(self.number, ("batch", "workers", "epochs")),
        )
        for wrong, name, value, reason in (
            (batch > samples, "batch", batch, f"is more than the {samples} samples to train with"),
            (2 * (workers + 1) * parameters > COPIES, "workers", workers,
             f"are too many for {parameters} parameters, of which each may see others"),
            (epochs * samples * workers > GRADIENTS * batch, "epochs", epochs,
             f"makes more than {GRADIENTS} gradients in a run"),
        ):  # fmt: skip
            if wrong:
                raise BadValue(str(value), reason).about(name)

    def times(self, seed: int) -> Times:
        """How long the workers compute in the run of that *seed*."""
        workers, periods = int(self.number("workers")), several(self.given, "periods")
        means = periods * workers if len(periods) == 1 else periods
        law, spread = self.law, self.number("spread")
        if spread > (WIDEST * min(means) if law == "lognormal" else 0):
            reason = f"is nothing that {law} times take" if law != "lognormal" else "is too long"
            raise BadValue(f"{spread} s", reason).about("spread")
        if law == "constant":
            return Fixed([(mean,) for mean in means])
        return Drawn(means, Law(cast(Distribution, law), spread=spread), seed)

    def engine(self, of: Contender, seed: int) -> tuple[Engine, int]:
        """What plays the run of that *seed*, and how many parts of a second its times are whole
        numbers of. One worker computes the share of every worker in turn, and sends nothing."""
        times = self.times(seed)
        lengths = [*map(self.number, ("download", "upload", "aggregation", "update_time"))]
        if of.kind == "one":
            lengths[:3] = 0, 0, 0
        unit = common_unit(*lengths, Fraction(1, times.unit))
        computing = times.exact(unit)
        if of.kind == "one":
            first, shares = computing[0], len(computing)
            computing = [iter(lambda: sum(islice(first, shares)), None)]
        down, up, aggregate, update = (in_parts(length, unit) for length in lengths)
        machine = Machine([0] * of.workers, down, up, aggregate, update)
        return engine(of.scheme, machine, computing), unit


def setting(
    stated: Stated, named: Sequence[str] | None, hidden: Sequence[int], model: str = "dense"
) -> Setting:
    """The experiment that is *stated*, with the schemes that are *named*, and a *model* (one of
    MODELS) with these *hidden* layers if it is dense. Raises DdcalcErrors."""
    given = stated.values
    periods = several(given, "periods")
    if len(periods) > 1 and "workers" not in stated.said:
        given["workers"] = len(periods)
    workers, batch = (int(cast(Number, given[name])) for name in ("workers", "batch"))
    for wrong, name, value, reason in (
        (len(periods) not in (1, workers), "workers", workers,
         f"does not fit periods, which lists {len(periods)} workers"),
        (batch % workers, "batch", batch, f"cannot be split evenly over {workers} workers"),
    ):  # fmt: skip
        if wrong:
            raise BadValue(str(value), reason).about(name)
    law = dict(stated.shape.reading)["distribution"]
    made = Setting(given, law, contenders(named, workers), tuple(hidden), model)
    made.times(0)
    return made
