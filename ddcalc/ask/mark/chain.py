"""The equations of a shape, changed as students change them: one part left out, exchanged or turned
round; and what then comes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from operator import attrgetter

from ddcalc.ask.mark.slip import Kind
from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import Least
from ddcalc.formula.coherence import dimension_of, worth_of
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import (
    Add,
    Case,
    Cases,
    Div,
    Expr,
    Fun,
    Known,
    Mul,
    Neg,
    Nothing,
    Num,
    Number,
    Operator,
    Pow,
    Rel,
    Sym,
    has_root,
    substitute,
    symbols,
)
from ddcalc.formula.expression import replace as swapped
from ddcalc.memory import remembered
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import ONE
from ddcalc.problem.plan import EquationPlan, Line, plan
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.putting import put_in
from ddcalc.problem.steps import PutIn

IsCount = Callable[[Expr], bool]
Deed = tuple[str | Expr, ...]

# what evaluating raises where a part has no value
NO_VALUE = (ArithmeticError, AttributeError, TypeError, ValueError)

_STRICT: dict[Operator, Operator] = {">": ">=", ">=": ">", "<": "<=", "<=": "<"}
_OTHER = {"floor": "ceiling", "ceiling": "floor", "max": "min", "min": "max"}
_SAYS = {
    "floor": "rounding down",
    "ceiling": "rounding up",
    "max": "the largest",
    "min": "the smallest",
}


@dataclass(frozen=True, slots=True, eq=False)
class Mutant:
    """One slip in the equations: in each line of a list the same *change*.

    *rules* are the changed formulas by the index of their letter, which take base units.
    """

    change: Mutation
    line: Line
    rules: Mapping[int, Expr]


@dataclass(slots=True)
class ChainValues:
    """The values of a question by letter; what is *fixed* is not derived anew, because a student
    has stated it."""

    known: dict[str, Number | None]
    fixed: frozenset[int]


@remembered
def chain(problem: type[Problem], shape: Shape) -> EquationChain:
    """The chain of a shape that is not large; made once."""
    return EquationChain(plan(problem, shape))


class EquationChain:
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
        self._needed: dict[int, frozenset[int]] = {}

    @cached_property
    def mutants(self) -> list[Mutant]:
        """Every formula with one thing changed."""
        groups = groupby(self.lines, attrgetter("quantity"))
        return [mutant for _, group in groups for mutant in self._of_quantity(list(group))]

    def base(self, known: Known, stated: Mapping[str, Number] | None = None) -> ChainValues:
        """The base of a question whose values by letter are *known*, or *stated* instead, which
        then counts for what rests on it; NO_VALUE where that has none."""
        exact = dict(known)
        fixed = frozenset(self.index[letter] for letter in stated or {})
        if stated:
            exact.update(stated)
            for i, line in enumerate(self.lines, self.first):
                if i not in fixed:
                    exact[line.symbol] = _evaluated(line.formula, exact)
        return ChainValues(exact, fixed)

    def formula(self, letter: str) -> Expr:
        """The formula of a derived *letter*."""
        return self.lines[self.index[letter] - self.first].formula

    def rests_on(self, target: int) -> frozenset[int]:
        """The indexes of *target* and of all that it is derived from."""
        if target not in self._needed:
            self._needed[target] = frozenset([target, *self._all(target)])
        return self._needed[target]

    def exact(
        self, base: ChainValues, rules: Mapping[int, Expr | Number], target: int
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
        except NO_VALUE:
            return None
        return known

    def numbers(self, line: Line, expr: Expr, known: Known) -> dict[str, PutIn]:
        """The numbers of the letters in *expr*, as they are put in."""
        units = {letter: one.unit for letter, (one, _) in self.plan.problem.origin.items()}
        return put_in(expr, known, units)

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

    def _all(self, target: int) -> Iterator[int]:
        if target >= self.first:
            for i in self._uses[target - self.first]:
                yield from self.rests_on(i)

    def _of_quantity(self, lines: Sequence[Line]) -> Iterator[Mutant]:
        """The mutants of a quantity; the members of a list suffer the same slip together."""
        by_line = [list(self._of_line(line)) for line in lines]
        if len({tuple(change.kind for change in of_line) for of_line in by_line}) > 1:
            return
        first = self.index[lines[0].symbol]
        for rows in zip(*by_line, strict=True):
            rules = {
                first + i: self._in_base_units(line, row.expr)
                for i, (line, row) in enumerate(zip(lines, rows, strict=True))
            }
            yield Mutant(rows[0], lines[0], rules)

    def _of_line(self, line: Line) -> Iterator[Mutation]:
        rooted = isinstance(line.rule, Least) and has_root(line.formula)
        for change in changes(line.formula, self.is_count):
            yield replace(change, kind="algebra") if rooted and _is_bare(change) else change
        if isinstance(line.rule, Least) and (other := loosened(line.formula, line.rule.relation)):
            yield other
        if line.quantity.unit.dimension == ONE:
            yield Mutation("count", line.formula + 1, ("counting one too many",))
            yield Mutation("count", line.formula - 1, ("counting one too few",))

    def _in_base_units(self, line: Line, expr: Expr) -> Expr:
        """*expr*, with the units of quantities that *line* has in it, on base units.

        A change of the dimension makes a difference: hours for seconds are other numbers.
        """
        unit = line.quantity.unit.worth
        if not self._in_own_units(line):
            return expr
        worths = {letter: self._worth[letter] for letter in symbols(expr)}
        scaled = {
            letter: Sym(letter) / Num(worth) for letter, worth in worths.items() if worth != 1
        }
        changed = substitute(expr, scaled)
        return changed if unit == 1 else changed * Num(unit)

    def _in_own_units(self, line: Line) -> bool:
        """Whether the formula of *line* takes numbers in the units of their quantities."""
        worths = {letter: self._worth[letter] for letter in symbols(line.formula)}
        return worth_of(line.formula, worths) == line.quantity.unit.worth


def _is_bare(change: Mutation) -> bool:
    """Whether *change* is of numbers and roundings only; in what solves a quadratic inequality in
    whole numbers hardly a student makes it."""
    bare = change.gone is None or isinstance(change.gone, Num)
    return bare and change.kind in ("term", "sign", "factor", "rounding", "upside down")


def _evaluated(rule: Expr, known: Known) -> Number | None:
    value = evaluate(rule, known)
    return None if value is None else plain(value)


# What students do to a formula


@dataclass(frozen=True, slots=True)
class Mutation:
    """A formula changed to *expr*; *deed* says what was done, *gone* what is missing."""

    kind: Kind
    expr: Expr
    deed: Deed
    gone: Expr | None = None


def changes(expr: Expr, is_count: IsCount) -> list[Mutation]:
    """*expr* with one thing changed, in every way and at every place; each outcome once.

    Only what *is_count* says counts things is rounded where nothing was.
    """
    made: dict[Expr, Mutation] = {}
    for change in _changes(expr, is_count, rounded=False):
        made.setdefault(change.expr, change)
    made.pop(expr, None)
    return list(made.values())


def loosened(expr: Expr, relation: Rel) -> Mutation | None:
    """The least whole number, *expr*, for *relation* with its tie counted instead of not, or not
    instead of counted."""
    other = _STRICT.get(relation.op)
    if other is None:
        return None

    def change(part: Expr) -> Expr | None:
        match part:
            case Add((Fun("floor", (inner,)), Num(1))):
                return Fun("ceiling", (inner,))
            case Fun("ceiling", (inner,)):
                return Add((Fun("floor", (inner,)), Num(1)))
        return None

    new = Rel(other, relation.left, relation.right)
    return Mutation("strict", swapped(expr, change), ("taking ", new, " for ", relation))


def _changes(expr: Expr, is_count: IsCount, rounded: bool) -> Iterator[Mutation]:
    """The changes of *expr* itself, then those of its parts; *rounded*: whether it is already."""
    yield from _of_itself(expr, is_count, rounded)
    parts = expr.parts()
    rounds = isinstance(expr, Fun) and expr.name in ("floor", "ceiling")
    for i, part in enumerate(parts):
        inner = _strictness(part) if isinstance(part, Rel) else _changes(part, is_count, rounds)
        for change in inner:
            whole = expr.rebuilt((*parts[:i], change.expr, *parts[i + 1 :]))
            yield replace(change, expr=whole)


def _of_itself(expr: Expr, is_count: IsCount, rounded: bool) -> Iterator[Mutation]:
    match expr:
        case Add(args):
            yield from _sum(args)
        case Mul(args):
            for i, gone in enumerate(args):
                rest = joined(Mul, _without(args, i))
                yield Mutation("factor", rest, ("leaving out the factor ", gone), gone)
        case Div(top, bottom):
            yield Mutation("factor", top, ("not dividing by ", bottom), bottom)
            if not rounded and is_count(expr):
                for name in ("floor", "ceiling"):
                    yield Mutation("rounding", Fun(name, (expr,)), (_SAYS[name],))
            yield Mutation("upside down", Div(bottom, top), ("dividing the wrong way round",))
        case Fun(("floor" | "ceiling") as name, (arg,)):
            yield from _rounding(name, arg)
        case Fun(("max" | "min") as name, args) if len(args) > 1:
            other = _OTHER[name]
            deed = (f"taking {_SAYS[other]} instead of {_SAYS[name]}",)
            yield Mutation("extreme", Fun(other, args), deed)
            deed = (f"adding all up instead of taking {_SAYS[name]}",)
            yield Mutation("extreme", Add(args), deed)
        case Fun("floor_log2", (arg,)):
            yield Mutation("rounding", Fun("ceiling_log2", (arg,)), ("rounding the logarithm up",))
        case Fun("ceiling_log2", (arg,)):
            yield Mutation("rounding", Fun("floor_log2", (arg,)), ("rounding the logarithm down",))
        case Fun("sqrt", (arg,)):
            yield Mutation("factor", arg, ("not taking the root",))
        case Pow(base, Num()):
            yield Mutation("factor", base, ("leaving out the power in ", expr))
        case Cases(cases, otherwise):
            yield from _branches(cases, otherwise)


def _sum(args: tuple[Expr, ...]) -> Iterator[Mutation]:
    for i, gone in enumerate(args):
        bare = gone.arg if isinstance(gone, Neg) else gone
        rest = joined(Add, _without(args, i))
        yield Mutation("term", rest, ("leaving out ", bare), bare)
    for i, term in enumerate(args):
        if isinstance(term, Neg):
            new, deed = term.arg, ("adding ", term.arg, " instead of subtracting it")
        else:
            new, deed = Neg(term), ("subtracting ", term, " instead of adding it")
        yield Mutation("sign", Add((*args[:i], new, *args[i + 1 :])), deed)


def _rounding(name: str, arg: Expr) -> Iterator[Mutation]:
    other = Fun(_OTHER[name], (arg,))
    yield Mutation("rounding", other, (f"{_SAYS[other.name]} instead of {_SAYS[name][9:]}",))
    yield Mutation("rounding", arg, (f"not {_SAYS[name]}",))


def _branches(cases: tuple[Case, ...], otherwise: Expr) -> Iterator[Mutation]:
    """Each branch taken whatever the case."""
    for case in cases:
        if not isinstance(case.value, Nothing):
            yield Mutation("case", case.value, ("not asking whether ", case.test))
    if not isinstance(otherwise, Nothing):
        yield Mutation("case", otherwise, ("overlooking the case ", cases[0].test))


def _strictness(test: Rel) -> Iterator[Mutation]:
    other = _STRICT.get(test.op)
    if other:
        new = Rel(other, test.left, test.right)
        yield Mutation("strict", new, ("taking ", new, " for ", test))


def _without(args: tuple[Expr, ...], i: int) -> tuple[Expr, ...]:
    return args[:i] + args[i + 1 :]


def joined(kind: type[Add] | type[Mul], args: tuple[Expr, ...]) -> Expr:
    """A sum or a product of *args*; of one alone, that itself."""
    return args[0] if len(args) == 1 else kind(args)
