"""Ridge regression, exactly: f(w) = ‖Xw − y‖² + η‖w‖², its minimum and the ends of its curvature.

The gradient is 2(X'X + ηI)(w − w*), the Hessian 2(X'X + ηI), and w* = (X'X + ηI)^-1·X'y.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from ddcalc.errors import OverLimit
from ddcalc.formula.algebraic import Edge
from ddcalc.formula.algebraic import close_to
from ddcalc.formula.expression import Num
from ddcalc.formula.expression import Sym
from ddcalc.memory import remembered
from ddcalc.numbers.display import number_text
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import Number
from ddcalc.numbers.number import plain
from ddcalc.numbers.number import quotient
from ddcalc.numbers.units import COUNT
from ddcalc.problem.defining import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Compare
from ddcalc.problem.steps import DefineEach
from ddcalc.problem.steps import Step
from ddcalc.problem.steps import Table
from ddcalc.problem.steps import Value
from ddcalc.types.schedules._distances import distances
from ddcalc.types.schedules._distances import places
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import isqrt
from math import lcm
from operator import mul


Vector = tuple[Number, ...]


Matrix = list[list[Fraction]]


DIGITS = 7  # of an eigenvalue


@dataclass(frozen=True)
class Regression:
    """*rows* of inputs with their *targets*, and *eta*, which is positive."""

    rows: tuple[Vector, ...]
    targets: Vector
    eta: Number

    @cached_property
    def lengths(self) -> Vector:
        """‖x‖² of each row."""
        return tuple(sum(Fraction(x) ** 2 for x in row) for row in self.rows)

    @cached_property
    def hessian(self) -> Matrix:
        """2(X'X + ηI)."""
        columns = list(zip(*self.rows, strict=True))
        found = [[2 * _dot(a, b) for b in columns] for a in columns]
        for i in range(len(found)):
            found[i][i] += 2 * Fraction(self.eta)
        return found

    @cached_property
    def minimum(self) -> Vector:
        """w*."""
        from ddcalc.formula.linear import solution

        sides = [2 * _dot(column, self.targets) for column in zip(*self.rows, strict=True)]
        return solution(self.hessian, sides)

    @cached_property
    def eigenvalues(self) -> tuple[Edge, ...]:
        """Those of the Hessian, which is symmetric, so that they are real."""
        from ddcalc.formula.linear import eigenvalues

        return eigenvalues(self.hessian)

    @cached_property
    def smallest(self) -> Number:
        """The smallest eigenvalue of the Hessian, exact or rounded down to so many DIGITS."""
        return _rounded(self.eigenvalues[0], up=False)

    @cached_property
    def largest(self) -> Number:
        """The largest one, exact or rounded up."""
        return _rounded(self.eigenvalues[-1], up=True)


@remembered
def ridge(rows: tuple[Vector, ...], targets: Vector, eta: Number) -> Regression:
    """The regression, worked once."""
    return Regression(rows, targets, eta)


def _dot(one: Sequence[Number], other: Sequence[Number]) -> Fraction:
    pairs = zip(one, other, strict=True)
    return sum((Fraction(a) * b for a, b in pairs), Fraction(0))


def _rounded(x: Edge, up: bool) -> Number:
    """*x* itself if it is a number of so many DIGITS, else rounded *up* or down to them."""
    near = close_to(x, 3 * DIGITS)
    unit = Fraction(1)
    while near >= unit * 10**DIGITS:
        unit *= 10
    while near < unit * 10 ** (DIGITS - 1):
        unit /= 10
    told = -(-near // unit) * unit if up else near // unit * unit
    return quotient(told.numerator, told.denominator)


LONG = 1_000_000  # bits of the unit, times updates, times weights


BITS = 100  # of a distance


class Descent:
    """Gradient descent on *ridge* for so many *updates*, with the stale sum that is allowed.

    The largest eigenvalue is bounded *by_trace*, or by theorem 3 where that applies. OverLimit
    where the exact numbers of the run would get too long.
    """

    def __init__(self, ridge: Ridge, updates: int, by_trace: bool) -> None:
        self.ridge, self.updates = ridge, updates
        self.count = len(ridge.rows)
        self.longest = plain(max(ridge.lengths))
        self.applies = self.longest <= 1
        self.by_theorem = self.applies and not by_trace
        self.low = plain(2 * Fraction(ridge.eta))
        self.lengths = plain(sum(map(Fraction, ridge.lengths), Fraction(0)))
        most = self.count if self.by_theorem else self.lengths
        self.high = plain(2 * Fraction(most) + 2 * Fraction(ridge.eta))
        self.step = plain(1 / Fraction(self.high))
        self.share = plain(Fraction(self.low) / (2 * Fraction(self.high)))
        self.stale = plain(Fraction(self.share) * self.step)
        parts = (Fraction(h) * times for row in ridge.hessian for h in row for times in self._times)
        self.unit = lcm(*(part.denominator for part in parts))
        if self.unit.bit_length() * updates * len(ridge.hessian) > LONG:
            reason = "is too many; the numbers of the run get too long"
            raise OverLimit(f"{updates} {reason}").about("updates")

    @property
    def _times(self) -> tuple[Number, Number]:
        """The coefficients of the fresh gradient and of the one before."""
        return self.step, self.stale

    def values(self) -> dict[str, Value | tuple[Value, ...]]:
        """All derived quantities by name."""
        return {
            "instances": self.count,
            "longest": self.longest,
            "lengths": self.lengths,
            "weights": self.ridge.minimum,
            "low": self.low,
            "high": self.high,
            "smallest": self.ridge.smallest,
            "largest": self.ridge.largest,
            "step": self.step,
            "share": self.share,
            "stale_allowed": self.stale,
        }

    @cached_property
    def run(self) -> list[Number]:
        """‖w_t − w*‖ from w = 0 on, with a fresh gradient times the step and the one before times
        the stale sum.

        All errors are whole numbers over a power of one unit, so that what is 0 is exactly 0.
        """
        unit = self.unit
        fresh, stale = (
            [[int(unit * times * h) for h in row] for row in self.ridge.hessian]
            for times in self._times
        )
        bottom = lcm(*(w.denominator for w in self.ridge.minimum))
        errors = [-int(w * bottom) for w in self.ridge.minimum]
        before, found = [0] * len(errors), [_length(errors, bottom)]
        for _ in range(self.updates):
            rows = zip(errors, fresh, stale, strict=True)
            moved = [unit * (e - _whole_dot(s, before)) - _whole_dot(f, errors) for e, f, s in rows]
            errors, before, bottom = moved, errors, bottom * unit
            found.append(_length(errors, bottom))
        return found

    # Steps

    def steps(self, declared: Mapping[str, Derived]) -> Iterator[Step]:
        """From the data to the run."""
        known: dict[str, Number] = {"eta": self.ridge.eta, "n": self.count}
        yield defined(declared["instances"], self.count)
        yield from self._minimum(declared["weights"])
        yield defined(declared["longest"], self.longest)
        yield self._theorem()
        yield defined(declared["low"], self.low, 2 * ETA, known)
        yield defined(declared["lengths"], self.lengths)
        known["L"] = self.lengths
        if self.by_theorem:
            why = "X'X has no eigenvalue above its trace L, which is at most n"
            yield defined(declared["high"], self.high, 2 * N + 2 * ETA, known, why)
        else:
            yield defined(declared["high"], self.high, 2 * Sym("L") + 2 * ETA, known)
        known |= {"a": self.low, "b": self.high}
        yield from self._eigenvalues(declared, known)
        yield defined(declared["step"], self.step, 1 / B, known)
        share = ETA / (2 * (N + ETA)) if self.by_theorem else A / (2 * B)
        yield defined(declared["share"], self.share, share, known)
        known |= {"alpha_max": self.step, "s": self.share}
        yield defined(declared["stale_allowed"], self.stale, Sym("s") * Sym("alpha_max"), known)
        yield self._beside()
        yield from self._converging()

    def _minimum(self, quantity: Derived) -> Iterator[DefineEach]:
        rows = (defined(quantity, w, symbol=f"w_{i}") for i, w in enumerate(self.ridge.minimum, 1))
        yield DefineEach(quantity.name, quantity.title, quantity.why, tuple(rows))

    def _theorem(self) -> Table:
        if self.applies:
            why = "every ‖x‖^2 is at most 1, so theorem 3 applies: eigenvalues from 2η to 2n + 2η"
            if not self.by_theorem:
                closer = "more closely" if self.lengths < self.count else "just as closely"
                why += f"; here the trace of X'X bounds them {closer}"
        else:
            why = "a row has ‖x‖^2 above 1, so theorem 3 does not apply; the trace of X'X serves"
        long = sum(each > 1 for each in self.ridge.lengths)
        rows = (("at most 1", Num(self.count - long)), ("above 1", Num(long)))
        return Table("Whether the theorem applies", why, ("‖x‖^2", "rows"), rows)

    def _eigenvalues(
        self, declared: Mapping[str, Derived], known: Mapping[str, Number]
    ) -> Iterator[Step]:
        smallest, largest = self.ridge.smallest, self.ridge.largest
        yield defined(declared["smallest"], smallest)
        yield defined(declared["largest"], largest)
        lambdas = {"lambda_min": smallest, "lambda_max": largest, **known}
        pairs = (("lambda_min", A, smallest, self.low), ("lambda_max", B, largest, self.high))
        for name, bound, value, end in pairs:
            least = name == "lambda_min"
            sides = (end, value) if least else (value, end)
            relation = bound <= Sym(name) if least else Sym(name) <= bound
            why = "as it must be" if sides[0] <= sides[1] else "but for the rounding"
            title = "Smallest" if least else "Largest"
            yield Compare(
                title, why, relation, name, value, lambdas, *sides, COUNT, sides[0] <= sides[1]
            )

    def _beside(self) -> Table:
        """What theorem 2 allows with the bounds, and with the eigenvalues as they are."""
        low, high = Fraction(self.ridge.smallest), Fraction(self.ridge.largest)
        share = low / (2 * high)
        pairs = (
            ("step", self.step, 1 / high),
            ("share for stale gradients", self.share, share),
            ("stale sum", self.stale, share / high),
        )
        rows = tuple((name, *map(_told, cells)) for name, *cells in pairs)
        why = "theorem 2 holds for any a and b that enclose the eigenvalues; these bounds are safe"
        return Table("What closer bounds would allow", why, ("", "a and b", "eigenvalues"), rows)

    def _converging(self) -> Iterator[Step]:
        left = rounded(Fraction(self.run[-1]) / self.run[0] if self.run[0] else 0, 3)
        always = all(after <= before for before, after in pairwise(self.run))
        grows = "it never grows" if always else "it is smaller in the end"
        why = (
            f"from w = 0, fresh gradients times 1/b and those an update old times the stale sum;"
            f" {grows}, and {number_text(left)[0]} of the distance is left"
        )
        rows = tuple((Num(t), Num(self._rounded(t))) for t in places(self.updates))
        yield Table("A run that converges", why, ("update", "‖w − w*‖"), rows)
        shown = [self._rounded(t) for t in range(self.updates + 1)]
        yield distances("‖w − w*‖", [shown], [""])

    def _rounded(self, t: int) -> Number:
        return rounded(self.run[t], 6)


def _whole_dot(row: Sequence[int], vector: Sequence[int]) -> int:
    return sum(map(mul, row, vector))


def _length(tops: Sequence[int], bottom: int) -> Number:
    """The length of *tops*, each divided by *bottom*: 0 exactly, else to so many BITS."""
    if not any(tops):
        return 0
    above = max(map(int.bit_length, tops)) - 2 * BITS
    below = bottom.bit_length() - 2 * BITS
    short = [_shifted(top, above) for top in tops]
    length = Fraction(isqrt(_whole_dot(short, short)), _shifted(bottom, below))
    return length * Fraction(2) ** (above - below)


def _shifted(number: int, bits: int) -> int:
    return number >> bits if bits >= 0 else number << -bits
