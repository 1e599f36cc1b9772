"""How a stated question is worked out: by equations, or by playing a schedule.

This is the one door to both. Verbs ask the working, never whether a type is played.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from operator import itemgetter

from ddcalc.errors import NoAnswer
from ddcalc.formula.algebra import multiplied
from ddcalc.formula.evaluation import decisions, followed
from ddcalc.formula.expression import Expr, Known, Number, Sym, symbols
from ddcalc.formula.expression import letter as written
from ddcalc.problem.earlier import with_moved
from ddcalc.problem.plan import EquationPlan, Values, plan
from ddcalc.problem.play import ASIDE
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.said.explanation import Explanation
from ddcalc.problem.said.steps import Bound, Define, Exchange, Link, Step, Table, Value
from ddcalc.problem.sheet.modelled import ModelledProblem, tabled
from ddcalc.problem.stated import Stated, stated_units, usually

LONG = 5_000  # computations, beyond which a play is not repeated for other readings
Other = tuple[str, str, Callable[[], Value]]


def equations(stated: Stated) -> EquationPlan | None:
    """The equations that work out *stated*; None where there are none, as it is played."""
    return None if stated.is_played else plan(stated.problem, stated.shape)


def working(stated: Stated) -> Working:
    """The way to work out *stated*; raises what its numbers do not admit (a DdcalcError)."""
    return OverTable(stated) if stated.is_played else Working(stated)


class Working:
    """What a question comes to by its equations: its *values* by name, of which *answer* names the
    one asked for.

    *plan* are the equations, where they say everything. *read* are the givens that a play read
    (None where equations say it), *idle* the choices that changed nothing in it; a *long* one is
    not played again. It is *dear* if each further question takes a play of its own: without a
    *plan* nothing is known between the numbers that are tried. *asides* are steps that are shown on
    demand: quantities by name, tables by title.
    """

    values: Values
    answer: str
    plan: EquationPlan | None = None
    read: Collection[str] | None = None
    idle: Collection[str] = ()
    asides: Collection[str] = ()
    long = False
    work = 0
    dear = False

    def __init__(self, stated: Stated) -> None:
        self._stated = self._over = stated
        self.answer = stated.problem.target_in(stated.shape)
        self.plan = self._plan
        self.values = self._said
        if self.answer not in self.values:  # a sheet gives it in other shapes alone
            raise NoAnswer(self.answer, "does not follow from what is stated")

    @property
    def named(self) -> Collection[str]:
        """Choices to name whatever they change."""
        return ()

    @cached_property
    def _plan(self) -> EquationPlan:
        return plan(self._over.problem, self._over.shape)

    @cached_property
    def _numbers(self) -> list[Number]:
        return self._over.numbers()

    @cached_property
    def _said(self) -> Values:
        """What the equations come to."""
        return self._plan.values(self._over, self._numbers)

    @property
    def problem(self) -> Problem:
        """The type in the shape of the question."""
        return self._plan.problem

    @cached_property
    def letters(self) -> Known:
        """The value of each letter of the equations; none of what is left open."""
        made = (*self._plan.givens, *(line.symbol for line in self._plan.lines))
        return {one: x for one in made if not isinstance(x := self.known[one], Expr)}

    @cached_property
    def known(self) -> Mapping[str, Value]:
        """The value of each letter, given and derived; none for what is not stated."""
        values, known = {**self._said, **self._over.values}, {}
        for letter, (quantity, index) in self.problem.origin.items():
            value = values.get(quantity.name)
            if isinstance(value, tuple):
                fits = index is not None and index <= len(value)
                value = value[index - 1] if fits and index is not None else None
            known[letter] = value
        return known

    def again(self, name: str, changed: Mapping[str, Number | str]) -> Value:
        """The quantity *name* with some givens and choices changed; None where nobody knows.

        Raises what the numbers do not admit.
        """
        shape, numbers = self._stated.shape, dict[str, Number]()
        for what, value in changed.items():
            if isinstance(value, str):
                shape = shape.with_choice(what, value)
            else:
                numbers[what] = value
        made = working(replace(with_moved(self._stated, numbers), shape=shape)).values.get(name)
        assert not isinstance(made, tuple)
        return made

    @cached_property
    def explained(self) -> Explanation:
        """The steps of its equations, and what usual numbers make needless in them."""
        units, usual = stated_units(self._stated), [usually(one, self._stated) for one in (1, 0)]
        return Explanation(self._plan, self.letters, units, *usual)

    def steps(self) -> Iterable[Step]:
        """What follows from what is stated, each with its reason."""
        return self.explained.steps()

    @cached_property
    def used(self) -> Mapping[str, str]:
        """What formulas use, each with the first quantity that does."""
        used: dict[str, str] = {}
        for line in self._plan.lines:
            for letter in symbols(line.formula):
                used.setdefault(self.problem.origin[letter][0].name, line.quantity.name)
        return used

    @cached_property
    def _followed(self) -> Mapping[str, Collection[str]]:
        """What each letter is made of, as usual numbers leave its formula."""
        lines, shorter = self._plan.lines, self.explained.shorter
        formulas = {one.symbol: shorter.get(one.symbol, one.formula) for one in lines}
        return {letter: {*followed(one, self.letters)} for letter, one in formulas.items()}

    def rests_on(self, letters: Collection[str], but: Collection[str] = ()) -> frozenset[str]:
        """The quantities that what is called by those *letters* rests on, and they themselves; not
        those that usual numbers leave out of a formula, or on which but those called *but* rest."""
        wanted, names = {*letters}, set()
        for line in reversed(self._plan.lines):
            if line.symbol in wanted:
                names.add(line.quantity.name)
                wanted.update(() if line.quantity.name in but else self._followed[line.symbol])
        origin = self.problem.origin
        return frozenset(names | {origin[one][0].name for one in wanted if one in origin})

    def others(self) -> Iterator[Other]:
        """The readings with one choice changed: its name, the other option, and how to answer."""
        for name, option, other in self.plan.neighbours if self.plan else ():
            yield name, option, partial(other.answer, self._stated, self._numbers)

    def cases(self) -> Iterator[Hashable]:
        """The cases that the numbers lead into: questions that share them are equally hard.

        These are the branches and ties of every distinction, the members that make a maximum, which
        quotients come out whole, and what is zero or without a value.
        """
        for line in self._plan.lines:
            yield from decisions(line.formula, self.letters)
            value = self.letters.get(line.symbol)
            yield value if value is None else int(value > 0) - int(value < 0)


class Overlaid(Mapping[str, Value | tuple[Value, ...]]):
    """The *results* of a model, and what its sheet *says* over them, where that is asked for."""

    def __init__(self, results: Values, says: Callable[[], Values]) -> None:
        self._results, self._says = results, says

    @cached_property
    def _all(self) -> Values:
        said = self._says()
        return {**{n: x for n, x in self._results.items() if n not in said}, **said}

    def __getitem__(self, name: str) -> Value | tuple[Value, ...]:
        value = self._results.get(name)
        return self._all[name] if value is None else value

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


class OverTable(Working):
    """The working of a type whose sheet speaks over the table of a model."""

    dear = True

    def __init__(self, stated: Stated) -> None:
        self._stated, self._tabled = stated, tabled(stated)
        table = self._tabled.table
        results = {name: table[name] for name in table if name in stated.problem.quantities}
        target = stated.problem.target_in(stated.shape)
        self.values = Overlaid({target: None, **results}, lambda: self._said)
        self.work = int(table.get("work", 0))
        self.long = self.work > LONG
        if isinstance(self.values[target], tuple):  # as long as the model makes it
            target = stated.problem.answer_in(stated.shape)
        if not self._tabled.tested:
            _ = self._said  # which tests the rest
        single = (one for one in stated.shape.wanted if not isinstance(self.values.get(one), tuple))
        self.answer = next((one for one in single if one in self.values), target)

    @property
    def _over(self) -> Stated:  # type: ignore[override]
        return self._tabled.over

    @cached_property
    def _said(self) -> Values:
        said = super()._said.items()
        return {name: multiplied(x) if isinstance(x, Expr) else x for name, x in said}

    @cached_property
    def read(self) -> Collection[str]:  # type: ignore[override]
        return self._tabled.read | {*self.used}

    @cached_property
    def idle(self) -> Collection[str]:  # type: ignore[override]
        return self.problem.idle()

    @property
    def named(self) -> Collection[str]:
        tests = self.problem.sheet.named
        return [name for name, test in tests.items() if test.evaluate(self.problem)]

    @cached_property
    def known(self) -> Mapping[str, Value]:
        return {**super().known, **self._tabled.formulas}

    @cached_property
    def _drawn(self) -> tuple[Step, ...]:
        return tuple(self._tabled.drawn(self.problem))

    @cached_property
    def asides(self) -> Collection[str]:  # type: ignore[override]
        """What the model draws under a name that is no quantity's; where messages are drawn one by
        one, also what is counted of them."""
        drawn = {getattr(step, "name", None) or "" for step in self._drawn}
        asides = drawn.difference(self._stated.problem.quantities, [""])
        unasked = not self._stated.shape.wanted
        if unasked and any(isinstance(step, Exchange) for step in self._drawn):
            return {*asides, *self.values}
        return asides

    def steps(self) -> Iterable[Step]:
        problem = self._stated.problem
        assert issubclass(problem, ModelledProblem)
        places = {name: 2 * i for i, name in enumerate(problem.over.sheet.quantities)}
        for name in problem.asides:  # stands before the step that uses it
            places[name] = places[self.used.get(name, name)] - 1
        counted = self._tabled.counted(problem, self.used)
        waiting: list[tuple[int, Step]] = [(places[step.name], step) for step in counted]
        at = -1
        for step in self._drawn:  # where its quantity is declared, or behind the one drawn before
            name = getattr(step, "name", None) or ""
            if isinstance(step, Bound | Table) and name in ("", ASIDE):  # it leads to the answer
                if self.answer == problem.answer:
                    waiting.append((places[self.answer] - 1, step))
                continue
            at = places.get(name, at)
            waiting.append((at, step))
        waiting.sort(key=itemgetter(0))
        for step in super().steps():
            while waiting and waiting[0][0] < places.get(getattr(step, "name", ""), 0):
                yield waiting.pop(0)[1]
            value = self.values.get(step.name) if isinstance(step, Define) else None
            if isinstance(step, Define) and isinstance(value, Expr):  # which is a formula, too
                stated = ", ".join(f"{written(name)} = {x}" for name, x in step.numbers.items())
                links, of = (Link("=", step.applied, ""), Link("=", value, stated)), step.symbol
                step = Bound(step.name, of, step.title, step.why, Sym(of), links, value)
            yield step
        yield from (step for _, step in waiting)

    def again(self, name: str, changed: Mapping[str, Number | str]) -> Value:
        return None

    def others(self) -> Iterator[Other]:
        if self.long:
            return
        for name, option, shape in self._stated.problem.neighbours(self._stated.shape):
            yield name, option, partial(self._answer, shape)

    def _answer(self, shape: Shape) -> Value:
        """The answer in another *shape*, and only what it rests on."""
        other = tabled(replace(self._stated, shape=shape))
        value: Value | tuple[Number, ...] = other.table.get(self.answer)
        if value is None:
            made = plan(other.over.problem, other.over.shape)
            if self.answer in made.rules:
                value = made.answer(other.over, other.over.numbers(), self.answer)
        assert not isinstance(value, tuple)
        return multiplied(value) if isinstance(value, Expr) else value
