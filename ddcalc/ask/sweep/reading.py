"""One reading of a sweep of equations: its plan, and what is the same at all its points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from ddcalc.algebra import Rel
from ddcalc.ask.sweep.axes import Numeric
from ddcalc.ask.sweep.grid import Place
from ddcalc.ask.sweep.question import Names, Question, refuse_list
from ddcalc.ask.sweep.tally import Reason
from ddcalc.errors import BadValue
from ddcalc.evaluation import compiled, evaluate, interpreted
from ddcalc.exactness import may_round
from ddcalc.expression import Expr, Number
from ddcalc.number import plain
from ddcalc.plan import is_large, plan

NO_ANSWER = Reason("no answer", "")


class Reading:
    """The equations of a question at *names*, the positions on its axes that have names."""

    def __init__(self, question: Question, names: Names) -> None:
        self.question = question
        self.stated = question.stated(names)
        self.plan = plan(question.problem, self.stated.shape)
        letters = {name: quantity.letter for name, quantity in question.problem.quantities.items()}
        self.varied = {i: letters[question.axes[i].name] for i in question.numeric}
        self.told = {quantity.name: quantity.letter for quantity in question.quantities}
        for quantity in question.quantities:
            if any(name == quantity.name and stop for name, _, stop in self.plan.layout):
                raise refuse_list(quantity.name)
        self.lines = self.plan.needed(*self.told.values())
        derived = {line.symbol for line in self.lines}
        self.told = {name: each for name, each in self.told.items() if each in derived}
        numbers = dict(zip(self.plan.givens, self.stated.numbers(), strict=True))
        still = {letter: n for letter, n in numbers.items() if letter not in self.varied.values()}
        self.still: Mapping[str, Number] = still

    @property
    def shaping(self) -> set[str]:
        """The choices of which another option changes the equations."""
        wanted = self.told.values()
        return {
            name
            for name, _, other in self.plan.neighbours
            if [(line.symbol, line.formula) for line in other.needed(*wanted)] != self._rules
        }

    @property
    def rounds(self) -> bool:
        """Whether values may be no rational numbers."""
        return any(may_round(formula) for _, formula in self._rules)

    @property
    def _rules(self) -> list[tuple[str, Expr]]:
        return [(line.symbol, line.formula) for line in self.lines]

    @property
    def conditions(self) -> list[Rel]:
        """What the numbers must satisfy."""
        return [condition.relation for condition in self.plan.conditions]

    @cached_property
    def _function(self) -> Callable[..., tuple[Number | None, ...]]:
        large = is_large(self.stated.shape)
        return (interpreted if large else compiled)(self.plan.givens, self._rules)

    def exactly(self, place: Place) -> dict[str, Number | None] | Reason:
        """The quantities at *place*, or why there are none."""
        known = dict(self.still)
        for i, letter in self.varied.items():
            axis = self.question.axes[i]
            assert isinstance(axis, Numeric)
            try:
                known[letter] = axis.measured(place[i]).value
            except BadValue:
                return Reason("refused", axis.name)
        for i, relation in enumerate(self.conditions):
            if not evaluate(relation, known):
                return Reason("condition", str(i))
        numbers = [known[letter] for letter in self.plan.givens]
        try:
            values = self._function(*numbers)
        except ArithmeticError:
            return NO_ANSWER
        plainly = (None if value is None else plain(value) for value in values)
        found = dict(zip((line.symbol for line in self.lines), plainly, strict=True))
        return {name: found[letter] for name, letter in self.told.items()}
