"""A relation solved for the unknown by hand, a line for each move with its reason, where it is
linear once it is transformed: ``rest + factor·x``, ``rest + factor/x`` or ``(a·x + b)/(x + e)``."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final

from ddcalc.ask.find.branching import SearchModel
from ddcalc.ask.find.inverse import InverseQuestion, Relation
from ddcalc.ask.powers import composed, quotient_of
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import (
    Cases,
    Div,
    Expr,
    Fun,
    Known,
    Nothing,
    Number,
    Operator,
    Rel,
    Sym,
    nodes,
    symbols,
)
from ddcalc.formula.expression import replace as rewritten
from ddcalc.formula.letters import letter as letter_of
from ddcalc.numbers.amounts import amount
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import COUNT, ONE, TIME, Dimension, Unit, base_unit
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.quantity import Given
from ddcalc.problem.steps import BOUND, NUMBER, PutIn, Reasoned, Solve

DIGITS: Final = 40  # of a place that is irrational
LETTERS: Final = 13  # of a formula that is shown before the numbers are put in
MANY: Final = 10  # of the unit of a bound, from which on times are told in it
TURNED: Final[dict[Operator, Operator]] = {
    "<": ">", "<=": ">=", "==": "==", ">=": "<=", ">": "<",
}  # fmt: skip
_MEASURED: Final = ("data", "money", "euros", "work", "mass", "energy")
_AMOUNTS: Final = (TIME, *(Dimension(**{one: 1}) for one in _MEASURED))
_READ: Final = (ONE, *_AMOUNTS, *(one / TIME for one in (ONE, *_AMOUNTS[1:])))
_INVERSE_READ: Final = tuple(ONE / one for one in _READ)


def solved_by_hand(
    question: InverseQuestion,
    relation: Relation,
    plan: EquationPlan,
    searched: SearchModel,
    near: Known,
) -> Solve | None:
    """The *relation* solved for the unknown of *question*, as things are where all letters are
    worth what they are *near*; None where its formula has another form, or a unit that nobody
    reads."""
    if relation.name == searched.name:
        return None
    sides = [question.compared[name] for name in relation.names]
    made = [_written(one.letter, plan, searched.live, near) for one in sides]
    formula, right = made[0], made[-1]
    if formula is None or right is None:
        return None
    unit, bound = sides[0].unit, relation.bound
    is_many = unit.dimension == TIME and bound.value >= MANY * bound.unit.worth
    unit = bound.unit if is_many and relation.other is None else unit
    called = " less ".join(one.called for one in sides)
    formula = formula - right if len(sides) > 1 else formula
    fraction = quotient_of(formula, searched.letter, near)
    if fraction is None or len(fraction[1]) > 2:
        return None
    return _ByHand(relation, formula, question.given, called, unit).step(*fraction)


def _written(letter: str, plan: EquationPlan, live: set[str], near: Known) -> Expr | None:
    """What *letter* is in the unknown and what does not rest on it; None where the unknown stands
    in something that is no quotient."""

    def applying(part: Expr) -> Expr | None:
        """The member of a maximum that applies."""
        if isinstance(part, Fun) and part.name in ("max", "min") and live & {*symbols(part)}:
            best = max if part.name == "max" else min
            return rewritten(best(part.args, key=lambda arg: evaluate(arg, near)), applying)
        return None

    formula = composed(letter, plan, live, near, applying)
    curved = (one for one in nodes(formula) if isinstance(one, Fun) and live & {*symbols(one)})
    is_open = any(isinstance(one, Cases | Nothing) for one in nodes(formula))
    return None if is_open or [*curved] else formula


class _ByHand:
    """The moves that solve one *relation*, whose left side less its right one is *formula*, for the
    *unknown*; what is compared is so *called* and told in *unit*."""

    def __init__(
        self, relation: Relation, formula: Expr, unknown: Given, called: str, unit: Unit
    ) -> None:
        self.relation, self.formula, self.unknown = relation, formula, unknown
        self.called, self.unit = called, unit
        self.bound, self.op = Fraction(relation.bound.value), relation.op
        self.numbers = dict[str, PutIn]()
        self.lines = list[Reasoned]()

    def step(self, top: list[Fraction], bottom: list[Fraction]) -> Solve | None:
        """The step for a formula that is a quotient, of what has these coefficients."""
        c, d = (Fraction(0), *bottom)[-2:]
        if c and d:
            a, b = (Fraction(0), *top)[-2:]
            return self._share(a / c, b / c, d / c) if len(top) < 3 and d / c > 0 else None
        # the polynomial over d, or over c·x
        powers = {len(top) - 1 - i - bool(c): x / (c or d) for i, x in enumerate(top) if x}
        rest = powers.pop(0, Fraction(0))
        [(power, factor)] = powers.items() if len(powers) == 1 else [(0, Fraction(0))]
        over = self.bound - rest
        scaled = self._scaled(abs(factor), power) if power in (1, -1) else None
        if scaled is None or over / factor <= 0 or (factor < 0 and not rest):
            return None
        times, divided = scaled
        part = times(Sym(self.unknown.letter))
        left = part if factor > 0 else -part
        if rest > 0:
            left = self._put(rest, self.unit) + left
        elif rest:
            left = left - self._put(-rest, self.unit)
        self._begin(left)
        if (power > 0) != (factor > 0):
            self.op = TURNED[self.op]
        right = divided(self._put(abs(over), self.unit))
        return self._done(left, right, (over / factor) ** power)

    def _share(self, a: Fraction, b: Fraction, e: Fraction) -> Solve | None:
        """``(a·x + b)/(x + e)``, where e is positive."""
        slope, rest = a - self.bound, self.bound * e - b
        mixed = self.unit.dimension * self.unknown.unit.dimension
        if b < 0 or self.bound <= 0 or slope == 0 or rest / slope <= 0 or mixed not in _READ:
            return None
        letter, unit = Sym(self.unknown.letter), _unit_of(mixed, self.unknown.unit)
        over: Expr = letter if a == 1 else self._put(a, _plain(self.unit)) * letter
        if b:
            over = over + self._put(b, unit) if a else self._put(b, unit)
        below = letter + self._put(e, self.unknown.unit)
        left = Div(over, below)
        self._begin(left)
        name = letter_of(self.unknown.letter)
        shown = f"{name} + {amount(plain(e), self.unknown.unit)}"
        right = self._put(self.bound, _plain(self.unit)) * below
        self._write(over, right, f"times {shown}, which is positive")
        self.op = self.op if slope > 0 else TURNED[self.op]
        put, alone = self._put(abs(rest), unit), self._put(abs(slope), _plain(self.unit))
        return self._done(left, Div(put, alone), rest / slope)

    def _scaled(
        self, factor: Fraction, power: int
    ) -> tuple[Callable[[Expr], Expr], Callable[[Expr], Expr]] | None:
        """How the unknown is multiplied by *factor* (or that divided by it), and what undoes that,
        written so that the unit can be read."""
        size = self.unit.dimension / self.unknown.unit.dimension**power
        is_rate = size != TIME and (size not in _READ or size.time)
        if power > 0 and is_rate and size in _INVERSE_READ:
            rate = self._put(1 / factor, base_unit(ONE / size))
            return (lambda x: Div(x, rate)), (lambda right: right * rate)
        if size not in _READ:
            return None
        if power > 0 and factor == 1 and size == ONE:
            return (lambda x: x), (lambda right: right)
        put = self._put(factor, _unit_of(size, self.unit if power < 0 else COUNT))
        if power < 0:
            return (lambda x: Div(put, x)), (lambda right: Div(put, right))
        return (lambda x: put * x), (lambda right: Div(right, put))

    def _put(self, value: Number, unit: Unit) -> Sym:
        """A *value* in *unit*, as a letter of its own."""
        shown = amount(plain(value), unit)
        name = next((n for n, one in self.numbers.items() if one == shown), None)
        name = name or f"{NUMBER}{len(self.numbers) + 1}"
        self.numbers[name] = shown
        return Sym(name)

    def _write(self, left: Expr, right: Expr, reason: str) -> None:
        self.lines.append(Reasoned(Rel(self.op, left, right), reason, dict(self.numbers)))

    def _begin(self, left: Expr) -> None:
        """The relation in letters, and with the numbers put in."""
        bound = self._put(self.relation.bound.value, self.unit)
        letters = [*symbols(self.formula)]
        if letters != [self.relation.letter] and len(letters) <= LETTERS:
            self._write(self.formula, bound, self.called)
        self._write(left, bound, "with the numbers put in")

    def _done(self, left: Expr, formula: Expr, value: Fraction) -> Solve:
        if self.lines[-1].formula == Rel(self.op, Sym(self.unknown.letter), formula):
            del self.lines[-1]
        return Solve(
            name=self.unknown.name,
            symbol=self.unknown.letter,
            title=f"Solved for {letter_of(self.unknown.letter)}",
            why="",
            unit=self.unknown.unit,
            relation=Rel(self.relation.op, left, Sym(BOUND)),
            unknown=self.unknown.letter,
            op=self.op,
            formula=formula,
            numbers={**self.numbers, BOUND: amount(self.relation.bound.value, self.unit)},
            value=plain(value),
            argument=tuple(self.lines),
        )


def _plain(unit: Unit) -> Unit:
    """The unit of a factor: a share is a number like others there."""
    return COUNT if unit.dimension == ONE else unit


def _unit_of(size: Dimension, usual: Unit) -> Unit:
    """A unit in which an amount of that *size* is written."""
    return _plain(usual) if usual.dimension == size else base_unit(size)
