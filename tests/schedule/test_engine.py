"""The engine against a witness that only knows the definitions, against SimPy, and what a run
comes to against plain counting in the complete list of its gradients; computation times."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import cycle, islice, takewhile
from math import erf, exp, log, log1p, sqrt
from statistics import fmean, stdev

import pytest
import witness_schemes
from hypothesis import given
from hypothesis import settings as running
from hypothesis import strategies as st
from simpy_witness import CASES
from witness_schemes import Setting

from ddcalc.schedule.engine import Engine, engine
from ddcalc.schedule.gradient import DROPPED, INTERRUPTED, Gradient, Machine, Time
from ddcalc.schedule.scheme import asynchronous, k_of_n, local_sgd, ssp, sync
from ddcalc.schedule.tally import KEPT, Day, tally
from ddcalc.schedule.times import Drawn, Fixed, Law


def run_of(setting: Setting) -> Engine:
    """The engine of a *setting* of the witness."""
    workers, number = len(setting.starts), setting.number
    schemes = {"sync": sync(workers), "async": asynchronous(), "ssp": ssp(number)}
    schemes["local_sgd"] = local_sgd(workers, number or 1)
    made = schemes.get(setting.scheme) or k_of_n(number or workers, setting.scheme)
    names = ("starts", "down", "up", "aggregate", "update", "serial", "order", "read")
    machine = Machine(*(getattr(setting, name) for name in names))
    return engine(made, machine, [cycle(row) for row in setting.times])


def of_setting(setting: Setting, horizon: int) -> list[Gradient]:
    """What the engine makes of a *setting* until the *horizon*, which counts."""
    gradients = run_of(setting).gradients()
    return list(takewhile(lambda gradient: gradient.written <= horizon, gradients))


SCHEMES = ("sync", "async", "ssp", "local_sgd", "drop", "reuse", "cancel")


@st.composite
def settled(
    draw: st.DrawFn, schemes: Sequence[str] = SCHEMES, least: int = 1, most: int = 5
) -> Setting:
    """Settings in which much happens at one instant: up to *most* workers and short times.
    Computations take *least* ticks or more."""
    workers, name = draw(st.integers(1, most)), draw(st.sampled_from(schemes))
    many = {"min_size": workers, "max_size": workers}
    rows = st.lists(st.integers(least, 6), min_size=1, max_size=4)
    numbers = {"ssp": st.none() | st.integers(0, 3), "local_sgd": st.integers(1, 3)}
    return Setting(
        name,
        draw(numbers.get(name, st.integers(1, workers))),
        draw(st.lists(st.integers(0, workers), **many)),
        draw(st.lists(rows, **many)),
        *draw(st.tuples(*[st.integers(0, 3)] * 4)),
        draw(st.booleans()),
        draw(st.sampled_from(["in_turn", "writes_first"])),
        draw(st.sampled_from(["start", "arrival"])),
    )


HORIZON = 40


def _agrees(setting: Setting) -> None:
    gradients = [tuple(gradient) for gradient in of_setting(setting, HORIZON)]
    assert gradients == witness_schemes.played(setting, HORIZON)


@running(max_examples=500)
@given(settled())
def test_every_field_of_every_gradient(setting):
    _agrees(setting)


@given(settled(least=0))
def test_computations_that_take_no_time(setting):
    _agrees(replace(setting, up=max(setting.up, 1)))


@given(settled(["cancel"], most=20))
def test_many_workers_that_are_interrupted(setting):
    _agrees(setting)


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].workers == 8])
def test_simpy_counts_the_same(name):
    assert CASES[name].ours() == CASES[name].theirs()


FAR = 400  # by then all that is begun before the end of a run is written


@dataclass(frozen=True)
class Account:
    """All *gradients* of a run, and the *past* ones: those written or dropped by its *end*.

    What happens exactly at the end counts; where the run ends with update *nth*, without the reads
    that see it.
    """

    setting: Setting
    gradients: Sequence[Gradient]
    past: Sequence[Gradient]
    end: Time
    nth: int | None = None

    def day(self, worker: int) -> Day:
        """What *worker* has done by the end."""
        mine = [g for g in self.gradients if g.worker == worker]
        past = [g for g in self.past if g.worker == worker]
        later = [g for g in mine if g not in past]
        sent = [g for g in past if g.update != INTERRUPTED]
        held = sum(self._held(g) for g in mine)
        return Day(
            clocks=_steps(sent)
            + sum(g.end < g.written for g in past if g.update == INTERRUPTED)
            + sum(end <= self.end for g in later for end in _ends(g)),
            computes=sum(self._until_end(g.start, g.end) for g in mine),
            moves=sum(self._until_end(g.released, g.start) for g in mine)
            + sum(self._until_end(g.end, g.arrived) for g in mine),
            held=held,
            served=sum(self._until_end(g.requested, g.released) for g in mine) - held,
            downloads=len(past) + sum(self._by_end(g, g.start) for g in later),
            uploads=len(sent) + sum(g.arrived <= self.end for g in later),
            waits=self._waits(mine),
        )

    def _until_end(self, start: Time, end: Time) -> Time:
        """How much of the time from *start* to *end* overlaps with the run."""
        return max(min(end, self.end) - start, 0)

    def _held(self, gradient: Gradient) -> Time:
        return self._until_end(gradient.hold.start, gradient.hold.end) if gradient.hold else 0

    def _waits(self, mine: Sequence[Gradient]) -> dict[int, Time]:
        """The time held by each worker; 0 where it is not known by the end which one it is."""
        waits: Counter[int] = Counter()
        for g in mine:
            if g.hold:
                waits[g.hold.by if g.hold.end <= self.end else 0] += int(self._held(g))
        return dict(+waits)

    def counts(self) -> dict[str, object]:
        """What does not belong to one worker."""
        used = [g for g in self.past if g.update > 0]
        return {
            "end": self.end,
            "updates": len({g.update for g in used}),
            "used": _steps(used),
            "dropped": _steps(g for g in self.past if g.update == DROPPED),
            "interrupted": _steps(g for g in self.past if g.update == INTERRUPTED),
            "staleness": Counter(g.update - g.seen - 1 for g in used for _ in _ends(g)),
            "ahead": max((g.ahead for g in self.gradients if self._is_read(g)), default=0),
            "begun": sum(g in self.past or start < self.end for g, start in self._starts()),
            "first": list(self.past[:KEPT]),
        }

    def _is_read(self, gradient: Gradient) -> bool:
        """Whether its parameters were read by the end."""
        read = gradient.start if self.setting.read == "start" else gradient.released
        return gradient in self.past or self._by_end(gradient, read)

    def _by_end(self, gradient: Gradient, time: Time) -> bool:
        return time <= self.end and (self.nth is None or gradient.seen < self.nth)

    def _starts(self) -> Iterator[tuple[Gradient, Time]]:
        """All computations, by their gradient and when they begin."""
        for g in self.gradients:
            yield from ((g, start) for start in (g.start, *g.ends[:-1]))


def _ends(gradient: Gradient) -> tuple[Time, ...]:
    return gradient.ends or (gradient.end,)


def _steps(gradients: Iterable[Gradient]) -> int:
    return sum(len(_ends(g)) for g in gradients)


@running(max_examples=300, deadline=None)
@given(settled(), st.none() | st.integers(0, 50), st.integers(1, 8))
def test_everything_until_a_horizon_or_an_update(setting, horizon, nth):
    """All fields of a tally beside the account of the same run."""
    every = of_setting(setting, 2 * FAR)
    if horizon is None:
        end = next(g.written for g in every if g.update == nth)
        past = list(takewhile(lambda g: g.written <= end and g.update <= nth, every))
        account = Account(setting, every, past, end, nth)
    else:
        past = [g for g in every if g.written <= horizon]
        account = Account(setting, every, past, horizon)
    counted, counts = tally(run_of(setting), horizon, nth), account.counts()
    assert {name: getattr(counted, name) for name in counts} == counts
    days, expected = counted.days, [account.day(i + 1) for i in range(len(setting.starts))]
    if horizon is None:  # what happens after the n-th update at its instant is not known
        days, expected = ([replace(day, waits={0: sum(day.waits.values())}) for day in of]
                          for of in (days, expected))  # fmt: skip
    assert list(days) == list(expected)
    assert counted.nth == next((g.written for g in past if g.update == nth), None)


@pytest.mark.parametrize("name", SCHEMES)
def test_a_long_run_tells_how_far_it_is_and_is_given_up(name):
    setting = Setting(name, 2, [0] * 3, [[3], [4, 5], [2, 2, 7]])
    told: list[int] = []
    counted = tally(run_of(setting), 20_000, tell=told.append)
    assert sum(told) == counted.played > 10_000
    assert max(told) < 1010
    assert tally(run_of(setting), 20_000, most=counted.played) == counted
    with pytest.raises(OverflowError):
        tally(run_of(setting), 20_000, most=counted.played - 1)


@pytest.mark.parametrize("name", SCHEMES)
def test_times_of_many_digits_are_exact(name):
    rows, long = [[3], [4, 5], [2, 2, 7]], 10**50
    small = tally(run_of(Setting(name, 2, [0] * 3, rows, 1, 1, 1, 1)), 500)
    many = [[time * long for time in row] for row in rows]
    large = tally(run_of(Setting(name, 2, [0] * 3, many, *[long] * 4)), 500 * long)
    assert large.staleness == small.staleness
    assert [day.computes for day in large.days] == [day.computes * long for day in small.days]
    assert [day.clocks for day in large.days] == [day.clocks for day in small.days]


# Computation times


DRAWN = 20_000
MEAN = 2

LAWS = [Law("exponential"), Law("shifted_exponential", shift=Fraction(1, 2))]
LAWS += [Law("uniform", spread=Fraction(3, 2)), Law("normal", spread=Fraction(1, 4))]
LAWS += [Law("lognormal", spread=3), Law("pareto", tail=3)]


def below(law: Law, time: float) -> float:
    """The probability of a time up to *time*, by the textbook; the mean is 2."""
    shift, spread, tail = float(law.shift), float(law.spread), float(law.tail)
    match law.distribution:
        case "exponential":
            return 1 - exp(-time / MEAN)
        case "shifted_exponential":
            return 1 - exp(-(time - shift) / (MEAN - shift))
        case "uniform":
            return (time - (MEAN - spread)) / (2 * spread)
        case "normal":
            return (1 + erf((time - MEAN) / spread / sqrt(2))) / 2
        case "lognormal":
            variance = log1p((spread / MEAN) ** 2)
            return (1 + erf((log(time / MEAN) + variance / 2) / sqrt(2 * variance))) / 2
        case "pareto":
            return 1 - (MEAN * (tail - 1) / tail / time) ** tail


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.distribution)
def test_drawn_times_follow_their_distribution(law):
    """The largest distance between the drawn and the true distribution (Kolmogorov-Smirnov)."""
    times = sorted(islice(law.times(MEAN, "seed"), DRAWN))
    assert times[0] > 0
    gaps = [abs(below(law, time) - (i + 0.5) / DRAWN) for i, time in enumerate(times)]
    assert max(gaps) < 1.63 / sqrt(DRAWN)  # one fair sample in a hundred is farther off
    assert abs(fmean(times) - MEAN) < 4 * stdev(times) / sqrt(DRAWN)


def test_normal_times_are_drawn_again_until_they_are_positive():
    assert min(islice(Law("normal", spread=5).times(1, "seed"), 5000)) > 0


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.distribution)
def test_exact_times_are_the_floats_rounded(law):
    times = Drawn([MEAN, Fraction(1, 3)], law, 7)
    for rounded, drawn in zip(times.exact(3 * times.unit), times.drawn(), strict=True):
        for exact, time in islice(zip(rounded, drawn, strict=False), 100):
            assert exact % 3 == 0
            assert abs(exact / (3 * times.unit) - time) <= 0.51 / times.unit


def test_a_worker_draws_the_same_times_beside_others():
    alone, beside = (Drawn([1] * n, LAWS[0], 3).drawn()[0] for n in (1, 4))
    assert list(islice(alone, 20)) == list(islice(beside, 20))
    other = Drawn([1], LAWS[0], 4).drawn()[0]
    assert list(islice(other, 20)) != list(islice(beside, 20))


def test_drawn_times_never_change():
    """What problem files state about drawn times rests on these."""
    times = Drawn([1], Law("exponential"), 3)
    assert list(islice(times.exact(times.unit)[0], 4)) == [861406, 536446, 1560852, 2786463]


def test_fixed_rows_come_again_from_the_first():
    times = Fixed([(1, Fraction(1, 2)), (Fraction(1, 3),)])
    assert times.unit == 6
    first, second = times.exact(12)
    assert list(islice(first, 5)) == [12, 6, 12, 6, 12]
    assert list(islice(second, 3)) == [4, 4, 4]
    assert times.means == [Fraction(3, 4), Fraction(1, 3)]
