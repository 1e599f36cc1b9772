"""Steps that examples of compression share: lists, sums over values, and errors beside a bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ddcalc.formula.algebra import Expr, Sym, total
from ddcalc.formula.evaluation import applying, evaluate
from ddcalc.formula.expression import Cases, Num, Pow, symbols
from ddcalc.numbers.number import Number
from ddcalc.problem.play import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Define, DefineEach, Value
from ddcalc.types.compression._rounding import Vector

Values = dict[str, Value | tuple[Value, ...]]

WRITTEN = 6  # values up to which a sum over them is written out


def listed(quantity: Derived, values: Vector, why: str = "") -> DefineEach:
    """*quantity*, a list of these *values*; *why* is told, else its own reason."""
    rows = tuple(
        defined(quantity, value, symbol=f"{quantity.letter}_{i}")
        for i, value in enumerate(values, 1)
    )
    return DefineEach(quantity.name, quantity.title, why or quantity.why, rows)


def seeded(quantity: Derived, seed: int) -> str:
    """Why *quantity* was drawn so."""
    return f"{quantity.why}; seed {seed}"


def lost(quantity: Derived, values: Vector, unbiased: Number | None) -> DefineEach:
    """What is lost, and whether error feedback is for it; ω of an *unbiased* scheme.

    It converges where compression leaves a part less than 1 of the square of any vector
    (Karimireddy et al., ICML 2019, arXiv:1901.09847), which an unbiased scheme does
    if ω < 1. Random values times d/k lose ω times the square on average, so that from ω = 1 on the
    square of what is kept grows for ever.
    """
    feedback = "error feedback adds it to the next gradient"
    if unbiased is not None:
        may = "could add it to the next gradient" if unbiased < 1 else "is not safe"
        feedback = f"0 on average; as ω_v {'<' if unbiased < 1 else '≥'} 1, error feedback {may}"
    return listed(quantity, values, f"{quantity.why}; {feedback}")


def squared(quantity: Derived, value: Number, letter: str, values: Vector) -> Define:
    """*quantity* as the sum of the squares of *values*, by their *letter*; of many as a number."""
    if len(values) > WRITTEN:
        return defined(quantity, value)
    numbers = {f"{letter}_{i}": each for i, each in enumerate(values, 1)}
    return defined(quantity, value, total(Pow(Sym(name), Num(2)) for name in numbers), numbers)


def bounded(quantity: Derived, formula: Expr, numbers: Mapping[str, Number]) -> Define:
    """*quantity* by the branch of *formula* that its *numbers* decide."""
    value, why = evaluate(formula, numbers), ""
    while isinstance(formula, Cases):
        formula, why = applying(formula, numbers)
    told = {letter: numbers[letter] for letter in symbols(formula)}
    return defined(quantity, value, formula, told, "; ".join(filter(None, [quantity.why, why])))


@dataclass(frozen=True, slots=True)
class Errors:
    """The square of an *error* and what is *expected* of it, beside a *bound* on that over the
    *square* of the vector; both are the same unless it is *random*."""

    error: Number
    expected: Number
    bound: Number
    square: Number
    random: bool

    @property
    def allowed(self) -> Number:
        """The largest error that may be expected."""
        return self.bound * self.square

    def values(self) -> Values:
        """What these are called."""
        return {
            "square": self.square,
            "vector_bound": self.bound,
            "allowed": self.allowed,
            "expected_error": self.expected,
            "error": self.error,
        }


def within_bound(quantity: Derived, errors: Errors) -> Define:
    """*quantity*, the largest error that may be expected, and how the errors compare with it."""
    why = f"{quantity.why}; {'E' if errors.random else 'e'} keeps to it, as it has to"
    if errors.random and errors.error <= errors.allowed:
        why += ", and so does e here"
    elif errors.random:
        why += "; e, which is one draw, is larger"
    numbers = {"omega_v": errors.bound, "N": errors.square}
    return defined(quantity, errors.allowed, Sym("omega_v") * Sym("N"), numbers, why)
