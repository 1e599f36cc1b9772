"""Unlike things added, letters used too early and letters used twice are found, with names."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

import pytest
from running import ddcalc

from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import (
    FUNCTIONS,
    Eq,
    cases,
    ceiling,
    exp,
    floor,
    harmonic,
    lambert,
    largest,
    log,
    same,
    smallest,
    sqrt,
)
from ddcalc.formula.coherence import check, dimension_of, worth_of
from ddcalc.formula.expression import Expr, Fun, Num, Sym
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import DATA, MONEY, ONE, SECOND, TIME, Dimension
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.problem import RESERVED, Equations, Problem, Shape
from ddcalc.problem.quantity import count, data, derived, duration, rate

t, u, S, W, n, p = map(Sym, ["t", "u", "S", "W", "n", "p"])
KNOWN = {"t": TIME, "u": TIME, "S": DATA, "W": DATA / TIME, "n": ONE, "p": MONEY / TIME}


@pytest.mark.parametrize(
    ("formula", "dimension"),
    [
        (t + u, TIME),
        (n * t + S / W, TIME),
        (S / W * p, MONEY),
        (t / u, ONE),
        (t / u + 1, ONE),
        (floor(t / u), ONE),
        (ceiling(t), TIME),
        (largest(t, u, S / W), TIME),
        (smallest(n, 2), ONE),
        (FUNCTIONS["argmax"](t, u), ONE),
        (t**2, TIME**2),
        (1 / t, ONE / TIME),
        (cases((t, n > 1), otherwise=0), TIME),
        (cases((0, t > u), otherwise=u), TIME),
        (t + 0, TIME),
        (t - 0, TIME),
        (same(t, 0), ONE),
        (-t, TIME),
        (Num(3), ONE),
        (t * 0 + u, TIME),
        (sqrt(t * u), TIME),
        (sqrt(t**2 + u * t), TIME),
        (sqrt(t / u), ONE),
        (sqrt(Num(0)) + t, TIME),
        (exp(-(t / u)), ONE),
        (log(n) * t, TIME),
        (lambert(t / u) * t, TIME),
        (t * n**n, TIME),
        (t * n ** Fraction(1, 2), TIME),
        (harmonic(n, n) * t, TIME),
        (exp(Num(0)), ONE),
    ],
)
def test_dimensions(formula: Expr, dimension: Dimension) -> None:
    assert dimension_of(formula, KNOWN) == dimension


@pytest.mark.parametrize(
    "formula",
    [
        t + S,
        t + 1,
        1 - t,
        t + n,
        largest(t, S),
        smallest(t, 1),
        FUNCTIONS["argmax"](t, S),
        t > S,
        same(t, 1),
        cases((t, n > 1), otherwise=S),
        cases((t, n > t), otherwise=t),
        floor(t + S),
        (t + S) / u,
        n + n * t,
        W + S,
        (t * S + u) ** 2,
        exp(t),
        log(S / W),
        t**n,
        n**t,
        harmonic(t),
        sqrt(t + n),
    ],
)
def test_unlike_things_are_found(formula: Expr) -> None:
    with pytest.raises(BadEquation, match=r"mixes .* and "):
        dimension_of(formula, KNOWN)


@pytest.mark.parametrize("formula", [sqrt(t), sqrt(S * t), t ** Fraction(1, 3), sqrt(n / t)])
def test_a_root_that_is_no_unit_is_found(formula: Expr) -> None:
    with pytest.raises(BadEquation, match="which is no unit"):
        dimension_of(formula, KNOWN)


@pytest.mark.parametrize("formula", [Fun("norm", (t,)), Fun("grad", (n, n))])
def test_what_has_no_rule_is_found(formula: Expr) -> None:
    with pytest.raises(BadEquation, match="no rule"):
        dimension_of(formula, KNOWN)


def test_rules_measure_what_they_should() -> None:
    check([("x", t + u, TIME), ("y", Sym("x") / t, ONE)], KNOWN)
    with pytest.raises(BadEquation, match="x: measures time, not data"):
        check([("x", t + u, DATA)], KNOWN)


@pytest.mark.parametrize("rules", [[("y", Sym("x"), ONE), ("x", n, ONE)], [("x", Sym("x"), ONE)]])
def test_a_letter_used_too_early_is_found(rules: list[tuple[str, Expr, Dimension]]) -> None:
    with pytest.raises(BadEquation, match="x: is used before it is derived"):
        check(rules, KNOWN)


@pytest.mark.parametrize(
    ("formula", "worth"),
    [
        (t + u, 1),
        (n * t, 1),
        (n * Sym("h"), 3600),
        (Sym("h") / t, 3600),
        (t + Sym("h"), None),
        (S / Sym("ms"), 1000),
        (Sym("h") * p, 1),
        (largest(t, Sym("h")), None),
        (Num(0), 1),
        (sqrt(Sym("h") * t * Sym("h")) / Sym("h"), 1),
        (sqrt(Sym("h") * n), 60),
        (sqrt(S * Sym("ms")), None),  # no number of square roots of a millisecond
        (exp(n) * Sym("h"), 3600),
        (exp(S / Sym("ms")), None),  # these go in as plain numbers
        (Sym("h") ** -2, Fraction(1, 3600**2)),
    ],
)
def test_worth(formula: Expr, worth: Number | None) -> None:
    known: dict[str, Number] = {"t": 1, "u": 1, "n": 1, "S": 1, "h": 3600, "ms": Fraction(1, 1000)}
    assert worth_of(formula, known | {"p": Fraction(1, 3600)}) == worth


# Problem types with a mistake in them


class _Base(Problem):
    """A type with mistakes?"""

    size = data("S", "an amount")
    speed = rate("W", "a speed")
    pause = duration("t", "a time")
    first = derived("x", "First", "why", SECOND)
    total = derived("T", "Total", "why", SECOND)


def _planned(equations: Callable[[_Base], Equations]) -> EquationPlan:
    kind = type("Wrong", (_Base,), {"equations": equations, "__doc__": "A wrong type?"})
    plan = EquationPlan(kind(Shape()))
    check(
        [(line.symbol, line.formula, line.quantity.unit.dimension) for line in plan.lines],
        {letter: plan.dimensions[letter] for letter in plan.givens},
    )
    return plan


def _sound(self: _Base) -> Equations:
    yield self.first, self.size / self.speed
    yield self.total, self.first + self.pause


def _early(self: _Base) -> Equations:
    yield self.total, self.first + self.pause
    yield self.first, self.size / self.speed


def _twice(self: _Base) -> Equations:
    yield self.total, self.pause
    yield self.total, 2 * self.pause


@pytest.mark.parametrize(
    ("equations", "expected"),
    [
        (_early, "before it is derived"),
        (_twice, "T is defined twice"),
        (lambda self: [(self.total, self.size / self.speed + self.pause * self.pause)], "mixes"),
        (lambda self: [(self.total, self.size * self.speed)], "measures"),
        (lambda self: [(self.total, Eq(self.total, self.size))], "measures"),
        (lambda self: [(self.pause, self.size / self.speed)], "t is given, not derived"),
    ],
)
def test_mistakes_in_equations_are_found_with_names(
    equations: Callable[[_Base], Equations], expected: str
) -> None:
    _planned(_sound)
    with pytest.raises(BadEquation, match=expected):
        _planned(equations)


def test_two_quantities_with_one_letter_are_found() -> None:
    with pytest.raises(BadEquation, match="n stands for two quantities"):

        class Twice(Problem):
            """A type with one letter twice?"""

            samples = count("n", "samples")
            workers = count("n", "workers")


def test_a_member_of_a_list_and_another_quantity_with_one_letter_are_found() -> None:
    class Clash(Problem):
        """A type in which the first of a list has the letter of another quantity?"""

        times = duration("t", "times", many="list", of="worker")
        one = duration("t_1", "another time")
        total = derived("T", "Total", "why", SECOND)

        def equations(self) -> Equations:
            yield self.total, largest(*self.times) + self.one

    with pytest.raises(BadEquation, match="t_1"):
        Clash(Shape(lengths=(("times", 2),)))


def test_a_given_named_like_an_option_of_every_type_is_refused() -> None:
    with pytest.raises(BadEquation, match="unit is an option of all types"):

        class Taken(Problem):
            """A type whose given hides an option?"""

            unit = count("u", "units")
            total = derived("T", "total", "nothing else")


@pytest.mark.parametrize("name", ["counted", "needs", "symbols", "terms"])
def test_a_quantity_named_like_a_method_of_every_type_is_refused(name: str) -> None:
    with pytest.raises(BadEquation, match=f"{name} is a name of all types"):
        type("Taken", (Problem,), {name: count("u", "units"), "total": derived("T", "total", "")})


def test_the_reserved_names_are_those_of_the_command() -> None:
    shown = ddcalc("sync-step", "--help-all").out
    options = {name.replace("-", "_") for name in re.findall(r"--([a-z][a-z-]*)", shown)}
    sync_step = problem_named("sync-step")
    assert options - {*sync_step.givens, *sync_step.choices} == RESERVED
