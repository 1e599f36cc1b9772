"""Steps that examples of compression share: lists, sums over values, and errors beside a bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ddcalc.algebra import Expr, Sym, total
from ddcalc.evaluation import applying, evaluate
from ddcalc.expression import Cases, Rel, symbols
from ddcalc.number import Number
from ddcalc.quantity import Derived
from ddcalc.schedule.compression.rounding import Vector
from ddcalc.schedule.defining import defined
from ddcalc.steps import Compare, Define, DefineEach, Step
from ddcalc.units import COUNT

WRITTEN = 6  # values up to which a sum over them is written out


def listed(quantity: Derived, values: Vector) -> DefineEach:
    """*quantity*, a list of these *values*."""
    rows = tuple(
        defined(quantity, value, symbol=f"{quantity.letter}_{i}")
        for i, value in enumerate(values, 1)
    )
    return DefineEach(quantity.name, quantity.title, quantity.why, rows)


def of_values(
    quantity: Derived, value: Number, term: Callable[[int], Expr], **vectors: Vector
) -> Define:
    """*quantity* as the sum of a *term* for each value of *vectors*, which are told by letter."""
    size = len(next(iter(vectors.values())))
    if size > WRITTEN:
        return defined(quantity, value)
    formula = total(term(i) for i in range(1, size + 1))
    numbers = {
        f"{letter}_{i}": each
        for letter, values in vectors.items()
        for i, each in enumerate(values, 1)
    }
    return defined(quantity, value, formula, numbers)


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


def within_bound(quantity: Derived, errors: Errors) -> Iterator[Step]:
    """*quantity*, the largest error that may be expected, and how the errors compare with it."""
    numbers = {"omega_v": errors.bound, "N": errors.square}
    yield defined(quantity, errors.allowed, Sym("omega_v") * Sym("N"), numbers)
    yield _compared("E", errors.expected, errors.allowed, "as it has to be")
    if errors.random:
        why = "by chance: the bound holds on average only"
        yield _compared("e", errors.error, errors.allowed, why)


def _compared(letter: str, value: Number, limit: Number, why: str) -> Compare:
    relation = Rel("<=", Sym(letter), Sym("E_max"))
    numbers = {letter: value, "E_max": limit}
    return Compare(
        letter, why, relation, letter, value, numbers, value, limit, COUNT, value <= limit
    )
