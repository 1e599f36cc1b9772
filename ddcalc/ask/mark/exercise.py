"""An exercise: a solved question of which answers are marked, its equations and other readings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import cached_property
from math import inf

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.find.inverse import Relation
from ddcalc.ask.mark.grading import Instead, Pieces, Put
from ddcalc.ask.solve import Derivation, Result, Results, singles
from ddcalc.ask.working import equations, working
from ddcalc.errors import UNANSWERED, BadFile, BadValue, DdcalcError
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Fun, Known, Number, Sym, letters, symbols
from ddcalc.formula.intervals import ANYTHING, Bounds, enclosed
from ddcalc.numbers.amounts import in_unit
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import COUNT
from ddcalc.problem.earlier import with_moved
from ddcalc.problem.plan import EquationPlan, is_large
from ddcalc.problem.quantity import Quantity
from ddcalc.problem.said.arguments import Line
from ddcalc.problem.said.explanation import WHOLE
from ddcalc.problem.said.sentences import capital
from ddcalc.problem.said.steps import Compare, Define, DefineEach, State, Step, Value

NOTHING = "by your results nothing does it"
MET = "met"  # what the verdict on limits is called
# what evaluating raises where a part has no value
NO_VALUE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class Exercise:
    """What marks need of a *solved* question; the same one serves every student, and, with numbers
    or formulas *instead* of those of some letters, what a student made of it. Whether its *limits*
    are met is one of its results."""

    def __init__(self, solved: Derivation, limits: Sequence[Relation] = ()) -> None:
        self.solved, self.limits = solved, limits
        self.problem = solved.problem
        self.instead: Instead = {}

    @cached_property
    def results(self) -> dict[str, Results]:
        """What can be answered, by name; of an unknown given, the end of its solutions."""
        solved = self.solved
        end = {solved.end.name: solved.end} if isinstance(solved, Inversion) else {}
        known = {**solved.quantities, **end}
        return known | ({MET: self._met(known)} if self.limits else {})

    def _met(self, known: Mapping[str, Results]) -> Result:
        """Whether *known* results, each of a list, meet all limits."""
        values = {
            name: [x.value if isinstance(x.value, Number) else None for x in singles(known[name])]
            for name in self.compared
        }
        every = ((one, {n: values[n][0] for n in one.names} | {one.name: x})
                 for one in self.limits for x in values[one.name])  # fmt: skip
        return met(all(one.holds_among(worths) for one, worths in every))

    @property
    def compared(self) -> list[str]:
        """The names of what is to meet a limit, or is one."""
        return [name for one in self.limits for name in one.names]

    def result(self, name: str) -> Results:
        """The result called *name*, by what stands *instead* of some letters; a DdcalcError where
        there is none, or it has no value."""
        if name not in self.results:
            raise BadFile(NOTHING)
        result = self.results[name]
        if not self.instead:
            return result
        if name == MET:
            return self._met({one: self.result(one) for one in self.compared})
        letters = (one.symbol for one in singles(result))
        known = self.worked(self.plan.needed(*letters)) if self.plan else self.instead
        if known is None:
            raise BadValue(name, "has no value")
        now = [replace(x, value=known.get(x.symbol, x.value)) for x in singles(result)]
        return tuple(now) if isinstance(result, tuple) else now[0]

    def numbers(self, name: str) -> list[Number]:
        """The values of the result called *name* that are numbers; none where there is none."""
        with suppress(DdcalcError):
            values = (one.value for one in singles(self.result(name)))
            return [value for value in values if isinstance(value, Number)]
        return []

    def by(self, own: Instead) -> Exercise:
        """The exercise by a student's *own* numbers (base units): of results of earlier parts, by
        name (``a.total``), and of its own letters, which may have formulas, too. Raises what they
        do not admit (a DdcalcError).
        """
        earlier = {one: x for one, x in own.items() if "." in one and isinstance(x, Number)}
        here = {one: x for one, x in own.items() if one not in earlier}
        made, solved = self, self.solved
        if earlier and isinstance(solved, Inversion):
            from ddcalc.ask.find.finding import found

            stated = with_moved(solved.question.stated, earlier)
            made = Exercise(found(replace(solved.question, stated=stated)), self.limits)
        elif earlier:
            made = Exercise(Derivation(with_moved(solved.stated, earlier)), self.limits)
        if here:
            made = copy(made)
            made.instead = {**made.instead, **here}
        return made

    def once(self, own: Mapping[str, Number], name: str) -> Mapping[str, Number]:
        """A student's *own* numbers, and those with which the ones of this part only count in the
        formula of the quantity called *name* itself: what else that takes is as without them."""
        known = self.by({one: x for one, x in own.items() if "." in one}).known
        direct = {letter for line in self.lines(name) for letter in letters(line.formula)}
        stay = ((x, known.get(x)) for x in direct - {x.symbol for x in self.lines(name)})
        return {letter: x for letter, x in stay if x is not None} | {**own}

    @cached_property
    def plan(self) -> EquationPlan | None:
        """Its equations; None where there are none, or too many, or nothing follows from them."""
        is_large_one = is_large(self.solved.stated.shape)
        return None if self.solved.at is None or is_large_one else equations(self.solved.stated)

    def lines(self, name: str) -> list[Line]:
        """The equations of the quantity called *name*, or of its members."""
        symbols = {one.symbol for one in singles(self.results.get(name, ()))}
        return [line for line in self.plan.lines if line.symbol in symbols] if self.plan else []

    def admits(self, name: str, value: Number) -> bool:
        """Whether the quantity called *name* can have that *value*: none is below zero of which the
        formula never is, while what it is made of is not."""
        quantity = self.problem.quantities[name]
        least, most = getattr(quantity, "least", None), getattr(quantity, "most", None)
        if least is None and (lines := self.lines(name)):
            least = 0 if all(self._bounds[line.symbol].low >= 0 for line in lines) else None
        return (least is None or value >= least) and (most is None or value <= most)

    @cached_property
    def _bounds(self) -> Mapping[str, Bounds]:
        """Between what each letter is, whatever numbers above zero are given."""
        above, known = Bounds(0, inf, False, False), self.known.items()
        bounds = {x: ANYTHING if value is None or value < 0 else above for x, value in known}
        for line in self.plan.lines if self.plan else ():
            bounds[line.symbol] = ANYTHING
            with suppress(*NO_VALUE):
                bounds[line.symbol] = enclosed(line.formula, bounds)
        return bounds

    @cached_property
    def known(self) -> Known:
        """The right value of each letter, in base units."""
        values = self.solved.at.working.letters if self.solved.at else {}
        return {letter: None if x is None else plain(x) for letter, x in values.items()}

    def worked(self, lines: Iterable[Line], more: Instead | None = None) -> Known | None:
        """The values of all letters where those of *lines* are worked out with what stands
        *instead* of some, and *more*; None where one has no value."""
        instead = {**self.instead, **(more or {})}
        given = {letter: x for letter, x in instead.items() if not isinstance(x, Expr)}
        known: dict[str, Number | None] = {**self.known, **given}
        try:
            for line in lines:
                rule = instead.get(line.symbol, line.formula)
                if isinstance(rule, Expr):
                    value = evaluate(rule, known)
                    known[line.symbol] = None if value is None else plain(value)
        except NO_VALUE:
            return None
        return known

    @cached_property
    def otherwise(self) -> tuple[tuple[str, str, Derivation], ...]:
        """The question under every other reading that admits it, with the name of the choice and
        the option; none of what takes long to play."""
        stated, others = self.solved.stated, []
        if self.solved.at is None or working(stated).long:
            return ()
        for choice, option, shape in stated.problem.neighbours(stated.shape):
            with suppress(*UNANSWERED):
                others.append((choice, option, Derivation(replace(stated, shape=shape))))
        return tuple(others)

    def says(self, letter: str, number: Number, *, coarse: bool) -> bool:
        """Whether the answer in words has *number* for the quantity of *letter*: in few digits if
        it is *coarse*, or what is asked for as the next whole number."""
        if self.solved.at is None:
            return False
        said, plan = self.solved.at.commentary().said, equations(self.solved.stated)
        if coarse and number in said.get(letter, ()):
            return True
        whole = [Fun(name, (Sym(self.solved.answer.symbol),)) for name in WHOLE]
        lines = [line.symbol for line in plan.lines if line.formula in whole] if plan else []
        is_asked = letter == self.solved.answer.symbol
        return is_asked and any(number in said.get(one, ()) for one in lines)

    # The steps

    @cached_property
    def _steps(self) -> dict[str, Step]:
        """The first step for each quantity by name."""
        counted = [x for x in self.solved.steps if not isinstance(x, State | Compare)]
        return {getattr(x, "name", ""): x for x in reversed(counted)}

    def steps_to(self, name: str) -> list[str]:
        """The quantities by name, a step each, that lead to the one called *name*, the last."""
        symbols = [line.symbol for line in self.lines(name)]
        needed = self.plan.needed(*symbols) if self.plan else ()
        return [*dict.fromkeys(line.quantity.name for line in needed)]

    def reason(self, name: str) -> str:
        """Why quantity *name* is what it is, as its step says; empty where that says nothing."""
        return self._steps[name].why if name in self._steps else ""

    def last_line(self, name: str, letter: str) -> Put | None:
        """What quantity *name*, or its member of that *letter*, comes to at last, for numbers to be
        put in, beyond steps that only call it otherwise; None where no formula says it."""
        step = self._steps.get(name)
        if isinstance(step, DefineEach):
            step = next((row for row in step.rows if row.symbol == letter), None)
        if not isinstance(step, Define):
            return None
        made = Put(step.applied, step.numbers)
        other = self._quantity(made.expr)
        if other and other.name != name:
            return self.last_line(other.name, other.letter)
        return made if any(symbols(made.expr)) else None

    def named(self, expr: Expr) -> Pieces:
        """*expr*, and what it stands for where it is one letter."""
        its = self._quantity(expr)
        return (expr, f" ({its.called})") if its and its.called != its.letter else (expr,)

    def counts(self, expr: Expr | None, known: Known) -> Pieces:
        """That *expr*, if it is one letter, counts: its *known* value and its reason."""
        quantity = self._quantity(expr)
        if quantity is None or not isinstance(expr, Sym) or not (why := self.reason(quantity.name)):
            return ()
        value = known.get(expr.name)
        worth = "" if value is None else f" is {in_unit(value, quantity.unit).marked}"
        return (f"{capital(quantity.called)}{worth}: {why}",)

    def _quantity(self, expr: Expr | None) -> Quantity | None:
        """The quantity of which *expr* is the letter, or that of a member."""
        return self.letters.get(expr.name) if isinstance(expr, Sym) else None

    @cached_property
    def letters(self) -> dict[str, Quantity]:
        """The quantities by letter, or by those of their members."""
        origin = self.solved.at.working.problem.origin if self.solved.at else {}
        return {letter: quantity for letter, (quantity, _) in origin.items()}


def met(agrees: bool) -> Result:
    """The verdict on limits: yes where they are met."""
    return Result(MET, MET, COUNT, Sym("yes" if agrees else "no"))


def worth(results: Results, letter: str) -> Value:
    """The value of the one of *results* that has that *letter*; None where there is none."""
    return next((one.value for one in singles(results) if one.symbol == letter), None)
