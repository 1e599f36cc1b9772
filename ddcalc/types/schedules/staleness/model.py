"""Runs with stale gradients on a quadratic, exactly, with noise, as a heavy ball, or without late gradients."""

from __future__ import annotations

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
from ddcalc.types.schedules._distances import places
from ddcalc.types.schedules.staleness.account import measured
from ddcalc.types.schedules.staleness.question import Noise
from ddcalc.types.schedules.staleness.question import Question
from fractions import Fraction
from math import lcm
from math import sqrt
from random import Random
from statistics import fmean
from statistics import stdev


_LONG = 1024  # bits beyond which a number is short as rounded


@remembered
def errors(coefficients: tuple[Number, ...], h: Number, updates: int) -> tuple[Number, ...]:
    """w_t − w* after 0, 1, … *updates* where the curvature is *h*, from 1 on.

    Gradients from before the start are none.
    """
    return tuple(map(short, exact_errors(coefficients, h, updates)))


def exact_errors(coefficients: Sequence[Number], h: Number, updates: int) -> list[Fraction]:
    """The same, however long the numbers get."""
    tops, unit = whole_errors(coefficients, h, updates)
    return [Fraction(top, unit**t) for t, top in enumerate(tops)]


def whole_errors(coefficients: Sequence[Number], h: Number, updates: int) -> tuple[list[int], int]:
    """Whole numbers and a unit, whose power t is what the number of update t is to be divided by.

    Fractions would be reduced in every update, which takes most of the time.
    """
    moves = [Fraction(h) * alpha for alpha in coefficients]
    unit = lcm(*(move.denominator for move in moves))
    tops = [move.numerator * (unit // move.denominator) * unit**i for i, move in enumerate(moves)]
    found = [1]
    for _ in range(updates):
        used = zip(tops, reversed(found), strict=False)
        found.append(unit * found[-1] - sum(top * error for top, error in used))
    return found, unit


def short(value: Fraction) -> Number:
    """*value*, marked as rounded where it is too long to be short."""
    if value.denominator == 1 and value.numerator.bit_length() <= _LONG:
        return value.numerator
    long = value.numerator.bit_length() + value.denominator.bit_length() > _LONG
    return Approximate(value, 0) if long else value


_BITS = 160


def exact(value: Number) -> Number:
    """*value* as an int where it is whole."""
    return ratio(value, 1)


@dataclass(frozen=True)
class Conditions:
    """What the theorems allow in *asked*, and what there is."""

    asked: Question

    @property
    def stale_sum(self) -> Number:
        return exact(sum(map(Fraction, self.asked.stale), Fraction(0)))

    @property
    def share(self) -> Fraction:
        """The part of the fresh coefficient that the stale ones may add up to."""
        return Fraction(self.asked.low) / (2 * Fraction(self.asked.high))

    @property
    def stale_allowed(self) -> Number | None:
        """None where the fresh coefficient is too large, so that the theorems allow nothing."""
        return exact(self.share * self.asked.fresh) if self.step_margin >= 0 else None

    @property
    def step_allowed(self) -> Number:
        return exact(1 / Fraction(self.asked.high))

    @property
    def stale_margin(self) -> Number | None:
        allowed = self.stale_allowed
        return None if allowed is None else exact(Fraction(allowed) - self.stale_sum)

    @property
    def scaled_step_allowed(self) -> Number | None:
        """The largest fresh coefficient that the theorems allow with all others in their ratio.

        No scale changes the ratio of the stale sum; None where that alone is too large.
        """
        fits = self.stale_sum <= self.share * self.asked.fresh
        return self.step_allowed if fits else None

    @property
    def step_margin(self) -> Number:
        return exact(Fraction(self.step_allowed) - self.asked.fresh)

    @property
    def hold(self) -> bool:
        return self.stale_margin is not None and self.stale_margin >= 0

    @property
    def smallest(self) -> Number:
        return min(self.asked.coefficients)

    @property
    def guaranteed(self) -> Number:
        """The factor by which the largest of k distances shrinks at least, or grows at most."""
        asked = self.asked
        left = [1 - Fraction(asked.low) * asked.fresh, Fraction(asked.high) * asked.fresh - 1]
        return exact(max(left) + Fraction(asked.high) * self.stale_sum)

    @property
    def beta_allowed(self) -> Number | None:
        """The largest β for which coefficients α_0·β^τ are allowed; None without stale ones, or
        where α_0 is not."""
        ages = len(self.asked.stale) if self.step_margin >= 0 else 0
        if ages < 2:
            return exact(self.share) if ages else None
        low, high = Fraction(0), Fraction(1)
        while high - low > high / 2**_BITS:
            middle = (low + high) / 2
            if sum(middle**age for age in range(1, ages + 1)) <= self.share:
                low = middle
            else:
                high = middle
        return Approximate(low, 2.0**-_BITS)

    # Steps

    def steps(self, declared: Mapping[str, Derived]) -> Iterator[Step]:
        """Every condition with its margin, and why they are enough."""
        yield from self._coefficients()
        ages = len(self.asked.stale)
        known = {f"alpha_{i}": each for i, each in enumerate(self.asked.coefficients)}
        known |= {"a": self.asked.low, "b": self.asked.high}
        added = total(Sym(f"alpha_{age}") for age in range(1, ages + 1)) if ages else Num(0)
        yield self._smallest(declared["smallest"], known)
        yield defined(declared["step_allowed"], self.step_allowed, Num(1) / B, known)
        yield self._compared(FRESH, Num(1) / B, self.step_margin, known)
        yield defined(declared["stale_sum"], self.stale_sum, added, known)
        allowed = A / (2 * B) * FRESH
        margin = self.stale_margin
        if margin is None:
            yield defined(declared["stale_allowed"], None, why=_VOID)
        else:
            yield defined(declared["stale_allowed"], self.stale_allowed, allowed, known)
        known |= {"S": self.stale_sum}
        if margin is not None:
            yield self._compared(S, allowed, margin, known)
        yield self._theorems()
        yield from self._proof(declared["guaranteed"], known)
        if ages:
            yield self._beta(declared["beta_allowed"], known)

    def _coefficients(self) -> Iterator[DefineEach]:
        asked = self.asked
        if asked.beta is None or not asked.stale:
            return
        alpha, beta = Sym("alpha"), Sym("beta")
        numbers = {"alpha": asked.fresh, "beta": asked.beta}
        title, why = "Coefficients by age", "each is β times the one a step younger"
        of_age = Derived("alpha", title, COUNT, why, name="coefficients")
        rows = (
            defined(of_age, each, alpha * beta**age, numbers, why, f"alpha_{age}")
            for age, each in enumerate(asked.coefficients)
        )
        yield DefineEach("coefficients", title, why, tuple(rows))

    def _smallest(self, quantity: Derived, known: Mapping[str, Number]) -> Define:
        letters = [Sym(f"alpha_{i}") for i in range(len(self.asked.coefficients))]
        formula: Expr = smallest(*letters) if len(letters) > 1 else letters[0]
        return defined(quantity, self.smallest, formula, known)

    def _compared(
        self, left: Sym, right: Expr, spare: Number, known: Mapping[str, Number]
    ) -> Compare:
        """*left* ≤ *right*, which leaves so much to *spare*."""
        here = Fraction(self.asked.fresh if left == FRESH else self.stale_sum)
        size, is_exact = number_text(abs(Fraction(spare)))
        told = size if is_exact else f"about {size}"
        why = f"holds, {told} to spare" if spare > 0 else f"fails, by {told}"
        if left == S and spare < 0 and len({*self.asked.coefficients}) == 1:
            why += "; with equal coefficients only k = 1 passes, as a/(2b) is at most 1/2"
        return Compare(
            title="Fresh" if left == FRESH else "Stale",
            why=why if spare else "holds, with nothing to spare",
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
        return Table("What the theorems say", why, ("theorem", "for", "applies"), rows)

    def _proof(self, quantity: Derived, known: Mapping[str, Number]) -> Iterator[Step]:
        value, small = self.guaranteed, self.step_margin >= 0
        ends = 1 - A * FRESH, B * FRESH - 1
        formula = (ends[0] if small else largest(*ends)) + B * S
        why = quantity.why if value < 1 else "it is not below 1, so nothing is proved"
        yield defined(quantity, value, formula, known, why)
        if value < 1:
            yield self._chain(ends[0] if small else largest(*ends))

    def _chain(self, fresh: Expr) -> Bound:
        """Why the distance shrinks by q, if the fresh gradient leaves the part *fresh* of it."""
        most = Sym("M")
        links = [
            Link("≤", fresh * most + B * S * most, "every h is between a and b"),
            Link("=", Sym("q") * most, "M is the largest of the last k distances"),
        ]
        if self.hold:
            links.append(Link("≤", (1 - A * FRESH / 2) * most, "b·S ≤ a·α₀/2, as the stale sum is"))
        why = "so after k updates M is smaller by q, and so on; the curvature may vary all the time"
        subject = Fun("norm", (Sym("e_next"),))
        return Bound("", "", "Why that is enough", why, subject, tuple(links), self.guaranteed)

    def _beta(self, quantity: Derived, known: Mapping[str, Number]) -> Define:
        ages = len(self.asked.stale)
        if self.step_margin < 0:
            return defined(quantity, None, why=_VOID)
        if ages == 1:
            return defined(quantity, self.beta_allowed, A / (2 * B), known)
        why = f"the β at which {_sum_text(ages)} = a/(2b)"
        return defined(quantity, self.beta_allowed, None, known, why)


def factor(asked: Question) -> Number:
    """The momentum that these coefficients act like: their own β, else the one with whose powers
    they have the same sum."""
    if asked.beta is not None and asked.stale:
        return asked.beta
    stale = Fraction(Conditions(asked).stale_sum)
    return exact(stale / (asked.fresh + stale))


def heavy_ball(asked: Question, h: Number) -> list[Number]:
    """w_t − w* after 0, 1, … updates of a heavy ball where the curvature is *h*, from 1 on."""
    beta, step = Fraction(factor(asked)), Fraction(h) * asked.fresh
    found = [Fraction(1), 1 - step]
    while len(found) <= asked.updates:
        found.append(found[-1] + beta * (found[-1] - found[-2]) - step * found[-1])
    return [told(each) for each in found[: asked.updates + 1]]


def gap(asked: Question) -> Number:
    """The largest difference of the two runs at the smallest curvature."""
    return max(abs(a - b) for a, b in _pairs(asked))


def _pairs(asked: Question) -> list[tuple[Fraction, Fraction]]:
    stale = errors(asked.coefficients, asked.low, asked.updates)
    ball = heavy_ball(asked, asked.low)
    return [(Fraction(a), Fraction(b)) for a, b in zip(stale, ball, strict=True)]


def variance(asked: Question, h: Number) -> Number:
    """The exact variance of w_T where the curvature is *h* and the noise has variance 1."""
    impulse, unit = whole_errors(asked.coefficients, h, asked.updates)
    common = lcm(*(alpha.denominator for alpha in asked.coefficients))
    tops = [int(alpha * common) * unit**age for age, alpha in enumerate(asked.coefficients)]
    squares = 0  # over unit^(2·after)
    for after in range(asked.updates):
        used = zip(tops, reversed(impulse[: after + 1]), strict=False)
        squares = squares * unit**2 + sum(top * response for top, response in used) ** 2
    last = max(asked.updates - 1, 0)
    return told(Fraction(squares, (common * unit**last) ** 2))


def _end(asked: Question, h: Number, random: Random) -> float:
    """w_T − w* of one run with noise."""
    curvature = h.numerator / h.denominator
    coefficients = [each.numerator / each.denominator for each in asked.coefficients]
    error, gradients = 1.0, [0.0] * len(coefficients)  # the newest first
    for _ in range(asked.updates):
        noise = 1 - 2 * random.getrandbits(1)
        gradients = [curvature * error + noise, *gradients[:-1]]
        error -= sum(alpha * g for alpha, g in zip(coefficients, gradients, strict=True))
    return error


KINKED_MEAN = Fraction(-1, 6)


KINKED_UPDATES = 60  # after which the start is forgotten: it halves in each


def positions(branch: int) -> Iterator[tuple[Fraction, Fraction]]:
    """Where the run is, and how often in the long run, up to the *branch*-th place of each kind."""
    yield Fraction(1, 2), Fraction(1, 4)
    for j in range(1, branch + 1):
        yield Fraction(1, 2 ** (j + 1)), Fraction(1, 2 ** (j + 2))
        yield Fraction(1, 2**j) - 1, Fraction(1, 2 ** (j + 1))


def kinked_end(random: Random) -> float:
    w = 0.0
    for _ in range(KINKED_UPDATES):
        noise = 1 - 2 * random.getrandbits(1)
        w -= ((w if w < 0 else 2 * w) + noise) / 2
    return w


TARGETS = (0, 0, 3)  # the last one's worker is late


PUNCTUAL = 2


STEP = Fraction(1, 2)


LATE_UPDATES = 20


def dropped() -> list[Fraction]:
    """w after 0, 1, … updates with the punctual gradients' mean alone, from 3 on."""
    found = [Fraction(3)]
    for _ in range(LATE_UPDATES):
        gradients = [found[-1] - target for target in TARGETS[:PUNCTUAL]]
        found.append(found[-1] - STEP * sum(gradients) / PUNCTUAL)
    return found


def reused() -> list[Fraction]:
    """The same where a late gradient joins the next update; all workers count the same."""
    found = [Fraction(3)]
    late = [Fraction(0)] * (len(TARGETS) - PUNCTUAL)
    for _ in range(LATE_UPDATES):
        w = found[-1]
        gradients = [w - target for target in TARGETS[:PUNCTUAL]]
        found.append(w - STEP * (sum(gradients) + sum(late)) / len(TARGETS))
        late = [w - target for target in TARGETS[PUNCTUAL:]]
    return found


def grown(asked: Question) -> Iterator[Number]:
    """The smallest coefficients by step that the printed condition admits, from k − 1 times the
    smallest one on."""
    ages = len(asked.coefficients)
    factor = 2 * Fraction(asked.high) / asked.low
    last = [Fraction(min(asked.coefficients))] * (ages - 1)
    yield from last
    while True:
        least = factor * sum(last)
        yield quotient(least.numerator, least.denominator)
        last = [*last[1:], least]


def broken_after(asked: Question) -> int | None:
    """The first step whose coefficient is above 1/b as printed; None where nothing is stale."""
    if not asked.stale:
        return None
    most = 1 / Fraction(asked.high)
    return next(step for step, each in enumerate(grown(asked)) if each > most)
