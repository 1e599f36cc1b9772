"""What a relation compares as a function of the unknown alone, with all other numbers put in: where
it is flat or meets its bound without its rounding, and why no other number does as well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial, reduce
from itertools import chain
from operator import add, sub
from typing import Any, Final

from ddcalc.ask.find.branching import NEAR
from ddcalc.ask.find.inverse import WAYS, Relation
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.powers import Terms, as_formula, composed, form_of, order, quadratic, root, terms_of
from ddcalc.formula import cas, expression
from ddcalc.formula.algebraic import Edge, close_to
from ddcalc.formula.coherence import dimension_of
from ddcalc.formula.evaluation import decided, evaluate
from ddcalc.formula.expression import SIGNS, Expr, Fun, Num, Number, Rel, Sym, nodes, symbols
from ddcalc.formula.zeros import sign, sums_of, zeros_and_poles
from ddcalc.numbers.amounts import ROUNDED, Amount, amount, fitting
from ddcalc.numbers.display import equal
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import COUNT, ONE, Unit, base_unit
from ddcalc.problem.said.steps import FOR, NUMBER, PutIn, Reasoned
from ddcalc.problem.stated_formulas import TURNED, is_side

LETTER: Final = f"{NUMBER}rounded"
TURNS: Final = {1: "falls{}, then rises", -1: "rises{}, then falls"}
MANY: Final = 12  # digits of a place between two whole numbers, at most


class Unrounded:
    """What *relation* compares in what was *found* (Proved): a sum of powers (*rest*),
    and others (*factors*) times what is rounded *inside* of each rounding; else none of these. It
    is so all over, or but where what is *above* 0 *at* a number is so, or a case holds."""

    def __init__(self, found: Any, relation: Relation, at: Number) -> None:
        self.outcome, self.relation, self.given = found, relation, found.question.given
        plan, model, given = found.equations, found.searched, self.given
        self.plan, self.searched, self.near = plan, model, model.values(at)
        self.x, self.numbers = expression.letter(model.letter), dict[str, PutIn]()
        self.by = cas.to_sympy(Sym(model.letter))  # what slopes are taken by
        self.so, self.places = "", list[Edge]()  # what follows from where both sides are equal
        self.roundings: dict[Fun, Sym] = {}  # each with a letter for it
        sides = [one.name for one in relation.formula.parts() if isinstance(one, Sym)]
        self.wanted = 1 if relation.extreme == "least" else -1  # the sign of a slope behind that
        # what holds where the members of a maximum that apply do, and whether a case applies
        self.chosen, self.is_cased = list[Rel](), False
        live, known = model.live, model.known
        self._composed = partial(composed, plan=plan, live=live, known=known, change=self._applying)
        self.sides = [self._composed(Sym(x)) for x in sides]
        rule = model.rules.get(sides[0], Num(0))  # without other letters it stands above as it is
        self.is_said = {*symbols(rule)} == {model.letter} and not (sides[1:] or self.chosen)
        self.parts = len(rule.parts()) if isinstance(rule, expression.Add) else 1
        whats = [plan.problem.origin[one][0] for one in sides]
        self.names = [x.title if is_side(x.name) else expression.letter(x.letter) for x in whats]
        self.unit, self.called = whats[0].unit, "the difference" if sides[1:] else self.names[0]
        self.left, self.formula = reduce(sub, map(Sym, sides)), reduce(sub, self.sides)
        bottoms = [x.bottom for x in nodes(self.formula) if isinstance(x, expression.Div)]
        self.order, *self.below = (order(x, model.letter) for x in (self.formula, *bottoms))
        low = model.domain.low or int(given.whole and not model.values(0))
        self.domain = replace(model.domain, low=low, low_in=bool(low), whole=0)
        self._smoothen()
        every = ((one, one.parts()[:: 1 if one.op == ">=" else -1]) for one in self.chosen)
        above = {one: self._form(self._composed(x - y)) for one, (x, y) in every}  # of ever more
        self.above = {one: x for one, x in above.items() if x is None or self._sign(x) != 1}

    def _smoothen(self) -> None:
        """Take what it is for a quotient of sums of powers, if it is one."""
        whole = self._form(expression.replace(self.formula, self._rounded))
        self.inside = [self._form(one.args[0]) for one in self.roundings]
        self.smooth: Any = None
        low = self.searched.domain.low
        if whole is None or None in self.inside or low is None or low < 0:
            return
        letters = [*map(cas.to_sympy, self.roundings.values())]
        self.rest = whole.subs(dict.fromkeys(letters, 0))
        self.factors = [whole.diff(letter) for letter in letters]
        if not any(factor.has(*letters) for factor in self.factors):
            self.smooth = whole.subs(dict(zip(letters, self.inside, strict=True)))

    def _form(self, formula: Expr) -> Any:
        """*formula* as SymPy's, with roots where the unknown is a number and it is a sum."""
        live = {self.searched.letter, *(one.name for one in self.roundings.values())}
        form = form_of(formula, live, self.near)
        if form is None or (self.given.unit == COUNT and terms_of(form)):
            return form
        is_plain = all(power.denominator == 1 for terms in sums_of(form) for power in terms)
        return form if is_plain else None

    def _applying(self, part: Expr) -> Expr | None:
        """The member of a maximum, or of a distinction, that applies."""
        if self.searched.live.isdisjoint(symbols(part)):
            return None
        if isinstance(part, expression.Cases):
            self.is_cased = True
            return expression.replace(decided(part, self.near), self._applying)
        if not (isinstance(part, Fun) and part.name in ("max", "min")):
            return None
        best = max if part.name == "max" else min
        applies = best(part.parts(), key=lambda one: evaluate(one, self.near))
        others = (one for one in part.parts() if one != applies)
        pairs = (Rel("<=" if best is min else ">=", applies, x) for x in others)
        self.chosen += (pair for pair in pairs if pair not in self.chosen)
        return expression.replace(applies, self._applying)

    def _rounded(self, part: Expr) -> Expr | None:
        """A letter for the rounding of something that rests on the unknown."""
        letter = self.searched.letter
        if not isinstance(part, Fun) or part.name not in WAYS or letter not in symbols(part):
            return None
        return self.roundings.setdefault(part, Sym(f"{LETTER}{len(self.roundings)}"))

    def _zeros(self, form: Any, poles: bool = False) -> list[Edge]:
        """Where *form* is 0; or, with its *poles*, divides by 0."""
        every = chain(*zeros_and_poles(form)[: 1 + poles])
        return sorted(place for place in every if place in self.domain)

    def _sign(self, form: Any, piece: Piece | None = None) -> int | None:
        """The sign of *form* all over a *piece*, but for zeros; None where it has both."""
        every = (piece or self.domain).split(self._zeros(form, poles=True))
        signs = {sign(form, one.middle()) for one in every if not one.is_point}
        return signs.pop() if len(signs) == 1 else None

    @property
    def _lift(self) -> int | None:
        """Whether what is rounded only makes it more, or less."""
        lifts = {(self._sign(factor) or 0) * WAYS[one.name][0]
                 for factor, one in zip(self.factors, self.roundings, strict=True)}  # fmt: skip
        return 0 if not lifts else lifts.pop() or None if len(lifts) == 1 else None

    @property
    def _trend(self) -> int | None:
        """Whether it never falls as the unknown grows, or never rises, where that is plain."""
        moves = {self._sign(self.rest.diff(self.by))}
        for factor, inside in zip(self.factors, self.inside, strict=True):
            moves.add((self._sign(inside.diff(self.by)) or 0) * (self._sign(factor) or 0))
        is_plain = not any(sums_of(one.diff(self.by))[0] for one in self.factors)
        return moves.pop() if is_plain and len(moves := moves - {0}) == 1 else None

    def _turns(self, slope: Any, place: Edge) -> list[int | None]:
        """The signs of a *slope* before and behind a *place*."""
        parts = self.domain.split([place])
        return [self._sign(slope, part) for part in parts if not part.is_point]

    def _applies_at(self, place: Edge) -> bool:
        """Whether they do."""
        forms = self.above.values()
        return not self.is_cased and all(one is not None and sign(one, place) >= 0 for one in forms)

    def _unit_of(self, compared: Rel) -> Unit:
        """That in which the sides of what is *compared* are told."""
        measures = dimension_of(compared.left, self.plan.dimensions)
        return self.unit if self.unit.dimension == measures else base_unit(measures)

    def _told(self, place: Edge) -> Amount:
        """A place in digits that tell it from the answer."""
        value, unit = plain(Fraction(close_to(place))), self.given.unit
        near = self.near[self.searched.letter]
        told = plain(Fraction(round(value))) if self.given.whole else near
        made = [amount(value, unit, digits=digits) for digits in range(ROUNDED, MANY)]
        return next((x for x in made if x.near != told or value == told), made[0])

    def _at(self, place: Edge) -> str:
        return equal(self.x, self._told(place).marked)

    def _put(self, form: Any, unit: Unit) -> Expr:
        """*form* in numbers; a quotient of sums with 1, or −1, before the highest power below."""
        if terms := terms_of(form):
            return self._added(terms, unit)
        of, x, (top, bottom) = self.given.unit, Sym(self.searched.letter), sums_of(form)
        degree = max(bottom)
        size, lead = of.dimension**degree, Fraction(bottom[degree])
        lead *= -1 if all(c / lead < 0 for c in top.values()) else 1  # 1.07/(1.07 − f)
        over, below = ({p: Fraction(c) / lead for p, c in one.items()} for one in (top, bottom))
        per, (power, *others) = unit.dimension * size, over
        if power and not others:  # a rate, and a share
            rate = self._added({0: over[power]}, base_unit(per / of.dimension**power))
            made = rate * (x if power == 1 else x**power)
        else:
            made = self._added(over, base_unit(per))
        return made / self._added(below, base_unit(size), max(self.below, key=len))

    def _added(self, terms: Terms, unit: Unit, told: Sequence[Number] = ()) -> Expr:
        """A sum of powers in numbers, which are kept, in the order of the formula or as *told*."""
        told, taken = told or self.order * (not self.roundings), len(self.numbers)
        made, numbers = as_formula(terms, self.searched.letter, unit, self.given.unit, told, taken)
        self.numbers |= numbers
        return made

    def _written(self) -> Expr:
        """All of it, with the numbers put in."""
        parts = [self._put(self.rest, self.unit)] if self.rest else []
        for rounding, factor, inside in zip(self.roundings, self.factors, self.inside, strict=True):
            product: Expr = Fun(rounding.name, (self._put(inside, COUNT),))
            if factor != 1 or self.unit.dimension != ONE:
                by = self._put(factor, self.unit)
                product = by * product if {*sums_of(factor)[0]} == {0} else product * by
            parts.append(product)
        return reduce(add, parts)

    def _lines(self, lift: int | None, at: str = "") -> Iterator[Reasoned]:
        """It with the numbers put in, and without its rounding, and what it is *at* a place."""
        terms = terms_of(self.smooth)
        if self.is_said and not (self.roundings or at) and len(terms) in (0, self.parts):
            return
        written = None if self.is_said or not self.roundings else self._written()
        if written is not None:
            yield Reasoned(Rel("==", self.left, written), "", dict(self.numbers))
        formula = self._put(self.smooth, self.unit)
        numbers = {name: self.numbers[name] for name in symbols(formula) if name in self.numbers}
        is_exact = all(getattr(one, "exact", True) for one in numbers.values())
        if lift is not None and (is_exact or lift == 0):
            formula = Rel("==" if lift == 0 else ">=" if lift > 0 else "<=", self.left, formula)
        if ways := {WAYS[one.name][1]: 0 for one in self.roundings}:
            at = f"without rounding {' or '.join(ways)}{at and f'; {at}'}"
        yield Reasoned(formula, at, numbers)

    def _moves(self, level: Any, place: Edge) -> Iterator[Reasoned]:
        """The relation in numbers, times what a quotient divides by, and how it is solved for the
        unknown at a *place* where both sides are equal, their difference *level* 0: a root of two
        powers, or a quadratic one. Nothing where something is rounded, or it is none of these."""
        each, terms, unit = [*map(self._form, self.sides)], terms_of(level), self.unit
        if None in each or self.roundings:
            return
        if not terms and self.given.unit.dimension == ONE:  # a quotient
            top, below = sums_of(level)
            by = below[max(below)] if min(below.values()) > 0 else 0
            terms, unit = {n: Fraction(x) / by for n, x in top.items() if by}, COUNT
        if not (last := self._solved(terms, place, unit)):
            return
        yield from self._assumed(place)
        op, x, right = self.relation.op, Sym(self.searched.letter), Sym(f"{NUMBER}b")
        left, *other = (self._put(one, self.unit) for one in each)
        self.numbers[right.name] = amount(self.relation.bound.value, self.unit)
        lines = [Rel(op, left, *other or [right])]
        if isinstance(left, expression.Div) and not (other or terms_of(level)):
            lines.append(Rel(op, left.top, right * left.bottom))
        why = FOR * (left != x and last[0].formula.parts()[0] == x)
        yield from (Reasoned(x, why * (x is lines[-1]), dict(self.numbers)) for x in lines)
        yield from last[: left != x]

    def _assumed(self, place: Edge, lines: Sequence[Reasoned] = ()) -> Iterator[Reasoned]:
        """Which members of a maximum are the larger ones at a *place*, or the smaller ones, above
        *lines*; beside a single one that has all of it."""
        for one in self.above:
            made, unit = [self._composed(x) for x in one.parts()], self._unit_of(one)
            reason = f"the {'larger' if one.op == '>=' else 'smaller'} one at {self._at(place)}"
            if made[0] == self.formula and [x.reason for x in lines] == [""]:
                lines = [replace(lines[0], reason=reason)]
            elif None not in (forms := [*map(self._form, made)]):
                formula = Rel(one.op, *(self._put(x, unit) for x in forms))
                yield Reasoned(formula, reason, dict(self.numbers))
        yield from lines

    def _solved(self, terms: Terms, place: Edge, unit: Unit) -> list[Reasoned]:
        """How the unknown is to the *place* where the sum of powers is 0, or that sum to 0, and
        what follows."""
        of, x, op = self.given.unit, Sym(self.searched.letter), self.relation.op
        op = TURNED[op] if terms and terms[max(terms)] < 0 else op
        found = root(terms, unit, of)
        places = [place] if found or place not in self.places else self.places
        worth = " and ".join(map(self._at, places)) * self.given.whole
        if found:
            worth = "" if isinstance(found[0], Sym) else worth.removeprefix(f"{self.x} ")
        if self.so and place != self.near[x.name]:
            worth = f"{worth}, so {self.so}".removeprefix(", ")
        if found:
            return [Reasoned(Rel(op, x, found[0]), worth, found[1])]
        near = fitting(plain(Fraction(close_to(place))), of)
        if (made := quadratic(terms, x.name, unit, near)) is None:
            return []
        reason = f"{self.x} in {near.name}; " * (of.dimension != ONE)
        reason += "0 at " * (op != "==" and self.given.whole) + worth
        return [Reasoned(Rel(op, made[0], Num(0)), reason.rstrip(" ,;"), made[1])]

    def optimum(
        self, at: Number, around: Iterable[tuple[Number, Number]], is_one: bool
    ) -> tuple[list[Reasoned], str]:
        """How what is least, or greatest, is found *at* a number; if that *is_one* of some numbers,
        at it or *around* it, else solved in a last line for its value."""
        if self.smooth is not None and (lines := self._flat(at, is_one)):
            return lines, ""
        for pair in around:  # where other members of a maximum may apply
            before, behind = (Unrounded(self.outcome, self.relation, x) for x in pair)
            if (met := before._meeting(behind, at, is_one))[1]:
                return met
        return [], ""

    def _flat(self, at: Number, is_one: bool) -> list[Reasoned]:
        """How it is found where its slope is 0."""
        wanted, slope = self.wanted, self.smooth.diff(self.by)
        if len(places := self._zeros(slope)) != 1 or places != self._zeros(slope, poles=True):
            return []
        [place] = places
        off = abs(Fraction(close_to(place)) - Fraction(at))
        is_near = off <= abs(Fraction(at)) * NEAR or (self.given.whole and off < 1)
        is_it = (is_near or (is_one and not self.above)) and self._applies_at(place)
        if not is_it or self._turns(slope, place) != [-wanted, wanted]:
            return []
        lines = [*self._assumed(place, [*self._lines(self._lift)])]
        solved = self._rooted(slope, place, None if is_one else at)
        there = "" if solved else f" up to {self._at(place)}"
        called = "it" if self.roundings else self.called
        reason = f"its slope: {called} {TURNS[wanted].format(there)}"
        of, unit = self.given.unit.dimension, self.unit
        unit = unit if of == ONE else base_unit(unit.dimension / of)
        flat = Reasoned(Rel("==", self._put(slope, unit), Num(0)), reason, dict(self.numbers))
        return [*lines, flat, *solved]

    def _meeting(self, behind: Unrounded, at: Number, is_one: bool) -> tuple[list[Reasoned], str]:
        """How it is found between what it is near and what is *behind* it: where two members of a
        maximum, of which one applies there and one here, are equal."""
        both, x = (self, behind), Sym(self.searched.letter)
        if any(one.smooth is None or one.roundings for one in both):
            return [], ""
        span = Piece(self.near[x.name], behind.near[x.name])
        for pair in self.chosen:
            left, right = (self._form(self._composed(one)) for one in pair.parts())
            if left is None or right is None or left == right:
                continue
            unit = self._unit_of(pair)
            for place in self._zeros(left - right, poles=True):
                signs = [sign(one.smooth.diff(self.by), place) for one in both]
                is_it = place in span and all(one._applies_at(place) for one in both)
                if not is_it or signs != [-self.wanted, self.wanted]:
                    continue
                sides = sorted((self._put(one, unit) for one in (left, right)), key=x.__ne__)
                lines = [Reasoned(Rel("==", *sides), "", dict(self.numbers))]
                if sides[0] != x:
                    lines += self._solved(terms_of(left - right), place, unit)
                if not is_one and lines[-1].formula.parts()[0] != x:
                    lines.append(Reasoned(Rel("==", x, Num(at)), ""))
                turns = "falling to rising" if self.wanted > 0 else "rising to falling"
                there = f"at {self._at(place)}, where these are equal"
                return lines, f"{there}, {self.called} turns from {turns}"
        return [], ""

    def _rooted(self, slope: Any, place: Edge, at: Number | None) -> list[Reasoned]:
        """The *place* at which the *slope* is 0 as a root, where two powers are left; where it is
        the number *at* which it is least, in letters if that is short, and at least as it is."""
        x, terms = Sym(self.searched.letter), terms_of(slope)
        worth = "" if at is not None else self._at(place).removeprefix(f"{self.x} ")
        is_plain = at is not None and all(one.denominator == 1 for one in terms)
        if is_plain and (known := cas.flat(self.formula, x)) is not None:
            return [Reasoned(Rel("==", x, known), "")]
        by_it = {plain(Fraction(power) + 1): one for power, one in terms.items()}
        if found := root(by_it, self.unit, self.given.unit):
            return [Reasoned(Rel("==", x, found[0]), worth, found[1])]
        return [] if at is None else [Reasoned(Rel("==", x, Num(at)), "")]

    def threshold(
        self, at: Number, is_least: bool, is_alone: bool
    ) -> tuple[Sequence[Reasoned], str]:
        """How a number *at* which a relation begins to hold, or ceases to, is found where both
        sides are equal; and, if no other relation does, why nothing before it, or behind, will."""
        bound, lift, is_whole = self.relation.bound, self._lift, self.given.whole
        wanted = {"<": 1, ">": -1, "=": 0}[self.relation.op[0]]  # the side on which it fails
        level = self.smooth - cas.to_sympy(Num(bound.value))
        self.places = self._zeros(level)
        off = {Fraction(close_to(x)) - Fraction(at): x for x in self.places}
        off = {abs(by): x for by, x in off.items() if not is_whole or by * (-1) ** is_least >= 0}
        apart, most = min(off, default=Fraction(0)), 1 if is_whole else abs(Fraction(at)) * NEAR
        if not off or (apart > most and not is_alone):
            return (), ""
        place, met = off[apart], amount(bound.value, bound.unit, stated=True)
        is_shown, op = not is_whole and apart <= most, self.relation.op  # below these lines
        course, is_steady = self._course(wanted, is_least) if is_alone else ("", False)
        side = SIGNS[f"{'>' if is_least else '<'}{op[1:]}"]  # type: ignore[index]
        at_it = f"{SIGNS[op]} {met} for {self.x} {side} {self._told(place)}"
        at_it = at_it if is_steady else f"{met} at {self._at(place)}"
        lines = [*self._moves(level, place)]
        lines = lines or [*self._lines(lift, at_it * (not is_shown))] * (not self.above)
        is_solved = bool(lines) and lines[-1].formula.parts()[0] == Sym(self.searched.letter)
        if self.above or (is_solved and wanted and not is_whole):
            return lines, ""
        leads = course or not self.roundings or (lift or 0) * wanted > 0  # else to nowhere
        return lines if leads else (), course * (not self.is_cased)

    def _course(self, wanted: int, is_least: bool) -> tuple[str, bool]:
        """Why nothing else before or behind what is found will do, where it fails on the side that
        is *wanted* of the bound: it falls or rises all over, which is steady, or turns once."""
        trend, slope = self._trend, self.smooth.diff(self.by)
        if not wanted:  # which of two sides is the lesser one
            is_one = len(self.places) == 1 and self.names[1:] and not self.roundings
            below = self._turns(self.smooth, self.places[0])[0] if is_one else None
            less, *more = self.names[:: -(below or 1)]
            return f"below it {less} is less, above it {more[0]}" if below else "", False
        if trend == (-wanted if is_least else wanted):
            ways = ("falls", "never rises") if trend < 0 else ("rises", "never falls")
            return f"{self.called} {ways[bool(self.roundings)]} as {self.x} grows", True
        places = [] if self.roundings else self._zeros(slope)
        is_it = len(places) == 1 and self._turns(slope, places[0]) == [-wanted, wanted]
        return f"{self.called} {TURNS[wanted].format('')}" * is_it, False
