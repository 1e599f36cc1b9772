"""What an experiment has found, in words and tables: also that something was not seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10, sqrt
from operator import itemgetter
from statistics import fmean, stdev
from typing import Final, NamedTuple

from ddcalc.ask.solve import givens
from ddcalc.numbers.amounts import amount_text, count_text
from ddcalc.numbers.display import MINUS, counted
from ddcalc.numbers.units import PERCENT
from ddcalc.problem.said.steps import Report, Step, Table
from ddcalc.problem.stated import Stated
from ddcalc_experiment.samples import Data
from ddcalc_experiment.setting import Contender, Experiment, Setting
from ddcalc_experiment.training import Measurement, Run

# quantiles of Student's t at 97.5 % for 1, 2, ... degrees of freedom; for more the last one holds
_T: Final = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
             2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086)  # fmt: skip
NONE: Final = "—"
PAIRED: Final = (("time", "time [s]", -1), ("loss", "loss at the end", -1),
                ("accuracy", "accuracy [%]", 1))  # and whether less (−1) is better  # fmt: skip


@dataclass(frozen=True, slots=True)
class Estimate:
    """The *mean* of *count* values, and their standard deviation (None of one value)."""

    mean: float
    deviation: float | None
    count: int

    @property
    def error(self) -> float | None:
        """The standard error of the mean."""
        return None if self.deviation is None else self.deviation / sqrt(self.count)

    @property
    def shown(self) -> int:
        """The sign of the mean where its 95 % interval (Student's t) is without 0, else 0."""
        t = _T[min(self.count - 2, len(_T) - 1)]
        chance = self.error is None or abs(self.mean) <= t * self.error
        return 0 if chance else 1 if self.mean > 0 else -1


def estimate(values: Sequence[float]) -> Estimate | None:
    """The mean of *values*, if there are any."""
    spread = stdev(values) if len(values) > 1 else None
    return Estimate(fmean(values), spread, len(values)) if values else None


def plain(mean: float, spread: float | None = None) -> str:
    """*mean* in three digits; with a *spread*, in as many decimals as two digits of that have.

    >>> plain(0.12345), plain(1234.5), plain(-2), plain(9.871, 0.52)
    ('0.123', '1 234', '−2.00', '9.87 ± 0.52')
    """
    size, digits = (spread, 2) if spread else (mean, 3)
    places = max(digits - 1 - floor(log10(abs(size))), 0) if size else 0
    both = [mean, spread] if spread else [mean]
    text = " ± ".join(f"{round(x, places) or 0.0:,.{places}f}" for x in both)
    return text.replace(",", " ").replace("-", MINUS)


def _text(values: Sequence[float], spread: bool = True) -> str:
    """The mean of *values* ± their standard deviation, or alone."""
    value = estimate(values)
    return plain(value.mean, value.deviation if spread else None) if value else NONE


@dataclass(frozen=True, slots=True)
class Standing:
    """The *runs* of a *contender* by their seeds, and how many of the *tests* have to be right."""

    contender: Contender
    runs: Mapping[int, Run]
    wanted: int
    tests: int

    def hit(self, seed: int) -> Measurement | None:
        """The first look at which the run of that *seed* was at the target, if there is one."""
        return next((point for point in self.runs[seed].points if point.right >= self.wanted), None)

    def values(self, name: str) -> dict[int, float]:
        """The measure *name* by the seeds whose runs have it."""
        of_all = ((seed, self._measures(seed)[name]) for seed in self.runs)
        return {seed: value for seed, value in of_all if value is not None}

    def _measures(self, seed: int) -> dict[str, float | None]:
        run, hit = self.runs[seed], self.hit(seed)
        vain, end = run.dropped + run.interrupted, run.points[-1]
        return {
            "time": hit.time if hit else None,
            "updates": hit.updates if hit else None,
            "loss": None if run.diverged else end.loss,
            "accuracy": None if run.diverged else 100 * end.right / self.tests,
            "staleness": run.staleness / run.used if run.used else None,
            "lost": 100 * vain / ((run.used + vain) or 1),
        }

    def text(self, name: str, spread: bool = True) -> str:
        """The mean of the measure *name* ± its standard deviation, or alone."""
        return _text([*self.values(name).values()], spread)


def difference(one: Standing, other: Standing, name: str) -> Estimate | None:
    """The mean of *one* minus *other*, seed by seed; of those seeds that both have."""
    a, b = one.values(name), other.values(name)
    return estimate([a[seed] - b[seed] for seed in a if seed in b])


class Results(NamedTuple):
    """How all contenders of *setting* stand after their runs on *data*; first one worker, then all
    of them, synchronous."""

    setting: Setting
    data: Data
    standings: Sequence[Standing]

    @property
    def target(self) -> str:
        """The accuracy to reach."""
        return f"{amount_text(self.setting.number('target'), PERCENT)} accuracy"


def results(setting: Setting, data: Data, runs: Mapping[tuple[Contender, int], Run]) -> Results:
    """What the *runs* of *setting* have come to."""
    wanted, tests = ceil(setting.number("target") * len(data.test_labels)), len(data.test_labels)
    of_all = (
        (one, {seed: runs[one, seed] for seed in setting.seeds}) for one in setting.contenders
    )
    return Results(setting, data, [Standing(one, made, wanted, tests) for one, made in of_all])


def report(outcome: Results, stated: Stated) -> Report:
    """The page of an *outcome*."""
    race = f"{len(outcome.standings)} schemes comes first to {outcome.target}"
    title = f"Which of {race} on {outcome.data.name}?"
    steps: list[Step] = [*givens(stated), *_tables(outcome), _differences(outcome)]
    return Report(title, tuple(steps), _answer(outcome), tuple(_remarks(outcome)))


def _answer(outcome: Results) -> str:
    """Who came first, and whether that is more than chance."""
    seeds = len(outcome.setting.seeds)
    times = [(fmean(time.values()), one) for one in outcome.standings
             if len(time := one.values("time")) == seeds]  # fmt: skip
    if not times:
        return f"no scheme reached {outcome.target} with every seed within the passes over the data"
    least, first = min(times, key=itemgetter(0))
    winner = f"{first.contender.name} came first to {outcome.target}, after {plain(least)} s"
    if seeds == 1:
        return f"{winner} with the only seed, which can show no difference"
    gaps = [(one, difference(one, first, "time")) for _, one in times if one is not first]
    near = "; ".join(one.contender.name for one, gap in gaps if gap and not gap.shown)
    chance = f"; no difference could be shown from: {near}" if near else ""
    return f"{winner} on average of {counted(seeds, 'seed')}{chance}"


def _tables(outcome: Results) -> Iterator[Table]:
    alone, sync = outcome.standings[:2]

    def table(title: str, why: str, columns: dict[str, Callable[[Standing], str]]) -> Table:
        rows = [(one.contender.name, *(cell(one) for cell in columns.values()))
                for one in outcome.standings]  # fmt: skip
        return Table(title, why, ("scheme", *columns), tuple(rows))

    passes = f"after {outcome.setting.number('epochs')} passes over the data"
    yield table(f"Time and updates to {outcome.target}", "mean ± standard deviation of seeds", {
        "reached": lambda one: f"{len(one.values('time'))} of {len(one.runs)}",
        "time [s]": lambda one: one.text("time"),
        "updates": lambda one: one.text("updates"),
        "speed-up": lambda one: _ratio(alone, one),
        "over sync": lambda one: _ratio(sync, one),
    })  # fmt: skip
    yield table("At the end", f"{passes}; stale: updates that a gradient has not seen; lost"
                " gradients are in no update", {
        "loss": lambda one: one.text("loss"),
        "accuracy [%]": lambda one: one.text("accuracy"),
        "stale": lambda one: one.text("staleness", spread=False),
        "most": lambda one: str(max(run.stalest for run in one.runs.values())),
        "lost [%]": lambda one: one.text("lost", spread=False),
    })  # fmt: skip


def _ratio(base: Standing, one: Standing) -> str:
    """How many times the time of *one* that of *base* is: the mean of the seeds' ratios."""
    of_base, times = base.values("time"), one.values("time")
    return _text([of_base[seed] / times[seed] for seed in times if of_base.get(seed)])


def _differences(outcome: Results) -> Table:
    why = ("mean ± standard error; shown where 0 is outside of its 95 % interval (Student's t);"
           " more may be there that so many seeds cannot show")  # fmt: skip
    alone, sync, *others = outcome.standings
    compared = [(one, sync, PAIRED[0]) for one in (alone, *others)]
    keys = {one.contender.key: one for one in others}
    for one in others:  # that reuse late gradients, each with the one that drops them
        other = keys.get(one.contender.key.replace("reuse", "drop"), one)
        if other is not one:
            compared += [(one, other, measure) for measure in PAIRED]
    rows = []
    for one, other, (name, title, better) in compared:
        gap = difference(one, other, name)
        words = {better: "better", -better: "worse", 0: "not shown"}
        finding = words[gap.shown] if gap else "no seed reached it with both"
        cells = (str(gap.count), plain(gap.mean, gap.error)) if gap else ("0", NONE)
        rows.append((f"{one.contender.name} − {other.contender.name}", title, *cells, finding))
    header = ("what", "of", "seeds", "difference", "finding")
    return Table("Differences, seed by seed", why, header, tuple(rows))


def _remarks(outcome: Results) -> Iterator[tuple[str, str]]:
    """Which runs failed, how it was measured, on what; each with a label."""
    counts = [(sum(run.diverged for run in one.runs.values()), one) for one in outcome.standings]
    if diverged := "; ".join(f"{one.contender.name} ({n})" for n, one in counts if n):
        yield "Diverged", f"runs of {diverged}; a smaller --step-size helps"
    setting, data = outcome.setting, outcome.data
    looks = counted(setting.interval(data), "step")
    yield "Looks", f"accuracy is evaluated every {looks} of B samples; the target counts from then"
    yield "Chance", "about 1 in 20 comparisons shows a difference by chance alone"
    yield "Sizes", "all have the same step size; each may do better with another one"
    layers = "-".join(map(str, (data.inputs.shape[1], *setting.hidden, data.classes)))
    dense = "fully connected" if setting.hidden else "softmax regression"
    yield "Model", "LeNet-5 (PyTorch)" if setting.model == "lenet" else f"{dense}, {layers} units"
    train, test = (count_text(len(labels)) for labels in (data.labels, data.test_labels))
    yield "Data", f"{data.name}: {train} samples to train with, {test} to test"
    yield "Times", Experiment.choices["distribution"].options[setting.law]
