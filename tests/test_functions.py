"""Every function of the language in every domain of the one walk, against its exact value."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from test_formulas import agrees

from ddcalc.ask.find.number_line import Piece, Unsettled
from ddcalc.ask.find.settled import Settled
from ddcalc.ask.sweep.column import of_whole, worked_out
from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import FUNCTIONS, Function, floor
from ddcalc.formula.cas import from_sympy, to_sympy
from ddcalc.formula.coherence import dimension_of
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Fun, Num, Number, Sym
from ddcalc.formula.intervals import Bounds, enclosed
from ddcalc.numbers.units import ONE, TIME
from ddcalc.render.notation import unbroken
from ddcalc.render.notation.plain import text

x, y = Sym("x"), Sym("y")
POINTS: list[dict[str, Number | None]] = [
    {"x": top, "y": bottom} for top in (1, 7, Fraction(17, 2), 64) for bottom in (1, 3)
]
SINGLE = {"argmax": 2, "max": 2, "min": 2, "harmonic": 2, "mod": 2}


@pytest.fixture(params=sorted(FUNCTIONS.keys() - {"floor_sqrt", "ceiling_sqrt"} | {"mod"}))
def function(request: Any) -> Iterator[Function]:
    """All of them, and one that is declared by its value and its meaning only."""
    if request.param != "mod":
        yield FUNCTIONS[request.param]
        return
    yield Function(
        "mod",
        "What is left.",
        value=lambda x, y: x - x // y * y,
        meaning=lambda x, y: x - floor(x / y) * y,
    )
    del FUNCTIONS["mod"]


@pytest.fixture
def formula(function: Function) -> Expr:
    last = floor(x) if function.name == "harmonic" else x
    return function(*(last, y)[: SINGLE.get(function.name, 1)])


def test_values_agree_in_all_domains(function: Function, formula: Expr) -> None:
    for known in POINTS:
        value, numbers = evaluate(formula, known), [Fraction(known[name] or 0) for name in "xy"]
        assert agrees(to_sympy(formula, {n: to_sympy(Num(known[n] or 0)) for n in known}), value)
        bounds = enclosed(formula, {name: Bounds(number, number + 1) for name, number in
                                    zip("xy", numbers, strict=True)})  # fmt: skip
        assert bounds.low <= value <= bounds.high
        columns = {
            name: of_whole(np.array([int(2 * number)]), 2)
            for name, number in zip("xy", numbers, strict=True)
        }
        column = worked_out(formula, columns)
        if not np.any(column.unsure):
            assert float(np.ravel(column.values())[0]) == pytest.approx(float(value), rel=1e-12)


def test_what_is_settled_agrees_where_nothing_changes(formula: Expr) -> None:
    for known in POINTS:
        settled = Settled(Piece(known["x"], known["x"]), "x", {}, {"y": known["y"]})
        try:
            form = settled.of(formula).as_expr()
        except Unsettled:
            continue
        at = dict.fromkeys(form.free_symbols, known["x"])
        value = evaluate(formula, known)
        assert agrees(form.subs(at), value)


def test_units(function: Function, formula: Expr) -> None:
    alike = function.measures == "alike" or function.name == "mod"
    if function.measures == "plain":
        with pytest.raises(BadEquation, match="mixes"):
            dimension_of(formula, {"x": TIME, "y": TIME})
        assert dimension_of(formula, {"x": ONE, "y": ONE}) == ONE
    elif function.name != "sqrt":
        assert dimension_of(formula, {"x": TIME, "y": TIME}) == (TIME if alike else ONE)


def test_it_is_written_and_comes_back_from_sympy(function: Function, formula: Expr) -> None:
    assert unbroken(text(formula))
    assert to_sympy(from_sympy(to_sympy(formula), {"x": 0, "y": 1})) == to_sympy(formula)


def test_what_is_no_function_of_the_language_is_named() -> None:
    unknown = Fun("norm", (x,))
    for use in (
        lambda: evaluate(unknown, {"x": 1}),
        lambda: to_sympy(unknown),
        lambda: dimension_of(unknown, {"x": ONE}),
    ):
        with pytest.raises((BadEquation, NameError, TypeError), match="norm"):
            use()
