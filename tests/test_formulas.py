"""What a formula is asked: how it is kept, measured, written in every notation, rewritten by SymPy
and worked out; what holds for any formula; and every function of the language in every domain of
the one walk, against its exact value."""

import math
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import rows

from ddcalc.ask.find.number_line import Piece, Unsettled
from ddcalc.ask.find.settled import Settled
from ddcalc.ask.sweep.column import Pointwise, of_whole
from ddcalc.boundary.output import ascii_only
from ddcalc.errors import BadEquation
from ddcalc.formula import algebra, expression
from ddcalc.formula.algebra import FUNCTIONS, Function, cases, ceiling, floor, total
from ddcalc.formula.cas import from_sympy, number_of, solved_for, to_sympy
from ddcalc.formula.coherence import dimension_of
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import (
    Expr,
    Fun,
    Num,
    Number,
    Sym,
    replace,
    substitute,
    symbols,
    terms_of,
    wrap,
)  # fmt: skip
from ddcalc.formula.intervals import Bounds, enclosed
from ddcalc.numbers import irrational
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.units import DATA, MONEY, ONE, TIME
from ddcalc.render.notation import BREAK, INNER, unbroken, written
from ddcalc.render.notation.plain import code, text
from ddcalc.render.notation.tex import Latex

WORDS = "a b c j k m n p s t u x N S W A eta Delta t_agg x_0 x_1 x_async x_seq"
LETTERS = {name: Sym(name) for name in WORDS.split()}
NAMES: dict[str, Any] = {
    **vars(expression), **vars(algebra), **FUNCTIONS, **LETTERS, "F": Fraction,
    "root": irrational.sqrt,
    "G": lambda *indices: Fun("indexed", (Sym("G"), *map(wrap, indices))),
    "grad": lambda data, point: Fun("grad", (Num(data), point)),
    "added": lambda body, index, first, last: Fun("sum", (body, index, wrap(first), wrap(last))),
}  # fmt: skip
NAMES["LUCKY"] = eval("Fun('sum_over', (G(j, k), Sym('S_2'), j, k))", NAMES)
MEASURES = {"t": TIME, "u": TIME, "S": DATA, "W": DATA / TIME, "n": ONE, "p": MONEY / TIME}
DIMENSIONS = {TIME: "time", MONEY: "money", ONE: "one"}
RANK = {"a": 0, "b": 1, "c": 2, "m": 3}
KNOWN: dict[str, Number] = {"a": 3, "b": Fraction(5, 2), "c": 4, "m": Fraction(1, 6)}


def agrees(form: Any, value: Number) -> bool:
    """Whether *value* is SymPy's number *form*, to forty digits where it is not rational."""
    if form.is_Rational and type(value) is not Approximate:
        return number_of(form) == value
    digits = number_of(sympy.Rational(sympy.N(form, 50)))
    return abs(Fraction(digits) - Fraction(value)) * 10**40 <= abs(Fraction(value))


def there_and_back(formula: Expr) -> str:
    """The formula as SymPy has it, which is worth the same, as its own digits say."""
    back = from_sympy(to_sympy(formula), RANK)
    value, again = evaluate(formula, KNOWN), evaluate(back, KNOWN)
    assert isinstance(value, Approximate) == isinstance(again, Approximate)
    assert abs(Fraction(value) - Fraction(again)) <= abs(Fraction(value)) / 10**50
    digits = to_sympy(formula, {name: sympy.Rational(number) for name, number in KNOWN.items()})
    assert agrees(digits, value)
    assert not value or not agrees(digits, value * (1 + Fraction(1, 10**30)))
    return unbroken(text(back))


def broken(formula: Expr) -> str:
    """A mark for each bracket that a place is inside of: the outermost places come first."""
    shown = text(formula)
    for depth in (3, 2, 1):
        shown = shown.replace(INNER * depth, "¹²³⁴"[depth])
    return shown.replace(BREAK, "¹")


def number(asked: str) -> str:
    """The value of *asked* in numbers: exact."""
    value = eval(asked, {**vars(irrational), "F": Fraction})
    assert not isinstance(value, Approximate)
    return str(value)


ASKED: dict[str, Callable[..., object]] = {
    "kept": lambda formula: formula,
    "measures": lambda formula: DIMENSIONS[dimension_of(formula, MEASURES)],
    "text": lambda *formula: unbroken(text(*formula)),
    "ASCII": lambda formula: ascii_only(unbroken(text(formula))),
    "TeX": lambda expr: unbroken(written(expr, Latex())),
    "code": code,
    "breaks": broken,
    "SymPy": there_and_back,
    "solved": lambda left, right: solved_for("m", left, right, RANK),
    "value": lambda formula: str(evaluate(formula, {})),
}


ROWS = rows("formulas.tsv")


@pytest.mark.parametrize(("what", "formula", "wanted"), ROWS)
def test_a_formula(what, formula, wanted):
    """What is refused is refused at once."""

    def came() -> object:
        return number(formula) if what == "number" else ASKED[what](*eval(f"[{formula}]", NAMES))

    if wanted[0] == "!":
        began = time.process_time()
        with pytest.raises((BadEquation, TypeError, ValueError, ArithmeticError), match=wanted[1:]):
            came()
        assert time.process_time() - began < 5  # work without a bound takes far more
    elif what == "kept":
        kept, made = eval(wanted, NAMES), came()
        assert (made, type(made), hash(made)) == (kept, type(kept), hash(kept))
        assert made != kept + 1
    else:
        assert came() == wanted


def test_symbols_replace_and_substitute():
    a, b, c = (LETTERS[name] for name in "abc")
    formula = floor(a / b) * a + cases((a, b > c, "because"), otherwise=c)
    assert list(symbols(formula)) == ["a", "b", "a", "a", "b", "c", "c"]
    put = floor(a / b) * a + cases((a, b > 7, "because"), otherwise=7)
    assert substitute(formula, {"c": Num(7)}) == put
    assert put != floor(a / b) * a + cases((a, b > 7), otherwise=7)  # the reason is another one
    assert replace(a + b, lambda part: Num(0) if part == a + b else None) == Num(0)
    assert terms_of(a) == (a,)
    odd = ["lambda", "F", "floor", "t_agg", "shape", "None"]
    assert evaluate(total(map(Sym, odd)), {name: i for i, name in enumerate(odd, 1)}) == 21


@settings(max_examples=25, deadline=None)
@given(*[st.fractions(min_value=-9, max_value=9, max_denominator=9)] * 4)
def test_any_linear_equation_holds_at_its_solution(p, q, r, s):
    if p == r:
        return
    m = LETTERS["m"]
    value, slope = solved_for("m", Num(p) * m + Num(q), Num(r) * m + Num(s), RANK)
    result = evaluate(value, {})
    assert p * result + q == r * result + s
    assert evaluate(slope, {}) == p - r


# A value tree: the formula, and its value worked out with Python's own fractions.

Tree = tuple[Any, Any]
VALUES: dict[str, Number] = {"a": Fraction(7, 3), "b": Fraction(-5, 2), "c": 4}
FRACTIONS = st.fractions(min_value=-50, max_value=50, max_denominator=30)
LEAVES = st.one_of(
    st.sampled_from("abc").map(lambda name: (Sym(name), VALUES[name])),
    FRACTIONS.map(lambda value: (Num(value), value)),
)
OF_ONE: list[Callable[[Tree], Tree]] = [
    lambda x: (-x[0], -x[1]),
    lambda x: (x[0] ** 2, Fraction(x[1]) ** 2),
    lambda x: (floor(x[0]), math.floor(x[1])),
    lambda x: (ceiling(x[0]), math.ceil(x[1])),
]
OF_TWO: list[Callable[[Tree, Tree], Tree]] = [
    lambda x, y: (x[0] + y[0], x[1] + y[1]),
    lambda x, y: (x[0] - y[0], x[1] - y[1]),
    lambda x, y: (x[0] * y[0], x[1] * y[1]),
    lambda x, y: (x[0] / y[0], Fraction(x[1]) / y[1]) if y[1] else x,
    lambda x, y: (ceiling(x[0] / y[0]), math.ceil(Fraction(x[1]) / y[1])) if y[1] else x,
    lambda x, y: (FUNCTIONS["max"](x[0], y[0]), max(x[1], y[1])),
    lambda x, y: (FUNCTIONS["min"](x[0], y[0]), min(x[1], y[1])),
    lambda x, y: (FUNCTIONS["argmax"](x[0], y[0]), 2 if y[1] > x[1] else 1),
    lambda x, y: (cases((x[0], x[0] > y[0]), otherwise=-y[0]), x[1] if x[1] > y[1] else -y[1]),
]


def _bigger(inner: Any) -> Any:
    one = st.tuples(st.sampled_from(OF_ONE), inner).map(lambda drawn: drawn[0](drawn[1]))
    two = st.tuples(st.sampled_from(OF_TWO), inner, inner)
    return one | two.map(lambda drawn: drawn[0](drawn[1], drawn[2]))


@settings(max_examples=60)
@given(st.recursive(LEAVES, _bigger, max_leaves=9))
def test_values_are_exact(tree):
    formula, value = tree
    assert evaluate(formula, VALUES) == value
    assert not isinstance(evaluate(formula, VALUES), float)
    assert formula.rebuilt(formula.parts()) == formula
    numbers = substitute(formula, {letter: Num(worth) for letter, worth in VALUES.items()})
    assert not list(symbols(numbers))
    assert evaluate(numbers, {}) == value


# Functions in every domain


x, y = Sym("x"), Sym("y")
POINTS: Any = [{"x": top, "y": low} for top in (1, 7, Fraction(17, 2), 64) for low in (1, 3)]
SINGLE = {"argmax": 2, "binomial": 2, "max": 2, "min": 2, "mod": 2, "pi": 0}
WHOLE = {"factorial": (floor(x),), "binomial": (floor(3 * x), floor(y))}


@pytest.fixture(params=sorted({*FUNCTIONS, "mod"} - {"floor_sqrt", "ceiling_sqrt", "logarithm"}))
def function(request, monkeypatch):
    """All of them, and one that is declared by its value and its meaning only."""
    if request.param == "mod":
        monkeypatch.setitem(FUNCTIONS, "mod", None)  # gone again at the end
        return Function("mod", lambda x, y: x - x // y * y, lambda x, y: x - floor(x / y) * y)
    return FUNCTIONS[request.param]


@pytest.fixture
def formula(function):
    return function(*WHOLE.get(function.name, (x, y))[: SINGLE.get(function.name, 1)])


def test_values_agree_in_all_domains(function, formula):
    for known in POINTS:
        value, numbers = evaluate(formula, known), [Fraction(known[name] or 0) for name in "xy"]
        assert agrees(to_sympy(formula, {n: to_sympy(Num(known[n] or 0)) for n in known}), value)
        pairs = [*zip("xy", numbers, strict=True)]
        bounds = enclosed(formula, {name: Bounds(one, one + 1) for name, one in pairs})
        assert bounds.low <= value <= bounds.high
        halves = {name: of_whole(np.array([int(2 * one)]), 2) for name, one in pairs}
        column = Pointwise(halves).of(formula)
        if not np.any(column.unsure):
            assert float(np.ravel(column.values())[0]) == pytest.approx(float(value), rel=1e-12)


def test_what_is_settled_agrees_where_nothing_changes(formula):
    for known in POINTS:
        settled = Settled(Piece(known["x"], known["x"]), "x", {}, {"y": known["y"]})
        try:
            form = settled.of(formula).as_expr()
        except Unsettled:
            continue
        at = dict.fromkeys(form.free_symbols, known["x"])
        assert agrees(form.subs(at), evaluate(formula, known))


def test_units(function, formula):
    alike = function.measures == "alike" or function.name == "mod"
    if function.measures == "plain" and formula.parts():
        with pytest.raises(BadEquation, match="mixes"):
            dimension_of(formula, {"x": TIME, "y": TIME})
        assert dimension_of(formula, {"x": ONE, "y": ONE}) == ONE
    elif function.name != "sqrt":
        assert dimension_of(formula, {"x": TIME, "y": TIME}) == (TIME if alike else ONE)


def test_it_is_written_and_comes_back_from_sympy(function, formula):
    assert unbroken(text(formula))
    assert to_sympy(from_sympy(to_sympy(formula), {"x": 0, "y": 1})) == to_sympy(formula)


def test_what_is_no_function_of_the_language_is_named():
    uses = ((evaluate, {"x": 1}), (to_sympy, {}), (dimension_of, {"x": ONE}))
    for use, known in uses:
        with pytest.raises((BadEquation, NameError, TypeError), match="norm"):
            use(Fun("norm", (x,)), known)
