"""The data of a ridge regression: as stated, or made from a seed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from random import Random

from ddcalc.errors import BadValue, OverLimit
from ddcalc.numbers.number import Number
from ddcalc.problem.play import PlayedGivens, one, several, whole

Vector = tuple[Number, ...]

COLUMNS = 20  # at most
CELLS = 10_000
KEPT = 4  # digits of one over the length of a row


@dataclass(frozen=True, slots=True)
class RidgeQuestion:
    """*rows* of inputs with their *targets*, *eta*, and how many *updates* are run."""

    rows: tuple[Vector, ...]
    targets: Vector
    eta: Number
    updates: int


def question(given: PlayedGivens, scaled: bool) -> RidgeQuestion:
    """What *given* states or asks to be made, its rows *scaled* to a length of at most 1."""
    eta, updates = one(given, "eta"), whole(given, "updates")
    assert eta is not None
    assert updates is not None
    rows, targets = _stated(given) if "targets" in given or "inputs" in given else _made(given)
    if len(rows[0]) > COLUMNS:
        reason = f"is too many; rows may have {COLUMNS}"
        raise OverLimit(f"{len(rows[0])} inputs in a row {reason}").about("inputs")
    if scaled:
        rows = tuple(map(_scaled, rows))
    return RidgeQuestion(rows, targets, eta, updates)


def _stated(given: PlayedGivens) -> tuple[tuple[Vector, ...], Vector]:
    targets, inputs = several(given, "targets"), several(given, "inputs")
    for name, values in (("targets", targets), ("inputs", inputs)):
        if not values:
            raise BadValue("no value", "is stated; inputs and targets go together").about(name)
    for name in ("rows", "columns", "seed"):
        if (count := whole(given, name)) is not None:
            raise BadValue(str(count), "is for made data; the data say it").about(name)
    length, rest = divmod(len(inputs), len(targets))
    if rest or not length:
        reason = f"does not fit {len(targets)} targets; each needs equally many inputs"
        raise BadValue(f"a list of {len(inputs)}", reason).about("inputs")
    return tuple(inputs[i : i + length] for i in range(0, len(inputs), length)), targets


def _made(given: PlayedGivens) -> tuple[tuple[Vector, ...], Vector]:
    """Inputs between −1 and 1 in steps of 0.1; targets of small whole weights, off by up to 0.5."""
    rows, columns, seed = (whole(given, name) for name in ("rows", "columns", "seed"))
    assert rows is not None
    columns, seed = columns or 2, 1 if seed is None else seed
    if rows * columns > CELLS:
        raise OverLimit(f"rows times columns are more than {CELLS}").about("rows")
    draw = Random(seed)  # noqa: S311 - reproducible, not secret
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
