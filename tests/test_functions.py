"""Every function of the language in every domain of the one walk, against its exact value."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.settled import Settled, Unsettled
from ddcalc.ask.sweep.column import UNSURE, of_numbers, worked_out
from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import FUNCTIONS, Function, floor, has_form, log, sqrt
from ddcalc.formula.cas import agrees, from_sympy, substituted, to_sympy
from ddcalc.formula.coherence import check_decisions, dimension_of, is_whole, may_round
from ddcalc.formula.evaluation import compiled, evaluate
from ddcalc.formula.expression import Expr, Fun, Num, Number, Sym
from ddcalc.formula.intervals import Bounds, enclosed
from ddcalc.formula.slopes import Differential
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.units import ONE, TIME
from ddcalc.render.notation import unbroken
from ddcalc.render.notation.plain import text

x, y = Sym("x"), Sym("y")
POINTS: list[dict[str, Number | None]] = [
    {"x": top, "y": bottom} for top in (1, 7, Fraction(17, 2), 64) for bottom in (1, 3)
]
SMOOTH = {"sqrt", "exp", "log", "lambert", "max", "min", "mod"}
SINGLE = {"argmax": 2, "max": 2, "min": 2, "harmonic": 2, "mod": 2}


@pytest.fixture(params=sorted(FUNCTIONS.keys() - {"floor_sqrt", "ceiling_sqrt"} | {"mod"}))
def function(request: Any) -> Iterator[Function]:
    """All of them, and one that is declared by its value and its meaning only."""
    if request.param != "mod":
        yield FUNCTIONS[request.param]
        return
    yield Function(
        "mod", "What is left.", lambda x, y: x - x // y * y, lambda x, y: x - floor(x / y) * y
    )
    del FUNCTIONS["mod"]


@pytest.fixture
def formula(function: Function) -> Expr:
    last = floor(x) if function.name == "harmonic" else x
    return function(*(last, y)[: SINGLE.get(function.name, 1)])


def test_values_agree_in_all_domains(function: Function, formula: Expr) -> None:
    for known in POINTS:
        value, numbers = evaluate(formula, known), [Fraction(known[name] or 0) for name in "xy"]
        assert compiled(["x", "y"], [("z", formula)])(*numbers) == (value,)
        assert isinstance(value, Approximate) <= may_round(formula)
        if has_form(formula):
            assert agrees(substituted(to_sympy(formula), known), value)
        bounds = enclosed(formula, {name: Bounds(number, number + 1) for name, number in
                                    zip("xy", numbers, strict=True)})  # fmt: skip
        assert bounds.low <= value <= bounds.high
        columns = {
            name: of_numbers(np.array([int(2 * number)]), 2)
            for name, number in zip("xy", numbers, strict=True)
        }
        column = worked_out(formula, columns)
        if not np.any(np.asarray(column.state) & UNSURE):
            assert abs(float(np.ravel(column.values)[0]) - float(value)) <= column.error + 1e-12


def test_what_is_settled_agrees_where_nothing_changes(formula: Expr) -> None:
    for known in POINTS:
        settled = Settled(Piece(known["x"], known["x"]), "x", {}, {"y": known["y"]})
        try:
            form = settled.of(formula).as_expr()
        except Unsettled:
            continue
        at = {symbol: known["x"] for symbol in form.free_symbols}
        value = evaluate(formula, known)
        assert agrees(form.subs(at), value)


def test_slopes_agree_with_small_steps(function: Function, formula: Expr) -> None:
    step = Fraction(1, 10**8)
    for x_, y_ in ((Fraction(17, 3), 4), (Fraction(1, 3), 2)):
        known: dict[str, Number | None] = {"x": x_, "y": y_}
        if function.name == "harmonic":
            with pytest.raises(TypeError, match="no value here"):
                Differential(known, {"x": {"x": 1}}).of(formula)
            continue
        slope = Differential(known, {"x": {"x": 1}}).of(formula).slopes.get("x", 0)
        near = evaluate(formula, {**known, "x": x_ + step})
        rise = (Fraction(near) - Fraction(evaluate(formula, known))) / step
        assert float(slope) == pytest.approx(float(rise), rel=1e-6)
        assert function.name in SMOOTH or slope == 0


def test_units_kinds_and_decisions(function: Function, formula: Expr) -> None:
    alike = function.measures == "alike" or function.name == "mod"
    if function.measures == "plain":
        with pytest.raises(BadEquation, match="mixes"):
            dimension_of(formula, {"x": TIME, "y": TIME})
        assert dimension_of(formula, {"x": ONE, "y": ONE}) == ONE
    elif function.name != "sqrt":
        assert dimension_of(formula, {"x": TIME, "y": TIME}) == (TIME if alike else ONE)
    if function.kind == "whole":
        assert is_whole(formula, ())
    check_decisions([("z", formula)])
    if function.name == "mod" or (function.decides != 0 and function.name != "harmonic"):
        for rounded in (sqrt(y), log(y) + 1):
            args = (rounded, x)[: SINGLE.get(function.name, 1)]
            if function.name in ("floor", "ceiling") and rounded == sqrt(y):
                continue  # found in whole numbers
            with pytest.raises(BadEquation, match="rounded number"):
                check_decisions([("z", function(*args))])


def test_it_is_written_and_comes_back_from_sympy(function: Function, formula: Expr) -> None:
    assert unbroken(text(formula))
    if function.symbol is not None:
        assert to_sympy(from_sympy(to_sympy(formula), {"x": 0, "y": 1})) == to_sympy(formula)


def test_what_is_no_function_of_the_language_is_named() -> None:
    unknown = Fun("norm", (x,))
    for use in (
        lambda: evaluate(unknown, {"x": 1}),
        lambda: compiled(["x"], [("z", unknown)])(1),
        lambda: to_sympy(unknown),
        lambda: dimension_of(unknown, {"x": ONE}),
    ):
        with pytest.raises((BadEquation, NameError, TypeError), match="norm"):
            use()
