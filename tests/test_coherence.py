"""Unlike things added, letters used too early and letters used twice are found, with names."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from own import own
from running import ddcalc

from ddcalc.errors import BadEquation, DdcalcError
from ddcalc.formula.algebra import (
    FUNCTIONS,
    cases,
    exp,
    floor,
    harmonic,
    lambert,
    largest,
    smallest,
    sqrt,
)
from ddcalc.formula.coherence import dimension_of
from ddcalc.formula.expression import Expr, Fun, Num, Sym
from ddcalc.numbers.units import DATA, MONEY, ONE, TIME, Dimension
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.problem import RESERVED, Shape

t, u, S, W, n, p = map(Sym, ["t", "u", "S", "W", "n", "p"])
KNOWN = {"t": TIME, "u": TIME, "S": DATA, "W": DATA / TIME, "n": ONE, "p": MONEY / TIME}


MIXES = "mixes .* and "


@pytest.mark.parametrize(
    ("formula", "measures"),
    [
        (n * t + S / W, TIME),
        (S / W * p, MONEY),
        (floor(t / u), ONE),
        (largest(t, u, S / W), TIME),
        (FUNCTIONS["argmax"](t, u), ONE),
        (cases((0, t > u), otherwise=u), TIME),
        (t * 0 + u, TIME),
        (sqrt(t**2 + u * t), TIME),
        (sqrt(Num(0)) + t, TIME),
        (lambert(t / u) * t * n ** Fraction(1, 2), TIME),
        (harmonic(n, n) * t, TIME),
        (exp(Num(0)), ONE),
        (t + S, MIXES),
        (smallest(t, 1), MIXES),
        (FUNCTIONS["argmax"](t, S), MIXES),
        (cases((t, n > 1), otherwise=S), MIXES),
        (cases((t, n > t), otherwise=t), MIXES),
        (exp(t), MIXES),
        (t**n, MIXES),
        (harmonic(t), MIXES),
        (sqrt(t), "which is no unit"),
        (t ** Fraction(1, 3), "which is no unit"),
        (Fun("norm", (t,)), "no rule"),
        (Sym("x"), "x: is used before it is derived"),
    ],
)
def test_dimensions(formula: Expr, measures: Dimension | str) -> None:
    if isinstance(measures, Dimension):
        assert dimension_of(formula, KNOWN) == measures
        return
    with pytest.raises(BadEquation, match=measures):
        dimension_of(formula, KNOWN)


# Problem types with a mistake in them


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("first n [count]: samples\n  other n [count]: workers", "n is the letter of first, too"),
        ("first t [duration, list worker]: times\n  other t_1 [duration]: another", "t_1 stands"),
        ("first a [count]: one\n  other b [count]: two\n  unit u [count]: units", "unit is an opt"),
    ],
)
def test_names_and_letters_that_are_taken_are_found(given: str, expected: str) -> None:
    text = f"""A type with a name twice?

given
  {given}

steps
  total T: Total -- why
    = 1
"""
    with pytest.raises(DdcalcError, match=expected):
        own("twice", text)(Shape(lengths=(("first", 2),)))


def test_the_reserved_names_are_those_of_the_command() -> None:
    shown = ddcalc("sync-step", "--help-all").out
    options = {name.replace("-", "_") for name in re.findall(r"--([a-z][a-z-]*)", shown)}
    sync_step = problem_named("sync-step")
    own = {"step"}  # or own-step, for types with such a given
    assert options - {*sync_step.givens, *sync_step.choices} == {*RESERVED} - {"own_step"} | own
