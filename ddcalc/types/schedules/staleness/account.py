"""What a question about stale gradients comes to: its values, and its steps by part."""

from __future__ import annotations

from collections.abc import Hashable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from ddcalc.formula.algebra import largest
from ddcalc.formula.algebra import smallest
from ddcalc.formula.algebra import total
from ddcalc.formula.expression import Expr
from ddcalc.formula.expression import Fun
from ddcalc.formula.expression import Num
from ddcalc.formula.expression import Sym
from ddcalc.memory import remembered
from ddcalc.numbers.approximate import Approximate
from ddcalc.numbers.approximate import ratio
from ddcalc.numbers.display import number_text
from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import Number
from ddcalc.numbers.number import quotient
from ddcalc.numbers.units import COUNT
from ddcalc.problem.chart import Chart
from ddcalc.problem.chart import Curve
from ddcalc.problem.chart import Dot
from ddcalc.problem.chart import Scale
from ddcalc.problem.defining import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Bound
from ddcalc.problem.steps import Cells
from ddcalc.problem.steps import Compare
from ddcalc.problem.steps import Define
from ddcalc.problem.steps import DefineEach
from ddcalc.problem.steps import Link
from ddcalc.problem.steps import Plot
from ddcalc.problem.steps import Step
from ddcalc.problem.steps import Table
from ddcalc.problem.steps import Value
from ddcalc.types.schedules._convergence import kinked
from ddcalc.types.schedules._convergence import late
from ddcalc.types.schedules._convergence import momentum
from ddcalc.types.schedules._convergence import noise
from ddcalc.types.schedules._convergence import printed
from ddcalc.types.schedules._distances import places
from ddcalc.types.schedules.staleness.model import Conditions
from ddcalc.types.schedules.staleness.model import errors
from ddcalc.types.schedules.staleness.model import exact
from ddcalc.types.schedules.staleness.model import told
from ddcalc.types.schedules.staleness.model import whole_errors
from ddcalc.types.schedules.staleness.question import Noise
from ddcalc.types.schedules.staleness.question import Question
from fractions import Fraction
from math import lcm
from math import sqrt
from random import Random
from statistics import fmean
from statistics import stdev


EVERYTHING = "everything"


def values(asked: Question) -> dict[str, Value | tuple[Value, ...]]:
    """All derived quantities by name."""
    conditions, quadratic = Conditions(asked), asked.quadratic
    times = ratio(quadratic.curvature_limit, asked.high)
    return {
        "smallest": conditions.smallest,
        "step_allowed": conditions.step_allowed,
        "step_margin": conditions.step_margin,
        "stale_sum": conditions.stale_sum,
        "stale_allowed": conditions.stale_allowed,
        "stale_margin": conditions.stale_margin,
        "guaranteed": conditions.guaranteed,
        "beta_allowed": conditions.beta_allowed,
        "broken": printed.broken_after(asked),
        "radius_low": quadratic.radii[0],
        "radius_high": quadratic.radii[1],
        "rate": quadratic.rate,
        "curvature_limit": quadratic.curvature_limit,
        "step_limit": exact(times * asked.fresh),
        "stale_limit": quadratic.stale_limit,
        "error_low": errors(asked.coefficients, asked.low, asked.updates)[-1],
        "momentum": momentum.factor(asked),
        "momentum_gap": momentum.gap(asked),
        "variance": noise.variance(asked, asked.low),
        "kinked_mean": kinked.MEAN,
        "dropped_end": 0,
        "reused_end": 1,
        "error_high": errors(asked.coefficients, asked.high, asked.updates)[-1],
    }


def cases(asked: Question) -> Iterator[Hashable]:
    """What makes *asked* as difficult as another question: which conditions hold, and how the
    quadratic is decided."""
    conditions = Conditions(asked)
    for margin in (conditions.step_margin, conditions.stale_margin):
        yield None if margin is None else (margin > 0, margin < 0)
    yield conditions.guaranteed < 1, bool(asked.stale), asked.low == asked.high
    yield asked.quadratic.converges
    yield asked.quadratic.stale_limit is None
    yield asked.quadratic.is_worst_at_an_end


def steps(
    asked: Question, noisy: Noise, part: str, declared: Mapping[str, Derived]
) -> Iterator[Step]:
    """What is told of *asked* under *part*."""
    if part in ("conditions", EVERYTHING):
        yield from Conditions(asked).steps(declared)
        if asked.stale:
            yield printed.as_printed(asked)
        yield from Roots(asked, declared).steps()
        yield from run(asked)
    if part in ("momentum", EVERYTHING):
        yield from momentum.steps(asked, declared)
    if part in ("noise", EVERYTHING):
        yield from noise.steps(asked, noisy, declared)
        yield from kinked.steps(noisy, declared)
    if part in ("late", EVERYTHING):
        yield from late.steps(declared)


A, B, S = Sym("a"), Sym("b"), Sym("S")


FRESH = Sym("alpha_0")


_VOID = "none, as the fresh coefficient is more than 1/b"


def _sum_text(ages: int) -> str:
    return "β + β^2" if ages == 2 else f"β + … + β^{ages}"


H, Z = Sym("h"), Sym("z")


_WRITTEN = 5  # ages up to which the matrix is written out


Cell = str | Expr


class RootSteps:
    """The exact answer on a quadratic."""

    def __init__(self, asked: Question, declared: Mapping[str, Derived]) -> None:
        self.asked, self.declared = asked, declared
        self.quadratic = asked.quadratic

    def steps(self) -> Iterator[Step]:
        """From the companion matrix to what the theorems leave unused."""
        if len(self.asked.coefficients) <= _WRITTEN:
            yield self._matrix()
        yield self._radius("radius_low", self.asked.low, self.quadratic.radii[0])
        yield self._radius("radius_high", self.asked.high, self.quadratic.radii[1])
        yield defined(
            self.declared["rate"], self.quadratic.rate, why=f"{self._between()}; {self._verdict()}"
        )
        yield self._beside()

    def _matrix(self) -> Table:
        ages = len(self.asked.coefficients)
        first: list[Cell] = [1 - H * Sym("alpha_0")]
        first += [-(H * Sym(f"alpha_{age}")) for age in range(1, ages)]
        rows = [("next", *first)]
        for age in range(1, ages):
            ones: list[Cell] = [Num(1 if i == age - 1 else 0) for i in range(ages)]
            rows.append((_error(age - 1), *ones))
        why = (
            "how the next error along an eigenvalue h of a quadratic follows from those before;"
            " errors die out if and only if all eigenvalues of the matrix are smaller than 1 in"
            " size"
        )
        header = ("", *(_error(age) for age in range(ages)))
        return Table("Companion matrix", why, header, tuple(rows))

    def _radius(self, name: str, h: Number, value: Number) -> Step:
        told = number_text(h)[0]
        why = f"largest |z| with {self._polynomial()} = 0 for h = {told}, rounded up"
        return defined(self.declared[name], value, why=why)

    def _polynomial(self) -> str:
        ages = len(self.asked.coefficients)
        if ages == 1:
            return "z − 1 + h·α₀"
        inner = " + ".join(_term(age, ages) for age in range(ages)) if ages < 4 else "α₀·z^… + …"
        return f"{_power(ages)} − {_power(ages - 1)} + h·({inner})"

    def _between(self) -> str:
        if self.asked.low == self.asked.high:
            return "there is one eigenvalue alone"
        if self.quadratic.is_worst_at_an_end:
            return "no eigenvalue in between has a larger root (exact test of Schur and Cohn)"
        return "an eigenvalue in between has a larger root than both ends; rounded up"

    def _verdict(self) -> str:
        if self.quadratic.converges:
            slowly = ", too slowly for these digits" if self.quadratic.rate >= 1 else ""
            return f"converges for every eigenvalue in [a, b]{slowly}"
        return "does not converge for every eigenvalue in [a, b]"

    def _beside(self) -> Table:
        """What the theorems allow beside what a quadratic bears."""
        asked, conditions = self.asked, Conditions(self.asked)
        times = ratio(self.quadratic.curvature_limit, asked.high)
        rows = [
            ("α₀, all in their ratio", *_pair(conditions.scaled_step_allowed, times * asked.fresh)),
        ]
        if asked.stale:
            limit = self.quadratic.stale_limit
            rows.append(("stale sum, α₀ as it is", *_pair(conditions.stale_allowed, limit)))
        why = "the conditions are sufficient, not necessary; beyond what it bears, it diverges"
        if self.quadratic.converges_again:
            why += " at first; further on, as here, it may converge again"
        header = ("largest", "by theorem", "on a quadratic", "times")
        return Table("Sufficient is far from necessary", why, header, tuple(rows))


def _pair(allowed: Number | None, borne: Number | None) -> tuple[Cell, Cell, Cell]:
    cells = ["none" if each is None else quantity_text(each, None) for each in (allowed, borne)]
    if allowed is None or borne is None:
        return cells[0], cells[1], "–"
    return cells[0], cells[1], number_text(Fraction(borne) / Fraction(allowed), 3)[0]


def _error(age: int) -> str:
    return f"{age} before" if age else "now"


def _power(exponent: int) -> str:
    return "z" if exponent == 1 else "1" if exponent == 0 else f"z^{exponent}"


def _term(age: int, ages: int) -> str:
    power = ages - 1 - age
    low = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    letter = f"α{str(age).translate(low)}"
    return letter if power == 0 else f"{letter}·{_power(power)}"


def run(asked: Question) -> Iterator[Step]:
    """The run at both ends, as a table and as curves, beside what is proved."""
    ends = [asked.low] if asked.low == asked.high else [asked.low, asked.high]
    runs = [errors(asked.coefficients, h, asked.updates) for h in ends]
    names = [f"h = {number_text(h)[0]}" for h in ends]
    proved = _proved(asked)
    columns: list[list[Number]] = [[max(each, -each) for each in run] for run in runs]
    columns += [proved] if proved else []
    labels = names + (["proved"] if proved else [])
    rows = tuple(
        (Num(t), *(Num(rounded(each[t], 6)) for each in columns)) for t in places(asked.updates)
    )
    why = "from 1 on, in the direction of each eigenvalue; gradients from before the start are none"
    yield Table("How far it is from w*", why, ("update", *labels), rows)
    yield distances("|w − w*|", columns, labels)


def _proved(asked: Question) -> list[Number]:
    """What the proof says of each update at least; nothing where it says nothing."""
    factor = Conditions(asked).guaranteed
    if factor >= 1:
        return []
    ages = len(asked.coefficients)
    return [Fraction(factor) ** -(-t // ages) for t in range(asked.updates + 1)]


_AGES = 2  # that a heavy ball is followed beyond the stale gradients


def momentum_steps(asked: Question, declared: Mapping[str, Derived]) -> Iterator[Step]:
    """The momentum, the weights of a gradient by age, and both runs."""
    yield _factor(asked, declared["momentum"])
    yield _by_age(asked)
    yield _runs(asked)
    why = "of the two runs, over all updates"
    yield defined(declared["momentum_gap"], gap(asked), why=why)


def _factor(asked: Question, quantity: Derived) -> Step:
    if asked.beta is not None and asked.stale:
        why = "each coefficient is β times the one before, as with a heavy ball"
        return defined(quantity, asked.beta, Sym("beta"), {"beta": asked.beta}, why)
    stale = Conditions(asked).stale_sum
    numbers = {"S": stale, "alpha_0": asked.fresh}
    why = "so that α₀ + α₀·β + α₀·β^2 + … = α₀ + S: in the end a gradient counts as much"
    return defined(quantity, factor(asked), Sym("S") / (Sym("alpha_0") + Sym("S")), numbers, why)


def _by_age(asked: Question) -> Table:
    beta, ages = Fraction(factor(asked)), len(asked.coefficients)
    rows = []
    for age in range(ages + _AGES):
        ball = exact(asked.fresh * beta**age)
        mine = asked.coefficients[age] if age < ages else 0
        rows.append((Num(age), Num(rounded(mine, 6)), Num(rounded(ball, 6))))
    why = (
        "a heavy ball w + β·(w − w before) − α₀·g carries every gradient on, α₀·β^τ of it at age τ;"
        " staleness stops after k ages"
    )
    header = ("age", "of a stale gradient", "with a heavy ball")
    return Table("What an update takes of a gradient", why, header, tuple(rows))


def _runs(asked: Question) -> Table:
    pairs = _pairs(asked)
    same = next((t for t, (a, b) in enumerate(pairs) if a != b), None)
    if same is None:
        alike = "the two are exactly equal in all updates"
    else:
        alike = f"the two are exactly equal up to update {same - 1}"
    why = f"w − w* from 1 on, where the curvature is {number_text(asked.low)[0]}; {alike}"
    rows = tuple(
        (Num(t), *(Num(rounded(each, 6)) for each in (*pairs[t], pairs[t][0] - pairs[t][1])))
        for t in places(asked.updates)
    )
    header = ("update", "stale gradients", "heavy ball", "difference")
    return Table("Both runs", why, header, rows)


def noise_steps(asked: Question, noise: Noise, declared: Mapping[str, Derived]) -> Iterator[Step]:
    """The exact mean and variance, and the means over seeds beside them."""
    mean = errors(asked.coefficients, asked.low, asked.updates)[-1]
    why = "the gradient is linear in w, so the mean obeys the recursion without noise"
    yield defined(declared["error_low"], mean, why=why)
    converges = asked.quadratic.converges
    end = "this does not go to 0"
    if not converges:
        end = "no means over seeds follow, as it does not converge for every eigenvalue in [a, b]"
    why = f"every noise leaves its response, and variances add up; {end}"
    yield defined(declared["variance"], variance(asked, asked.low), why=why)
    if converges:
        yield _means(asked, noise)


def _means(asked: Question, noise: Noise) -> Table:
    rows = []
    for h in dict.fromkeys((asked.low, asked.high)):
        ends = [_end(asked, h, Random(noise.seed + run)) for run in range(noise.runs)]  # noqa: S311
        exact = errors(asked.coefficients, h, asked.updates)[-1]
        cells = (Num(h), *measured(ends), Num(rounded(exact, 4)))
        rows.append((*cells, Num(rounded(variance(asked, h), 4))))
    says = "as theorem 4 says" if Conditions(asked).hold else "though theorem 4 does not say so"
    why = (
        f"of w_T − w* over {number_text(noise.runs)[0]} runs with noise of ±1 on each gradient;"
        f" the mean goes to 0, {says}, w itself does not"
    )
    header = ("h", "mean", "standard error", "exact mean", "exact variance")
    return Table("Means over seeds", why, header, tuple(rows))


def measured(ends: list[float]) -> tuple[str, str]:
    """The mean of *ends* and its standard error, as texts; a single one has none."""
    error = f"{stdev(ends) / sqrt(len(ends)):.4f}" if len(ends) > 1 else "–"
    return f"{fmean(ends):.4f}".replace("-", "−"), error


KINKED_SHOWN = 3  # positions on each branch


def kinked_steps(noise: Noise, declared: Mapping[str, Derived]) -> Iterator[Step]:
    """The loss, where its run is in the long run, and a run beside."""
    rows: list[Cells] = [
        (Num(w), Num(w if w < 0 else 2 * w), Num(share))
        for w, share in sorted(positions(KINKED_SHOWN), key=lambda pair: -pair[1])
    ]
    why = (
        "slopes 1 left and 2 right of 0, noise ±1, k = 1, α = 1/2; from the right it goes to ±1/2,"
        " from the left to w/2 ± 1/2"
    )
    header = ("w", "gradient", "share of the time")
    rows.append(("…", "…", "…"))
    yield Table("A loss with two slopes", why, header, tuple(rows))
    why = (
        "1/2 · 1/4, the places 2^−(j+1) at 2^−(j+2) each, and −1 + 2^−j at 2^−(j+1) each add up to"
        " it; the mean gradient is 0 there, but it is not the gradient at the mean"
    )
    yield defined(declared["kinked_mean"], KINKED_MEAN, why=why)
    ends = [kinked_end(Random(noise.seed + run)) for run in range(noise.runs)]  # noqa: S311
    why = f"of w after {KINKED_UPDATES} updates over {noise.runs} runs, beside −1/6"
    header = ("mean", "standard error", "exact mean")
    yield Table("The same, played", why, header, ((*measured(ends), Num(KINKED_MEAN)),))


def late_steps(declared: Mapping[str, Derived]) -> Iterator[Step]:
    """Where each way leads."""
    why = (
        "three workers with losses (w − c)^2/2 and c = 0, 0, 3, the last of which is late in every"
        " update; the step is 1/2, over the mean of the gradients"
    )
    runs = dropped(), reused()
    rows = tuple((Num(t), *(Num(rounded(run[t], 6)) for run in runs)) for t in places(LATE_UPDATES))
    yield Table("Late gradients", why, ("update", "dropped", "reused an update later"), rows)
    why = "the mean of the punctual workers' c: what the late one knows is lost"
    yield defined(declared["dropped_end"], 0, why=why)
    why = "the mean of all c, as with a server that waits for everybody"
    yield defined(declared["reused_end"], 1, why=why)


_SHOWN = 6  # first steps in the table


def as_printed(asked: Question) -> Table:
    """The coefficients by step until they are too large."""
    broken = broken_after(asked)
    assert broken is not None
    most = 1 / Fraction(asked.high)
    values = [each for each, _ in zip(grown(asked), range(broken + 1), strict=False)]
    rows: list[tuple[Num | str, ...]] = [
        (Num(step), Num(each), "≤ 1/b" if each <= most else "> 1/b: broken")
        for step, each in enumerate(values)
    ]
    if len(rows) > _SHOWN + 1:
        rows = [*rows[:_SHOWN], ("…", "…", "…"), rows[-1]]
    before = len(asked.stale)
    summed = "the α before it" if before == 1 else f"the sum of the {before} before it"
    why = (
        f"by step, from step {before} on α_t must be at least 2b/a ≥ 2 times {summed}, so it"
        f" doubles for ever, against α_t ≤ 1/b; from c on it breaks at step {broken};"
        " so the α are read by age"
    )
    return Table("As printed it cannot hold", why, ("step t", "least α_t", "limit"), tuple(rows))
