"""What a relation compares as a function of the unknown alone, with all other numbers put in: where
it is flat or meets its bound without its roundings, and why no other number does as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Final

from ddcalc.ask.find.branching import DIGITS, SearchModel
from ddcalc.ask.find.inverse import Relation
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.outcome import NEXT, Reasoning, piece_text
from ddcalc.ask.powers import Terms, as_formula, composed, multiplied, powers_in, slope, summed
from ddcalc.formula.algebraic import Edge, close_to, floor_of
from ddcalc.formula.cas import LETTER, RING, Polynomial, roots, sign_at
from ddcalc.formula.expression import Expr, Fun, Mul, Num, Number, Rel, Sym, substitute, symbols
from ddcalc.formula.expression import replace as rewritten
from ddcalc.formula.letters import letter as letter_of
from ddcalc.numbers.amounts import amount, amount_text, together
from ddcalc.numbers.display import equal
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import COUNT, ONE, Unit, base_unit
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.quantity import Given
from ddcalc.problem.speaker import hedged
from ddcalc.problem.steps import NUMBER, PutIn, Reasoned

ROUNDINGS: Final = {"ceiling": 1, "floor": -1}  # and to which side of what is rounded they lead
MOST: Final = 2  # of them in what is compared
LONG: Final = 8  # numbers in a formula, from which on it shows nothing
Parts = Mapping[tuple[str, ...], Terms]


class Unrounded:
    """What *relation* compares, as a sum of powers of the unknown and of products of them with
    roundings: *parts* of it, by the roundings in them; none where it has another form."""

    def __init__(
        self,
        plan: EquationPlan,
        searched: SearchModel,
        relation: Relation,
        given: Given,
        unit: Unit,
    ) -> None:
        self.searched, self.relation, self.given, self.unit = searched, relation, given, unit
        self.x, self.roundings = letter_of(searched.letter), dict[str, Fun]()
        self.numbers: dict[str, PutIn] = {}
        sides = [one.name for one in relation.formula.parts() if isinstance(one, Sym)]
        made = [composed(one, plan, searched.live, searched.known) for one in sides]
        self.called = " − ".join(map(letter_of, sides))
        self.left = Sym(sides[0]) - Sym(sides[1]) if sides[1:] else Sym(sides[0])
        formula = rewritten(made[0] - made[1] if sides[1:] else made[0], self._rounding)
        low = searched.domain.low
        self.domain = replace(searched.domain, low=low or 0, low_in=bool(low), whole=False)
        self.inside = {name: self._powers(one.args[0]) for name, one in self.roundings.items()}
        is_known = low is not None and low >= 0 and None not in self.inside.values()
        few = is_known and len(self.roundings) <= MOST
        self.parts: Parts = (few and self._parted(formula, [*self.roundings])) or {}
        self.smooth: Terms = {}
        for names, terms in self.parts.items():
            for name in names:
                terms = multiplied(terms, self.inside[name] or {})
            self.smooth = summed(self.smooth, terms)

    def _rounding(self, part: Expr) -> Expr | None:
        """A letter for a rounding of something that rests on the unknown."""
        is_one = isinstance(part, Fun) and part.name in ROUNDINGS
        if not isinstance(part, Fun) or not is_one or self.searched.letter not in symbols(part):
            return None
        known = {one: name for name, one in self.roundings.items()}
        name = known.get(part, f"{NUMBER}r{len(known)}")
        self.roundings[name] = part
        return Sym(name)

    def _powers(self, formula: Expr) -> Terms | None:
        """The sum of powers that *formula* is, also where that is a number."""
        letter = self.searched.letter
        terms = powers_in(formula + Sym(letter), letter, self.searched.known)
        return None if terms is None else summed(terms, {1: Fraction(-1)})

    def _parted(self, formula: Expr, names: list[str]) -> Parts | None:
        """The parts of a *formula* that is a multiple of each rounding, and something besides."""
        if not names:
            terms = self._powers(formula)
            return None if terms is None else {(): terms}
        at = [self._parted(substitute(formula, {names[0]: Num(i)}), names[1:]) for i in range(3)]
        zero, one, two = (made or {} for made in at)
        parts = dict(zero)
        for key in {**zero, **one, **two}:
            rise = summed(one.get(key, {}), zero.get(key, {}), -1)
            if None in at or rise != summed(two.get(key, {}), one.get(key, {}), -1):
                return None
            parts[names[0], *key] = rise
        return {key: terms for key, terms in parts.items() if any(terms.values())}

    # Directions

    def _sign(self, terms: Terms, piece: Piece | None = None) -> int | None:
        """The sign of a sum of powers all over a *piece*, but for zeros; None where it has both."""
        zero, piece = _polynomial(terms), piece or self.domain
        parts = [*piece.split(self._zeros(terms))]
        signs = {sign_at(zero, one.middle()) for one in parts if not one.is_point}
        return signs.pop() if len(signs) == 1 else None

    def _zeros(self, terms: Terms) -> list[Edge]:
        zero = _polynomial(terms)
        return [place for place in roots(zero) if place in self.domain] if zero else []

    def _direction(self, own: Callable[[Terms], int | None], of_rounding: bool) -> int | None:
        """Where all of it goes, if the powers in it go as *own* says, and the roundings as what is
        rounded does, or *of_rounding*: where that leads to; None where parts go both ways."""
        found = set[int | None]()
        for names, terms in self.parts.items():
            moves = [(terms, own(terms))]
            for name in names:
                inside = self.inside[name] or {}
                up = ROUNDINGS[self.roundings[name].name]
                moves.append((inside, up if of_rounding else own(inside)))
            for i, (_, move) in enumerate(moves):
                others = [self._sign(of) for j, (of, _) in enumerate(moves) if j != i]
                known = [one for one in (move, *others) if one is not None]
                found.add(0 if move == 0 else prod(known) if len(known) == len(moves) else None)
        found.discard(0)
        return found.pop() if len(found) == 1 else None if found else 0

    def _trend(self) -> int | None:
        """Whether it never falls as the unknown grows, or never rises."""
        return self._direction(lambda terms: self._sign(slope(terms)), False)

    def _lift(self) -> int | None:
        """Whether its roundings only make it more, or less."""
        return self._direction(lambda _: 0, True)

    # Lines

    def _put(self, terms: Terms, unit: Unit) -> Expr:
        of, taken = self.given.unit, len(self.numbers)
        made, numbers = as_formula(terms, self.searched.letter, unit, of, taken)
        self.numbers |= numbers
        return made

    def _part(self, names: tuple[str, ...], terms: Terms) -> Expr:
        """A product of roundings, with the numbers put in."""
        insides = [self._put(self.inside[name] or {}, COUNT) for name in names]
        made: list[Expr] = [
            Fun(self.roundings[name].name, (one,)) for name, one in zip(names, insides, strict=True)
        ]
        if terms != {0: 1} or not names or self.unit.dimension != ONE:
            made.insert(0 if len(terms) == 1 else len(made), self._put(terms, self.unit))
        return Mul((*made,)) if made[1:] else made[0]

    def _lines(self) -> Iterator[Reasoned]:
        """It with the numbers put in, and without its roundings."""
        if self.roundings:
            written: Expr | None = None
            for names, terms in self.parts.items():
                is_less = bool(names) and all(x < 0 for x in terms.values())
                part = self._part(names, {p: -x if is_less else x for p, x in terms.items()})
                part = -part if is_less else part
                written = part if written is None else written + part
            if written is not None and len(self.numbers) <= LONG:
                yield self._line(0, written, "with the numbers put in")
        formula = self._put(self.smooth, self.unit)
        yield self._line(self._lift(), formula, self._without or "with the numbers put in")

    def _line(self, lift: int | None, formula: Expr, reason: str) -> Reasoned:
        numbers = dict(self.numbers)
        is_exact = all(getattr(numbers[x], "exact", True) for x in symbols(formula) if x in numbers)
        if lift is not None and (is_exact or lift == 0):
            formula = Rel("==" if lift == 0 else ">=" if lift > 0 else "<=", self.left, formula)
        return Reasoned(formula, reason, numbers)

    @property
    def _without(self) -> str:
        ways = [*{one.name: "" for one in self.roundings.values()}]
        way = {"ceiling": " up", "floor": " down"}.get("".join(ways), "")
        return f"without rounding{way}" if ways else ""

    def _at(self, place: Edge) -> str:
        return equal(self.x, amount_text(plain(close_to(place, DIGITS)), self.given.unit))

    def _even(self, what: str) -> str:
        return f"even {self._without} {what}" if self.roundings else what

    # What they come to

    def optimum(self, at: Number, worth: Number) -> Reasoning | None:
        """How what is least, or greatest, *at* a number, and *worth* so much, is found where its
        slope is 0; and that it is as good only around that place."""
        wanted, flat = 1 if self.relation.extreme == "least" else -1, slope(self.smooth)
        if len(places := self._zeros(flat)) != 1:
            return None
        if self._sign(flat, replace(self.domain, high=places[0], high_in=False)) != -wanted:
            return None
        lines, there = [*self._lines()], self._at(places[0])
        is_count = self.given.unit.dimension == ONE
        if is_count and self.smooth.keys() - {0} == {1, -1}:
            over, below = together([abs(self.smooth[x]) for x in (-1, 1)], self.unit)
            there = f"{self.x} = √({over.number}/{below.number}) {there.removeprefix(f'{self.x} ')}"
        per = base_unit(self.unit.dimension / self.given.unit.dimension)
        formula = Rel("==", self._put(flat, self.unit if is_count else per), Num(0))
        lines.append(Reasoned(formula, f"its slope, 0 at {there}", dict(self.numbers)))
        is_sure = self.given.whole and self._lift() in (0, wanted)
        note = self._only_near(at, worth, wanted, places[0]) if is_sure else ""
        return Reasoning((*lines,), note=note)

    def _only_near(self, at: Number, worth: Number, wanted: int, flat: Edge) -> str:
        """That it is as good as *at* a number only around its *flat* place."""
        places = self._zeros(summed(self.smooth, {0: -Fraction(worth)}))
        low = next((place for place in places if place <= flat), None)
        high = next((place for place in places if place >= flat), None)
        where = piece_text(Piece(low, high), self.x, self.given.unit)
        is_shown = low is not None and floor_of(low) >= at - NEXT - 1
        is_shown = is_shown and high is not None and floor_of(high) <= at + NEXT
        best = f"{'≤' if wanted > 0 else '≥'} {hedged(amount(worth, self.unit))}"
        best = best.replace("≤ ≈", "≲").replace("≥ ≈", "≳")
        what = f"{self.called} {best} only {'at' if low == high else 'for'} {where}"
        return self._even(
            f"{what}{', so none is better' if is_shown else '; none there is better'}"
        )

    def threshold(self, at: Number, kind: str) -> Reasoning | None:
        """How a number *at* which a relation begins to hold, or ceases to, is found where both
        sides are equal; and why nothing before it, or behind, will do."""
        relation, is_least = self.relation, kind == "least"
        wanted = {"<": 1, ">": -1}.get(relation.op[0], 0)  # the side on which it fails
        level = summed(self.smooth, {0: -Fraction(relation.bound.value)})
        near = self._zeros(level)
        if self.given.whole:
            near = [x for x in near if (x <= at if is_least else x >= at)]
        if not wanted or not near:
            return None
        place = min(near, key=lambda x: abs(Fraction(close_to(x, DIGITS)) - Fraction(at)))
        met = amount(relation.bound.value, relation.bound.unit, stated=True)
        *lines, last = self._lines()
        reasons = self._without, f"{met} at {self._at(place)}"
        lines.append(replace(last, reason="; ".join(filter(None, reasons))))
        before = replace(self.domain, high=place, high_in=False)
        behind = replace(self.domain, low=place, low_in=False)
        why, fails = "", self._sign(level, before if is_least else behind) == wanted
        if self._trend() == (-wanted if is_least else wanted):
            way = "rises" if (wanted > 0) == is_least else "falls"
            why = f"{self.called} never {way} as {self.x} grows"
        elif fails and self._lift() in (0, wanted):
            side, more = "below" if is_least else "above", "more" if wanted > 0 else "less"
            why = self._even(f"{self.called} is {more} than {met} {side} {self._at(place)}")
            last_one = plain(at - 1 if is_least else at + 1)
            if self.roundings and last_one != place and (last_one > place) == is_least:
                why += f", and rounded also at {self._at(last_one)}"
        return Reasoning((*lines,), why)


def _polynomial(terms: Terms) -> Polynomial:
    """A sum of powers as a polynomial that has the same sign where the unknown is positive."""
    least = min([0, *terms])
    zero: Polynomial = sum([RING(c) * LETTER ** (p - least) for p, c in terms.items()], RING(0))
    return zero
