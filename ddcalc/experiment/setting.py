"""What an experiment states: the machine, the batch and its step, the target, the seeds, and the
schemes that take part, with what of a gradient they send."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, pairwise
from typing import Literal, cast

import numpy as np

from ddcalc.errors import BadNumber, BadValue, DdcalcError, Repeated, UnknownName, raise_all
from ddcalc.experiment.samples import LOSS, Data, Floats
from ddcalc.numbers.number import Number, parse
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.play import PlayedGivens
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.quantity import choice, count, duration, number
from ddcalc.problem.sheet.modelled import refuse
from ddcalc.problem.stated import Stated
from ddcalc.schedule.scheme import Late, Scheme, asynchronous, k_of_n, local_sgd, ssp, sync
from ddcalc.schedule.times import Times
from ddcalc.types.schedules._workload import Workload, workload

WORD = 32  # bits of a value that is sent whole, and of its place


@dataclass(frozen=True, slots=True)
class Compression:
    """What of a gradient is sent: fewer bits a value, or only the largest values.

    What is not sent is kept by the worker and added to its next message (error feedback: Seide et
    al. 2014 for quantization, Stich et al. 2018 for sparsification).

    quantize: each value is rounded to the nearest of 2^*bits* - 1 levels from minus the largest
    value to the largest; top: the *share* of values that are largest in size is sent, the others
    are not."""

    kind: Literal["quantize", "top"]
    bits: int = 0
    share: Fraction = Fraction(0)

    def sent(self, message: Floats) -> Floats:
        """What the server gets of *message*."""
        return self._rounded(message) if self.kind == "quantize" else self._largest(message)

    @property
    def size(self) -> Fraction:
        """The size of a message, in those of one with a 32-bit value for each parameter.

        Of the top ones each needs its place, too: more than half of the values are more than all.
        """
        return Fraction(self.bits, WORD) if self.kind == "quantize" else 2 * self.share

    def _rounded(self, message: Floats) -> Floats:
        sizes = np.abs(message)
        if self.bits == 1:  # there is room for the sign alone: all get the mean size
            signed: Floats = np.copysign(sizes.mean(), message)
            return signed
        levels = 2 ** (self.bits - 1) - 1  # above 0, and as many below
        step = sizes.max() / levels or 1.0
        rounded: Floats = np.rint(message / step) * step
        return rounded

    def _largest(self, message: Floats) -> Floats:
        kept = max(int(self.share * len(message)), 1)
        sent = np.zeros_like(message)
        places = np.argpartition(np.abs(message), len(message) - kept)[-kept:]
        sent[places] = message[places]
        return sent


TAKES = {"drop": "k", "reuse": "k", "cancel": "k", "ssp": "s", "local": "H"}
KNOWN = ("sync", "drop:K", "reuse:K", "cancel:K", "async", "ssp:S", "local:H")
SENT = ("quantize:BITS", "top:SHARE")
ONE_WORKER = "one worker"
BITS, STEPS, BOUND = 16, 10_000, 1_000_000  # at most


@dataclass(frozen=True, slots=True)
class Contender:
    """A *scheme* of *workers* that send their gradients with some *compression*, and make steps of
    a size of their own."""

    kind: str  # "one" for one worker, else the word that is written for the scheme
    number: int
    scheme: Scheme
    workers: int
    compression: Compression | None = None
    sends: str = ""
    step: Number | None = None  # its own step size

    @property
    def name(self) -> str:
        """What it is called in tables."""
        name = self.scheme.label.replace(" n,", f" {self.workers},")
        if self.kind == "one":
            name = ONE_WORKER
        return f"{name} + {self.sends}" if self.sends else name

    @property
    def key(self) -> str:
        """What it is called in files; also what is written for it."""
        key = f"{self.kind}:{self.number}" if self.kind in TAKES else self.kind
        return f"{key}+{self.sends.replace(' ', ':')}" if self.sends else key


def alone() -> Contender:
    """One worker that computes the whole batch."""
    return Contender("one", 0, sync(1), 1)


def contender(text: str, workers: int) -> Contender:
    """What *text* stands for: ``sync``, ``reuse:6``, ``async+top:1%``; raises a DdcalcError."""
    written, plus, sends = (part.strip() for part in text.partition("+"))
    kind, colon, number = (part.strip() for part in written.partition(":"))
    if kind not in {name.partition(":")[0] for name in KNOWN}:
        raise UnknownName("scheme", written, KNOWN).about("schemes")
    if bool(colon) != (kind in TAKES):
        takes = f"needs its {TAKES[kind]}, as in {kind}:2" if kind in TAKES else "takes no number"
        raise BadValue(written, takes).about("schemes")
    value = _whole(written, number) if colon else 0
    compression, sends = _compression(sends) if plus else (None, "")
    return Contender(
        kind, value, _scheme(kind, value, workers, written), workers, compression, sends
    )


def _scheme(kind: str, value: int, workers: int, text: str) -> Scheme:
    match kind:
        case "sync":
            return sync(workers)
        case "async":
            return asynchronous()
        case "ssp":
            _within(text, value, 0, BOUND)
            return ssp(value)
        case "local":
            _within(text, value, 1, STEPS)
            return local_sgd(workers, value)
        case "drop" | "reuse" | "cancel":
            late: Late = kind
            if value > workers:
                more = f"waits for more than the {workers} workers there are"
                raise BadValue(text, more).about("schemes")
            _within(text, value, 1, workers)
            return k_of_n(value, late)
    raise AssertionError(kind)


def _compression(text: str) -> tuple[Compression, str]:
    kind, _, number = (part.strip() for part in text.partition(":"))
    match kind:
        case "quantize":
            bits = _whole(text, number)
            _within(text, bits, 1, BITS)
            return Compression("quantize", bits=bits), f"quantize {bits}"
        case "top":
            whole = 100 if number.endswith("%") else 1
            share = Fraction(_number(text, number.removesuffix("%").strip()), whole)
            if not 0 < share <= 1:
                raise BadValue(text, "must be more than 0 % and at most 100 %").about("schemes")
            return Compression("top", share=share), f"top {number.replace(' ', '')}"
    raise UnknownName("way to send", text, SENT).about("schemes")


def _whole(text: str, number: str) -> int:
    value = _number(text, number)
    if value.denominator != 1:
        raise BadValue(text, "has no whole number after the colon").about("schemes")
    return int(value)


def _number(text: str, number: str) -> Number:
    try:
        return parse(number)
    except BadNumber:
        raise BadValue(text, "has no number after the colon").about("schemes") from None


def _within(text: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise BadValue(text, f"must be from {least} to {most}").about("schemes")


@dataclass(frozen=True, slots=True)
class Together(Times):
    """The first worker's times when it computes this many *shares* in a row instead of one."""

    of: Times
    shares: int

    @property
    def unit(self) -> int:
        return self.of.unit

    @property
    def means(self) -> Sequence[Number]:
        return [self.of.means[0] * self.shares]

    def exact(self, unit: int) -> list[Iterator[int]]:
        times = self.of.exact(unit)[0]
        return [iter(lambda: sum(islice(times, self.shares)), None)]


PARAMETERS, GRADIENTS = 50_000_000, 10_000_000  # of a model, and of a run, at most
COPIES = 10**9  # numbers of all the parameters that workers may have seen, at most
LOOKS, MOST = 1000, 10_000  # at the accuracy of a run: usually, and at most
IN_A_PASS = 20  # looks, at most, where nothing else is stated
CHEAP = 10**8  # multiplications that a look may take at any time; dearer ones are made less often,
DEAR = 4  # so that a look has at most that many times the samples trained with before it
MODELS = ("dense", "lenet")
LENET = 416_520  # multiplications that LeNet makes for a sample of ten classes
TIMELINE = problem_named("timeline")
READ = "arrival"  # of its choice read: gradients are taken on what was sent
_LAWS = TIMELINE.choices["distribution"].options


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
    shift = TIMELINE.givens["shift"]
    spread = TIMELINE.givens["spread"]
    tail = TIMELINE.givens["tail"]
    download = TIMELINE.givens["download"]
    upload = TIMELINE.givens["upload"]
    aggregation = TIMELINE.givens["aggregation"]
    update_time = TIMELINE.givens["update_time"]

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
        groups = TIMELINE.groups_needed(Shape(_reading(self.distribution)))
        yield from (group for group in groups if {*group} <= {*_TAKEN})


@dataclass(frozen=True, slots=True)
class Setting:
    """The numbers of an experiment, checked, and who takes part."""

    given: PlayedGivens
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
            reason = f"is too short for {batches} batches; a run is looked at {MOST} times at most"
            raise BadValue(str(stated), reason).about("interval")
        return stated

    def _work(self, data: Data) -> int:
        """The multiplications that the model makes for a sample."""
        if self.model == "lenet":
            return LENET
        return sum(a * b for a, b in pairwise((data.features, *self.hidden, data.classes)))

    def check(self, data: Data, parameters: int) -> None:
        """Refuse what is too much for these *data* and a model of this many *parameters*."""
        self.interval(data)
        samples, batch = len(data.labels), self.whole("batch")
        if batch > samples:
            reason = f"is more than the {samples} samples to train with"
            raise BadValue(str(batch), reason).about("batch")
        if parameters > PARAMETERS:
            layers = ",".join(map(str, self.hidden))
            reason = f"makes {parameters} parameters; at most {PARAMETERS} are trained"
            raise BadValue(layers, reason).about("layers")
        workers = self.whole("workers")
        if 2 * (workers + 1) * parameters > COPIES:
            reason = f"are too many for {parameters} parameters, of which each may see others"
            raise BadValue(str(workers), reason).about("workers")
        epochs, share = self.whole("epochs"), batch // workers
        if epochs * samples // share > GRADIENTS:
            reason = f"makes more than {GRADIENTS} gradients in a run, which are too many"
            raise BadValue(str(epochs), reason).about("epochs")

    def workload(self, of: Contender, seed: int) -> Workload:
        """What the workers compute, and what the machine takes, in the run of that *seed*.

        One worker computes the share of every worker one after the other, and sends nothing.
        """
        given = {name: value for name, value in self.given.items() if name != "seed"}
        if self.reading["distribution"] != "constant":
            given["seed"] = seed
        base = workload(given, {**self.reading, **_USUAL})
        if of.kind == "one":
            times = Together(base.times, self.whole("workers"))
            return replace(base, times=times, starts=(0,), down=0, up=0, aggregate=0)
        if of.compression is not None:
            return replace(base, up=base.up * of.compression.size)
        return base


_TAKEN = ("shift", "spread", "tail")
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
        name: tuple(one.value for one in value) if isinstance(value, tuple) else value.value
        for name, value in stated.measured.items()
    }
    periods = given["periods"]
    assert isinstance(periods, tuple)
    if len(periods) > 1 and "workers" not in stated.said:
        given["workers"] = len(periods)
    workers, batch = int(cast(Number, given["workers"])), int(cast(Number, given["batch"]))
    if batch % workers:
        reason = f"cannot be split evenly over {workers} workers"
        raise BadValue(str(batch), reason).about("batch")
    reading = dict(stated.shape.reading)
    made = Setting(given, reading, tuple(_contenders(schemes, workers)), tuple(hidden), model)
    refuse(_of_times(stated))
    return made


def _of_times(stated: Stated) -> Stated:
    """What is *stated* of the times, as a question on a timeline."""
    names = {"periods", *_TAKEN} | ({"workers"} & stated.said)
    known = ((name, stated.measured.get(name)) for name in TIMELINE.givens if name in names)
    measured = {name: one for name, one in known if one is not None}
    lengths = tuple(pair for pair in stated.shape.lengths if pair[0] in measured)
    reading = _reading(dict(stated.shape.reading)["distribution"])
    return Stated(TIMELINE, Shape(reading, lengths, (*measured,)), measured, stated.said)


def _reading(law: str) -> tuple[tuple[str, str], ...]:
    """The usual reading of a timeline, with that distribution of times."""
    usual = {name: choice.default for name, choice in TIMELINE.choices.items()}
    return tuple({**usual, "distribution": law}.items())


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
    raise_all(errors)
