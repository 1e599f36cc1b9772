"""What a question about stale gradients comes to: its values, and its steps by part."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from random import Random
from typing import Final

from ddcalc.formula.algebra import largest, smallest, total
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Fun, Num, Sym
from ddcalc.numbers.amounts import amount_text, count_text, in_unit
from ddcalc.numbers.display import rounded
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import COUNT
from ddcalc.problem.plan import Values
from ddcalc.problem.play import LateValues, defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Bound, Cells, Compare, Define, DefineEach, Link, Step, Table
from ddcalc.types.schedules._distances import distances, picked, places
from ddcalc.types.schedules._roots import PARTS, radius
from ddcalc.types.schedules.staleness.model import (
    ENDS,
    FRESH,
    KINKED_MEAN,
    SHARE,
    STALE_ALLOWED,
    STEP_ALLOWED,
    A,
    B,
    Conditions,
    S,
    both_runs,
    broken_after,
    errors,
    exact,
    factor,
    gap,
    grown,
    noisy_end,
    variance,
)
from ddcalc.types.schedules.staleness.question import Noise, StaleRun
from ddcalc.types.schedules.staleness.words import (
    LATE,
    SLOPES,
    kinked_steps,
    late_steps,
    measured,
)

EVERYTHING = "everything"
PRINTED = "As printed it cannot hold"
MATRIX = "Companion matrix"
THEOREMS = "What the theorems say"
SUFFICIENT = "Sufficient is far from necessary"
RUN = "How far it is from w*"
BY_AGE, BOTH_RUNS = "What an update takes of a gradient", "Both runs"
ASIDES: Final = (
    *("smallest", "beta_allowed", "The run", "Means over seeds", "The same, played"),
    *(PRINTED, MATRIX, THEOREMS, SUFFICIENT, RUN, "radius_low", "radius_high"),
)
LESSER: Final = (
    *("momentum", "recursion", "How fast", "error_low", "kinked_mean", "dropped_end", "reused_end"),
    *(BY_AGE, BOTH_RUNS, SLOPES, LATE),
)


def is_proved(question: StaleRun) -> bool:
    """Whether it converges by the factor of the proof, whatever the loss."""
    return Conditions(question).guaranteed < 1


def asides(question: StaleRun, part: str) -> tuple[str, ...]:
    """What is shown on demand only; with all parts at once that is more."""
    usual = ASIDES if min(question.coefficients) else tuple(n for n in ASIDES if n != "smallest")
    more: tuple[str, ...] = () if is_proved(question) else ("guaranteed",)
    more += () if Conditions(question).stale_margin is not None else ("stale_allowed",)
    more += () if question.stale else ("stale_sum", "stale_allowed")
    return (*usual, *more, *LESSER) if part == EVERYTHING else (*usual, *more)


def values(question: StaleRun) -> Values:
    """All derived quantities by name."""
    conditions, quadratic = Conditions(question), question.quadratic
    return LateValues(
        {
            "smallest": lambda: conditions.smallest,
            "step_allowed": lambda: conditions.step_allowed,
            "step_margin": lambda: conditions.step_margin,
            "stale_sum": lambda: conditions.stale_sum,
            "stale_allowed": lambda: conditions.stale_allowed,
            "stale_margin": lambda: conditions.stale_margin,
            "guaranteed": lambda: conditions.guaranteed,
            "beta_allowed": lambda: conditions.beta_allowed,
            "broken": lambda: broken_after(question),
            "radius_low": lambda: quadratic.radii[0],
            "radius_high": lambda: quadratic.radii[1],
            "rate": lambda: quadratic.rate,
            "curvature_limit": lambda: quadratic.curvature_limit,
            "step_limit": lambda: _step_limit(question),
            "stale_limit": lambda: quadratic.stale_limit,
            "error_low": lambda: _left(question, question.low),
            "momentum": lambda: factor(question),
            "momentum_gap": lambda: gap(question),
            "variance": lambda: variance(question, question.low),
            "kinked_mean": lambda: KINKED_MEAN,
            "dropped_end": lambda: 0,
            "reused_end": lambda: 1,
            "error_high": lambda: _left(question, question.high),
        }
    )


def _step_limit(question: StaleRun) -> Number | None:
    if not question.fresh:
        return None
    times = ratio(question.quadratic.curvature_limit, question.high)
    return exact(times * question.fresh)


def _left(question: StaleRun, h: Number) -> Number:
    """What is left after the run where the curvature is *h*."""
    return errors(question.coefficients, h, question.updates)[-1]


def cases(question: StaleRun) -> Iterator[Hashable]:
    """What makes *question* as difficult as another question: which conditions hold, and how the
    quadratic is decided."""
    conditions = Conditions(question)
    for margin in (conditions.step_margin, conditions.stale_margin):
        yield None if margin is None else (margin > 0, margin < 0)
    yield conditions.guaranteed < 1, bool(question.stale), question.low == question.high
    yield question.quadratic.converges
    yield question.quadratic.stale_limit is None
    yield question.quadratic.is_worst_at_an_end


def steps(
    question: StaleRun, noisy: Noise, part: str, declared: Mapping[str, Derived]
) -> Iterator[Step]:
    """What is shown of *question* under *part*."""
    if part in ("conditions", EVERYTHING):
        yield from ConditionSteps(question).steps(declared)
        if broken_after(question) is not None:
            yield as_printed(question)
        yield from RootSteps(question, declared).steps()
        yield from run(question)
    if part in ("momentum", EVERYTHING) and question.fresh:
        yield from momentum_steps(question, declared)
    if part in ("noise", EVERYTHING):
        yield from noise_steps(question, noisy, declared)
        yield from kinked_steps(noisy, declared)
    if part in ("late", EVERYTHING):
        yield from late_steps(declared)


_VOID = "none, as the coefficient of the current gradient is more than 1/b"


def _sum_text(ages: int) -> str:
    return "β + β^2" if ages == 2 else f"β + … + β^{ages}"


H, Z = Sym("h"), Sym("z")
_WRITTEN = 5  # ages up to which the matrix is written out
Cell = str | Expr


class ConditionSteps(Conditions):
    """Every condition with its margin, and why they are enough."""

    def steps(self, declared: Mapping[str, Derived]) -> Iterator[Step]:
        """Every condition with its margin, and why they are enough."""
        yield from self._coefficients()
        ages, known, margin = len(self.question.stale), self.known, self.stale_margin
        added = total(Sym(f"alpha_{age}") for age in range(1, ages + 1)) if ages else Num(0)
        yield self._smallest(declared["smallest"], known)
        yield defined(declared["step_allowed"], self.step_allowed, STEP_ALLOWED, known)
        yield self._compared(FRESH, STEP_ALLOWED, self.step_margin, known)
        yield defined(declared["stale_sum"], self.stale_sum, added, known)
        if margin is None:
            yield defined(declared["stale_allowed"], None, why=_VOID)
        else:
            yield defined(declared["stale_allowed"], self.stale_allowed, STALE_ALLOWED, known)
            if ages:
                yield self._compared(S, STALE_ALLOWED, margin, known)
        yield self._theorems()
        yield from self._proof(declared["guaranteed"], known)
        if ages:
            yield self._beta(declared["beta_allowed"], known)

    def _coefficients(self) -> Iterator[DefineEach]:
        question = self.question
        if question.beta is None or not question.stale:
            return
        alpha, beta = Sym("alpha"), Sym("beta")
        numbers = {"alpha": question.fresh, "beta": question.beta}
        title, why = "Coefficients by age", "each is β times the one a step younger"
        of_age = Derived("alpha", title, COUNT, why, name="coefficients")
        rows = (
            defined(of_age, value, alpha * beta**age, numbers, why, f"alpha_{age}")
            for age, value in enumerate(question.coefficients)
        )
        yield DefineEach("coefficients", title, why, tuple(rows))

    def _smallest(self, quantity: Derived, known: Mapping[str, Number]) -> Define:
        letters = [Sym(f"alpha_{i}") for i in range(len(self.question.coefficients))]
        formula: Expr = smallest(*letters) if len(letters) > 1 else letters[0]
        why = "" if self.smallest else "none may be below some c > 0: not met"
        return defined(quantity, self.smallest, formula, known, why)

    def _compared(
        self, left: Sym, right: Expr, spare: Number, known: Mapping[str, Number]
    ) -> Compare:
        """*left* ≤ *right*, which leaves so much to *spare*."""
        here = Fraction(self.question.fresh if left == FRESH else self.stale_sum)
        size = in_unit(abs(Fraction(spare)), COUNT)
        spared = f"{'' if size.exact else 'about '}{size}"
        why = f"met, {spared} to spare" if spare > 0 else f"not met: {spared} too much"
        if left == S and spare < 0 and len({*self.question.coefficients}) == 1:
            why += "; equal coefficients never pass, as a/(2b) is at most 1/2"
        return Compare(
            title="Current gradient" if left == FRESH else "Old ones",
            why=why if spare else "met, with nothing to spare",
            relation=left <= right,
            symbol=left.name,
            at=exact(here),
            numbers=known,
            left=exact(here),
            right=exact(here + spare),
            unit=COUNT,
            holds=spare >= 0,
        )

    def _theorems(self) -> Table:
        verdict = "yes" if self.hold else "no"
        rows = (
            ("1", "one dimension, its curvature anywhere in [a, b]", verdict),
            ("2", "more dimensions, eigenvalues of the Hessian in [a, b]", verdict),
            ("4", "noisy gradients, with a constant Hessian (part noise)", verdict),
        )
        what = "all conditions hold" if self.hold else "a condition fails"
        why = f"{what}; the theorems are sufficient, so where they fail it may still converge"
        return Table(THEOREMS, why, ("theorem", "for", "applies"), rows)

    def _proof(self, quantity: Derived, known: Mapping[str, Number]) -> Iterator[Step]:
        value, small = self.guaranteed, self.step_margin >= 0
        left = ENDS[0] if small else largest(*ENDS)
        why = f"{quantity.why}{'' if value < 1 else '; not below 1, so nothing is proved'}"
        stale = bool(self.question.stale)
        yield defined(quantity, value, left + B * S if stale else left, known, why)
        if value < 1:
            yield self._chain(left)

    def _chain(self, fresh: Expr) -> Bound:
        """Why the distance shrinks by q, if the fresh gradient leaves the part *fresh* of it."""
        most, old = Sym("M"), bool(self.question.stale)
        between = "every h is between a and b"
        links = [
            Link("≤", (fresh * most + B * S * most if old else fresh * most), between),
            Link("=", Sym("q") * most, "so is every one of the next errors"),
        ]
        if self.hold and old:
            links.append(Link("≤", (1 - A * FRESH / 2) * most, "b·S ≤ a·α₀/2, as allowed"))
        ages = len(self.question.coefficients)
        last = "error before" if ages == 1 else f"largest of the last {ages} errors"
        after = "each update" if ages == 1 else f"every {ages} updates"
        why = f"M is the {last}; with {after} it shrinks to q·M or less"
        subject = Fun("norm", (Sym("e_next"),))
        return Bound(
            "enough", "", "Why that is enough", why, subject, tuple(links), self.guaranteed
        )

    def _beta(self, quantity: Derived, known: Mapping[str, Number]) -> Define:
        ages = len(self.question.stale)
        if self.step_margin < 0:
            return defined(quantity, None, why=_VOID)
        if ages == 1:
            return defined(quantity, self.beta_allowed, SHARE, known)
        why = f"the β at which {_sum_text(ages)} = a/(2b)"
        return defined(quantity, self.beta_allowed, None, known, why)


class RootSteps:
    """The exact answer on a quadratic."""

    def __init__(self, question: StaleRun, declared: Mapping[str, Derived]) -> None:
        self.question, self.declared = question, declared
        self.quadratic = question.quadratic

    def steps(self) -> Iterator[Step]:
        """From the companion matrix to what the theorems leave unused."""
        if len(self.question.coefficients) <= _WRITTEN:
            yield self._recursion()
            yield self._matrix()
        if Conditions(self.question).guaranteed >= 1 and self.question.stale:
            yield from self._proof()
        yield self._radius("radius_low", self.question.low, self.quadratic.radii[0])
        yield self._radius("radius_high", self.question.high, self.quadratic.radii[1])
        if self.question.low != self.question.high and self.question.stale:
            yield self._sizes()
        yield defined(
            self.declared["rate"], self.quadratic.rate, why=f"{self._between()}; {self._verdict()}"
        )
        yield self._beside()

    def _recursion(self) -> Bound:
        """How an error along a direction follows from those before, with numbers."""
        alphas, t = self.question.coefficients, Sym("t")
        value: Expr = (1 - Num(alphas[0]) * H) * _at(t) if alphas[0] else _at(t)
        for age, alpha in enumerate(alphas[1:], 1):
            if alpha:
                value -= Num(alpha) * H * _at(t - age)
        why = "e is the distance from the minimum; the gradient there is h·e"
        links = (Link("=", value, "each update subtracts α times the gradients"),)
        return Bound("recursion", "e", "Updates along curvature h", why, _at(t + 1), links, value)

    def _proof(self) -> Iterator[Bound]:
        """Why the errors die out, where the sizes of the coefficients alone say it."""
        known = Conditions(self.question).known
        most, small = Sym("M"), FRESH * B
        within = evaluate(small, known)
        leaves = largest(1 - A * FRESH + A * S, B * FRESH - 1 + B * S)
        shrinks = evaluate(leaves, known)
        assert within is not None
        assert shrinks is not None
        if shrinks >= 1:
            return
        ages = len(self.question.coefficients)
        if within <= 1:
            links = [
                Link("≤", (1 - FRESH * H) * most + S * H * most, "as α₀·h ≤ α₀·b ≤ 1"),
                Link("≤", (1 - A * (FRESH - S)) * most, "S is less than α₀, and h at least a"),
            ]
        else:
            reason = "this has its largest value at h = a or h = b"
            links = [
                Link("≤", Fun("norm", (1 - FRESH * H,)) * most + S * H * most, ""),
                Link("≤", leaves * most, reason),
            ]
        if rounded(shrinks, 6) == shrinks:
            links.append(Link("=", Num(shrinks) * most, "with these numbers"))
        after = f"after {ages} updates all of them are at most that, and so on: they go to 0"
        why = f"M is the largest of the last {ages} errors; {after}"
        subject = Fun("norm", (_at(Sym("t") + 1),))
        yield Bound(
            "dies_out", "", "Proof that errors die out", why, subject, tuple(links), shrinks
        )

    def _sizes(self) -> Table:
        """The size of the largest root at some curvatures."""
        low, high = Fraction(self.question.low), Fraction(self.question.high)
        points = [low + (high - low) * i / (_POINTS - 1) for i in range(_POINTS)]
        sizes = [radius(self.quadratic.family.at(exact(h)), PARTS) for h in points]
        header = ("curvature h", *(count_text(rounded(h, 3)) for h in points))
        row: Cells = ("largest |z|", *(Num(rounded(size, 3)) for size in sizes))
        why = (
            f"errors z^t obey the updates if {self._polynomial()} = 0; the largest |z| is the"
            " factor with each update in the long run"
        )
        return Table("How fast", why, header, (row,))

    def _matrix(self) -> Table:
        ages = len(self.question.coefficients)
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
        return Table(MATRIX, why, header, tuple(rows))

    def _radius(self, name: str, h: Number, value: Number) -> Step:
        at = count_text(h)
        why = f"the largest |z| for h = {at}, rounded up"
        if name == "radius_low":
            why = (
                "after one another, errors 1, z, z^2, … obey the updates at a curvature h if"
                f" {self._polynomial()} = 0; {why}"
            )
        return defined(self.declared[name], value, why=why)

    def _polynomial(self) -> str:
        ages = len(self.question.coefficients)
        if ages == 1:
            return "z − 1 + h·α₀"
        inner = " + ".join(_term(age, ages) for age in range(ages)) if ages < 4 else "α₀·z^… + …"
        return f"{_power(ages)} − {_power(ages - 1)} + h·({inner})"

    def _between(self) -> str:
        if self.question.low == self.question.high:
            what = f"the largest |z| for which {self._polynomial()} = 0"
            return f"{what}: errors z^t obey the updates"
        if not self.question.stale:
            return "the largest |1 − h·α₀|, at one of the two ends"
        if self.quadratic.is_worst_at_an_end:
            low, high = self.quadratic.radii
            ends = "either end" if low == high else f"h = {'a' if low > high else 'b'}"
            return f"at {ends}; no curvature in between has a larger one"
        return "at a curvature in between, larger than at both ends"

    def _verdict(self) -> str:
        if self.quadratic.converges:
            slowly = " (too slowly for these digits)" if self.quadratic.rate >= 1 else ""
            return f"below 1, so it converges for every curvature{slowly}"
        return "1 or more, so it does not converge for every curvature"

    def _beside(self) -> Table:
        """What the theorems allow beside what a quadratic bears."""
        question, conditions = self.question, Conditions(self.question)
        times = ratio(self.quadratic.curvature_limit, question.high)
        rows = []
        if question.fresh:
            borne = times * question.fresh
            rows.append(("α₀, all in their ratio", *_pair(conditions.scaled_step_allowed, borne)))
        if question.stale:
            limit = self.quadratic.stale_limit
            rows.append(("stale sum, α₀ as it is", *_pair(conditions.stale_allowed, limit)))
        why = "the conditions are sufficient, not necessary; at what it bears it converges no more"
        if self.quadratic.converges_again:
            why += "; further on, as here, it may converge again"
        header = ("largest", "by theorem", "on a quadratic", "times")
        return Table(SUFFICIENT, why, header, tuple(rows))


def _pair(allowed: Number | None, borne: Number | None) -> tuple[Cell, Cell, Cell]:
    cells = ["none" if most is None else amount_text(most, None) for most in (allowed, borne)]
    if not allowed or borne is None:
        return cells[0], cells[1], "–"
    return cells[0], cells[1], count_text(Fraction(borne) / Fraction(allowed), 3)


def _error(age: int) -> str:
    return f"{age} before" if age else "now"


def _power(exponent: int) -> str:
    return "z" if exponent == 1 else "1" if exponent == 0 else f"z^{exponent}"


def _term(age: int, ages: int) -> str:
    power = ages - 1 - age
    low = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    letter = f"α{str(age).translate(low)}"
    return letter if power == 0 else f"{letter}·{_power(power)}"


def run(question: StaleRun) -> Iterator[Step]:
    """The run at both ends, as a table and as curves, beside what is proved."""
    ends = [question.low] if question.low == question.high else [question.low, question.high]
    runs = [errors(question.coefficients, h, question.updates) for h in ends]
    names = [f"h = {count_text(h)}" for h in ends]
    proved = _proved(question)
    columns: list[list[Number]] = [[max(error, -error) for error in run] for run in runs]
    columns += [proved] if proved else []
    labels = names + (["proved"] if proved else [])
    rows = tuple(
        (Num(t), *(Num(rounded(column[t], 6)) for column in columns))
        for t in places(question.updates)
    )
    why = "from 1 on, in the direction of each eigenvalue; gradients from before the start are none"
    why += picked(question.updates)
    yield Table(RUN, why, ("update", *labels), rows)
    yield distances("|w − w*|", columns, labels)


def _proved(question: StaleRun) -> list[Number]:
    """What the proof says of each update at least; nothing where it says nothing."""
    factor = Conditions(question).guaranteed
    if factor >= 1:
        return []
    ages = len(question.coefficients)
    return [Fraction(factor) ** -(-t // ages) for t in range(question.updates + 1)]


def _at(update: Expr) -> Expr:
    """The error after some *update*s."""
    return Fun("indexed", (Sym("e"), update))


_POINTS = 5  # curvatures at which the roots are shown
_AGES = 2  # that a heavy ball is followed beyond the stale gradients


def momentum_steps(question: StaleRun, declared: Mapping[str, Derived]) -> Iterator[Step]:
    """The momentum, the weights of a gradient by age, and both runs."""
    yield _factor(question, declared["momentum"])
    yield _by_age(question)
    yield _runs(question)
    yield defined(declared["momentum_gap"], gap(question))


def _factor(question: StaleRun, quantity: Derived) -> Step:
    if question.beta is not None and question.stale:
        why = "each coefficient is β times the one before, as with a heavy ball"
        return defined(quantity, question.beta, Sym("beta"), {"beta": question.beta}, why)
    stale = Conditions(question).stale_sum
    numbers = {"S": stale, "alpha_0": question.fresh}
    why = "so that α₀ + α₀·β + α₀·β^2 + … = α₀ + S: in the end a gradient counts as much"
    return defined(quantity, factor(question), Sym("S") / (Sym("alpha_0") + Sym("S")), numbers, why)


def _by_age(question: StaleRun) -> Table:
    momentum, ages = factor(question), len(question.coefficients)
    assert momentum is not None
    beta, rows = Fraction(momentum), []
    for age in range(ages + _AGES):
        ball = exact(question.fresh * beta**age)
        mine = question.coefficients[age] if age < ages else 0
        rows.append((Num(age), Num(rounded(mine, 6)), Num(rounded(ball, 6))))
    why = (
        "a heavy ball w + β·(w − w before) − α₀·g carries every gradient on, α₀·β^τ of it at age τ;"
        " staleness stops after k ages"
    )
    header = ("age", "of a stale gradient", "with a heavy ball")
    return Table(BY_AGE, why, header, tuple(rows))


def _runs(question: StaleRun) -> Table:
    pairs = both_runs(question)
    same = next((t for t, (a, b) in enumerate(pairs) if a != b), None)
    if same is None:
        alike = "the two are exactly equal in all updates"
    else:
        alike = f"the two are exactly equal up to update {same - 1}"
    why = f"w − w* from 1 on, where the curvature is {count_text(question.low)}; {alike}"
    why += picked(question.updates)
    rows = tuple(
        (Num(t), *(Num(rounded(error, 6)) for error in (*pairs[t], pairs[t][0] - pairs[t][1])))
        for t in places(question.updates)
    )
    header = ("update", "stale gradients", "heavy ball", "difference")
    return Table(BOTH_RUNS, why, header, rows)


def noise_steps(
    question: StaleRun, noise: Noise, declared: Mapping[str, Derived]
) -> Iterator[Step]:
    """The exact mean and variance, and the means over seeds beside them."""
    mean = errors(question.coefficients, question.low, question.updates)[-1]
    why = "the gradient is linear in w, so the mean obeys the recursion without noise"
    yield defined(declared["error_low"], mean, why=why)
    converges = question.quadratic.converges
    end = "this does not go to 0"
    if not converges:
        end = "no means over seeds follow, as it does not converge for every eigenvalue in [a, b]"
    why = f"every noise leaves its response, and variances add up; {end}"
    yield defined(declared["variance"], variance(question, question.low), why=why)
    if converges:
        yield _means(question, noise)


def _means(question: StaleRun, noise: Noise) -> Table:
    rows = []
    for h in dict.fromkeys((question.low, question.high)):
        ends = [noisy_end(question, h, Random(noise.seed + run)) for run in range(noise.runs)]  # noqa: S311
        exact = errors(question.coefficients, h, question.updates)[-1]
        cells = (Num(h), *measured(ends), Num(rounded(exact, 4)))
        rows.append((*cells, Num(rounded(variance(question, h), 4))))
    says = "as is proved" if Conditions(question).hold else "though the conditions do not prove it"
    why = (
        f"of w_T − w* over {count_text(noise.runs)} runs with noise of ±1 on each gradient;"
        f" the mean goes to 0, {says}, w itself does not"
    )
    header = ("h", "mean", "standard error", "exact mean", "exact variance")
    return Table("Means over seeds", why, header, tuple(rows))


_SHOWN = 6  # first steps in the table


def as_printed(question: StaleRun) -> Table:
    """The coefficients by step until they are too large."""
    broken = broken_after(question)
    assert broken is not None
    most = 1 / Fraction(question.high)
    values = [alpha for alpha, _ in zip(grown(question), range(broken + 1), strict=False)]
    rows: list[tuple[Num | str, ...]] = [
        (Num(step), Num(alpha), "≤ 1/b" if alpha <= most else "> 1/b: broken")
        for step, alpha in enumerate(values)
    ]
    if len(rows) > _SHOWN + 1:
        rows = [*rows[:_SHOWN], ("…", "…", "…"), rows[-1]]
    before = len(question.stale)
    summed = "the α before it" if before == 1 else f"the sum of the {before} before it"
    why = (
        f"by step, from step {before} on α_t must be at least 2b/a ≥ 2 times {summed}, so it"
        f" doubles for ever, against α_t ≤ 1/b; from c on it breaks at step {broken};"
        " so the α are read by age"
    )
    return Table(PRINTED, why, ("step t", "least α_t", "limit"), tuple(rows))
