"""A search from its texts to its answer: by equations, as one solves them by hand, or by trying."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import Any

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.find.branching import ASIDE, SLOPES, WORK, Extreme, Search, SearchModel, model
from ddcalc.ask.find.inverse import WAYS, WITHIN, InverseQuestion, Relation, inverse_question
from ddcalc.ask.find.number_line import Unsettled, merged
from ddcalc.ask.find.outcome import Outcome, edge_text, left_open, ranges
from ddcalc.ask.find.trials import Tried
from ddcalc.ask.powers import as_formula, composed, order, powers_in
from ddcalc.ask.working import equations
from ddcalc.errors import BadValue, DdcalcError, OverLimit
from ddcalc.formula.algebraic import Root
from ddcalc.formula.evaluation import is_decided
from ddcalc.formula.expression import Expr, Fun, Num, Number, Rel, Sym, letter, letters, symbols
from ddcalc.formula.expression import replace as replaced
from ddcalc.numbers.amounts import AskedUnit, amount, fitting
from ddcalc.numbers.display import equal
from ddcalc.numbers.irrational import Approximate, OutOfReach
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import COUNT, ONE, Measured
from ddcalc.problem.plan import EquationPlan, quantity_named
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given, Quantity, StatedBound
from ddcalc.problem.said.explanation import BYTE_RATE, Explanation, put_in, units_of
from ddcalc.problem.said.steps import FOR, HERE, Define, PutIn, Reasoned, Step, Table
from ddcalc.problem.stated import Texts, stated_units
from ddcalc.problem.stated_formulas import LADDERED

SPARE = 25_000  # work of a search without some bounds, at most
TERMS = 3  # of a sum of powers that is shown, at most
_WHICH = {"only": "the only one with", "always": "least with"}
_ENDS = {"least": "above which", "greatest": "below which"}


class Proved(Outcome):
    """What came of a *question*, searched by the equations of its *plan*. Raises Unsettled where
    only trying can tell, OverLimit where it is given up before the answer is known."""

    equations: EquationPlan

    def __init__(self, question: InverseQuestion, plan: EquationPlan) -> None:
        self.equations, self.searched = plan, model(question, plan)
        super().__init__(question)
        self.question = self._with_numbers()
        origin, given = plan.problem.origin, question.given
        self.is_one = bool(given.whole or self.listed)
        self.live: set[str] = {origin[one][0].name for one in self.searched.rules}
        extreme = best(question, self.searched) if question.extreme else None
        self.sought = extreme or Search(self.searched).run()
        self.is_cut = extreme is not None and extreme.goals != self.searched.goals
        self.admitted = self.possible = (self.searched.domain,)
        goals, rules = self.searched.goals, self.searched.rules.keys()
        early = tuple(goal for goal in goals if rules.isdisjoint(symbols(goal)))
        for own in [()] + [early] * (0 < len(early) < len(goals)) if not extreme else ():
            free = Search(replace(self.searched, goals=own))
            if free.ends(ASIDE) and free.solutions:
                self.admitted = tuple(free.solutions)
            self.possible = self.possible if own else self.admitted
        self.solutions, self.complete = tuple(self.sought.solutions), not self.sought.open
        self.choose()
        if not self.complete:
            first = self.solutions[:1]
            last = None if self.kind == "greatest" else self.sought.open[0].low
            if not first or last is None or (first[0].low is not None and first[0].low >= last):
                known = ranges(self.solutions, given, given.unit)
                reason = f"gave up {left_open(given, self.sought)}; {known} satisfies it"
                raise OverLimit(reason).about("where")
            self.last = last - 1 if isinstance(last, int) and given.whole else last

    def _with_numbers(self, kinds: Any = StatedBound | Given) -> InverseQuestion:
        """The question with numbers for what does not rest on its unknown, if it is of a *kind*."""
        question, relations = self.question, list(self.question.relations)
        for i, one in enumerate(relations):
            other = one.other if isinstance(one.other, kinds) else None
            if other is not None and (worth := self.searched.known.get(other.letter)) is not None:
                unit = one.told_in(question.stated) or fitting(worth, other.unit)
                its, made = Measured(worth, unit, False, other.title), getattr(other, "made", "")
                relations[i] = replace(one, bound=its, other=None, made=made)
        return replace(question, relations=tuple(relations))

    @property
    def proof(self) -> str:  # type: ignore[override]
        given = self.question.given
        if not self.complete:
            return f"the search was ended {left_open(given, self.sought)}"
        every = ranges(self.admitted, given, given.unit).removeprefix("every ")
        return f"every {every} was checked, in intervals decided exactly"

    def neighbours(self, x: Number, sides: Sequence[int], count: int = 1) -> Sequence[Number]:
        is_whole = self.question.given.whole or count > 1
        return [*self.searched.beside(x, sides, count)] if is_whole else ()

    @cached_property
    def other_end(self) -> Number | None:  # type: ignore[override]
        """The end of the only range, if the type does not end it there."""
        if self.kind != "least" or self.question.extreme or self.question.end:
            return None
        (*others, last), limits = self.solutions, [part.high for part in self.admitted]
        is_it = not others and self.complete and last.high_in and last.high not in limits
        return last.high if is_it and not isinstance(last.high, Root) else None

    def is_same_without(self, bounds: Sequence[Relation]) -> bool:
        goals = tuple(one.formula for one in self.question.bounds if one not in bounds)
        with suppress(DdcalcError, OutOfReach):
            free = best(self.question, replace(self.searched, goals=goals), SPARE)
            return free is not None and merged(free.solutions) == self.solutions
        return False

    @cached_property
    def nearest(self) -> Extreme | None:  # type: ignore[override]
        if self.kind != "none" or not self.complete:
            return None
        if isinstance(self.sought, Extreme) and self.question.extreme:
            return self.sought
        return nearest(self.searched, self._with_numbers(Quantity).bounds)

    @cached_property
    def derived(self) -> tuple[Sequence[Reasoned], str]:  # type: ignore[override]
        at = self.shown
        if at is None or self.kind in ("always", "none") or not self.searched.values(at):
            return (), ""
        from ddcalc.ask.find.unrounded import Unrounded

        if (extreme := self.question.extreme) is None:
            return self._thresholds(at)
        by = abs(Fraction(at)) / 10**6  # from both sides, if it is not one of some
        beside = self.around() if self.is_one else [plain(at - by), plain(at + by)]
        pairs = pairwise(x for x in beside if self.searched.values(x))
        around = [pair for pair in pairs if at in pair or not self.is_one]
        return Unrounded(self, replace(extreme, op="=="), at).optimum(at, around, self.is_one)

    def _thresholds(self, at: Number) -> tuple[Sequence[Reasoned], str]:
        """How each end of what will do is found, if the type does not end it there; a relation
        that tells both tells them once."""
        from ddcalc.ask.find.unrounded import Unrounded

        question, given, lines, why = self.question, self.question.given, list[Reasoned](), ""
        relations = [one for one in question.relations if one.name != given.name]
        limits = [end for part in self.admitted for end in (part.low, part.high)]
        found = [at] if self.other_end is None else [at, self.other_end]
        is_alone = len(relations) == 1 and (self.kind == "only") == (relations[0].op == "==")
        x, both, shown = letter(given.letter), "", [edge_text(end, given.unit) for end in found]
        for i, end in enumerate(found):
            is_told = (end in limits and self.kind != "only") or (lines and both)
            for relation in () if is_told else relations:
                made = Unrounded(self, relation, end)
                if made.smooth is None or made.near[relation.letter] is None:
                    continue
                is_plain = is_alone and not (made.above or made.is_cased)
                both = f"{shown[0]} ≤ {x} ≤ {shown[-1]}" * (is_plain and len(found) > 1)
                made.so = (both or f"{x} = {shown[i]}") * given.whole
                made.unit = relation.told_in(question.stated) or made.unit
                if given.unit == COUNT and made.unit.dimension in LADDERED[1:]:  # in one line
                    made.unit = AskedUnit(*astuple(made.unit))
                more, reason = made.threshold(end, self.kind == "least" and not i, is_alone)
                if more or reason:
                    lines = [*lines, *more] if given.whole else [*more, *lines]
                    why = why or reason
                    break
        is_known = self.complete and all(one.op != "==" for one in relations)
        return lines, why or f"decided for every {x}" * (given.whole and is_known)

    def fixed(self, also: Collection[str] = ()) -> Iterable[Step]:
        wanted = {*self.question.compared, *self.question.stated.shape.wanted, *also}
        origin = self.equations.problem.origin.items()
        letters = [letter for letter, (quantity, _) in origin if quantity.name in wanted]
        names = {line.quantity.name for line in self.equations.needed(*letters)} - self.live
        units = stated_units(self.question.stated)
        return Explanation(self.equations, self.searched.known, units).steps(names)

    def found_by(self) -> Iterator[Step]:
        found = [*super().found_by()]
        lines, x = self.derived[0], Sym(self.searched.letter)
        if lines and not lines[-1].reason and x in lines[-1].formula.parts()[:1]:
            found = [replace(self._as_found(), why=one.why) for one in found if type(one) is Table]
        is_place = self.shown is not None and (not self.nearest or self.nearest.is_reached)
        yield from found or ([self._as_found()] if is_place else [])

    def parted(self, followed: Sequence[Step]) -> tuple[Iterable[Step], Iterable[Step]]:
        """Before a table of neighbours, or a search, the formulas in letters alone; behind it those
        of the question with numbers where nothing is derived."""
        names = self.question.compared.keys()
        shown = [getattr(step, "name", "") in names for step in followed]
        first = followed[: len(shown) - [*reversed(shown), True].index(True)]
        plain = [x for x in first if isinstance(x, Define)]
        own = {name for name, *_ in self.question.stated.problem.own_steps}
        is_own, best = {one.name for one in plain} <= own, self.question.extreme
        is_derived = bool(self.derived[0])
        if self.nearest and not self.nearest.is_reached:
            return map(self._open, plain), ()
        if self.shown is None or len(plain) < len(first) or not (is_own or best or is_derived):
            return (), followed
        is_worked = best and is_own and not is_derived
        behind = followed[0 if is_worked else len(first) :]
        between = [x for x in plain if x.name not in names] if is_own and not best else []
        return map(self._open, plain), [*self.at_neighbours(between), *behind]

    def _open(self, step: Define) -> Define:
        """*step* in letters, and as the sum of powers of the unknown that it is, if it is a short
        one that is not told where the relation is solved; of a distinction what applies at the
        number that is found."""
        given, extreme, searched = self.question.given, self.question.extreme, self.searched
        if is_decided(step.formula):
            worth = amount(self.shown, given.unit).marked
            title = f"{step.title}{HERE}{equal(letter(searched.letter), worth)}"
            return replace(step, open=True, parts=None, title=title)
        formula = composed(Sym(step.symbol), self.equations, searched.live, searched.known)
        terms = powers_in(formula, searched.letter, searched.known)
        bounds = self.question.bounds if self.derived[0] else ()
        alone = extreme or (bounds[0] if len(bounds) == 1 and not bounds[0].other else None)
        if (alone and step.symbol == alone.letter) or not 0 < len(terms) <= TERMS:
            return replace(step, open=True, parts=None)
        told = order(formula, searched.letter)
        parts, put = as_formula(terms, searched.letter, step.unit, given.unit, told)
        is_read = not any("×" in str(one) for one in put.values())  # else nobody works with it
        return replace(step, open=True, parts=parts if is_read else None, terms=put)

    def _as_found(self) -> Define:
        given, (lines, reason) = self.question.given, self.derived
        at: Expr = Num(self.shown)
        bounds = " and ".join(x.briefly(self.question.compared) for x in self.question.bounds)
        which = (_WHICH if self.reached else _ENDS).get(self.kind, f"{self.kind} with")
        which = which if self.other_end is None else "least and greatest with"
        why = "; ".join(filter(None, (f"{which} {bounds}", reason)))
        why = "none does it; this one comes nearest" if self.kind == "none" else why
        numbers: Mapping[str, PutIn] = {}
        x = Sym(self.searched.letter)
        if not given.whole and lines and x in lines[-1].formula.parts()[:1]:
            *lines, solved = (replace(x, reason=x.reason.removesuffix(FOR)) for x in lines)
            at, numbers = solved.formula.parts()[1], solved.numbers
        if names := {*letters(at)} - numbers.keys():
            stated = stated_units(self.question.stated)
            units = units_of(self.equations.problem, BYTE_RATE)
            numbers = put_in(at, self.searched.known, units, stated, given.unit)
        return Define(
            given.name, given.letter, given.heading, why, given.unit, at, at, numbers,
            self.shown, (*lines,), told=bool(numbers) and not names,
        )  # fmt: skip


def best(question: InverseQuestion, searched: SearchModel, work: int = WORK) -> Extreme | None:
    """Where something is least, or greatest: nowhere, if a limit is better; None where nothing fits
    all that is asked. Raises BadValue where it is not known, OverLimit where it is given up, after
    so much *work*."""
    relation, given = question.extreme, question.given
    assert relation is not None
    assert relation.extreme
    if relation.letter not in searched.live:
        reason = f"does not depend on {searched.name}, so it is {relation.extreme} anywhere"
        raise BadValue(relation.name, reason).about("where")
    found = Extreme(searched, relation, relation.extreme)
    is_known = found.ends(work if given.whole else min(work, SLOPES))
    if given.whole and not is_known:
        so_far = "none" if found.best is None else edge_text(found.at, given.unit)
        raise OverLimit(f"gave up {left_open(given, found)}; best so far: {so_far}").about("where")
    if not is_known:
        values = ", ".join(f"{x} {given.unit.name}".rstrip() for x in (1, 2, 4))
        listed = f"given: {{{searched.name}: [{values}]}}"
        reason = "is not found, as not all places where its slope is 0 are; "
        reason += f"a list of values in a file ({listed}), or a sweep compares those of a range"
        raise BadValue(relation.written, reason).about("where")
    if positive := above_nothing(question, found):
        return positive
    if not found.is_reached:
        found.solutions = []
    return None if found.best is None and found.limit == inf else found


def above_nothing(question: InverseQuestion, found: Extreme) -> Extreme | None:
    """Where a time, or another amount, is least of those above 0, if what was *found* is below 0
    beyond a place where it has no value; None where it comes to 0 by and by, as a difference."""
    relation, is_whole = found.relation, question.given.whole
    of = question.compared[relation.name].unit.dimension
    if found.sense == "greatest" or of == ONE or min(found.worth, found.limit) >= 0:
        return None
    goals = (*found.goals, Rel(">", Sym(relation.letter), Num(0)))
    model = replace(found.model, goals=goals)
    above = Extreme(model, relation, "least")
    if not above.ends(WORK if is_whole else SLOPES) or above.best is None or not above.is_reached:
        return None
    near = (model.values(x)[relation.letter] for x in model.beside(above.at) if is_whole)
    return above if all((x or 0) > 0 for x in near) else None


def nearest(searched: SearchModel, relations: Sequence[Relation]) -> Extreme | None:
    """The value nearest to the bound of one of the *relations*, where the others hold; None where
    that is on both sides of the bound, or is not soon known."""
    for relation in relations:
        others = tuple(one.formula for one in relations if one is not relation)
        if relation.other is not None or relation.letter not in searched.live:
            continue
        for sense in (sense for sense, signs in WITHIN.items() if relation.op[0] in signs):
            found = Extreme(replace(searched, goals=others), relation, sense)
            with suppress(DdcalcError, OutOfReach):
                is_known = found.ends(ASIDE if searched.domain.whole else SLOPES)
                if not is_known or found.best is None or isinstance(found.value, Approximate):
                    continue
                beyond_it = found.sign * (found.value - relation.bound.value) >= 0
                if beyond_it and not found.is_reached:
                    return found
                if beyond_it and not relation.holds_among({relation.name: found.value}):
                    return _smooth(found) or found
    return None


def _smooth(found: Extreme) -> Extreme | None:
    """The limit that what is nearest to the bound of a relation has without its rounding, if that
    is beyond the bound, too, and nothing reaches it."""
    ways, live = dict[str, None](), found.model.live

    def changed(part: Expr) -> Expr | None:
        if not isinstance(part, Fun) or part.name not in WAYS or live.isdisjoint(symbols(part)):
            return None
        ways[WAYS[part.name][1]] = None
        return replaced(part.parts()[0], changed)

    rules = {name: replaced(rule, changed) for name, rule in found.model.rules.items()}
    model = replace(found.model, rules=rules, goals=found.goals)
    smooth = Extreme(model, found.relation, found.sense)
    if not ways or not smooth.ends(ASIDE) or smooth.best is None or smooth.is_reached:
        return None
    smooth.rounding = " or ".join(ways)
    return smooth if found.sign * (smooth.value - found.relation.bound.value) >= 0 else None


def find(
    problem: type[Problem],
    unknown: str,
    where: Sequence[str],
    texts: Texts,
    wanted: Sequence[str] = (),
) -> Inversion:
    """Which values of *unknown*, a given or choice of *problem*, make all that *where* says hold;
    *texts* state the others; the quantities *wanted* are told at the answer. Raises DdcalcError
    (Several, where more than one thing is wrong), OverLimit where the search is given up."""
    question = inverse_question(problem, unknown, where, texts)
    names = tuple(quantity_named(problem.quantities, problem, name) for name in wanted)
    stated = replace(question.stated, shape=question.stated.shape._replace(wanted=names))
    return found(replace(question, stated=stated) if names else question)


def found(question: InverseQuestion) -> Inversion:
    """The *question* answered: by its equations, or by trying; raises OverLimit as :func:`find`."""
    plan = equations(question.stated)
    follows = question.stated.problem.following([question.unknown.name])
    if plan is not None and isinstance(question.unknown, Given) and not follows:
        with suppress(Unsettled):
            return Inversion(question, Proved(question, plan))
    return Inversion(question, Tried(question))
