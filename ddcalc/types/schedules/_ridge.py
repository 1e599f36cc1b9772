"""Ridge regression, exactly: f(w) = ‖Xw − y‖² + η‖w‖², its minimum, the ends of its curvature, and
a run with the step and the stale sum that a bound on its curvature allows.

The gradient is 2(X'X + ηI)(w − w*), the Hessian 2(X'X + ηI), and w* = (X'X + ηI)^-1·X'y.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt, lcm
from operator import mul
from random import Random
from typing import Final

from ddcalc.errors import BadValue, OverLimit
from ddcalc.formula.algebraic import Edge, close_to
from ddcalc.memory import remembered
from ddcalc.numbers.number import Number, plain
from ddcalc.problem.play import PlayedGivens, one, several, whole

Vector = tuple[Number, ...]
Matrix = list[list[Fraction]]

COLUMNS: Final = 20  # at most
CELLS: Final = 10_000
KEPT: Final = 4  # digits of one over the length of a row
FEW: Final = 3  # rows whose parts of the gradient are added up
DIGITS: Final = 7  # of an eigenvalue
LONG: Final = 1_000_000  # bits of the unit, times updates, times weights
BITS: Final = 100  # of a distance


def table(given: PlayedGivens, reading: Mapping[str, str]) -> dict[str, Number | Vector | None]:
    """The regression, its minimum and its curvatures, and the run that tries the bounds."""
    rows, targets = _stated(given) if "targets" in given or "inputs" in given else _made(given)
    if len(rows[0]) > COLUMNS:
        reason = f"is too many; rows may have {COLUMNS}"
        raise OverLimit(f"{len(rows[0])} inputs in a row {reason}").about("inputs")
    if reading["length"] == "scaled":
        rows = tuple(map(_scaled, rows))
    eta, updates = one(given, "eta") or 0, whole(given, "updates") or 0
    ridge = regression(rows, targets, eta)
    longest, lengths = max(ridge.lengths), sum(map(Fraction, ridge.lengths), Fraction(0))
    most = len(rows) if longest <= 1 and reading["bound"] == "theorem" else lengths
    few = 1 < len(rows) <= FEW
    step = 1 / (2 * most + 2 * Fraction(eta))
    return {
        "instances": len(rows),
        "longest": plain(longest),
        "lengths": plain(lengths),
        "smallest": ridge.smallest,
        "largest": ridge.largest,
        "weights": tuple(map(plain, ridge.minimum)),
        "firsts": tuple(row[0] for row in rows) if few else None,
        "hessian": tuple(plain(cell) for row in ridge.hessian for cell in row),
        "misses": ridge.misses if few else None,
        "distances": ridge.run(step, Fraction(eta) * step**2, updates),
    }


def _stated(given: PlayedGivens) -> tuple[tuple[Vector, ...], Vector]:
    targets, inputs = several(given, "targets"), several(given, "inputs")
    for name, values in (("targets", targets), ("inputs", inputs)):
        if not values:
            raise BadValue("no value", "is stated; inputs and targets go together").about(name)
    length, rest = divmod(len(inputs), len(targets))
    if rest or not length:
        reason = f"does not fit {len(targets)} targets; each needs equally many inputs"
        raise BadValue(f"a list of {len(inputs)}", reason).about("inputs")
    return tuple(inputs[i : i + length] for i in range(0, len(inputs), length)), targets


def _made(given: PlayedGivens) -> tuple[tuple[Vector, ...], Vector]:
    """Inputs between −1 and 1 in steps of 0.1; targets of small whole weights, off by up to 0.5."""
    rows, columns, seed = (whole(given, name) for name in ("rows", "columns", "seed"))
    rows, columns = rows or 1, columns or 2
    if rows * columns > CELLS:
        raise OverLimit(f"rows times columns are more than {CELLS}").about("rows")
    draw = Random(1 if seed is None else seed)  # noqa: S311 - reproducible, not secret
    weights = [draw.randint(-3, 3) for _ in range(columns)]
    inputs, targets = [], []
    for _ in range(rows):
        row = tuple(Fraction(draw.randint(-10, 10), 10) for _ in range(columns))
        pairs = zip(weights, row, strict=True)
        inputs.append(row)
        targets.append(sum(w * x for w, x in pairs) + Fraction(draw.randint(-5, 5), 10))
    return tuple(inputs), tuple(targets)


def _scaled(row: Vector) -> Vector:
    """*row* times one over its length, which is rounded down; one of zeros as it is.

    Decimals keep the numbers of the regression short, which lengths as divisors would not.
    """
    square = sum(Fraction(x) ** 2 for x in row)
    if not square:
        return row
    unit = Fraction(1)
    while unit**2 * square > 1:  # no more than one over the length
        unit /= 10
    while unit**2 * square * 100 <= 1:
        unit *= 10
    unit /= 10 ** (KEPT - 1)
    times = isqrt(int(1 / (square * unit**2)))
    return tuple(x * times * unit for x in row)


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
        hessian = [[2 * _dot(a, b) for b in columns] for a in columns]
        for i, row in enumerate(hessian):
            row[i] += 2 * Fraction(self.eta)
        return hessian

    @cached_property
    def minimum(self) -> Vector:
        """w*."""
        from ddcalc.formula.zeros import solution

        sides = [2 * _dot(column, self.targets) for column in zip(*self.rows, strict=True)]
        return solution(self.hessian, sides)

    @cached_property
    def eigenvalues(self) -> tuple[Edge, ...]:
        """Those of the Hessian, which is symmetric, so that they are real."""
        from ddcalc.formula.zeros import eigenvalues

        return eigenvalues(self.hessian)

    @cached_property
    def smallest(self) -> Number:
        """The smallest eigenvalue of the Hessian, exact or rounded down to DIGITS digits."""
        if len(self.hessian) == 1:
            return plain(self.hessian[0][0])
        return max(_rounded(self.eigenvalues[0], up=False), plain(2 * Fraction(self.eta)))

    @cached_property
    def largest(self) -> Number:
        """The largest one, exact or rounded up, but not beyond the bound by the trace of X'X."""
        most = 2 * sum(map(Fraction, self.lengths)) + 2 * Fraction(self.eta)
        return min(_rounded(self.eigenvalues[-1], up=True), plain(most))

    @property
    def misses(self) -> Vector:
        """By how much the fit is above the target of each row."""
        fits = (_dot(row, self.minimum) - y for row, y in zip(self.rows, self.targets, strict=True))
        return tuple(map(plain, fits))

    def run(self, fresh: Fraction, stale: Fraction, updates: int) -> Vector:
        """‖w_t − w*‖ from w = 0 on, with a *fresh* gradient times that and the one before times
        *stale*; OverLimit where its exact numbers would get too long.

        All errors are whole numbers over a power of one unit, so that what is 0 is exactly 0.
        """
        parts = [[[times * h for h in row] for row in self.hessian] for times in (fresh, stale)]
        unit = lcm(*(cell.denominator for rows in parts for row in rows for cell in row))
        if unit.bit_length() * updates * len(self.hessian) > LONG:
            reason = "is too many; the numbers of the run get too long"
            raise OverLimit(f"{updates} {reason}").about("updates")
        news, olds = ([[int(unit * cell) for cell in row] for row in rows] for rows in parts)
        bottom = lcm(*(w.denominator for w in self.minimum))
        errors = [-int(w * bottom) for w in self.minimum]
        before, lengths = [0] * len(errors), [_length(errors, bottom)]
        for _ in range(updates):
            rows = zip(errors, news, olds, strict=True)
            moved = [unit * (e - _whole_dot(o, before)) - _whole_dot(n, errors) for e, n, o in rows]
            errors, before, bottom = moved, errors, bottom * unit
            lengths.append(_length(errors, bottom))
        return tuple(lengths)


@remembered
def regression(rows: tuple[Vector, ...], targets: Vector, eta: Number) -> Regression:
    """The regression, worked once."""
    return Regression(rows, targets, eta)


def _dot(one: Sequence[Number], other: Sequence[Number]) -> Fraction:
    pairs = zip(one, other, strict=True)
    return sum((Fraction(a) * b for a, b in pairs), Fraction(0))


def _rounded(x: Edge, up: bool) -> Number:
    """*x* itself if it has at most DIGITS digits, else rounded *up* or down to them."""
    near = close_to(x, 3 * DIGITS)
    unit = Fraction(1)
    while near >= unit * 10**DIGITS:
        unit *= 10
    while near < unit * 10 ** (DIGITS - 1):
        unit /= 10
    return plain(-(-near // unit) * unit if up else near // unit * unit)


def _whole_dot(row: Sequence[int], vector: Sequence[int]) -> int:
    return sum(map(mul, row, vector))


def _length(tops: Sequence[int], bottom: int) -> Number:
    """The length of *tops*, each divided by *bottom*: exactly 0, else to BITS bits."""
    if not any(tops):
        return 0
    above = max(map(int.bit_length, tops)) - 2 * BITS
    below = bottom.bit_length() - 2 * BITS
    short = [_shifted(top, above) for top in tops]
    length = Fraction(isqrt(_whole_dot(short, short)), _shifted(bottom, below))
    return length * Fraction(2) ** (above - below)


def _shifted(number: int, bits: int) -> int:
    return number >> bits if bits >= 0 else number << -bits
