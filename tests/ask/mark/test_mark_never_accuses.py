"""A right answer is never called wrong: in any unit, however rounded, however spelt."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeGuard

from answering import decimal
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from questions import TYPES, solved_variants

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.following import marks
from ddcalc.ask.mark.grading import Mark
from ddcalc.ask.mark.written import COUNTED, Allowed, written
from ddcalc.ask.solve import singles
from ddcalc.formula.expression import Number
from ddcalc.memory import remembered
from ddcalc.numbers.number import in_units
from ddcalc.numbers.units import COUNT, UNITS, Unit
from ddcalc.problem.quantity import Derived


@dataclass(frozen=True)
class Numbers:
    """A quantity that a question derives: its numbers (base units), several of a list."""

    question: Exercise
    name: str
    values: tuple[Number, ...]
    is_list: bool

    @property
    def unit(self) -> Unit:
        return self.question.problem.quantities[self.name].unit

    @property
    def units(self) -> list[Unit]:
        """All units that measure it, its own first."""
        same = [unit for unit in UNITS.values() if unit.dimension == self.unit.dimension]
        return [self.unit, *same] if self.unit.name in UNITS else [self.unit]

    def judged(self, texts: list[str], allowed: Allowed | None = None) -> Mark:
        """The mark of those answers."""
        stated = tuple(written(one, self.unit) for one in texts)
        answer = stated if self.is_list else stated[0]
        [one] = marks(self.question, {self.name: (answer, allowed or Allowed())})
        return one


@remembered
def derived() -> list[Numbers]:
    """Every number that every type derives, in its example and with one thing changed."""
    known: list[Numbers] = []
    for problem in TYPES:
        for _, _, solved in solved_variants(problem):
            question = Exercise(solved)
            for name, results in solved.quantities.items():
                values = [result.value for result in singles(results)]
                numbers = tuple(value for value in values if _is_usual(value))
                if isinstance(problem.quantities[name], Derived) and len(numbers) == len(values):
                    known.append(Numbers(question, name, numbers, isinstance(results, tuple)))
    return known


@remembered
def single() -> list[Numbers]:
    """Those that are one number."""
    return [one for one in derived() if not one.is_list]


def _is_usual(value: object) -> TypeGuard[Number]:
    if not isinstance(value, Number):
        return False
    size = abs(Fraction(value))
    return not size or Fraction(1, 10**25) < size < 10**25


WAYS = ("plain", "exact", "tight", "sign", "scientific", "plain zeros", "plain zeros")


def spelt(value: Number, unit: Unit, digits: int, way: str) -> str:
    """*value* to so many digits, or exactly, in *unit*, spelt in this *way*."""
    exact, text = Fraction(in_units(value, unit.worth)), decimal(value, digits, unit)
    number = Fraction(text.split()[0])
    if way == "exact":
        return f"{exact} {unit.name}".strip()
    if way == "scientific" and exact:
        power = len(str(int(abs(number)))) - 1
        figures = decimal(Fraction(number, 10**power), digits, COUNT)
        return f"{figures}e{power} {unit.name}".strip()
    if way == "plain zeros" and number.denominator == 1:
        return f"{number} {unit.name}".strip()
    if way == "tight":
        return text.replace(" ", "")
    return f"+{text}" if way == "sign" and exact >= 0 else text


@settings(max_examples=50)
@given(st.data())
def test_whatever_the_unit_and_however_rounded(data: st.DataObject) -> None:
    one = data.draw(st.sampled_from(derived()))
    unit, digits = data.draw(st.sampled_from(one.units)), data.draw(st.integers(3, 15))
    way = data.draw(st.sampled_from(WAYS))
    texts = []
    for value in one.values:
        counted = isinstance(value, int) and one.unit == COUNT and abs(value) < COUNTED
        texts.append(spelt(value, unit, digits, "exact" if counted else way))
    assume(all(len(text) <= 60 for text in texts))
    made = one.judged(texts)
    assert made.verdict in ("right", "rounded"), (one.name, texts, made)
    assert made.credit == 1
    assert not made.slips


@settings(max_examples=50)
@given(st.data())
def test_another_number_is_never_right(data: st.DataObject) -> None:
    """However it is spelt: it is off by more than half of the last digit that is no zero."""
    one = data.draw(st.sampled_from(single()))
    right = Fraction(in_units(one.values[0], one.unit.worth))
    figures = data.draw(st.integers(11, 99_999).filter(lambda n: n % 10))
    size = len(str(int(abs(right)))) - len(str(figures))
    place = data.draw(st.integers(size - 1, size + 1)) if abs(right) >= 1 else -len(str(figures))
    stated = figures * Fraction(10) ** place
    assume(abs(stated - right) > Fraction(10) ** place / 2)
    text = decimal(stated, len(str(figures)), COUNT)
    if place > 0 and data.draw(st.booleans()):
        text = str(stated)
    assume(len(text) <= 60)
    made = one.judged([f"{text} {one.unit.name}".strip()])
    assert made.verdict not in ("right", "rounded"), (one.name, text, made)
    assert made.credit < 1
