"""The equations of a swept quantity: worked out as far as nothing varies, in letters beyond."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

from ddcalc.algebra import Boundary, Eq, Least
from ddcalc.ask.sweep.reading import Reading
from ddcalc.dimension import Dimension
from ddcalc.evaluation import evaluate
from ddcalc.explanation import Explanation
from ddcalc.expression import Cases, Expr, Num, Number, Sym, substitute, symbols
from ddcalc.expression import replace as swapped
from ddcalc.plan import Line, filled
from ddcalc.steps import Bound, Cells, Define, DefineEach, Link, Step, Table
from ddcalc.units import Unit, base_unit

ROWS = 5  # of a list of formulas


class _Still(dict[str, Number | None]):
    """The letters that do not vary; others are worth nothing in particular."""

    def __missing__(self, letter: str) -> None:
        return None


class Equations(Explanation):
    """Makes the steps of the lines that a sweep's quantities rest on."""

    def __init__(self, reading: Reading) -> None:
        self.lines = reading.lines
        varied = {axis.name for axis in reading.question.axes}
        origin = reading.plan.problem.origin
        still = {n: v for n, v in reading.still.items() if origin[n][0].name not in varied}
        super().__init__(reading.plan, _known(still, reading.lines))

    def told(self) -> Iterator[Step]:
        """One step a quantity, with its value where that does not vary."""
        for _, group in groupby(self.lines, attrgetter("quantity")):
            lines = list(group)
            if all(line.symbol in self.known for line in lines):
                yield from self._settled(lines)
            elif lines[0].index is None:
                yield self._chain(lines[0])
            else:
                yield self._table(lines)

    def _settled(self, lines: Sequence[Line]) -> Iterator[Step]:
        first, quantity = lines[0], lines[0].quantity
        if isinstance(first.rule, Eq | Boundary):
            yield self._solve(first, first.rule)
        elif first.index is None:
            yield self._define(first)
        else:
            rows: tuple[Define, ...] = tuple(map(self._define, lines))
            yield DefineEach(quantity.name, quantity.title, rows[0].why, rows)
        if isinstance(first.rule, Least):
            yield from self._proof(first, first.rule)

    def _chain(self, line: Line) -> Bound:
        """The formula, and the formula with the numbers that do not vary."""
        formula = settled(line.formula, self.known)
        put_in = self._put_in(line, formula)
        told = [formula] if put_in == formula else [formula, put_in]
        return Bound(
            name=line.quantity.name,
            symbol=line.symbol,
            title=line.quantity.title,
            why=self._why(line),
            subject=Sym(line.symbol),
            links=tuple(Link("=", each, "") for each in told),
            value=put_in,
        )

    def _table(self, lines: Sequence[Line]) -> Table:
        rows: list[Cells] = [
            (Sym(line.symbol), self._put_in(line, line.formula)) for line in lines[:ROWS]
        ]
        if len(lines) > ROWS:
            rows.append(("…", f"{len(lines)} in all"))
        return Table(lines[0].quantity.title, self._why(lines[0]), ("", "is"), tuple(rows))

    def _put_in(self, line: Line, formula: Expr) -> Expr:
        numbers, _ = self._numbers(formula, line.quantity.unit)
        return substitute(formula, {letter: Num(value) for letter, value in numbers.items()})

    def _fitting(
        self, numbers: Mapping[str, Number], what: Dimension
    ) -> tuple[dict[str, Number], Unit]:
        """The *numbers* in base units: letters that vary stand beside them."""
        return dict(numbers), base_unit(what)

    def _why(self, line: Line) -> str:
        return filled(line.why, self.plan.problem, self.known)


def settled(expr: Expr, known: Mapping[str, Number | None]) -> Expr:
    """*expr* without the cases on which what is *known* decides already."""

    def decided(part: Expr) -> Expr | None:
        if not isinstance(part, Cases):
            return None
        left, otherwise, why = [], part.otherwise, part.why
        for case in part.cases:
            if not all(letter in known for letter in symbols(case.test)):
                left.append(case)
            elif evaluate(case.test, known):
                otherwise, why = case.value, case.why
                break
        return replace(part, cases=tuple(left), otherwise=otherwise, why=why) if left else otherwise

    return swapped(expr, decided)


def _known(still: Mapping[str, Number], lines: Sequence[Line]) -> _Still:
    """What does not vary: givens, and what follows from them alone."""
    known = _Still(still)
    for line in lines:
        if all(letter in known for letter in symbols(line.formula)):
            try:
                known[line.symbol] = evaluate(line.formula, known)
            except ArithmeticError:
                continue  # it has no value at any point
    return known
