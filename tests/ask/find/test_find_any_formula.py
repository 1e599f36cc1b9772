"""Random formulas in one unknown: the search says of every number what plain evaluation does."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from tried import inside, tried

from ddcalc.ask.find.branching import SearchModel, Sought, search
from ddcalc.ask.find.number_line import Piece
from ddcalc.errors import BadValue
from ddcalc.formula.algebra import (
    FUNCTIONS,
    cases,
    ceiling,
    exp,
    floor,
    largest,
    log,
    smallest,
    sqrt,
)
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Div, Expr, Mul, Neg, Num, Number, Operator, Pow, Rel, Sym
from ddcalc.numbers.irrational import Approximate, OutOfReach

U = Sym("u")
PIECES = 600  # that are looked at
SURE = Fraction(1, 10**40)  # of a rounded value
NUMBERS = (0, 1, 2, 3, 7, -1, Fraction(1, 2), Fraction(7, 3))
SIGNS: tuple[Operator, ...] = ("<", "<=", "==", ">=", ">")

numbers = st.sampled_from(NUMBERS)
signs = st.sampled_from(SIGNS)


def _remainder(x: Expr, y: Expr) -> Expr:
    return x - floor(x / y) * y


def _formulas(more: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    two: list[Callable[[Expr, Expr], Expr]] = [
        lambda x, y: x + y, lambda x, y: x - y, lambda x, y: Mul((x, y)), Div, _remainder,
        largest, smallest, FUNCTIONS["argmax"],
    ]  # fmt: skip
    one: list[Callable[[Expr], Expr]] = [Neg, floor, ceiling, lambda x: floor(sqrt(x))]
    one += [lambda x: ceiling(sqrt(x)), lambda x: Pow(x, Num(2)), lambda x: Pow(x, Num(-1))]
    one += [FUNCTIONS[name] for name in ("floor_log2", "ceiling_log2", "floor_power2")]
    return st.one_of(
        st.builds(lambda make, x, y: make(x, y), st.sampled_from(two), more, more),
        st.builds(lambda make, x: make(x), st.sampled_from(one), more),
        st.builds(
            lambda x, op, left, right, y: cases((x, Rel(op, left, right)), otherwise=y),
            more, signs, more, more, more,
        ),
    )  # fmt: skip


formulas = st.recursive(st.one_of(st.just(U), numbers.map(Num)), _formulas, max_leaves=7)
smooth = st.recursive(
    st.one_of(st.just(U), numbers.map(Num)),
    lambda more: st.one_of(
        st.builds(lambda f, x: f(x), st.sampled_from([sqrt, exp, log]), more),
        st.builds(lambda x, y: x + y, more, more),
        st.builds(lambda x, y: Mul((x, y)), more, more),
        st.builds(Pow, more, st.sampled_from([Fraction(1, 2), Fraction(-3, 2), 3]).map(Num)),
    ),
    max_leaves=5,
)
whole_limits = st.tuples(st.sampled_from([0, 1, -20, None]), st.sampled_from([None, 60, 25]))


def _model(formula: Expr, then: Expr, goal: Rel, piece: Piece) -> SearchModel:
    return SearchModel("unknown", "u", piece, {"x": formula, "y": then}, (goal,), (), {})


def _truth(model: SearchModel, x: Number) -> bool | None:
    """Whether the goal holds at *x*; None where a number is too large or rounded to tell."""
    known: dict[str, Number | None] = {"u": x}
    try:
        for letter, rule in model.rules.items():
            known[letter] = evaluate(rule, known)
        value, bound = (evaluate(side, known) for side in model.goals[0].parts())
        if isinstance(value, Approximate) and abs(value - bound) <= abs(value) * SURE:
            return None
        return bool(evaluate(model.goals[0], known))
    except OutOfReach:
        return None
    except ArithmeticError:
        return False


def _check(model: SearchModel, sought: Sought, numbers: list[Number]) -> None:
    whole = model.domain.whole
    ends = tried([*sought.solutions, *sought.open], whole)
    for x in [*numbers, *ends]:
        if x in model.domain and not inside(sought.open, x):
            truth = _truth(model, x)
            assert truth is None or truth == inside(sought.solutions, x), (x, sought)


@settings(max_examples=60)
@given(formula=formulas, then=formulas, op=signs, bound=numbers, limits=whole_limits)
def test_whole_numbers(
    formula: Expr, then: Expr, op: Operator, bound: Number, limits: tuple[int | None, int | None]
) -> None:
    goal = Rel(op, Sym("y"), Num(bound))
    model = _model(formula, then + Sym("x"), goal, Piece(*limits, whole=True))
    _check(model, search(model, PIECES), [*range(-80, 120), 10**4, 10**6 + 1])


@settings(max_examples=60)
@given(
    formula=formulas, then=formulas, op=signs, bound=numbers,
    low=st.sampled_from([0, None, Fraction(1, 3)]), ends=st.tuples(st.booleans(), st.booleans()),
)  # fmt: skip
def test_all_numbers(
    formula: Expr, then: Expr, op: Operator, bound: Number, low: Number | None,
    ends: tuple[bool, bool],
) -> None:  # fmt: skip
    goal = Rel(op, Sym("y"), Num(bound))
    model = _model(formula, Mul((then, Sym("x"))), goal, Piece(low, 30, *ends))
    _check(model, search(model, PIECES), [Fraction(i, 12) for i in range(-60, 380)])


@settings(max_examples=30)
@given(formula=smooth, then=smooth, op=signs, bound=numbers)
def test_roots_and_exponentials_of_whole_numbers(
    formula: Expr, then: Expr, op: Operator, bound: Number
) -> None:
    goal = Rel(op, Sym("y"), Num(bound))
    model = _model(formula, then + Sym("x"), goal, Piece(0, 60, whole=True))
    try:
        sought = search(model, PIECES)
    except BadValue:  # what is compared agrees with a rounded number to forty digits
        return
    _check(model, sought, list(range(61)))
