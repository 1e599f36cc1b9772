"""One question on a timeline: its workload and schemes, from the numbers and options stated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import cast

from ddcalc.errors import BadValue, DdcalcError
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import counted
from ddcalc.numbers.number import Number
from ddcalc.problem.play import PlayedGivens, one, several, whole
from ddcalc.schedule.gradient import Order, Read
from ddcalc.schedule.scheme import Late, Scheme, asynchronous, k_of_n, local_sgd, ssp, sync
from ddcalc.schedule.times import Distribution, Drawn, Fixed, Law, Times
from ddcalc.types.schedules._workload import Workload

SCHEMES = ("sync", "ssp", "async", "local_sgd", "k_of_n")
ALTERNATIVES = ("scheme", "late", "order", "read", "server")  # of one and the same workload
ALONE = {  # what an option takes
    "ssp": ("staleness",),
    "local_sgd": ("local_steps",),
    "k_of_n": ("wait_for",),
    "shifted_exponential": ("shift",),
    "uniform": ("spread",),
    "normal": ("spread",),
    "lognormal": ("spread",),
    "pareto": ("tail",),
}
LAW = ("shift", "spread", "tail", "seed", "runs", "within")  # what only drawn times take
WIDEST = 100  # standard deviations in means: with more the rounding of small times would count
LIGHTEST = 1 + Fraction(1, 1000)  # exponent of Pareto times: with less the mean says nothing
USUAL_STALENESS, USUAL_LOCAL_STEPS = 1, 2  # side by side, where nothing else is stated


class Question:
    """The *given* numbers (base units) under the options of *reading*, by name of choice."""

    def __init__(self, given: PlayedGivens, reading: Mapping[str, str]) -> None:
        self.given, self.reading = given, reading
        self.nth = whole(given, "nth_update")
        self.horizon = one(given, "horizon")
        self.batch, self.model = whole(given, "batch"), one(given, "model_size")
        self.runs, self.within = whole(given, "runs"), one(given, "within")
        self.distribution = reading["distribution"]
        self.workload = self._workload(self._times())
        names = SCHEMES if reading["scheme"] == "all" else (reading["scheme"],)
        self.schemes = [self._scheme(name) for name in names]
        if self.horizon is None and len(self.schemes) > 1:
            raise _wrong("nth_update", str(self.nth), "goes with one scheme, or with a horizon")

    @property
    def answer(self) -> str:
        """The quantity that is the answer: a time where only an update is named."""
        return "nth_time" if self.horizon is None else "gradients"

    @property
    def averages(self) -> bool:
        """Whether averages over several runs are asked for."""
        return self.runs is not None or self.within is not None

    @property
    def stand_ins(self) -> str:
        """What schemes side by side take where the question states nothing."""
        usual = (
            ("staleness", f"s = {USUAL_STALENESS}"),
            ("local_steps", f"H = {USUAL_LOCAL_STEPS}"),
            ("wait_for", "k = n − 1"),
        )
        taken = [words for name, words in usual if name not in {*self.given, *self.reading}]
        return f"; usual values: {', '.join(taken)}" if taken and not self.stated else ""

    @property
    def stated(self) -> list[str]:
        """The schemes, side by side, whose own numbers the question states."""
        return [name for name in ("ssp", "local_sgd", "k_of_n") if self._states(name)]

    def _states(self, scheme: str) -> bool:
        return any(name in {*self.given, *self.reading} for name in ALONE[scheme])

    @property
    def displayed(self) -> list[bool]:
        """Which of the schemes are shown: all, or those that need no number or have one stated."""
        return [not self.stated or name not in ALONE or name in self.stated for name in SCHEMES]

    @property
    def named(self) -> list[str]:
        """The choices that shape what is misfit, besides those that shape the answer."""
        hidden = {"late"} if self.reading["scheme"] == "all" and not self.displayed[-1] else set()
        counting = (name for name, counts in self._optional if counts and name not in hidden)
        return ["scheme", "order", *counting]

    @property
    def idle(self) -> list[str]:
        """The choices that change nothing here."""
        return [name for name, counts in self._optional if not counts]

    @property
    def _optional(self) -> Iterator[tuple[str, bool]]:
        """The choices that do not always count, and whether they do here."""
        yield "read", bool(self.workload.down)
        yield "server", bool(self.workload.aggregate or self.workload.update)
        yield "late", self.reading["scheme"] in ("k_of_n", "all")

    def _workload(self, times: Times) -> Workload:
        starts = several(self.given, "starts") or (0,) * times.workers
        if len(starts) != times.workers:
            misfit = f"lists {len(starts)} workers; the times are of {times.workers}"
            raise _wrong("starts", f"a list of {len(starts)}", misfit)
        names = ("download", "upload", "aggregation", "update_time")
        down, up, aggregate, update = (one(self.given, name) or 0 for name in names)
        return Workload(
            times, starts, down, up, aggregate, update,
            serial=self.reading["server"] == "serial",
            order=cast(Order, self.reading["order"]),
            read=cast(Read, self.reading["read"]),
            horizon=self.horizon,
            nth=self.nth,
        )  # fmt: skip

    def _times(self) -> Times:
        listed, periods = several(self.given, "step_times"), several(self.given, "periods")
        if listed and periods:
            raise _wrong("step_times", "a list", "goes without periods; state one of them")
        if self.distribution == "constant":
            for name in LAW:
                if name in self.given:
                    raise _wrong(name, self._text(name), "goes with a distribution of drawn times")
            if listed:
                return Fixed(self._rows(listed), listed=True)
            return Fixed([(period,) for period in self._periods(periods)])
        if listed:
            raise _wrong("step_times", "a list", "are fixed; drawn times go with periods")
        return self._drawn(self._periods(periods))

    def _periods(self, periods: tuple[Number, ...]) -> tuple[Number, ...]:
        """The period of each worker."""
        workers = whole(self.given, "workers") or len(periods)
        if len(periods) == 1:
            return periods * max(workers, len(several(self.given, "starts")))
        if workers != len(periods):
            misfit = f"does not fit periods, which lists {len(periods)} workers"
            raise _wrong("workers", str(workers), misfit)
        return periods

    def _rows(self, listed: tuple[Number, ...]) -> list[tuple[Number, ...]]:
        """Each worker's row of listed times."""
        workers = whole(self.given, "workers") or len(several(self.given, "starts")) or 1
        if self.reading["step_times_for"] == "every_worker":
            return [listed] * workers
        if len(listed) % workers:
            misfit = f"is not a multiple of the {workers} workers, who each have as many"
            raise _wrong("step_times", f"a list of {len(listed)}", misfit)
        length = len(listed) // workers
        return [listed[i * length : (i + 1) * length] for i in range(workers)]

    def _drawn(self, means: tuple[Number, ...]) -> Drawn:
        law, least = cast(Distribution, self.distribution), min(means)
        taken = ("seed", "runs", "within", *ALONE.get(law, ()))
        for name in LAW:
            if name in self.given and name not in taken:
                raise _wrong(name, self._text(name), f"is nothing that {law} times take")
        shift, spread, tail = (one(self.given, name) or 0 for name in ("shift", "spread", "tail"))
        self._within("shift", shift, least, "the mean time of a worker")
        if law in ("uniform", "normal"):
            self._within("spread", spread, least, "the mean time of a worker")
        self._within("spread", spread, WIDEST * least, f"{WIDEST} times the mean of a worker")
        if law == "pareto" and tail < LIGHTEST:
            raise _wrong("tail", self._text("tail"), "is too close to 1; write 1.001 or more")
        seed = whole(self.given, "seed")
        assert seed is not None
        return Drawn(means, Law(law, shift, spread, tail), seed)

    def _within(self, name: str, value: Number, most: Number, words: str) -> None:
        if value > most:
            raise _wrong(name, self._text(name), f"is longer than {words}")

    def _scheme(self, name: str) -> Scheme:
        workers = self.workload.workers
        match name:
            case "sync":
                return sync(workers)
            case "ssp":
                return ssp(self._bound())
            case "async":
                return asynchronous()
            case "local_sgd":
                return local_sgd(
                    workers, whole(self.given, "local_steps") or self._usual(USUAL_LOCAL_STEPS)
                )
        return k_of_n(self._fastest(workers), cast(Late, self.reading["late"]))

    def _bound(self) -> int | None:
        if self.reading.get("staleness") == "infinity":
            return None
        stated = whole(self.given, "staleness")
        return self._usual(USUAL_STALENESS) if stated is None else stated

    def _fastest(self, workers: int) -> int:
        stated = whole(self.given, "wait_for")
        if stated is None:
            return self._usual(max(workers - 1, 1))
        if stated > workers:
            misfit = f"is more than the {counted(workers, 'worker')} there are"
            raise _wrong("wait_for", str(stated), misfit)
        return stated

    def _usual(self, value: int) -> int:
        """What stands in for a number that only one of all schemes takes."""
        if self.reading["scheme"] != "all":
            raise BadValue("", "this scheme takes a number that is not stated").about("scheme")
        return value

    def _text(self, name: str) -> str:
        value = one(self.given, name)
        unit = " s" if name in ("shift", "spread") else ""
        return "" if value is None else count_text(value) + unit


def _wrong(parameter: str, text: str, problem: str) -> DdcalcError:
    return BadValue(text, problem).about(parameter)
