"""What every output says of a derivation: its order, its values and percentages as texts.

Nothing here has a look. Texts are Unicode and, where they quote a question, neither cleaned nor
escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from ddcalc.ask.solve import Derivation
from ddcalc.formula.expression import Expr, Rel, Sym, symbols
from ddcalc.numbers.display import (
    ABOUT,
    MINUS,
    human_duration,
    number_text,
    quantity_text,
    rounded,
    short_duration,
)
from ddcalc.numbers.number import split
from ddcalc.numbers.units import DATA, TIME, Measured, Unit, fitting
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Compare, Define, DefineEach, Solve, State, Step, Value
from ddcalc.render.notation.walk import HEAD, Notation
from ddcalc.render.sides import NOTHING, Formula, Side, Sides, value_sides

_PLAIN = re.compile(r"[+-]?[0-9._]+(?:[eE][+-]?[0-9]+)?")
_Member = TypeVar("_Member")
DECIMALS = 3  # of a percentage, at most
MOST = 10**9  # percent, beyond which a difference says nothing


@dataclass(frozen=True, slots=True)
class Numbered:
    """A step under its number, with the comparisons that prove it."""

    number: int
    step: Step
    proof: tuple[Compare, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The *sides* of the answer, its symbol first, and its *second* reading (or empty)."""

    sides: Sides
    second: str


@dataclass(frozen=True, slots=True)
class Otherwise:
    """What another reading *says*, its answer, and how far that is from the answer (or empty).

    The answer is a *formula* too where it is one.
    """

    says: str
    value: str
    difference: str
    formula: Expr | None


def givens(solved: Derivation) -> list[State]:
    """The statements, which have no number."""
    return [step for step in solved.steps if isinstance(step, State)]


def numbered(steps: Iterable[Step]) -> list[Numbered]:
    """The steps after the statements; comparisons belong to the step before them."""
    told: list[Numbered] = []
    for step in steps:
        if isinstance(step, Compare) and told:
            last = told[-1]
            told[-1] = Numbered(last.number, last.step, (*last.proof, step))
        elif not isinstance(step, State):
            told.append(Numbered(len(told) + 1, step, ()))
    return told


def hint(step: Step, problem: type[Problem]) -> str:
    """What a step does and why, without what it comes to: clauses with numbers are left out."""
    quantity = problem.quantities.get(getattr(step, "name", ""))
    declared = quantity.why if isinstance(quantity, Derived) else ""
    told = (_without_numbers(step.why) or _without_numbers(declared)).strip()
    return f"{step.title} · {told}" if told else step.title


def _without_numbers(why: str) -> str:
    clauses = why.split("; ")
    return "; ".join(clause for clause in clauses if not re.search(r"[0-9{]", clause))


def shown(members: Sequence[_Member]) -> list[_Member | None]:
    """The members of a long list that are shown; None stands for those left out."""
    if len(members) <= Notation.longest:
        return list(members)
    return [*members[:HEAD], None, members[-1]]


def given_text(step: State) -> str:
    """What the question states, arithmetic with its value: ``15 ms``, ``8*25600 = 204 800``."""
    if step.written is None:
        return step.word
    told = ("…" if each is None else _measured_text(each) for each in shown(step.written))
    return ", ".join(told)


def whole_given_text(step: State) -> str:
    """What the question states, a long list with all its members."""
    return step.word if step.written is None else ", ".join(map(_measured_text, step.written))


def note(step: State) -> str:
    """What is to be said about a given, as where it is from if not from the question, and what
    bits and powers of two are in the bytes that formulas are put in; often empty."""
    return "; ".join(filter(None, ("" if step.is_plain else step.why, in_bytes(step))))


def in_bytes(step: State) -> str:
    """A single amount of data, or a rate, that is not stated in decimal bytes."""
    if step.written is None or len(step.written) != 1:
        return ""
    (stated,) = step.written
    if stated.unit.dimension not in (DATA, DATA / TIME) or _is_decimal(stated.unit):
        return ""
    return quantity_text(stated.value, fitting(stated.value, stated.unit))


def _is_decimal(unit: Unit) -> bool:
    """Whether *unit* is worth a power of ten of bytes, or of bytes a second."""
    return unit.worth.denominator == 1 and str(unit.worth.numerator).rstrip("0") == "1"


def value_text(value: Value, unit: Unit) -> str:
    """A value in one piece: ``595.5 s``, ``≈ 66.6667``, ``4ηΔ``, ``no value``."""
    if value is None:
        return NOTHING
    return str(Formula(value)) if isinstance(value, Expr) else quantity_text(value, unit)


def full_value_text(value: Value, unit: Unit) -> str:
    """A value with its short fraction: ``200/3 ≈ 66.6667``."""
    first, *others = value_sides(value, unit)
    told = str(first.what) if first.sign == "=" else f"{first.sign} {first.what}"
    return " ".join([told, *(f"{side.sign} {side.what}" for side in others)])


def answer(solved: Derivation, unit: Unit | None = None) -> Answer:
    """The answer, in *unit* instead of its own if one is given."""
    told = solved.answer
    sides = (Side("", Formula(Sym(told.symbol))), *value_sides(told.value, unit or told.unit))
    none = told.value is None
    second = _why_none(solved) if none else _in_other_words(told.value, told.unit, unit)
    return Answer(sides, second or "")


def _in_other_words(value: Value, own: Unit, shown: Unit | None) -> str | None:
    """A long time in hours and minutes, a short one in ms, many bytes in GB; None where that says
    nothing more."""
    if value is None or isinstance(value, Expr):
        return None
    if own.dimension == TIME:
        short = shown is None and own.worth == 1 and short_duration(value)
        return short or human_duration(value)
    if shown is None:
        unit = fitting(value, own)
        return None if unit.worth == own.worth else quantity_text(value, unit)
    return None


def _why_none(solved: Derivation) -> str:
    """Why there is no answer."""
    asked = [step for step in solved.steps if getattr(step, "name", "") == solved.answer.name]
    return asked[0].why if asked else ""


def answer_text(solved: Derivation, unit: Unit | None = None) -> str:
    """The answer's value alone."""
    return value_text(solved.answer.value, unit or solved.answer.unit)


def read_as(solved: Derivation) -> list[str]:
    """What the choices say that shaped the answer."""
    return [each.remark for each in solved.assumptions]


def otherwise(solved: Derivation, unit: Unit | None = None) -> list[Otherwise]:
    """The answers under other readings."""
    base = solved.answer.value
    return [
        Otherwise(
            reading.says,
            value_text(reading.answer.value, unit or reading.answer.unit),
            difference(reading.answer.value, base),
            reading.answer.value if isinstance(reading.answer.value, Expr) else None,
        )
        for reading in solved.readings
    ]


def difference(value: Value, base: Value) -> str:
    """How far *value* is from *base* in percent, ``+7.1 %``; empty where that says nothing."""
    if value is None or base is None or isinstance(value, Expr) or isinstance(base, Expr):
        return ""
    if base == 0:
        return ""
    percent = (Fraction(value) - Fraction(base)) * 100 / abs(Fraction(base))
    size = abs(percent)
    if size > MOST:
        return ""
    told = number_text(rounded(size, max(2, len(str(int(size))))))[0]
    return f"{MINUS if percent < 0 else '+'}{told} %"


def shares(solved: Derivation) -> list[tuple[str, str]]:
    """Where the answer goes, in percent; the texts add up to 100."""
    smallest = min((share.part for share in solved.shares), default=Fraction(1))
    decimals = next((d for d in range(1, DECIMALS) if smallest * 100 * 10**d >= 1), DECIMALS)
    one = 10**decimals
    units = [share.part * 100 * one for share in solved.shares]
    whole = [int(part // 1) for part in units]
    by_rest = sorted(range(len(whole)), key=lambda i: whole[i] - units[i])
    for i in by_rest[: 100 * one - sum(whole)] if whole else []:
        whole[i] += 1
    return [
        (share.group, f"{unit // one}.{unit % one:0{decimals}} %")
        for share, unit in zip(solved.shares, whole, strict=True)
    ]


def closed_form(solved: Derivation) -> tuple[Sides, list[Side]] | None:
    """The answer in its givens, and the cases in which that holds, each with the steps that its
    letters are from as its reason."""
    form = solved.closed_form
    if form is None:
        return None
    sides = (Side("", Formula(Sym(form.symbol))), Side("=", Formula(form.formula)))
    numbers = {name: told.number for told in numbered(solved.steps) for name in _defined(told.step)}
    return sides, [_case(case, numbers) for case in form.cases]


def _defined(step: Step) -> list[str]:
    rows = step.rows if isinstance(step, DefineEach) else (step,)
    return [row.symbol for row in rows if isinstance(row, Define | Solve)]


def _case(case: Rel, numbers: Mapping[str, int]) -> Side:
    found = sorted({numbers[letter] for letter in symbols(case) if letter in numbers})
    steps = f"step{'s' if len(found) > 1 else ''} {' and '.join(map(str, found))}"
    return Side("", Formula(case), steps if found else "")


def told_case(case: Side) -> str:
    """A case with its reason: ``r > 0 (step 4)``."""
    return f"{case.what} ({case.reason})" if case.reason else str(case.what)


def _measured_text(measured: Measured) -> str:
    value = quantity_text(measured.value, measured.unit)
    if _PLAIN.fullmatch(split(measured.text)[0]):
        return value
    return f"{measured.text} {value}" if value.startswith(ABOUT) else f"{measured.text} = {value}"
