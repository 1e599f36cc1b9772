"""What a relation compares as a function of the unknown alone, with all other numbers put in: where
it is flat or meets its bound without its rounding, and why no other number does as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import ceil, floor
from operator import add
from typing import Any, Final

from ddcalc.ask.find.branching import DIGITS, SearchModel
from ddcalc.ask.find.inverse import NOT, TURNED, Relation
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.powers import as_formula, composed, quotient, sized, terms_of
from ddcalc.formula.algebraic import Edge, close_to
from ddcalc.formula.cas import roots, sign_at
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Fun, Known, Num, Number, Rel, Sym, substitute, symbols
from ddcalc.formula.expression import replace as rewritten
from ddcalc.formula.letters import letter as letter_of
from ddcalc.numbers.amounts import ROUNDED, Amount, amount, together
from ddcalc.numbers.display import equal
from ddcalc.numbers.irrational import MARGIN
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import COUNT, ONE, Unit, base_unit
from ddcalc.problem.explanation import led
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.quantity import Given
from ddcalc.problem.steps import FOR, NUMBER, PutIn, Reasoned

LETTER: Final = Sym(f"{NUMBER}rounded")
WAYS: Final = {"ceiling": (1, "up"), "floor": (-1, "down")}  # where a rounding leads to
LETTERS: Final = 13  # of a formula that is shown before the numbers are put in
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
        self._plan = plan
        self.x, self.numbers = letter_of(model.letter), dict[str, PutIn]()
        self.rounding: Fun | None = None
        self.is_local = False
        sides = [one.name for one in relation.formula.parts() if isinstance(one, Sym)]
        whats = [plan.problem.origin[one][0] for one in sides]
        self.chosen: list[tuple[Expr, ...]] = []  # what is the largest, or least, and the others
        made = [composed(Sym(x), plan, model.live, near, self._applying) for x in sides]
        self.unit, self.titles = whats[0].unit, " and ".join(one.called for one in whats)
        self.called, self.sides = " − ".join(map(letter_of, sides)), made
        self.left = Sym(sides[0]) - Sym(sides[1]) if sides[1:] else Sym(sides[0])
        self.formula = made[0] - made[1] if sides[1:] else made[0]
        low = model.domain.low or int(given.whole and not model.values(0))
        self.domain = replace(model.domain, low=low, low_in=bool(low), whole=False)
        formula = rewritten(self.formula, self._rounded)
        inside = Num(0) if self.rounding is None else self.rounding.args[0]
        at = [substitute(formula, {LETTER.name: Num(i)}) for i in range(3)]
        forms = [quotient(one, model.letter, near) for one in (*at, inside)]
        self.smooth: Any = None
        is_unit = self.x in ("s", "h", "d", "B")  # 3 s of s
        is_read = model.domain.low is not None and low >= 0 and not is_unit
        if is_read and all(one is not None for one in forms):
            self.rest, one, two, self.inside = forms
            self.factor = one - self.rest
            is_multiple = two - one == self.factor
            self.smooth = self.rest + self.factor * self.inside if is_multiple else None
        is_one = self.is_local and self.smooth is not None and self.rounding is None
        self.reach = self._reached() if is_one else None
        ends = self.reach and (self.reach.low, self.reach.high)
        self.is_local = self.is_local and ends != (self.domain.low, self.domain.high)

    def _applying(self, part: Expr) -> Expr | None:
        """The member of a maximum that applies."""
        is_one = isinstance(part, Fun) and part.name in ("max", "min")
        if not is_one or self.searched.live.isdisjoint(symbols(part)):
            return None
        self.is_local, best = True, max if part.name == "max" else min  # type: ignore[attr-defined]
        applies = best(part.parts(), key=lambda one: evaluate(one, self.near))
        off = [x - applies if best is min else applies - x for x in part.parts() if x != applies]
        self.chosen.append((*off,))
        return rewritten(applies, self._applying)

    def _reached(self) -> Piece | None:
        """Where the member of the one maximum applies that does so *near*; None if not plain."""
        at, reach, of = self.near[self.searched.letter], self.domain, self.searched.letter
        for one in self.chosen[0]:
            above = composed(one, self._plan, self.searched.live, self.near)
            above = quotient(above, of, self.near)
            if above is None or at is None or len(self.chosen) > 1:
                return None
            parts = (x for x in reach.split(self._zeros(above)) if not x.is_point)
            around = (x for x in parts if at in replace(x, low_in=True, high_in=True))
            right = (x for x in around if sign_at(above.numer * above.denom, x.middle()) >= 0)
            if (found := next(right, None)) is None:
                return None
            reach = found
        return reach

    @property
    def _there(self) -> str:
        """Where the member of a maximum applies, in words."""
        at, reach = self.near[self.searched.letter], self.reach
        if reach is None:
            return f"around {self._at(at)}" if self.is_local and at is not None else ""
        low, high = (None if reach.low == self.domain.low else reach.low), reach.high
        if low is None:
            return f"for every {self.x}" if high is None else f"up to {self._at(high)}"
        return f"from {self._at(low)} {'on' if high is None else f'to {self._at(high)}'}"

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
        inside, factor = self._sign(_slope(self.inside)), self._sign(self.factor)
        moves = {self._sign(_slope(self.rest)), (inside or 0) * (factor or 0)} - {0}
        return moves.pop() if len(moves) == 1 and not _slope(self.factor) else None

    def _put(self, form: Any, unit: Unit) -> Expr:
        of, terms = self.given.unit, terms_of(form)
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
        reason = "; ".join(filter(None, (self._without, self._there, at)))
        yield Reasoned(formula, reason, numbers)

    def _moves(self, worth: str) -> Iterator[Reasoned]:
        """The relation, and solved for the unknown, where it has one power and no rounding."""
        terms, op, bound = terms_of(self.smooth) or {}, self.relation.op, self.relation.bound
        others = [*terms.keys() - {0}]
        over = Fraction(bound.value) - terms.get(0, 0)
        if self.rounding is not None or others not in ([1], [-1]) or over / terms[others[0]] <= 0:
            return
        [(power, put, is_below)] = sized({others[0]: terms[others[0]]}, self.unit, self.given.unit)
        each = [quotient(one, self.searched.letter, self.near) for one in self.sides]
        if any(terms_of(one) is None for one in each):
            return
        left, *other = (self._put(one, self.unit) for one in each)
        right = Sym(f"{NUMBER}b")
        letters = [*symbols(self.formula)]
        self.numbers[right.name] = amount(bound.value, self.unit)
        if self.left != self.formula and len(letters) <= LETTERS:
            formula = Rel(op, *self.sides, *[right] * (len(self.sides) == 1))
            yield Reasoned(formula, self.titles, dict(self.numbers))
        x, numbers = Sym(self.searched.letter), dict(self.numbers)
        yield Reasoned(Rel(op, left, *other or [right]), FOR * (left != x), numbers)
        op = op if (power > 0) == (terms[power] > 0) else TURNED[op]
        solved, numbers = self._solved((power, put, is_below), each, over)
        worth = "" if solved == right and equal("", str(numbers[right.name])) == worth else worth
        if left != x:
            yield Reasoned(Rel(op, x, solved), worth.strip(), numbers)

    def _solved(
        self, term: tuple[int, Amount, bool], sides: Sequence[Any], over: Fraction
    ) -> tuple[Expr, dict[str, PutIn]]:
        """What the unknown comes to where both *sides*, or the one and the bound, are equal: with
        the differences that stand over its one *term*, and before it."""
        (power, put, is_below), sign = term, 1 if over > 0 else -1
        bound = {0: Fraction(self.relation.bound.value)}
        mine, its = (*(terms_of(one) or {} for one in sides), bound)[:2]
        tops = {"b": sign * its.get(0, 0), "b_": -sign * mine.get(0, 0)}
        unders = {"a": sign * mine.get(power, 0), "a_": -sign * its.get(power, 0)}
        unders = {} if power > 0 and (is_below or str(put) == "1") else unders
        whole, under = (_added(one) for one in (tops, unders))
        solved: Expr = under / whole if power < 0 else whole / under if unders else whole
        known = {
            f"{NUMBER}{name}": plain(abs(Fraction(x))) for name, x in (tops | unders).items() if x
        }

        def shown(name: str, value: Number, digits: int) -> Amount:
            if name.startswith(f"{NUMBER}b"):
                return amount(value, self.unit, digits=digits)
            [(_, made, _)] = sized({power: Fraction(value)}, self.unit, self.given.unit, digits)
            return made

        numbers = {**led(solved, known, shown, self.given.unit)}
        if is_below and power > 0:
            return solved * Sym(f"{NUMBER}a"), {**numbers, f"{NUMBER}a": put}
        if power > 0 and len({one.unit for one in numbers.values()}) == 1:
            numbers = {name: replace(one, unit="") for name, one in numbers.items()}
        return solved, {**numbers}

    @property
    def _without(self) -> str:
        return "" if self.rounding is None else f"without rounding {WAYS[self.rounding.name][1]}"

    def _at(self, place: Edge) -> str:
        """Where that is, in digits that tell it from the answer."""
        value, unit = plain(close_to(place, DIGITS)), self.given.unit
        told = (
            plain(Fraction(round(value))) if self.given.whole else self.near[self.searched.letter]
        )
        made = [amount(value, unit, digits=digits) for digits in range(ROUNDED, MANY)]
        apart = (x for x in made if x.near != told or value == told)
        return equal(self.x, next(apart, made[0]).marked)

    def optimum(self, at: Number, worth: Number) -> tuple[Sequence[Reasoned], str]:
        """How what is least, or greatest, *at* a number, and *worth* so much, is found where its
        slope is 0; and that it is as good only around that place."""
        if self.is_local and self.given.whole and (lines := [*self._crossing(plain(at))]):
            return lines, ""
        wanted, flat = 1 if self.relation.extreme == "least" else -1, _slope(self.smooth)
        if len(places := self._zeros(flat)) != 1 or sign_at(flat.numer, places[0]):
            return (), ""
        if self._sign(flat, replace(self.domain, high=places[0], high_in=False)) != -wanted:
            return (), ""
        apart = abs(close_to(places[0], DIGITS) - Fraction(at))
        most = 1 if self.given.whole else MARGIN
        if self.is_local and (apart > most or (self.reach and places[0] not in self.reach)):
            return (), ""  # another member applies there
        lines, reason = (
            [*self._lines(self._lift)],
            f"its slope, 0 at {self._rooted(flat, places[0])}",
        )
        is_count = self.given.unit.dimension == ONE
        per = base_unit(self.unit.dimension / self.given.unit.dimension)
        formula = Rel("==", self._put(flat, self.unit if is_count else per), Num(0))
        behind, note = replace(self.domain, low=places[0], low_in=False), ""
        if not self.is_local and self._sign(flat, behind) == wanted:
            falls, rises = ("falls", "rises")[::wanted]
            if self.rounding is None:
                reason = (
                    reason.replace(", 0 at", f": {self.called} {falls} up to") + f", then {rises}"
                )
            elif self.given.whole and self._lift == wanted:
                note = self._only_near(at, worth, wanted, places[0])
        lines.append(Reasoned(formula, reason, dict(self.numbers)))
        return lines, note

    def _crossing(self, at: Number) -> Iterator[Reasoned]:
        """The two members of a maximum that apply before the optimum *at* a whole number, and
        behind it, where one falls and the other one rises."""
        near = {x: known for x in (at - 1, at, at + 1) if (known := self.searched.values(x))}
        of = self._plan, self.searched, self.relation, self.given
        made = {x: self if x == at else Unrounded(*of, known) for x, known in near.items()}
        wanted = 1 if self.relation.extreme == "least" else -1
        falling, rising = ("falling", "rising")[::wanted]
        for (x, one), (y, two) in pairwise(made.items()):
            if one.reach is None or two.reach is None or (place := one.reach.high) is None:
                continue
            ways = [it._sign(_slope(it.smooth), it.reach) for it in (one, two)]
            ends = (one.reach.low, two.reach.low, two.reach.high)
            if ways == [-wanted, wanted] and ends == (self.domain.low, place, None):
                so = f": {self.x} is {x} or {y}" * (x < place < y)
                words = (f"up to {self._at(place)}, {falling}", f"then {rising}{so}")
                for member, reason in zip((one, two), words, strict=True):
                    formula = Rel("==", self.left, self._put(member.smooth, self.unit))
                    yield Reasoned(formula, reason, dict(self.numbers))

    def _rooted(self, slope: Any, place: Edge) -> str:
        """The *place* at which the *slope* is 0, as a root where two powers are left."""
        terms, at = terms_of(slope) or {}, self._at(place)
        if len(terms) != 2:
            return at
        (low, over), (high, below) = sorted((power, abs(one)) for power, one in terms.items())
        name, _, worth = at.partition(" ")
        if self.given.unit.dimension != ONE:
            if (low, high) != (-2, 0):
                return at
            (_, put, is_below), (_, top, _) = sized(
                {1: below, -1: over}, self.unit, self.given.unit
            )
            return f"{name} = √({top}{f' · {put}' if is_below else f'/({put})'}) {worth}"
        top, put = together([over, below], self.unit)
        if top.unit != put.unit:
            return at
        root, power = f"{top.number}/{put.number}", high - low
        if power > 2:
            return f"{name}^{power} = {root}, {at}"
        return f"{name} = {f'√({root})' if power == 2 else root} {worth}"

    def _only_near(self, at: Number, worth: Number, wanted: int, flat: Edge) -> str:
        """Why no other whole number is as good as the one that is *worth* so much: without its
        rounding nothing beyond two numbers around the *flat* place is."""
        places = self._zeros(self.smooth - self.smooth.field(Fraction(worth)))
        low = [min(floor(close_to(one, DIGITS)), at - 1) for one in places if one <= flat]
        high = [max(ceil(close_to(one, DIGITS)), at + 1) for one in places if one >= flat]
        where = [f" up to {self._at(one)}" for one in low if one in self.domain]
        where += [f" from {self._at(one)} on" for one in high if one in self.domain]
        bound = f"{'below' if wanted > 0 else 'above'} {amount(worth, self.unit).marked}"
        why = f"even {self._without} {self.called} is not {bound}{' and'.join(where)}"
        return why * bool(where)

    def threshold(
        self, at: Number, is_least: bool, is_alone: bool
    ) -> tuple[Sequence[Reasoned], str]:
        """How a number *at* which a relation begins to hold, or ceases to, is found where both
        sides are equal; and, if no other relation does, why nothing before it, or behind, will."""
        bound, lift, is_whole = self.relation.bound, self._lift, self.given.whole
        wanted = {"<": 1, ">": -1, "=": 0}[self.relation.op[0]]  # the side on which it fails
        level = self.smooth - self.smooth.field(Fraction(bound.value))
        near = [place for place in self._zeros(level) if not sign_at(level.numer, place)]
        near = [x for x in near if not is_whole or (x <= at if is_least else x >= at)]
        off = {abs(Fraction(close_to(x, DIGITS)) - Fraction(at)): x for x in near}
        apart, most = min(off, default=Fraction(0)), 1 if is_whole else abs(Fraction(at)) * MARGIN
        if not off or (apart > most and not is_alone):
            return (), ""
        place, met = off[apart], amount(bound.value, bound.unit, stated=True)
        is_alone = is_alone and not self.is_local
        worth = self._at(place)[len(self.x) :] if is_whole else ""
        if not self.is_local and (lines := [*self._moves(worth)]):
            return lines, ""
        lines = [*self._lines(lift, f"{met} at {self._at(place)}")]
        if is_alone and wanted and self._trend == (-wanted if is_least else wanted):
            way = "rises" if (wanted > 0) == is_least else "falls"
            return lines, f"{self.called} never {way} as {self.x} grows"
        return lines if self.rounding is None else (), ""  # else they lead nowhere

    def nowhere(self) -> Sequence[Reasoned]:
        """What holds for every number instead of the relation, which holds for none."""
        op, bound = NOT.get(self.relation.op), self.relation.bound
        is_whole = self.rounding is None and not self.is_local
        if op is None or not is_whole or terms_of(self.smooth) is None:
            return ()
        left, right = self._put(self.smooth, self.unit), Sym(f"{NUMBER}b")
        self.numbers[right.name] = amount(bound.value, self.unit)
        return (Reasoned(Rel(op, left, right), f"for every {self.x}", dict(self.numbers)),)


def _slope(form: Any) -> Any:
    return form.diff(form.field.gens[0])


def _added(numbers: Mapping[str, Any]) -> Expr:
    """The sum of letters for *numbers*, of which one that is below 0 is taken off."""
    known = sorted((-x, name) for name, x in numbers.items() if x)
    letters = (-Sym(f"{NUMBER}{name}") if x > 0 else Sym(f"{NUMBER}{name}") for x, name in known)
    return reduce(add, letters) if known else Num(1)
