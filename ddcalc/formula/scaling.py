"""Numbers for compiled equations: whole ones where dimensions allow it, exact and much faster.

Formulas that are sound in their dimensions do not care in which unit times are told, as long as
nothing that has a dimension is rounded. So times are told in a unit in which all of them are whole.
Formulas that may be worth no rational number keep plain fractions, which know what is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import lcm

from ddcalc.formula.coherence import dimension_of
from ddcalc.formula.exactness import may_round
from ddcalc.formula.expression import Expr, Fun, Number
from ddcalc.numbers.number import quotient
from ddcalc.numbers.units import ONE, TIME, Dimension

WIDEST = 64  # bits of a common denominator beyond which fractions are cheaper

Results = tuple[Number | None, ...]
Function = Callable[..., Results]


@dataclass(frozen=True, slots=True)
class Numbers:
    """The values of givens in base units, and with *whole* times in so many *parts* of a second."""

    plain: Sequence[Number]
    whole: Sequence[Number]
    parts: int


def prepared(plain: Sequence[Number], timed: Sequence[bool]) -> Numbers:
    """The numbers of givens, of which *timed* says which are times."""
    parts = 1
    for n, time in zip(plain, timed, strict=True):
        if time and parts % n.denominator:
            parts = lcm(parts, n.denominator)
            if parts.bit_length() > WIDEST:
                return Numbers(plain, plain, 1)
    if parts == 1:
        return Numbers(plain, plain, 1)
    whole = [
        n.numerator * (parts // n.denominator) if time else n
        for n, time in zip(plain, timed, strict=True)
    ]
    return Numbers(plain, whole, parts)


class Scaled:
    """A compiled *function* of *givens*, called on whole times where its *rules* allow it.

    *known* tells what every letter measures. *plain* leaves the numbers as they are in any case,
    where finding out would take longer than it saves.
    """

    def __init__(
        self,
        function: Function,
        givens: Iterable[str],
        rules: Sequence[tuple[str, Expr]],
        known: Mapping[str, Dimension],
        *,
        plain: bool = False,
    ) -> None:
        self.function = function
        results = [known[letter] for letter, _ in rules]
        self.told = [dimension == TIME for dimension in results]
        self.whole = (
            not plain
            and {*results, *(known[letter] for letter in givens)} <= {ONE, TIME}
            and not any(rounds(formula, known) for _, formula in rules)
        )

    def __call__(self, numbers: Numbers) -> Results:
        """The values in base units."""
        if not self.whole or numbers.parts == 1:
            return self.function(*numbers.plain)
        parts = numbers.parts
        return tuple(
            quotient(value.numerator, value.denominator * parts) if time and value else value
            for value, time in zip(self.function(*numbers.whole), self.told, strict=True)
        )


def rounds(formula: Expr, dimensions: Mapping[str, Dimension]) -> bool:
    """Whether *formula* may round its value, or rounds something with a dimension to a whole."""
    return may_round(formula) or _rounds_amounts(formula, dimensions)


def _rounds_amounts(formula: Expr, dimensions: Mapping[str, Dimension]) -> bool:
    match formula:
        case Fun("floor" | "ceiling", (arg,)) if dimension_of(arg, dimensions) != ONE:
            return True
    return any(_rounds_amounts(part, dimensions) for part in formula.parts())
