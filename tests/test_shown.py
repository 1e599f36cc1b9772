"""Every formula and number that a derivation shows is worth the value beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise

from calculating import Unreadable, calculated, has_unit
from questions import Kind, answered, letters, of_types, single, solved_variants

from ddcalc.ask.solve import Derivation
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Fun, Number, replace, symbols
from ddcalc.memory import remembered
from ddcalc.numbers.amounts import Amount
from ddcalc.numbers.irrational import Approximate
from ddcalc.problem.steps import Bound, Compare, Define, PutIn, Solve, Step, Table
from ddcalc.render.sides import Side, Sides, chain, comparison, equation, solution

RANDOM = 6  # random questions beside the variants of a type


@remembered
def derivations(problem: Kind) -> list[Derivation]:
    made = [solved for _, _, solved in solved_variants(problem)]
    return made + answered(problem, "shown", RANDOM)


def same(left: Number | None, right: Number | None) -> bool:
    if left is None or right is None:
        return left is right
    if Approximate in (type(left), type(right)):
        return abs(Fraction(left) - Fraction(right)) <= abs(Fraction(right)) / 10**30
    return left == right


# Formulas, as data


@of_types
def test_formulas_yield_the_values_beside_them(problem: Kind) -> None:
    for solved in derivations(problem):
        known = letters(solved)
        for step in single(solved.steps):
            match step:
                case Define() | Solve():
                    yields_its_value(step, known)
                case Compare(relation=relation, numbers=numbers):
                    values = plain(numbers)
                    assert bool(evaluate(relation, values)) == step.holds, step
                    assert evaluate(relation.left, values) == step.left, step
                    assert evaluate(relation.right, values) == step.right, step


def yields_its_value(step: Define | Solve, known: dict[str, Number]) -> None:
    """The formula, with the numbers that are put into it, and with those that the letters have."""
    formula = step.applied if isinstance(step, Define) else step.formula
    if {*symbols(formula)} <= step.numbers.keys():
        assert same(worth(formula, plain(step.numbers)), step.value), step
    if isinstance(step, Define) and {*symbols(step.formula)} <= known.keys():
        assert same(worth(step.formula, known), step.value), step


def plain(numbers: Mapping[str, PutIn]) -> dict[str, Number]:
    """The values of what is put in, in base units."""
    return {letter: put_in_for(put) for letter, put in numbers.items()}


def put_in_for(put: PutIn) -> Number:
    return put.value if isinstance(put, Amount) else put


def worth(formula: Expr, numbers: Mapping[str, Number]) -> Number | None:
    """The value of *formula*, in which the norm of a number is its size."""

    def size(part: Expr) -> Expr | None:
        match part:
            case Fun("norm", (inner,)):
                return Fun("max", (replace(inner, size), -replace(inner, size)))
        return None

    written: Number | None = evaluate(replace(formula, size), numbers)
    return written


@of_types
def test_solved_relations_turn_at_what_is_said(problem: Kind) -> None:
    for solved in derivations(problem):
        for step in single(solved.steps):
            if isinstance(step, Solve) and step.op == "==" and step.value is not None:
                known = letters(solved) | plain(step.numbers) | {step.unknown: step.value}
                if {*symbols(step.relation)} <= known.keys():
                    left, right = (evaluate(x, known) for x in step.relation.parts())
                    assert same(left, right), step


# Formulas, as they are printed


@of_types
def test_printed_calculations_come_to_what_is_printed(problem: Kind) -> None:
    for solved in derivations(problem):
        for step in single(solved.steps):
            for sides in printed(step):
                agree(sides)


def printed(step: Step) -> Iterator[Sides]:
    """Sides that are one value, but for those of a comparison."""
    match step:
        case Define():
            yield equation(step)
        case Solve():
            yield solution(step)
        case Compare():
            sides = comparison(step)
            signs = (i for i, side in enumerate(sides) if side.sign not in ("", "=", "≈"))
            middle = next(signs, 0)  # 0 where both sides are equal, which is not enough
            yield from (sides[:middle], sides[middle:])
        case Bound():
            yield from pairwise(chain(step))


def agree(sides: Sides) -> None:
    """Hold the sides that are calculations with numbers alone against the first of them."""
    exact, start = None, Fraction(0)
    written = f"{[f'{side.sign} {side.what}' for side in sides]}"
    for i, side in enumerate(sides):
        try:
            value, off = in_base_units(side, sides[i + 1 :])
        except Unreadable:
            continue
        if exact is None or side.sign != "=":
            if exact is not None:
                assert abs(value - exact) <= start + off, written
            about = "≈" in [side.sign, *(other.sign for other in sides[i + 1 : i + 2])]
            exact, start = value, off if about else Fraction(0)
        else:
            assert abs(value - exact) <= FINE * abs(exact) + start, written


FINE = Fraction(1, 10**9)


UNSCALED = ("", "%", "token", "sample", "image", "kB", "MB", "GB", "TB", "PB")  # numbers, bytes


def in_base_units(side: Side, others: Sides) -> tuple[Fraction, Fraction]:
    """What *side* comes to, and how far it may be off; plain numbers are in the unit that follows
    them, unless they count things or bytes."""
    text = str(side.what)
    if "…" in text or "≈" in text:
        raise Unreadable(text)
    made = calculated(text)
    follows = next((s.what.unit for s in others if isinstance(s.what, Amount)), "")
    if has_unit(text) or follows in UNSCALED:
        return made.value, made.off
    scale = calculated(f"1 {follows}").value
    return made.value * scale, made.off * scale


# Calculations in sentences, cells and notes

_CALCULATION = r"[0-9(⌈⌊√][^=≈;:,a-zA-Z]*?"
_RESULT = r"[0-9](?:[0-9 .]*[0-9])?(?![\w·/×^.])"
_EQUATION = re.compile(rf"(?<![\w)\]+−·/] )(?<![^\s(])({_CALCULATION}) = ({_RESULT})")


@of_types
def test_calculations_in_sentences_are_right(problem: Kind) -> None:
    for solved in derivations(problem):
        for text in sentences(solved):
            for match in _EQUATION.finditer(text):
                try:
                    left, right = calculated(match[1]), calculated(match[2])
                except Unreadable:
                    continue
                assert left.value == right.value, (text, match[0])


def sentences(solved: Derivation) -> Iterator[str]:
    for step in solved.steps:
        yield step.title
        yield step.why
        if isinstance(step, Table):
            yield from (cell for row in step.rows for cell in row if isinstance(cell, str))
