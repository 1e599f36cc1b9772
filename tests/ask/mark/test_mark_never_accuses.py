"""A right answer is never called wrong: in any unit, however rounded, however spelt."""

from __future__ import annotations

from fractions import Fraction

import pytest
from answering import decimal, exercise, mark, marked
from hypothesis import given, settings
from hypothesis import strategies as st
from questions import TYPES, solved_variants

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.grading import Mark
from ddcalc.ask.mark.judge import marks
from ddcalc.ask.mark.written import COUNTED, Allowed, written
from ddcalc.ask.solve import Result
from ddcalc.formula.expression import Expr, Number
from ddcalc.memory import remembered
from ddcalc.numbers.number import in_units
from ddcalc.numbers.units import COUNT, UNITS, Unit
from ddcalc.problem.quantity import Derived
from ddcalc.render.marks import text

Known = tuple[Exercise, str, tuple[Result, ...]]


@remembered
def results() -> list[Known]:
    """Every number that every type derives, in its example and with one thing changed."""
    known: list[Known] = []
    for problem in TYPES:
        for _, _, solved in solved_variants(problem):
            question = Exercise(solved)
            for name, value in solved.quantities.items():
                if isinstance(problem.quantities[name], Derived):
                    members = value if isinstance(value, tuple) else (value,)
                    if all(_is_number(result) for result in members):
                        known.append((question, name, members))
    return known


def _is_number(result: Result) -> bool:
    value = result.value
    if value is None or isinstance(value, Expr):
        return False
    size = abs(Fraction(value))
    return not size or Fraction(1, 10**25) < size < 10**25


def units_of(result: Result) -> list[Unit]:
    """All units of a quantity, its own first."""
    same = [unit for unit in UNITS.values() if unit.dimension == result.unit.dimension]
    return [result.unit, *same] if result.unit.name in UNITS else [result.unit]


def judged(question: Exercise, name: str, texts: list[str], allowed: Allowed) -> Mark:
    """The mark of the answers to quantity *name*, a list of them for a list."""
    unit = question.problem.quantities[name].unit
    stated = tuple(written(one, unit) for one in texts)
    is_list = isinstance(question.solved.quantities[name], tuple)
    [one] = marks(question, {name: (stated if is_list else stated[0], allowed)})
    return one


def spelt(value: Number, unit: Unit, digits: int, way: str) -> str:
    """*value* to so many digits, or exactly, in *unit*, spelt in this *way*."""
    exact = Fraction(in_units(value, unit.worth))
    if way == "exact":
        return f"{exact} {unit.name}".strip()
    if way == "scientific" and exact:
        number = Fraction(decimal(value, digits, unit).split()[0])
        power = len(str(int(abs(number)))) - 1
        figures = decimal(Fraction(number, 10**power), digits, COUNT)
        return f"{figures}e{power} {unit.name}".strip()
    if way == "plain zeros":
        number = Fraction(decimal(value, digits, unit).split()[0])
        text = str(number) if number.denominator == 1 else decimal(value, digits, unit).split()[0]
        return f"{text} {unit.name}".strip()
    text = decimal(value, digits, unit)
    if way == "tight":
        return text.replace(" ", "")
    if way == "sign" and exact >= 0:
        return f"+{text}"
    return text


WAYS = ("plain", "exact", "tight", "sign", "scientific")


def is_counted(result: Result) -> bool:
    """Whether only the exact number is right: things are counted."""
    whole = isinstance(result.value, int) and result.unit == COUNT
    return whole and abs(result.value) < COUNTED  # type: ignore[arg-type, operator]


@settings(max_examples=80)
@given(st.data())
def test_whatever_the_unit_and_however_rounded(data: st.DataObject) -> None:
    question, name, numbers = data.draw(st.sampled_from(results()))
    unit = data.draw(st.sampled_from(units_of(numbers[0])))
    ways = (*WAYS, "plain zeros", "plain zeros")
    digits, way = data.draw(st.integers(3, 15)), data.draw(st.sampled_from(ways))
    texts = []
    for result in numbers:
        assert result.value is not None
        assert not isinstance(result.value, Expr)
        texts.append(spelt(result.value, unit, digits, "exact" if is_counted(result) else way))
    if any(len(text) > 60 for text in texts):
        return
    made = judged(question, name, texts, Allowed())
    assert made.verdict in ("right", "rounded"), (name, texts, made)
    assert made.credit == 1
    assert not made.slips


@settings(max_examples=80)
@given(st.data())
def test_another_number_is_never_right(data: st.DataObject) -> None:
    """However it is spelt: it is off by more than half of the last digit that is no zero."""
    question, name, numbers = data.draw(st.sampled_from([k for k in results() if len(k[2]) == 1]))
    [result] = numbers
    assert result.value is not None
    assert not isinstance(result.value, Expr)
    right = Fraction(in_units(result.value, result.unit.worth))
    figures = data.draw(st.integers(11, 99_999).filter(lambda n: n % 10))
    size = len(str(int(abs(right)))) - len(str(figures))
    place = data.draw(st.integers(size - 1, size + 1)) if abs(right) >= 1 else -len(str(figures))
    stated = figures * Fraction(10) ** place
    if abs(stated - right) <= Fraction(10) ** place / 2:
        return
    told_as = decimal(stated, len(str(figures)), COUNT)
    if place > 0 and data.draw(st.booleans()):
        told_as = str(stated)
    if len(told_as) > 60:
        return
    made = judged(question, name, [f"{told_as} {result.unit.name}".strip()], Allowed())
    assert made.verdict not in ("right", "rounded"), (name, told_as, made)
    assert made.credit < 1


@pytest.mark.parametrize(
    ("answer", "sense"),
    [
        ("68760 s", "right to 4 significant digits"),
        ("68800 s", "right to 3 significant digits"),
        ("68760000 ms", "right to 4 significant digits"),
        ("69000 s", None),
        ("70000 s", None),
        ("68750 s", None),
        ("68700 s", None),
        ("68760.0 s", None),
        ("68761 s", None),
    ],
)
def test_zeros_at_the_end_may_be_rounding(answer: str, sense: str | None) -> None:
    made = mark(exercise("sync-step", finish="68759.06 s", aggregate="0 s", update="0 s"), answer)
    assert (made.verdict, text(made.brief)) == ("rounded", sense) if sense else made.credit == 0


@settings(max_examples=80)
@given(st.data())
def test_whatever_the_sheet_allows(data: st.DataObject) -> None:
    question, name, numbers = data.draw(st.sampled_from([k for k in results() if len(k[2]) == 1]))
    [result] = numbers
    assert result.value is not None
    assert not isinstance(result.value, Expr)
    unit = data.draw(st.sampled_from(units_of(result)))
    if data.draw(st.booleans()):
        asked_for = data.draw(st.integers(1, 8))
        digits = data.draw(st.integers(asked_for, 12))
        way = data.draw(st.sampled_from((*WAYS, "plain zeros")))
        text = spelt(result.value, unit, digits, way)
        allowed = Allowed(digits=asked_for)
    else:
        part = data.draw(st.fractions(-1, 1, max_denominator=50))
        within = data.draw(st.fractions(0, 5, max_denominator=20))
        off = Fraction(result.value) + part * within
        text = f"{Fraction(in_units(off, unit.worth))} {unit.name}".strip()
        allowed = Allowed(within=within, says=f"within {within}")
    if len(text) > 60:
        return
    made = judged(question, name, [text], allowed)
    assert made.verdict in ("right", "rounded"), (name, text, made)
    assert made.credit == 1


@settings(max_examples=30)
@given(st.data())
def test_whatever_was_wrong_before(data: st.DataObject) -> None:
    """A right answer behind a wrong one is right, and the wrong one stays wrong."""
    question = exercise("epoch-time")
    right = {"full_rounds": "83", "last_workers": "2", "full_round": "7.09 s", "total": "595.5 s"}
    names = list(right)
    spoilt = data.draw(st.sets(st.sampled_from(names), max_size=3))
    wrong = {name: f"{data.draw(st.integers(100, 9999))}.25" for name in spoilt}
    for made in marked(question, **(right | wrong)):
        if made.name not in spoilt:
            assert made.verdict == "right"


def test_a_count_is_a_count() -> None:
    question = exercise("federated")
    assert mark(question, "8k", "updates").verdict == "right"
    assert mark(question, "8e3", "updates").verdict == "right"
    assert mark(question, "8000.0", "updates").verdict == "right"
    assert mark(question, "20*400", "updates").verdict == "right"
