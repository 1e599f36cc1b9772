"""What a relation compares as a function of the unknown alone, with all other numbers put in: where
it is flat or meets its bound without its rounding, and why no other number does as well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from ddcalc.ask import powers
from ddcalc.ask.find.branching import DIGITS, NEAR, SearchModel
from ddcalc.ask.find.inverse import NOT, TURNED, Relation
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.powers import Terms, as_formula, composed, terms_of
from ddcalc.formula.algebraic import Edge, close_to
from ddcalc.formula.cas import flat as flat_at
from ddcalc.formula.cas import roots, sign_at
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Fun, Known, Num, Number, Rel, Sym, substitute, symbols
from ddcalc.formula.expression import letter as letter_of
from ddcalc.formula.expression import replace as rewritten
from ddcalc.numbers.amounts import ROUNDED, amount, fitting
from ddcalc.numbers.display import equal
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import COUNT, ONE, Unit, base_unit
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.quantity import Given
from ddcalc.problem.said.steps import FOR, NUMBER, PutIn, Reasoned

LETTER: Final = Sym(f"{NUMBER}rounded")
WAYS: Final = {"ceiling": (1, "up"), "floor": (-1, "down")}  # where a rounding leads to
MANY: Final = 12  # digits of a place between two whole numbers, at most
LONG: Final = 8  # numbers in a formula, from which on it shows nothing


class Unrounded:
    """What *relation* compares: a sum of powers of the unknown (*rest*), and another one times what
    is rounded *inside* of the one rounding in it; none of these where it has another form. It is
    so all over, or but where all letters are worth what they are *near* (*is_local*)."""

    def __init__(
        self, plan: EquationPlan, model: SearchModel, relation: Relation, given: Given, near: Known
    ) -> None:
        self.searched, self.relation, self.given, self.near = model, relation, given, near
        self.x, self.numbers = letter_of(model.letter), dict[str, PutIn]()
        self.rounding: Fun | None = None
        sides = [one.name for one in relation.formula.parts() if isinstance(one, Sym)]
        self.chosen: list[Expr] = []  # what the largest, or least, is above or below others by
        made = [composed(Sym(x), plan, model.live, near, self._applying) for x in sides]
        self.unit = plan.problem.origin[sides[0]][0].unit
        self.called, self.sides = " − ".join(map(letter_of, sides)), made
        self.left = Sym(sides[0]) - Sym(sides[1]) if sides[1:] else Sym(sides[0])
        self.formula = made[0] - made[1] if sides[1:] else made[0]
        low = model.domain.low or int(given.whole and not model.values(0))
        self.domain = replace(model.domain, low=low, low_in=bool(low), whole=False)
        self.smooth: Any = None
        is_read, is_low = model.domain.low is not None and low >= 0, low in (0, 1)
        self.degree = 1
        if is_read and not self._is_smooth() and is_low and model.domain.high is None:
            self.degree += not self.chosen and self.rounding is None  # which have the same low end
            self._is_smooth()
        above = [self._form(composed(one, plan, model.live, near)) for one in self.chosen]
        self.above = [x for x in above if x is None or self._sign(x) != 1]
        self.is_local = bool(self.above)

    def _is_smooth(self) -> bool:
        """Whether it is a quotient of polynomials in the root of that degree of the unknown."""
        formula = rewritten(self.formula, self._rounded)
        inside = Num(0) if self.rounding is None else self.rounding.args[0]
        at = [substitute(formula, {LETTER.name: Num(i)}) for i in range(3)]
        forms = [self._form(one) for one in (*at, inside)]
        if any(one is None for one in forms):
            return False
        self.rest, one, two, self.inside = forms
        self.factor = one - self.rest
        is_read = self.degree == 1 or ONE in (self.given.unit.dimension, self.unit.dimension)
        if is_read and two - one == self.factor:
            self.smooth = self.rest + self.factor * self.inside
        return self.smooth is not None

    def _form(self, formula: Expr) -> Any:
        return powers.quotient(formula, self.searched.letter, self.near, self.degree)

    def _terms(self, form: Any) -> Terms | None:
        """The sum of powers of the unknown that *form* is."""
        return terms_of(form, self.degree)

    def _applying(self, part: Expr) -> Expr | None:
        """The member of a maximum that applies."""
        is_one = isinstance(part, Fun) and part.name in ("max", "min")
        if not is_one or self.searched.live.isdisjoint(symbols(part)):
            return None
        best = max if part.name == "max" else min  # type: ignore[attr-defined]
        applies = best(part.parts(), key=lambda one: evaluate(one, self.near))
        off = (x - applies if best is min else applies - x for x in part.parts() if x != applies)
        self.chosen += off
        return rewritten(applies, self._applying)

    def _slope(self, form: Any) -> Any:
        """The derivative of *form*, by the unknown."""
        root = form.field.gens[0]
        return form.diff(root) / (self.degree * root ** (self.degree - 1))

    def _rounded(self, part: Expr) -> Expr | None:
        """A letter for the rounding of something that rests on the unknown."""
        is_one = isinstance(part, Fun) and part.name in WAYS
        if not is_one or self.searched.letter not in symbols(part):
            return None
        if self.rounding is None and isinstance(part, Fun):
            self.rounding = part
        return LETTER if part == self.rounding else None

    def _zeros(self, form: Any) -> list[Edge]:
        """Where *form* is 0, or divides by 0."""
        parts = [one for one in (form.numer, form.denom) if one and not one.is_ground]
        return sorted(place for one in parts for place in roots(one) if place in self.domain)

    def _sign(self, form: Any, piece: Piece | None = None) -> int | None:
        """The sign of *form* all over a *piece*, but for zeros; None where it has both."""
        parts = [one for one in (piece or self.domain).split(self._zeros(form)) if not one.is_point]
        signs = {sign_at(form.numer * form.denom, one.middle()) for one in parts}
        return signs.pop() if len(signs) == 1 else None

    @property
    def _lift(self) -> int | None:
        """Whether the rounding only makes it more, or less."""
        factor = self._sign(self.factor)
        return 0 if self.rounding is None else factor and factor * WAYS[self.rounding.name][0]

    @property
    def _trend(self) -> int | None:
        """Whether it never falls as the unknown grows, or never rises, where that is plain."""
        inside, factor = self._sign(self._slope(self.inside)), self._sign(self.factor)
        moves = {self._sign(self._slope(self.rest)), (inside or 0) * (factor or 0)} - {0}
        return moves.pop() if len(moves) == 1 and not self._slope(self.factor) else None

    def _put(self, form: Any, unit: Unit) -> Expr:
        of, terms = self.given.unit, self._terms(form)
        if terms is None:
            lead, size = form.denom.LC, of.dimension ** form.denom.degree()
            over, below = (form.field(one.quo_ground(lead)) for one in (form.numer, form.denom))
            top = self._put(over, base_unit(unit.dimension * size))
            return top / self._put(below, base_unit(size))
        made, numbers = as_formula(terms, self.searched.letter, unit, of, len(self.numbers))
        self.numbers |= numbers
        return made

    def _written(self, rounding: Fun) -> Expr:
        """All of it, with the numbers put in."""
        product: Expr = Fun(rounding.name, (self._put(self.inside, COUNT),))
        if self.factor != 1 or self.unit.dimension != ONE:
            factor = self._put(self.factor, self.unit)
            product = factor * product if self.factor.numer.is_ground else product * factor
        return self._put(self.rest, self.unit) + product if self.rest else product

    def _lines(self, lift: int | None, at: str = "") -> Iterator[Reasoned]:
        """It with the numbers put in, and without its rounding, and what it is *at* a place."""
        written = None if self.rounding is None else self._written(self.rounding)
        if written is not None and len(self.numbers) <= LONG:
            put = dict(self.numbers)
            yield Reasoned(Rel("==", self.left, written), "", put)
        formula = self._put(self.smooth, self.unit)
        numbers = {name: self.numbers[name] for name in symbols(formula) if name in self.numbers}
        is_exact = all(getattr(one, "exact", True) for one in numbers.values())
        if lift is not None and (is_exact or lift == 0):
            formula = Rel("==" if lift == 0 else ">=" if lift > 0 else "<=", self.left, formula)
        if self.rounding is not None:
            at = f"without rounding {WAYS[self.rounding.name][1]}{at and f'; {at}'}"
        yield Reasoned(formula, at, numbers)

    def _moves(self, level: Any, place: Edge) -> Iterator[Reasoned]:
        """The relation in numbers, and how it is solved for the unknown at a *place*
        where both sides are equal, their difference *level* 0: a root of two powers, or a quadratic
        equation. Nothing where something is rounded, or it is none of these."""
        op, x, bound = self.relation.op, Sym(self.searched.letter), self.relation.bound
        each, terms = [self._form(one) for one in self.sides], self._terms(level) or {}
        last = self._solved(terms, place)
        if self.rounding is not None or not last or any(self._terms(one) is None for one in each):
            return
        for form in filter(None, self.above):
            formula = Rel(">=", self._put(form, self.unit), Num(0))
            yield Reasoned(formula, f"holds at {self._at(place)}", dict(self.numbers))
        left, *other = (self._put(one, self.unit) for one in each)
        right = Sym(f"{NUMBER}b")
        self.numbers[right.name] = amount(bound.value, self.unit)
        is_solved = left != x and last[0].formula.parts()[0] == x
        yield Reasoned(Rel(op, left, *other or [right]), FOR * is_solved, dict(self.numbers))
        yield from last[: left != x]

    def _solved(self, terms: Terms, place: Edge) -> list[Reasoned]:
        """How the unknown is to the *place* where the sum of powers is 0, or its equation."""
        of, x, op = self.given.unit, Sym(self.searched.letter), self.relation.op
        worth = self._at(place) * self.given.whole
        if found := powers.root(terms, self.unit, of):
            op = op if terms[max(terms)] > 0 else TURNED[op]
            return [Reasoned(Rel(op, x, found[0]), worth.removeprefix(f"{self.x} "), found[1])]
        unit = fitting(plain(self._worth(place)), of)
        if (quadratic := powers.quadratic(terms, x.name, self.unit, unit)) is None:
            return []
        reason = f"{self.x} in {unit.name}; " * (of.dimension != ONE)
        reason += self._by_root(place, unit) + worth
        return [Reasoned(Rel("==", quadratic[0], Num(0)), reason.rstrip(" ,;"), quadratic[1])]

    def _by_root(self, place: Edge, unit: Unit) -> str:
        """What its root is there, if it is found by that."""
        root = amount(close_to(place, DIGITS) / powers.sqrt_of(unit.worth), COUNT).marked
        return f"√{self.x} {root}, " * (self.degree > 1)

    def _worth(self, place: Edge) -> Fraction:
        """The unknown where its root of that degree is there."""
        return Fraction(close_to(place, DIGITS)) ** self.degree

    def _at(self, place: Edge) -> str:
        """Where that is, in digits that tell it from the answer."""
        value, unit = plain(self._worth(place)), self.given.unit
        near = self.near[self.searched.letter]
        told = plain(Fraction(round(value))) if self.given.whole else near
        made = [amount(value, unit, digits=digits) for digits in range(ROUNDED, MANY)]
        apart = (x for x in made if x.near != told or value == told)
        return equal(self.x, next(apart, made[0]).marked)

    def optimum(self, at: Number, is_one: bool) -> list[Reasoned]:
        """How what is least, or greatest, *at* a number is found where its slope is 0, solved in a
        last line, unless it *is_one* of some numbers, for its value."""
        wanted, flat = 1 if self.relation.extreme == "least" else -1, self._slope(self.smooth)
        if self.is_local or len(places := self._zeros(flat)) != 1 or sign_at(flat.numer, places[0]):
            return []
        if self._sign(flat, replace(self.domain, high=places[0], high_in=False)) != -wanted:
            return []
        is_near = abs(self._worth(places[0]) - Fraction(at)) <= abs(Fraction(at)) * NEAR
        lines, is_count = [*self._lines(self._lift)], self.given.unit.dimension == ONE
        per = base_unit(self.unit.dimension / self.given.unit.dimension)
        formula = Rel("==", self._put(flat, self.unit if is_count else per), Num(0))
        solved = self._rooted(flat, places[0], None if is_one or not is_near else at)
        there = "" if solved else self._by_root(places[0], COUNT) + self._at(places[0])
        reason = "its slope" + f", 0 at {there}" * bool(there)
        behind = replace(self.domain, low=places[0], low_in=False)
        if self._sign(flat, behind) == wanted:
            falls, rises = ("falls", "rises")[::wanted]
            there = f" up to {there}" * bool(there)
            called = self.called if self.rounding is None else "it"
            reason = f"its slope: {called} {falls}{there}, then {rises}"
        return [*lines, Reasoned(formula, reason, dict(self.numbers)), *solved]

    def _rooted(self, slope: Any, place: Edge, at: Number | None) -> list[Reasoned]:
        """The *place* at which the *slope* is 0 as a root, where two powers are left; where it is
        the number *at* which it is least, in letters if that is short, and at least as it is."""
        x, terms = Sym(self.searched.letter), self._terms(slope) or {}
        worth = "" if at is not None else self._at(place).removeprefix(f"{self.x} ")
        if at is not None and (known := flat_at(self.formula, x)) is not None:
            return [Reasoned(Rel("==", x, known), "")]
        by_it = {plain(Fraction(power) + 1): one for power, one in terms.items()}
        if found := powers.root(by_it, self.unit, self.given.unit):
            return [Reasoned(Rel("==", x, found[0]), worth, found[1])]
        return [] if at is None else [Reasoned(Rel("==", x, Num(at)), "")]

    def threshold(
        self, at: Number, is_least: bool, is_alone: bool
    ) -> tuple[Sequence[Reasoned], str]:
        """How a number *at* which a relation begins to hold, or ceases to, is found where both
        sides are equal; and, if no other relation does, why nothing before it, or behind, will."""
        bound, lift, is_whole = self.relation.bound, self._lift, self.given.whole
        wanted = {"<": 1, ">": -1, "=": 0}[self.relation.op[0]]  # the side on which it fails
        level = self.smooth - self.smooth.field(Fraction(bound.value))
        near = [place for place in self._zeros(level) if not sign_at(level.numer, place)]
        off = {self._worth(x) - Fraction(at): x for x in near}
        off = {abs(by): x for by, x in off.items() if not is_whole or by * (-1) ** is_least >= 0}
        apart, most = min(off, default=Fraction(0)), 1 if is_whole else abs(Fraction(at)) * NEAR
        if not off or (apart > most and not is_alone):
            return (), ""
        place, met = off[apart], amount(bound.value, bound.unit, stated=True)
        is_shown = not is_whole and apart <= most  # below these lines
        at_it = "" if is_shown else f"{met} at {self._at(place)}"
        lines = [*self._moves(level, place)] or [*self._lines(lift, at_it)] * (not self.is_local)
        if self.is_local or (lines and lines[-1].formula.parts()[0] == Sym(self.searched.letter)):
            return lines, ""
        if is_alone and wanted and self._trend == (-wanted if is_least else wanted):
            way = "rises" if (wanted > 0) == is_least else "falls"
            return lines, f"{self.called} never {way} as {self.x} grows"
        return lines if self.rounding is None else (), ""  # else they lead nowhere

    def nowhere(self) -> Sequence[Reasoned]:
        """What holds for every number instead of the relation, which holds for none."""
        op, bound = NOT.get(self.relation.op), self.relation.bound
        is_whole = self.rounding is None and not self.is_local
        if op is None or not is_whole or self._terms(self.smooth) is None:
            return ()
        left, right = self._put(self.smooth, self.unit), Sym(f"{NUMBER}b")
        self.numbers[right.name] = amount(bound.value, self.unit)
        return (Reasoned(Rel(op, left, right), f"for every {self.x}", dict(self.numbers)),)
