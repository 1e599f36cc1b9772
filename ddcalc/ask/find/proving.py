"""A search by equations: the answer, proved, with its steps and what other readings come to.

The steps are what does not rest on the unknown; a relation solved for it by hand, or its value;
what follows there; both sides there and just beside it. What is least stands in a table with its
neighbours, below formulas in letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from ddcalc.ask.find.branching import (
    ASIDE,
    SearchModel,
    best,
    model,
    nearest,
    search,
)
from ddcalc.ask.find.by_hand import ByHand, smooth, written
from ddcalc.ask.find.inverse import InverseQuestion, Relation
from ddcalc.ask.find.number_line import Piece, Unsettled
from ddcalc.ask.find.outcome import Nearest, SearchOutcome, Sought, given_up, ranges
from ddcalc.ask.find.shown import NEXT, Side, comparisons, table
from ddcalc.ask.powers import as_formula, composed, powers_in
from ddcalc.ask.solve import Derivation
from ddcalc.errors import NoAnswer
from ddcalc.formula.algebraic import Root
from ddcalc.formula.deciding import is_decided
from ddcalc.formula.expression import Known, Num, Number, Rel, Sym, symbols
from ddcalc.formula.letters import letter as printed
from ddcalc.numbers.amounts import count_text, fitting
from ddcalc.numbers.irrational import MARGIN, Approximate
from ddcalc.numbers.units import TIME, Measured, Unit
from ddcalc.problem.explanation import Explanation
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.quantity import Given, StatedBound
from ddcalc.problem.sentences import capital
from ddcalc.problem.stated import restated, stated_units
from ddcalc.problem.stated_formulas import is_side
from ddcalc.problem.steps import Define, Solve, Step, Table

COLUMNS = 4  # of the table of neighbours, beside the number itself and what else must hold
MANY = 10  # of the unit of a bound, from which on times are told in it
_WHY = {
    "always": "the least that there can be; all others do it too",
    "only": "the only one; all others fail",
    "least": "the least; all smaller ones fail",
    "greatest": "the greatest; all larger ones fail",
}


def _admitted(searched: SearchModel, sought: Sought) -> Sequence[Piece]:
    """The numbers that the question admits, as far as it is soon known: by what does not rest on a
    derived quantity, and from the least one that has a value, if that is among those *sought*."""
    both = (*searched.conditions, *searched.goals)
    early = tuple(one for one in both if searched.rules.keys().isdisjoint(symbols(one)))
    admitted: Sequence[Piece] = (searched.domain,)
    if early and not {*searched.goals} <= {*early}:
        free = search(replace(searched, goals=(), rules={}, conditions=early), ASIDE)
        admitted = free.solutions if free.complete and free.solutions else admitted
    least = sought.solutions[0].low if sought.solutions and searched.domain.whole else None
    if isinstance(least, int) and not [*searched.beside(least, (-1,))]:
        admitted = (replace(admitted[0], low=least), *admitted[1:])  # below it nothing has a value
    return admitted


class Proved(SearchOutcome):
    """What came of a *question*, searched by the equations of its *plan*; *better* is that
    something is better than the best there is.

    Raises Unsettled where only trying can tell, OverLimit where the search is given up before the
    answer is known.
    """

    better: Rel | None = None

    def __init__(self, question: InverseQuestion, plan: EquationPlan) -> None:
        self.plan, self.searched = plan, model(question, plan)
        given, relations = question.given, list(question.relations)
        for i, one in enumerate(relations):  # a formula that does not rest on it is a number
            other = one.other if isinstance(one.other, StatedBound | Given) else None
            if other is not None and (worth := self.searched.known.get(other.letter)) is not None:
                unit = one.told_in(question.stated) or fitting(worth, other.unit)
                bound = Measured(worth, unit, False, other.title)
                relations[i] = replace(one, bound=bound, other=None)
        question = replace(question, relations=tuple(relations))
        if extreme := best(question, self.searched) if question.extreme else None:
            self.better, self.sought = extreme.goal(better=True), extreme.sought
            admitted: Sequence[Piece] = (self.searched.domain,)
        else:
            if question.extreme:
                question = replace(question, relations=question.bounds)
            self.sought = search(self.searched)
            admitted = _admitted(self.searched, self.sought)
        super().__init__(question, self.sought, admitted, question.end)
        if self.sought.open:
            first, last = self.solutions[:1], self.sought.open[0].low
            if not first or last is None or (first[0].low is not None and first[0].low >= last):
                known = f"elsewhere {self.ranges(given.unit)} satisfies it"
                raise given_up(given, self.sought, known)
        with suppress(NoAnswer):  # where something else is out of reach there
            if self.near is not None:
                self.at = Derivation(restated(question.stated, {given.name: self.near}))

    @property
    def proof(self) -> str:  # type: ignore[override]
        given = self.question.given
        if not self.complete:
            pieces = f"{count_text(self.sought.examined)} intervals"
            left = ranges(self.sought.open, given, given.unit)
            return f"the search was ended after {pieces}; not decided: {left}"
        if self.question.extreme and not given.whole:
            return "it is compared where its slope is 0, and at all ends"
        every = ranges(self.admitted, given, given.unit).removeprefix("every ")
        return f"every {every} was checked, in intervals decided exactly"

    def compared(self, at: Number) -> Known:
        known, origin = self.searched.values(at), self.plan.problem.origin.items()
        return {one.name: known.get(letter) for letter, (one, place) in origin if place is None}

    @cached_property
    def beside(self) -> Sequence[Number]:  # type: ignore[override]
        """The next whole numbers that the question admits."""
        if self._shown is None or not self.question.given.whole or self.question.extreme:
            return ()
        return tuple(self.searched.beside(self._shown, self.sides))

    def nearest(self) -> Nearest | None:
        return self._nearest

    @cached_property
    def _nearest(self) -> Nearest | None:
        if self.kind != "none" or not self.complete:
            return None
        return nearest(self.searched, self.question.bounds)

    @cached_property
    def _shown(self) -> Number | None:
        """The value at which the relations are shown, whether they hold there or not."""
        if self.kind != "none":
            return self.near if isinstance(self.end, Root) else self.end
        return None if self._nearest is None else self._nearest.at

    def steps(self) -> Iterator[Step]:
        """Every step, each with its reason."""
        wanted = {*self.question.compared, *self.question.stated.shape.wanted}
        origin = self.plan.problem.origin.items()
        letters = [letter for letter, (quantity, _) in origin if quantity.name in wanted]
        needed = self.plan.needed(*letters)
        live = {line.quantity.name for line in needed if line.symbol in self.searched.live}
        names = {line.quantity.name for line in needed} - live
        yield from self._explained(self.searched.known).steps(names)
        by_hand = [*self._by_hand()]
        yield from by_hand
        at, given, extreme = self._shown, self.question.given, self.question.extreme
        if at is not None and (known := self.searched.values(at)):
            followed = self._explained(known).steps(live)
            if extreme is not None:
                yield from self._around(self._neighbours(at, extreme), [*followed])
                return
            if not by_hand:
                yield Define(
                    name=given.name, symbol=given.letter, unit=given.unit, value=at,
                    title=capital(given.title), why=self._why,
                    formula=Num(at), applied=Num(at), numbers={},
                )  # fmt: skip
            is_rounded = isinstance(at, Approximate)  # too near to a bound to be compared
            compared = () if is_rounded else comparisons(self.question, at, self, self._side)
            yield from (*compared, *followed) if by_hand else (*followed, *compared)

    def _around(self, table: Table, followed: Sequence[Step]) -> Iterator[Step]:
        """What *followed* from a number that was found in the *table* of its neighbours: with its
        numbers behind that; but before it, in letters alone, what leads to its columns, if that is
        the same for all numbers."""
        columns = [printed(getattr(step, "symbol", "")) in table.header[:-1] for step in followed]
        end = len(columns) - [*reversed(columns), True].index(True)
        plain = [x for x in followed[:end] if isinstance(x, Define) and not is_decided(x.formula)]
        if len(plain) == end:
            yield from map(self._open, plain)
            followed = followed[end:]
        yield table
        yield from followed

    def _open(self, step: Define) -> Define:
        """*step* in letters, and as the sum of powers of the unknown that it is, if it is one; what
        is least is told so at its table."""
        x, given, live = self.searched.letter, self.question.given, self.searched.live
        formula = composed(step.symbol, self.plan, live, self.searched.known)
        terms = powers_in(formula, x, self.searched.known)
        extreme = self.question.extreme
        is_told = extreme is not None and step.symbol == extreme.letter
        if is_told or terms is None or len(terms) > COLUMNS:
            return replace(step, open=True, parts=None)
        parts, numbers = as_formula(terms, x, step.unit, given.unit)
        return replace(step, open=True, parts=parts, terms=numbers)

    def _neighbours(self, at: Number, relation: Relation) -> Table:
        """What *relation* wants to be least, what it is made of, and what must hold besides: at the
        best number, beside it, and at the nearest numbers that are better, but do not fit."""
        question, given, searched = self.question, self.question.given, self.searched
        origin = self.plan.problem.origin
        line = next((one for one in self.plan.lines if one.symbol == relation.letter), None)
        made = () if line is None else dict.fromkeys(symbols(line.formula))
        parts = [one for one in made if one in searched.live and origin[one][1] is None]
        others = [one.letter for one in question.compared.values() if one.letter in searched.live]
        names = [origin[one][0].name for one in (*parts[: COLUMNS - 1], relation.letter, *others)]
        places = sorted({at, *searched.beside(at, count=NEXT)})
        known = {x: self.compared(x) for x in places if searched.values(x)}
        among = ", of those that are allowed" if question.bounds else ""
        side = origin[relation.letter][0].title if is_side(relation.name) else ""
        where = f"where {side or relation.name.replace('_', ' ')} is {relation.extreme}{among}"
        why = ", ".join(filter(None, (where, smooth(self.plan, searched, relation, given))))
        if self.better is not None and question.bounds:
            with suppress(Unsettled):
                better = search(replace(searched, goals=(self.better,)), ASIDE)
                if better.complete and better.solutions:
                    within = ranges(better.solutions, given, fitting(at, given.unit))
                    why = f"{why}; better, but not allowed: {within}"
        marks = question.marks(known, [at])
        return replace(
            table(question, capital(given.title), why, known, names, marks), name=given.name
        )

    def _explained(self, known: Known) -> Explanation:
        """What explains the values *known*, givens in the units in which they are stated."""
        units = stated_units(self.question.stated)
        units.pop(self.question.given.letter, None)
        return Explanation(self.plan, known, units)

    @property
    def _why(self) -> str:
        kind = self.kind
        if kind == "none":
            return "none does it; this one comes nearest"
        if kind in ("least", "greatest") and not self.reached:
            return "where the solutions end, which just does not do it itself"
        given, (first, *others) = self.question.given, self.question.relations
        said = ""
        if not others and (given.whole or not any(self._by_hand())):
            said = smooth(self.plan, self.searched, first, given)
        return "; ".join(filter(None, (said, _WHY[kind])))

    def _by_hand(self) -> Iterator[Solve]:
        """The relation solved by hand that ends the solutions at the answer."""
        given, end = self.question.given, self._shown
        limits = [end for part in self.admitted for end in (part.low, part.high)]
        ends_there = end not in limits or self.kind == "only"  # for a relation, that is
        if self.kind in ("none", "always") or end is None or not ends_there:
            return
        near = self.searched.values(end)
        for relation in self.question.relations if near and not self.question.extreme else ():
            sides = [self.question.compared[name] for name in relation.names]
            made = [written(one.letter, self.plan, self.searched.live, near) for one in sides]
            left, right = made[0], made[-1]
            if left is None or right is None or relation.name == given.name:
                continue
            formula = left - right if len(sides) > 1 else left
            less = " less ".join(one.called for one in sides)
            step = ByHand(relation, formula, given, less, self._unit(relation), near).step()
            worth = None if step is None else step.value
            allowed = abs(Fraction(end)) * MARGIN if type(end) is Approximate else int(given.whole)
            if step and worth is not None and abs(Fraction(end) - Fraction(worth)) <= allowed:
                yield step
                return

    def _unit(self, relation: Relation) -> Unit:
        """The unit of what is compared; of times that of the bound if that is many of them."""
        unit, bound = self.question.compared[relation.name].unit, relation.bound
        is_many = unit.dimension == TIME and bound.value >= MANY * bound.unit.worth
        return bound.unit if is_many and relation.other is None else unit

    def _side(self, relation: Relation, at: Number) -> Side:
        """The left side of *relation* where the unknown is worth *at*, as a formula."""
        explanation = self._explained(self.searched.values(at))
        side: Side = (Sym(relation.letter), {}, explanation.units[relation.letter])
        for step in explanation.steps({relation.name}):
            if isinstance(step, Define | Solve):
                applied = step.applied if isinstance(step, Define) else step.formula
                side = applied, step.numbers, step.unit
        return side
