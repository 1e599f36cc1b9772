"""What a quadratic really does, told beside what the theorems promise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from ddcalc.formula.expression import Expr, Num, Sym
from ddcalc.numbers.approximate import ratio
from ddcalc.numbers.display import number_text, quantity_text
from ddcalc.numbers.number import Number
from ddcalc.problem.play import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Step, Table
from ddcalc.types.schedules._convergence.conditions import Conditions
from ddcalc.types.schedules._convergence.question import Question

H, Z = Sym("h"), Sym("z")
_WRITTEN = 5  # ages up to which the matrix is written out
Cell = str | Expr


class Roots:
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
