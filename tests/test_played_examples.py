"""Types whose equations are played as well where there is an example, and what serves them."""

from __future__ import annotations

from typing import Any

import pytest
from running import ddcalc

from ddcalc.ask.solve import solve
from ddcalc.errors import BadEquation, NoAnswer
from ddcalc.formula.algebra import BITS_PER_BYTE, Expr, sqrt
from ddcalc.formula.coherence import check, check_decisions, dimension_of, worth_of
from ddcalc.formula.expression import Num, Pow, Sym
from ddcalc.numbers.units import DATA, ONE
from ddcalc.problem.play import Outcome, PartlyPlayed, PlayedGivens, defined, whole
from ddcalc.problem.problem import Equations, Problem, Shape
from ddcalc.problem.quantity import choice, count, derived
from ddcalc.problem.steps import Define


class Doubled(PartlyPlayed):
    """What is twice a number?"""

    answer = "double"

    start = count("a", "a number", optional=True)
    other = count("b", "another one", optional=True)
    shown = count("n", "how many to play", optional=True)
    which = choice("which", first="the first", second="the second")

    double = derived("c", "Twice the number", "twice")
    listed = derived("l", "Counted", "one by one")

    @classmethod
    def is_played(cls, shape: Shape) -> bool:
        return "shown" in shape.stated

    def needs(self) -> Any:
        yield ("start" if self.which == "first" else "other",)

    def equations(self) -> Equations:
        yield self.double, 2 * (self.start if self.which == "first" else self.other)

    def play(self, given: PlayedGivens) -> Outcome:
        shown = whole(given, "shown")
        if shown == 13:
            raise ArithmeticError("nothing good")
        counted = (whole(given, "double") or 0) + (shown or 0)
        return Outcome({"listed": counted}, lambda: [defined(Doubled.listed, counted)])


def test_without_an_example_equations_tell_all() -> None:
    solved = solve(Doubled, {"start": "4"})
    assert (solved.stated.is_played, solved.values) == (False, {"double": 8})
    assert solved.closed_form is not None


def test_an_example_adds_to_the_equations_and_knows_their_values() -> None:
    solved = solve(Doubled, {"start": "4", "shown": "3"})
    assert (solved.stated.is_played, solved.values) == (True, {"double": 8, "listed": 11})
    assert [s.name for s in solved.steps if isinstance(s, Define)] == ["double", "listed"]
    assert solved.closed_form is None


def test_an_example_without_a_value_says_so() -> None:
    with pytest.raises(NoAnswer, match="these numbers lead to nothing good"):
        solve(Doubled, {"start": "4", "shown": "13"})


def test_readings_that_need_more_are_left_out() -> None:
    assert solve(Doubled, {"start": "4"}).readings == ()
    [reading] = solve(Doubled, {"start": "4", "other": "5"}).readings
    assert (reading.option, reading.answer.value) == ("second", 10)
    shape = Shape(reading=(("which", "first"),), stated=("start",))
    assert Doubled.unmet(shape) == []
    assert Doubled.unmet(shape.with_choice("which", "second")) == [("other",)]


def test_an_option_that_needs_more_is_not_possible() -> None:
    call = ["quantize", "--values", "8", "--scheme", "sign", "--format", "json"]
    assert ddcalc(*call).code == 0
    call = ["update-rule", "--workers", "3", "--clock", "4", "--staleness", "1", "--find", "scheme"]
    ran = ddcalc(*call, "--where", "guaranteed >= 9")
    assert (ran.code, "not possible: missing: " in ran.out) == (0, True)


# Formulas of bits, and powers of whole numbers


def test_bits_over_bits_per_byte_are_data() -> None:
    bits = Sym("b") / BITS_PER_BYTE
    assert dimension_of(bits, {"b": ONE}) == DATA
    assert worth_of(bits, {"b": 1}) == 1
    check([("S", bits, DATA)], {"b": ONE})
    assert repr(bits) == repr(Sym("b") / Num(8))
    with pytest.raises(BadEquation, match="mixes"):
        dimension_of(bits + Sym("b"), {"b": ONE})


@pytest.mark.parametrize("exponent", [Sym("n"), Sym("n") - 1, 2 * Sym("n") + 3, -Sym("n")])
def test_powers_with_whole_exponents_may_decide(exponent: Expr) -> None:
    test = Pow(Num(2), exponent) >= 3
    check_decisions([("x", test)], whole={"n"})
    for whole_letters in (set[str](), {"m"}):
        with pytest.raises(BadEquation, match="by a rounded number"):
            check_decisions([("x", test)], whole=whole_letters)


@pytest.mark.parametrize("exponent", [Sym("n") / 2, sqrt(Sym("n")), Sym("n") * Num(1) / 3])
def test_others_may_not(exponent: Expr) -> None:
    with pytest.raises(BadEquation, match="by a rounded number"):
        check_decisions([("x", Pow(Num(2), exponent) >= 3)], whole={"n"})


def test_whole_givens_are_known() -> None:
    class Counting(Problem):
        """How many?"""

        some = count("k", "some")
        part = count("q", "a part", whole=False)
        all = derived("x", "All", "both")

    assert Counting(Shape()).counted() == {"k"}
