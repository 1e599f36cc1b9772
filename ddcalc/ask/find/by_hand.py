"""A relation solved for the unknown by hand, a line for each move with its reason, where it is
linear once it is transformed: ``rest + factor·x``, ``rest + factor/x`` or ``(a·x + b)/(x + e)``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from ddcalc.ask.find.branching import SearchModel
from ddcalc.ask.find.inverse import Relation
from ddcalc.ask.powers import Terms, as_text, composed, powers_in, quotient_of
from ddcalc.formula.algebraic import close_to
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
from ddcalc.numbers.amounts import amount, amount_text
from ddcalc.numbers.display import equal
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import COUNT, ONE, TIME, Dimension, Unit, base_unit
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.quantity import Given
from ddcalc.problem.steps import BOUND, NUMBER, PutIn, Reasoned, Solve

DIGITS: Final = 40  # of a place that is irrational
LETTERS: Final = 13  # of a formula that is shown before the numbers are put in
TURNED: Final[Mapping[Operator, Operator]] = {
    "<": ">", "<=": ">=", "==": "==", ">=": "<=", ">": "<",
}  # fmt: skip
_MEASURED: Final = ("data", "money", "euros", "work", "mass", "energy")
_AMOUNTS: Final = (TIME, *(Dimension(**{one: 1}) for one in _MEASURED))
_READ: Final = (ONE, *_AMOUNTS, *(one / TIME for one in (ONE, *_AMOUNTS[1:])))
_INVERSE_READ: Final = tuple(ONE / one for one in _READ)


def written(letter: str, plan: EquationPlan, live: set[str], near: Known) -> Expr | None:
    """What *letter* is in the unknown and what does not rest on it, as things are where all letters
    are worth what they are *near*; None where the unknown stands in something that is no quotient.
    """

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


@dataclass
class ByHand:
    """Solves one *relation*, whose left side less its right one is *formula*, for the *unknown*;
    what is compared is so *called* and has a *unit*, and *known* are the values of all letters."""

    relation: Relation
    formula: Expr
    unknown: Given
    called: str
    unit: Unit
    known: Known
    numbers: dict[str, PutIn] = field(default_factory=dict)
    lines: list[Reasoned] = field(default_factory=list)

    def step(self) -> Solve | None:
        """The step; None where the formula has another form, or a unit that nobody reads."""
        made = quotient_of(self.formula, self.unknown.letter, self.known)
        if made is None or len(made[1]) > 2:
            return None
        top, (c, d) = made[0], (Fraction(0), *made[1])[-2:]
        op, bound = self.relation.op, Fraction(self.relation.bound.value)
        if c and d:
            a, b = (Fraction(0), *top)[-2:]
            return self._share(a / c, b / c, d / c) if len(top) < 3 and d / c > 0 else None
        # the polynomial over d, or over c·x
        powers = {len(top) - 1 - i - bool(c): x / (c or d) for i, x in enumerate(top) if x}
        rest = powers.pop(0, Fraction(0))
        if len(powers) != 1:
            return None
        [(power, factor)] = powers.items()
        over = bound - rest
        scaled = self._scaled(abs(factor), power) if power in (1, -1) else None
        if scaled is None or over / factor <= 0:
            return None
        times, divided = scaled
        part = times(Sym(self.unknown.letter))
        left = part if factor > 0 else -part
        if rest:
            put = self._put(abs(rest), self.unit)
            left = (put + part if factor > 0 else put - part) if rest > 0 else left - put
        elif factor < 0:
            return None
        self._begin(left)
        right = self._put(plain(abs(over)), self.unit)
        if factor < 0:
            op = TURNED[op]
            self._write(op, part, right, "the two sides changed over")
        elif rest:
            shown = amount(plain(abs(rest)), self.unit)
            self._write(op, part, right, f"{'−' if rest > 0 else '+'} {shown} on both sides")
        value = over / factor if power > 0 else factor / over
        return self._done(left, op if power > 0 else TURNED[op], divided(right), value)

    def _share(self, a: Fraction, b: Fraction, e: Fraction) -> Solve | None:
        """``(a·x + b)/(x + e)``, where e is positive."""
        bound = Fraction(self.relation.bound.value)
        slope, rest, op = a - bound, bound * e - b, self.relation.op
        mixed = self.unit.dimension * self.unknown.unit.dimension
        if b < 0 or bound <= 0 or slope == 0 or rest / slope <= 0 or mixed not in _READ:
            return None
        letter, unit = Sym(self.unknown.letter), _unit_of(mixed, self.unknown.unit)
        over: Expr = letter if a == 1 else self._put(a, _plain(self.unit)) * letter
        if b:
            over = over + self._put(b, unit) if a else self._put(b, unit)
        below = letter + self._put(e, self.unknown.unit)
        left = Div(over, below)
        self._begin(left)
        shown = f"{letter_of(self.unknown.letter)} + {amount(plain(e), self.unknown.unit)}"
        right = self._put(bound, _plain(self.unit)) * below
        self._write(op, over, right, f"times {shown}, which is positive")
        op = op if slope > 0 else TURNED[op]
        put, alone = self._put(abs(rest), unit), self._put(abs(slope), _plain(self.unit))
        name = letter_of(self.unknown.letter)
        self._write(op, alone * letter, put, f"all that has {name} to one side")
        return self._done(left, op, Div(put, alone), rest / slope)

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

    def _write(self, op: Operator, left: Expr, right: Expr, reason: str) -> None:
        self.lines.append(Reasoned(Rel(op, left, right), reason, dict(self.numbers)))

    def _begin(self, left: Expr) -> None:
        """The relation in letters, and with the numbers put in."""
        bound = self._put(self.relation.bound.value, self.unit)
        letters = [*symbols(self.formula)]
        if letters != [self.relation.letter] and len(letters) <= LETTERS:
            self._write(self.relation.op, self.formula, bound, self.called)
        self._write(self.relation.op, left, bound, "with the numbers put in")

    def _done(self, left: Expr, op: Operator, formula: Expr, value: Fraction) -> Solve:
        if self.lines[-1].formula == Rel(op, Sym(self.unknown.letter), formula):
            del self.lines[-1]
        return Solve(
            name=self.unknown.name,
            symbol=self.unknown.letter,
            title=f"Solved for {letter_of(self.unknown.letter)}",
            why="",
            unit=self.unknown.unit,
            relation=Rel(self.relation.op, left, Sym(BOUND)),
            unknown=self.unknown.letter,
            op=op,
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


# The formula without its roundings


def smooth(plan: EquationPlan, searched: SearchModel, relation: Relation, given: Given) -> str:
    """What *relation* compares without its roundings, where that is a sum of powers of the unknown,
    and where its slope is 0 once, or it meets its bound at one or two places; else nothing."""
    from ddcalc.formula.polynomial import LETTER, RING, roots

    terms, rounded = _unrounded(plan, searched, relation.letter)
    called, other, bound = letter_of(relation.letter), relation.other, relation.bound.value
    if other is not None and other.letter in searched.live:
        less, too = _unrounded(plan, searched, other.letter)
        called, rounded = f"{called} − {letter_of(other.letter)}", rounded or too
        every = {*terms, *less} if less else ()
        terms = {p: terms.get(p, Fraction(0)) - less.get(p, 0) for p in every}
    elif other is not None:
        bound = searched.known.get(other.letter) or 0
    sought = {p: p * c if relation.extreme else c for p, c in terms.items()}
    if len(terms) < 2:
        return ""
    if not relation.extreme:
        sought[0] = sought.get(0, Fraction(0)) - Fraction(bound)
    lowest = min(0, *sought)
    zero = sum((RING(c) * LETTER ** (p - lowest) for p, c in sought.items()), RING(0))
    places = [one for one in roots(zero) if one in searched.domain and one > 0] if zero else []
    if not 0 < len(places) < (2 if relation.extreme else 3):
        return ""
    unit, x = plan.problem.origin[relation.letter][0].unit, letter_of(searched.letter)
    shown = [amount_text(plain(close_to(one, DIGITS)), given.unit) for one in places]
    there = " and ".join(equal(x, at) for at in shown)
    if relation.extreme and terms.keys() - {0} == {1, -1} and given.unit.dimension == ONE:
        over, below = (str(amount(abs(terms[power]), unit)) for power in (-1, 1))
        there = f"{x} = √({over}/({below})) {equal('', shown[0]).strip()}"
    met = amount(bound, relation.bound.unit if other is None else unit, stated=other is None)
    worth = "whose slope is 0" if relation.extreme else f"which is {met}"
    formula = as_text(terms, x, unit, given.unit)
    return f"{rounded}{called} {formula}, {worth} at {there}"


def _unrounded(plan: EquationPlan, searched: SearchModel, letter: str) -> tuple[Terms, str]:
    """The sum of powers of the unknown that *letter* is without its roundings, and what says that
    there are some; nothing where it is no such sum."""
    roundings = set[str]()

    def unrounded(part: Expr) -> Expr | None:
        if not (isinstance(part, Fun) and part.name in ("floor", "ceiling")):
            return None
        roundings.add("without rounding ")
        return rewritten(part.parts()[0], unrounded)

    formula = composed(letter, plan, searched.live, searched.known, unrounded)
    return powers_in(formula, searched.letter, searched.known) or {}, "".join(roundings)
