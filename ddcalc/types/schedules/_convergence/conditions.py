"""The conditions of the theorems, read by age, with what they leave to spare.

Theorem 1 is about one dimension with a curvature between a and b, theorem 2 about more with
eigenvalues of the Hessian between them, theorem 4 about noisy gradients. All three ask for
0 < a ≤ b, for c ≤ α ≤ 1/b with some c > 0, and for stale coefficients that add up to at most
a/(2b) times the fresh one (the poster on staleness, whose indices count steps; see ``printed``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ddcalc.formula.algebra import largest, smallest, total
from ddcalc.formula.expression import Expr, Fun, Num, Sym
from ddcalc.numbers.approximate import Approximate, ratio
from ddcalc.numbers.display import number_text
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import COUNT
from ddcalc.problem.play import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Bound, Compare, Define, DefineEach, Link, Step, Table
from ddcalc.types.schedules._convergence.question import Question

A, B, S = Sym("a"), Sym("b"), Sym("S")
FRESH = Sym("alpha_0")
_BITS = 160
_VOID = "none, as the fresh coefficient is more than 1/b"


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


def _sum_text(ages: int) -> str:
    return "β + β^2" if ages == 2 else f"β + … + β^{ages}"
