"""A plan: how every question of one shape is solved.

The equations of a shape are written once, turned into plain formulas (conditions are solved by
SymPy), and worked out in exact numbers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import groupby

from ddcalc.errors import BadEquation, BadFile, BadValue, Missing, NoAnswer, UnknownName
from ddcalc.formula.algebra import NOTHING, Boundary, Least, Rule, cases, ceiling, floor, without
from ddcalc.formula.coherence import check
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Known, Num, Number, Rel, Sym, substitute, symbols
from ddcalc.memory import last_remembered, remembered
from ddcalc.numbers.amounts import count_text
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.quantity import Derived, named
from ddcalc.problem.said.arguments import Arguments, Line
from ddcalc.problem.said.sentences import Condition, plural, series
from ddcalc.problem.said.steps import Value
from ddcalc.problem.stated import Stated, Texts, read

Values = Mapping[str, Value | tuple[Value, ...]]
KEPT = 100  # members of lists up to which a plan is checked, and kept for other questions
_SLOT = re.compile(r"\{([\w.]+)(?: (\w+))?\}")

UNSTATED = "does not follow from what is stated"


def plan(problem: type[Problem], shape: Shape) -> EquationPlan:
    """The plan of an equation type for *shape*; made once, but of the large ones only the last is
    kept."""
    return _last(problem, shape) if is_large(shape) else _kept(problem, shape)


def read_for(problem: type[Problem], texts: Texts, wanted: Sequence[str] = ()) -> Stated:
    """What *texts* state for *problem*, of which the quantities *wanted* (names or letters) are
    asked for: then only what these rest on must be stated.

    Raises a DdcalcError, Several where more than one thing is wrong.
    """
    names = [quantity_named(problem.quantities, problem, name) for name in wanted]
    stated = read(problem, texts, names)
    if names and (missing := lacking(problem, stated.shape)):
        raise Missing(missing)
    if stated.is_played or not names:
        return stated
    made = {line.quantity.name for line in plan(problem, stated.shape).lines}
    left_open = {name for name, given in problem.givens.items() if given.free}
    for name in names:
        if name not in made | stated.measured.keys() | left_open:
            raise BadValue(name, UNSTATED).about("quantity")
    return stated


def quantity_named(known: Collection[str], problem: type[Problem], name: str) -> str:
    """The one of the *known* quantities of *problem* that *name*, or its letter, says.

    Raises UnknownName about ``quantity``.
    """
    spelling = named(name.strip(), {n: q for n, q in problem.quantities.items() if n in known})
    if every := cases_named(known, spelling):
        raise BadValue(name, f"has several cases: {series(every, 'or')}").about("quantity")
    if spelling not in known:
        raise UnknownName("quantity", name, known).about("quantity")
    return spelling


def cases_named(known: Collection[str], name: str) -> list[str]:
    """The *known* results of several cases of a part that *name* is for together: c_1.gain."""
    part, _, result = name.partition(".")
    return [one for one in known if re.fullmatch(rf"{part}_\d+\.{result}", one)] if result else []


def lacking(problem: type[Problem], shape: Shape) -> list[str]:
    """What has to be stated for what *shape* wants; all that it was to be spared where it is
    played, or rules cannot be written without that, as those of lists."""
    is_played, spared = problem.is_played(shape), shape.spared
    every = [*spared, *_enough(problem, shape)] if spared or not is_played else []
    if is_played or not spared:
        return every
    try:
        made = plan(problem, shape)
    except (BadFile, NoAnswer):
        return every
    used = {letter for line in made.lines for letter in symbols(line.formula)}
    unknown = used - {*made.givens, *(line.symbol for line in made.lines)}
    names = {made.problem.origin[letter][0].name for letter in unknown}
    needed = [one for one in spared if names & {*one.split(" or ")}]
    return needed or sorted(names & problem.givens.keys()) or every[len(spared) * (not names) :]


def _enough(kind: type[Problem], shape: Shape) -> list[str]:
    """For each quantity wanted that does not follow, the optional givens with which it would."""

    def made(more: str = "") -> Collection[str]:
        stated = tuple(name for name in kind.givens if name in {*shape.stated, more})
        there = shape._replace(stated=stated)
        return () if kind.is_played(there) else kind(there).follows()

    left = [n for n, given in kind.givens.items() if given.optional and n not in shape.stated]
    missing = [name for name in shape.wanted if name not in {*made(), *kind.givens}]
    groups = [" or ".join(one for one in left if name in made(one)) for name in missing]
    return [group for group in dict.fromkeys(groups) if group and group not in shape.spared]


def is_large(shape: Shape) -> bool:
    """Whether the lists of *shape* have more members than a plan is kept for."""
    return sum(length for _, length in shape.lengths) > KEPT


def _made(problem: type[Problem], shape: Shape) -> EquationPlan:
    return EquationPlan(problem(shape))


_kept, _last = remembered(_made), last_remembered(_made)


class EquationPlan:
    """The plan of a type that equations define."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        shape, words = problem.shape, dict(problem.shape.words)
        needed = {n for n, given in problem.givens.items() if given.required} - {*shape.spared}
        usual = {n for n, given in problem.givens.items() if given.default is not None}
        stated = (needed | usual | {*shape.stated}) - words.keys()  # by numbers
        self.givens = [x for x, (quantity, _) in problem.origin.items() if quantity.name in stated]
        self.dimensions = {x: one.unit.dimension for x, (one, _) in problem.origin.items()}
        self.lines = [*self._lines()]
        grouped = groupby(self.lines, lambda line: line.quantity.name)
        self.rules = {name: [*lines] for name, lines in grouped}
        known = {*self.givens}
        early, late = list[Condition](), list[Condition]()
        for one in self._conditions():
            (early if known >= {*symbols(one.relation)} else late).append(one)
        self.conditions, self.early = [*early, *late], len(early)
        if not is_large(problem.shape) and not problem.shape.spared:
            self.check()

    @cached_property
    def rank(self) -> dict[str, int]:
        """The letters in the order of declaration, for writing what SymPy has reordered."""
        return {letter: i for i, letter in enumerate(self.problem.origin)}

    def check(self) -> None:
        """Raise BadEquation where unlike things are added, or a letter is used too early; BadValue
        where a formula of the question speaks of what does not follow from what is stated."""
        known = {letter: self.dimensions[letter] for letter in self.givens}
        made, kind = {*known, *(line.symbol for line in self.lines)}, self.problem
        own = {*kind.stated_so, *(name for name, _, _ in kind.own_steps)}
        for line in (line for line in self.lines if line.quantity.name in own):
            for letter in {*symbols(line.formula)} & kind.origin.keys() - made:
                raise BadValue(kind.origin[letter][0].name, UNSTATED).about(line.quantity.name)
        check(((ln.symbol, ln.formula, self.dimensions[ln.symbol]) for ln in self.lines), known)

    @cached_property
    def neighbours(self) -> list[tuple[str, str, EquationPlan]]:
        """The plans in which one choice is another one, with its name and the other option, but for
        those in which a formula of the question speaks of what does not follow."""
        kind = type(self.problem)
        shapes = kind.neighbours(self.problem.shape)
        if self.problem.shape.spared:
            shapes = (one for one in shapes if not lacking(kind, one[2]))
        others = list[tuple[str, str, EquationPlan]]()
        for name, option, shape in shapes:
            with suppress(BadValue):
                others.append((name, option, plan(kind, shape)))
        letter = self.problem.answered.letter  # of another quantity than usual it may be without
        return [one for one in others if any(ln.symbol == letter for ln in one[2].lines)]

    def values(self, stated: Stated, numbers: Sequence[Number]) -> Values:
        """The derived quantities by name, in the order of derivation; a tuple for a list.

        Raises BadValue where a condition fails, NoAnswer where a formula has no finite value.
        """
        known = self.worked(stated, numbers, self.lines)
        return {
            name: tuple(known[one.symbol] for one in lines)
            if lines[0].index
            else known[lines[0].symbol]
            for name, lines in self.rules.items()
        }

    def answer(self, stated: Stated, numbers: Sequence[Number], name: str = "") -> Number | None:
        """The value that is asked for, or of that *name*; raises as :meth:`values` does."""
        lines = self.needed(self.rules[name][0].symbol) if name else self._answering
        return self.worked(stated, numbers, lines)[lines[-1].symbol]

    @cached_property
    def _answering(self) -> list[Line]:
        """What the answer rests on, and itself."""
        return self.needed(self.problem.answered.letter)

    def needed(self, *wanted: str) -> list[Line]:
        """The lines that the letters *wanted* rest on, in order, with their own ones."""
        letters = self.rests_on(*wanted)
        return [line for line in self.lines if line.symbol in letters]

    def rests_on(self, *wanted: str) -> set[str]:
        """The letters *wanted*, and all that they are derived from."""
        letters = {*wanted}
        for line in reversed(self.lines):
            if line.symbol in letters:
                letters.update(symbols(line.formula))
        return letters

    @cached_property
    def arguments(self) -> Arguments:
        """Derivations of formulas that are not plain."""
        return Arguments(self.problem, self.rank)

    def _conditions(self) -> Iterator[Condition]:
        """The conditions on what is known here."""
        known = {*self.givens, *(line.symbol for line in self.lines)}
        with suppress(*[BadFile] * bool(self.problem.shape.spared)):  # of lists that are not stated
            yield from (x for x in self.problem.conditions() if {*symbols(x.relation)} <= known)

    def worked(
        self, stated: Stated, numbers: Sequence[Number], lines: Sequence[Line]
    ) -> dict[str, Number | None]:
        """The values of the givens and of the *lines* by letter, once all conditions hold: those on
        givens alone are tested first, then those on what is worked out for them."""
        given: dict[str, Number | None] = dict(zip(self.givens, numbers, strict=True))
        known, early, late = {**given}, self.conditions[: self.early], self.conditions[self.early :]
        about = ""
        try:
            for made, conditions in ((), early), (self._tested, late), (lines, ()):
                for line in made:
                    if line.symbol not in known:
                        about = line.quantity.name
                        known[line.symbol] = evaluate(line.formula, known)
                for condition in conditions:
                    about = condition.parameter
                    if not evaluate(condition.relation, known):
                        raise refusal(condition, self.problem, stated, given)
        except ArithmeticError as error:
            raise NoAnswer.where(about, error) from None
        return known

    @cached_property
    def _tested(self) -> list[Line]:
        """What the conditions rest on that are not on givens alone."""
        late = self.conditions[self.early :]
        return self.needed(*(letter for one in late for letter in symbols(one.relation)))

    def _lines(self) -> Iterator[Line]:
        """The lines of all steps; those that what is wanted rests on, where givens are spared."""
        shape, names = self.problem.shape, set[str]()
        if shape.spared:
            names = {*shape.wanted, self.problem.answered.name} - self.problem.givens.keys()
            if missing := names - (following := self.problem.follows()):
                raise NoAnswer(", ".join(sorted(missing)), "does not follow from what is stated")
            names |= following & {name for name, _, _ in self.problem.own_steps}
        for name, rule, why in self.problem.equations(names):
            symbol, quantity = self.problem.symbols[name], self.problem.quantities[name]
            assert isinstance(quantity, Derived)
            many = isinstance(symbol, tuple)
            for letter, one in zip(symbol, rule, strict=True) if many else [(symbol, rule)]:
                _, index = self.problem.origin[letter.name]
                formula = self._formula(letter, one)
                yield Line(quantity, index, letter.name, one, formula, why or quantity.why)

    def _formula(self, symbol: Sym, rule: Rule) -> Expr:
        """The plain formula that *rule* means; BadEquation where one is not linear."""
        match rule:
            case Boundary(unknown, Rel(_, left, right)):
                name = (symbol if unknown is None else unknown).name
                value, slope = self._solved_for(name, left, right)
                is_sure = isinstance(slope, Num)  # else it may be that nothing depends on it
                nothing = NOTHING, Rel("==", slope, Num(0))
                return value if is_sure else cases(nothing, otherwise=value)
            case Least():
                return self._least(symbol, rule)
        return rule

    def _solved_for(self, unknown: str, left: Expr, right: Expr) -> tuple[Expr, Expr]:
        """The value of the *unknown*, and its coefficient."""
        from ddcalc.formula.cas import solved_for

        try:
            return solved_for(unknown, left, right, self.rank)
        except ValueError as error:
            raise BadEquation(self.problem.slug, str(error)) from None

    def _least(self, symbol: Sym, rule: Least) -> Expr:
        relation = rule.relation
        at_one = without(substitute(relation, {symbol.name: Num(1)}), (Num(1),))
        assert isinstance(at_one, Rel)
        if not isinstance(rule.boundary, Sym):
            return cases((Num(1), at_one, rule.first), otherwise=rule.boundary)
        _, slope = self._solved_for(symbol.name, relation.left, relation.right)
        steep = slope > 0 if relation.op in (">", ">=") else slope < 0
        is_strict = relation.op in ("<", ">")
        beyond = floor(rule.boundary) + 1 if is_strict else ceiling(rule.boundary)
        at_first = Num(1), at_one, rule.first
        return cases(at_first, (beyond, steep), otherwise=NOTHING, why=rule.never)


def filled(text: str, problem: Problem, known: Known) -> str:
    """*text* with ``{name}`` replaced by a value, and ``{name worker}`` by "2 workers"."""

    def value(match: re.Match[str]) -> str:
        name, noun = match.groups()
        symbol = problem.symbols[name] if name in problem.symbols else problem.reading[name]
        if not isinstance(symbol, Sym):
            return str(symbol) if isinstance(symbol, str) else str(len(symbol))
        if symbol.name not in known:
            return f"the {plural(noun)}" if noun else name
        number = known[symbol.name]
        shown = "none" if number is None else count_text(number)
        return f"{shown} {noun if number == 1 else plural(noun)}" if noun else shown

    return _SLOT.sub(value, text)


def refusal(condition: Condition, problem: Problem, stated: Stated, known: Known) -> BadValue:
    """That what is *stated* for *problem*, *known* by letter, fails a *condition*."""
    name = condition.parameter
    made = {step: words for step, words, _ in problem.own_steps}
    said = {**dict(stated.shape.reading), **made, **problem.stated_so}.get(name, "")
    if measured := stated.measured.get(name):
        said = ", ".join(member.text for member in measured)
    error = BadValue(said, filled(condition.message, problem, known))
    error.about(name)
    return error
