"""How alike two questions are in other numbers: as clean, about as large, in the same cases."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ddcalc.ask.solve import Derivation
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.display import decimals, number_text
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import in_units, magnitude
from ddcalc.numbers.units import Unit
from ddcalc.problem.steps import Value

FURTHER = 10  # times that an answer may be larger or smaller than that of the base
PLAYED = 4  # times more or less that a play may count of what happens: that makes it long
COUNTED = 2  # times that a draw like the base may
Results = Mapping[str, Value | tuple[Value, ...]]

_BEHIND = re.compile(r"\.([0-9]+)")


class Likeness:
    """How alike a question is to *mine*, whose answer has at most so many *digits* behind the point
    (None: as many as that of *mine*): as clean and large, the same cases."""

    def __init__(self, mine: Derivation, digits: int | None = None) -> None:
        self.worked, self.quantities = mine.working, mine.problem.quantities
        self.digits = digits
        self.cases = [*self.worked.cases()]
        self.most = self._most_places()

    def of(self, solved: Derivation) -> tuple[bool, bool]:
        """Whether what is *solved* is alike, and whether results on the way are as clean, too."""
        base, worked, values = self.worked, solved.working, solved.values
        is_alike = (
            values.keys() == base.values.keys()
            and worked.answer == base.answer
            and self._is_clean(values, [base.answer])
            and is_near(base.values[base.answer], values[base.answer], FURTHER)
            and self._is_as_long(values, PLAYED)
            and [*worked.cases()] == self.cases
        )
        is_strict = is_alike and self._is_clean(values, [*self.most])
        return is_alike, is_strict and self._is_as_long(values, COUNTED)

    def _is_as_long(self, values: Results, times: int) -> bool:
        """Whether what a play counts is at most so many *times* more or less than in the base."""
        base = self.worked.values.items() if self.worked.dear else ()
        return all(is_near(x, values[name], times) for name, x in base if isinstance(x, int))

    # How clean a question is: its results end as soon. Digits behind the point are counted in the
    # unit in which a quantity is shown. A result that never ends has no such number, and then none
    # is asked of a variant.

    def _most_places(self) -> dict[str, int]:
        """The digits behind the point that results may have: of the answer as many as are wanted,
        else those of the base, of other results no fewer than what is wanted."""
        most, digits, answer = {}, self.digits, self.worked.answer
        for name, value in self.worked.values.items():
            ends = self._places(name, value)
            if ends is not None and ends >= 0:
                most[name] = max(ends, digits or 0)
        if digits is not None and not isinstance(self.worked.values[answer], Approximate | None):
            most[answer] = digits
        return most

    def _is_clean(self, values: Results, names: Sequence[str]) -> bool:
        """Whether those of *values* called *names* end soon enough."""
        of = [name for name in names if name in self.most and name in values]
        ends = ((self._places(name, values[name]), self.most[name]) for name in of)
        return all(count is not None and count <= most for count, most in ends)

    def _places(self, name: str, values: Value | tuple[Value, ...]) -> int | None:
        """The most digits behind the point of *values*; None where one has no such number."""
        unit = self.quantities[name].unit
        members = values if isinstance(values, tuple) else (values,)
        counts = [places(value, unit) for value in members]
        return None if None in counts else max((c for c in counts if c is not None), default=-1)


def places(value: Value, unit: Unit) -> int | None:
    """The digits behind the point of *value* in *unit*, or of the numbers in a formula.

    None where they do not end, are too many to be shown, or there is no exact value.
    """
    if value is None or isinstance(value, Approximate):
        return None
    if isinstance(value, Expr):
        return max(map(len, _BEHIND.findall(str(value))), default=0)
    number = in_units(value, unit.worth)
    ends = decimals(number)  # which is quickly known of those that do not end
    return None if ends is None or not number_text(number)[1] else ends


def is_near(base: Value | tuple[Value, ...], value: Value | tuple[Value, ...], times: int) -> bool:
    """Whether *value* is within *times* times *base*, or a part, both numbers other than 0."""
    if isinstance(base, Number) and isinstance(value, Number) and base and value:
        mine, its = magnitude(base), magnitude(value)
        return mine <= its * times and its <= mine * times
    return True
