"""The time of a batch, a + b·B, stated or fitted to measurements by exact least squares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddcalc.formula.algebra import Expr, Num, total
from ddcalc.numbers.units import SECOND
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import count, derived, duration

ONE_POINT = "one measurement does not tell a fixed part: none is assumed"
LEAST_SQUARES = "least squares over the measurements"


def mean(xs: Sequence[Expr]) -> Expr:
    """The mean of *xs*."""
    return total(xs) / len(xs)


def slope(xs: Sequence[Expr], ys: Sequence[Expr], x_mean: Expr, y_mean: Expr) -> Expr:
    """The slope of the line of least squares; of one point, of the line from the origin."""
    if len(xs) == 1:
        return ys[0] / xs[0]
    if len(xs) == 2:
        return (ys[1] - ys[0]) / (xs[1] - xs[0])
    moments = [(x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True)]
    return total(moments) / total((x - x_mean) ** 2 for x in xs)


def intercept(xs: Sequence[Expr], ys: Sequence[Expr], steep: Expr, ends: Sequence[Expr]) -> Expr:
    """Where a line as *steep* begins; *ends* are the means of *xs* and *ys*."""
    x, y = ends if len(xs) > 2 else (xs[0], ys[0])
    return y - steep * x


def scatter(xs: Sequence[Expr]) -> Expr:
    """More than 0 if and only if the *xs* differ: n·Σx² − (Σx)²."""
    return len(xs) * total(x**2 for x in xs) - total(xs) ** 2


def signs(xs: Sequence[Expr], ys: Sequence[Expr]) -> tuple[Expr, Expr]:
    """What has the sign of the slope, and of the intercept, where the *xs* differ."""
    products = total(x * y for x, y in zip(xs, ys, strict=True))
    rises = len(xs) * products - total(xs) * total(ys)
    begins = total(ys) * total(x**2 for x in xs) - total(xs) * products
    return rises, begins


class BatchTime(Problem):
    """Types that need the time of one batch on one worker.

    It is a + b·B for B samples: stated, or fitted to measured batches. With the fixed part a or
    the time b of a sample stated beside measurements only the other one is fitted.
    """

    overhead = duration(
        "a",
        "fixed time of a batch",
        optional=True,
        group="time of a batch",
    )
    per_sample = duration(
        "b",
        "further time for each sample",
        above=0,
        optional=True,
        group="time of a batch",
    )
    batches = count(
        "M",
        "measured batches, in samples",
        many="list",
        of="batch",
        optional=True,
        example="64, 128, 256",
    )
    times = duration(
        "t",
        "their measured times",
        above=0,
        many="list",
        of="batch",
        optional=True,
        example="16 ms, 23 ms, 36 ms",
    )

    mean_batch = derived("M_mean", "Mean measured batch", "of all measurements")
    mean_time = derived("t_mean", "Mean measured time", "of all measurements", SECOND)
    fitted_per_sample = derived("b_fit", "Time of each sample", LEAST_SQUARES, SECOND)
    fitted_overhead = derived("a_fit", "Fixed time of a batch", LEAST_SQUARES, SECOND)
    residuals = derived("e", "What the line misses", "measured less fitted", SECOND, many="batches")

    @property
    def fixed(self) -> Expr:
        """The fixed time of a batch."""
        stated = self.states("overhead")
        return self.overhead if stated else self.fitted_overhead

    @property
    def each_sample(self) -> Expr:
        """The further time of each sample."""
        stated = self.states("per_sample")
        return self.per_sample if stated else self.fitted_per_sample

    @property
    def measured(self) -> bool:
        """Whether measurements are stated."""
        return self.states("batches") and self.states("times")

    def needs(self) -> Iterator[tuple[str, ...]]:
        """Both parts are stated or measured."""
        yield "overhead", "batches"
        yield "per_sample", "batches"
        if self.states("batches") != self.states("times"):
            yield ("times",) if self.states("batches") else ("batches",)

    def conditions(self) -> Iterator[Condition]:
        """Measurements make a line that rises from 0 or above; nothing here divides."""
        if not self.measured:
            return
        rises, begins = self._signs()
        if not (self.states("overhead") or self.states("per_sample") or len(self.batches) == 1):
            yield Condition(
                scatter(self.batches) > 0, "batches", "are all alike; a line needs two that differ"
            )
        if not self.states("per_sample"):
            yield Condition(
                rises > 0, "times", "do not grow with the batch; a + b·B with b > 0 is wanted"
            )
        if not self.states("overhead"):
            yield Condition(
                begins >= 0,
                "times",
                "leave a fixed part below 0; state overhead as 0 s to fit the time of a sample"
                " alone",
            )

    def _signs(self) -> tuple[Expr, Expr]:
        """What has the sign of b, and of a."""
        batches, times = self.batches, self.times
        if self.states("per_sample"):
            return self.per_sample, total(times) - self.per_sample * total(batches)
        if self.states("overhead"):
            pairs = zip(batches, times, strict=True)
            return total(x * (y - self.overhead) for x, y in pairs), self.overhead
        if len(batches) == 1:
            return times[0], Num(0)
        return signs(batches, times)

    def fit(self) -> Equations:
        """Define what measurements tell of the time of a batch."""
        if not self.measured:
            return
        batches, times = self.batches, self.times
        free = [name for name in ("overhead", "per_sample") if not self.states(name)]
        why = LEAST_SQUARES if len(batches) > 1 else ONE_POINT
        if free == ["overhead"] or ("overhead" in free and len(batches) > 2):
            yield self.mean_batch, mean(batches)
            yield self.mean_time, mean(times)
        if "per_sample" in free:
            told = why if "overhead" in free else f"{LEAST_SQUARES}, from a on"
            yield self.fitted_per_sample, self._slope(self.mean_batch, self.mean_time), told
        if "overhead" in free:
            ends = self.mean_batch, self.mean_time
            yield self.fitted_overhead, self._intercept(self.each_sample, ends), why
        missed = [y - self.batch_time(x) for x, y in zip(batches, times, strict=True)]
        yield self.residuals, missed

    def _slope(self, mean_batch: Expr, mean_time: Expr) -> Expr:
        if self.states("per_sample"):
            return self.per_sample
        batches, times = self.batches, self.times
        if self.states("overhead"):
            above = total(x * (y - self.overhead) for x, y in zip(batches, times, strict=True))
            return above / total(x**2 for x in batches)
        return slope(batches, times, mean_batch, mean_time)

    def _intercept(self, steep: Expr, ends: tuple[Expr, Expr]) -> Expr:
        if self.states("per_sample"):
            return ends[1] - steep * ends[0]
        return intercept(self.batches, self.times, steep, ends)

    def batch_time(self, batch: Expr) -> Expr:
        """The time of a *batch* (seconds)."""
        return self.fixed + self.each_sample * batch
