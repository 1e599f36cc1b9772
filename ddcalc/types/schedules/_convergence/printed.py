"""The conditions as they are printed, with coefficients by step, and why that cannot be meant."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ddcalc.formula.expression import Num
from ddcalc.numbers.number import Number, quotient
from ddcalc.problem.steps import Table
from ddcalc.types.schedules._convergence.question import Question

_SHOWN = 6  # first steps in the table


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
