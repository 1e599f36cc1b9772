"""The equations of a shape, changed in one place or several, and what then comes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, groupby
from operator import attrgetter

from ddcalc.ask.mark.changes import Change, changes, loosened
from ddcalc.ask.mark.floats import Function, Functions, Values, near
from ddcalc.ask.mark.slip import PAIRED
from ddcalc.ask.words import has_root
from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import Least
from ddcalc.formula.coherence import dimension_of, worth_of
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Num, Number, Sym, substitute, symbols
from ddcalc.memory import remembered
from ddcalc.numbers.number import in_units, plain
from ddcalc.numbers.units import ONE
from ddcalc.problem.plan import EquationPlan, Line, plan
from ddcalc.problem.problem import Problem
from ddcalc.problem.shape import Shape

MOST_PAIRED = 150  # single slips of which pairs are made

Known = Mapping[str, Number | None]
Course = Sequence[tuple[int, Function]]  # what is worked out anew, in order: where, and by what


@dataclass(frozen=True, slots=True, eq=False)
class Mutant:
    """One slip in the equations: in each line of a list the same *change*.

    *rules* are the changed formulas by the index of their letter, which take base units.
    """

    change: Change
    line: Line
    rules: Mapping[int, Expr]


@dataclass(frozen=True, slots=True, eq=False)
class Both:
    """Two slips together, and the changed formulas of both."""

    one: Mutant
    other: Mutant
    rules: Mapping[int, Expr]


@dataclass(slots=True)
class Base:
    """The values of a question by letter, exact and in floats; what is *fixed* is not derived anew,
    because a student has stated it."""

    known: dict[str, Number | None]
    floats: Values
    fixed: frozenset[int] = field(default=frozenset())


@remembered
def chain(problem: type[Problem], shape: Shape) -> Chain:
    """The chain of a shape that is not large; made once."""
    return Chain(plan(problem, shape))


class Chain:
    """The equations of *plan*, one after the other."""

    def __init__(self, plan: EquationPlan) -> None:
        self.plan = plan
        self.lines = plan.lines
        self.letters = [*plan.givens, *(line.symbol for line in plan.lines)]
        self.index = {letter: i for i, letter in enumerate(self.letters)}
        self.first = len(plan.givens)
        self._worth = {
            letter: quantity.unit.worth for letter, (quantity, _) in plan.problem.origin.items()
        }
        self._uses = [{self.index[s] for s in symbols(line.formula)} for line in self.lines]
        self._made = Functions(self.index)
        self._functions = [self._made.of(line.formula) for line in self.lines]
        self._needed: dict[int, frozenset[int]] = {}
        self._singles: dict[int, list[tuple[Mutant, Course]]] = {}
        self._pairs: dict[int, list[tuple[Both, Course]]] = {}

    @cached_property
    def mutants(self) -> list[Mutant]:
        """Every formula with one thing changed."""
        found: list[Mutant] = []
        for _, group in groupby(self.lines, attrgetter("quantity")):
            found += self._of_quantity(list(group))
        return found

    @cached_property
    def doubles(self) -> list[Both]:
        """Two slips in one formula, those of lists left out."""
        found: dict[Expr, Both] = {}
        for one in self.mutants:
            if one.change.kind not in PAIRED or len(one.rules) > 1:
                continue
            [index] = one.rules
            for change in changes(one.change.expr, self.is_count):
                if change.kind in PAIRED:
                    rules = {index: self._in_base_units(one.line, change.expr)}
                    both = Both(one, Mutant(change, one.line, rules), rules)
                    found.setdefault(change.expr, both)
        return list(found.values())

    def singles(self, target: int) -> list[tuple[Mutant, Course]]:
        """The mutants that *target* rests on, the last steps' first, and their courses to it."""
        if target not in self._singles:
            needed = self.rests_on(target)
            self._singles[target] = [
                (mutant, self.course(mutant.rules, target))
                for mutant in reversed(self.mutants)
                if not needed.isdisjoint(mutant.rules)
            ]
        return self._singles[target]

    def pairs(self, target: int) -> list[tuple[Both, Course]]:
        """Every two slips that *target* rests on, and their courses to it; none of very many."""
        if target not in self._pairs:
            singles = [m for m, _ in self.singles(target) if m.change.kind in PAIRED]
            both = [
                Both(one, other, {**one.rules, **other.rules})
                for one, other in combinations(reversed(singles), 2)
                if one.rules.keys().isdisjoint(other.rules)
            ]
            needed = self.rests_on(target)
            both += [two for two in self.doubles if not needed.isdisjoint(two.rules)]
            few = len(singles) <= MOST_PAIRED
            self._pairs[target] = [
                (two, self.course(two.rules, target)) for two in (both if few else ())
            ]
        return self._pairs[target]

    def base(self, known: Known, stated: Mapping[str, Number] | None = None) -> Base:
        """The base of a question whose values by letter are *known*, or *stated* instead, which
        then counts for what rests on it; ArithmeticError where that has no value."""
        exact = dict(known)
        fixed = frozenset(self.index[letter] for letter in stated or {})
        if stated:
            exact.update(stated)
            for i, line in enumerate(self.lines, self.first):
                if i not in fixed:
                    exact[line.symbol] = _evaluated(line.formula, exact)
        numbers = (exact[letter] for letter in self.letters)
        floats = [near(number) if number is not None else float("nan") for number in numbers]
        return Base(exact, floats, fixed)

    def formula(self, letter: str) -> Expr:
        """The formula of a derived *letter*."""
        return self.lines[self.index[letter] - self.first].formula

    def rests_on(self, target: int) -> frozenset[int]:
        """The indexes of *target* and of all that it is derived from."""
        if target not in self._needed:
            self._needed[target] = frozenset([target, *self._all(target)])
        return self._needed[target]

    def course(self, rules: Mapping[int, Expr | float], target: int) -> Course:
        """How to *target* where *rules*, formulas or values, replace lines or givens."""
        return [(i, self._function(rules.get(i), i)) for i in self._order(rules, target)]

    def near(self, base: Base, course: Course, target: int) -> float:
        """The float of *target* that *course* leads to."""
        values = base.floats.copy()
        if base.fixed:
            course = [step for step in course if step[0] not in base.fixed]
        for i, function in course:
            values[i] = function(values)
        return values[target]

    def exact(
        self, base: Base, rules: Mapping[int, Expr | Number], target: int
    ) -> dict[str, Number | None] | None:
        """All values by letter where *rules* replace lines or givens, those that *target* does not
        rest on left as they are; None where there is no number."""
        known = dict(base.known)
        try:
            for i in self._order(rules, target):
                if i in base.fixed:
                    continue
                rule = rules[i] if i in rules else self.lines[i - self.first].formula
                known[self.letters[i]] = _evaluated(rule, known) if isinstance(rule, Expr) else rule
        except (ArithmeticError, TypeError, ValueError):  # a part of it has no value
            return None
        return known

    def numbers(self, line: Line, expr: Expr, known: Known) -> dict[str, Number]:
        """The numbers of the letters in *expr*, as *line* puts them in."""
        own = self._in_own_units(line)
        told = {letter: known[letter] for letter in symbols(expr)}
        return {
            letter: in_units(value, self._worth[letter] if own else 1)
            for letter, value in told.items()
            if value is not None
        }

    def is_count(self, expr: Expr) -> bool:
        """Whether *expr* is a plain number."""
        try:
            return dimension_of(expr, self.plan.dimensions) == ONE
        except BadEquation:
            return False

    def _order(self, changed: Iterable[int], target: int) -> list[int]:
        """What is worked out anew, in order, for *target* when *changed* has changed."""
        touched, needed = set(changed), self.rests_on(target)
        for i, uses in enumerate(self._uses, self.first):
            if i in needed and uses & touched:
                touched.add(i)
        return sorted(touched)

    def _function(self, rule: Expr | float | None, i: int) -> Function:
        if rule is None:
            return self._functions[i - self.first]
        if isinstance(rule, Expr):
            return self._made.of(rule)
        return lambda _: rule

    def _all(self, target: int) -> Iterator[int]:
        if target >= self.first:
            for i in self._uses[target - self.first]:
                yield from self.rests_on(i)

    def _of_quantity(self, lines: Sequence[Line]) -> Iterator[Mutant]:
        """The mutants of a quantity; the members of a list suffer the same slip together."""
        each = [list(self._of_line(line)) for line in lines]
        if len({tuple(change.kind for change in told) for told in each}) > 1:
            return
        first = self.index[lines[0].symbol]
        for rows in zip(*each, strict=True):
            rules = {
                first + i: self._in_base_units(line, row.expr)
                for i, (line, row) in enumerate(zip(lines, rows, strict=True))
            }
            yield Mutant(rows[0], lines[0], rules)

    def _of_line(self, line: Line) -> Iterator[Change]:
        rooted = isinstance(line.rule, Least) and has_root(line.formula)
        for change in changes(line.formula, self.is_count):
            yield replace(change, kind="algebra") if rooted and _is_bare(change) else change
        if isinstance(line.rule, Least) and (other := loosened(line.formula, line.rule.relation)):
            yield other
        if line.quantity.unit.dimension == ONE:
            yield Change("count", line.formula + 1, ("counting one too many",))
            yield Change("count", line.formula - 1, ("counting one too few",))

    def _in_base_units(self, line: Line, expr: Expr) -> Expr:
        """*expr*, into which the units of quantities are put as *line* tells them, on base units.

        A change of the dimension makes a difference: hours for seconds are other numbers.
        """
        unit = line.quantity.unit.worth
        if not self._in_own_units(line):
            return expr
        worths = {letter: self._worth[letter] for letter in symbols(expr)}
        told = {letter: Sym(letter) / Num(worth) for letter, worth in worths.items() if worth != 1}
        changed = substitute(expr, told)
        return changed if unit == 1 else changed * Num(unit)

    def _in_own_units(self, line: Line) -> bool:
        """Whether the formula of *line* takes numbers in the units of their quantities."""
        worths = {letter: self._worth[letter] for letter in symbols(line.formula)}
        return worth_of(line.formula, worths) == line.quantity.unit.worth


def _is_bare(change: Change) -> bool:
    """Whether *change* is of numbers and roundings only; in what solves a quadratic inequality in
    whole numbers hardly a student makes it."""
    bare = change.gone is None or isinstance(change.gone, Num)
    return bare and change.kind in ("term", "sign", "factor", "rounding", "upside down")


def _evaluated(rule: Expr, known: Known) -> Number | None:
    value = evaluate(rule, known)
    return None if value is None else plain(value)
