"""A sheet over a model: a function of Python comes to a table of results, by name, and the steps
and sentences of the sheet are about that table as if it were stated. It may also show its play, in
steps whose words are texts of the sheet (`let`), some of which take parameters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias, cast

from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Number, Sym, symbols
from ddcalc.numbers.units import Measured
from ddcalc.problem.plan import refusal
from ddcalc.problem.play import ROWS, LateValues, PlayedGivens, defined, shaped
from ddcalc.problem.problem import Problem, Shape, declared_as
from ddcalc.problem.quantity import Derived, Given
from ddcalc.problem.said.steps import Define, DefineEach, Step
from ddcalc.problem.sheet.formulas import Formula
from ddcalc.problem.sheet.reading import Sheet
from ddcalc.problem.stated import Stated

KEPT: Final = 10_000  # members of a column of which sentences and formulas may speak
Table: TypeAlias = Mapping[str, Any]
"""What a model comes to: one number, a column, a formula that stays one, or nothing, by the name
of a result; under "work" how many computations were played."""
Model: TypeAlias = Callable[[PlayedGivens, Mapping[str, str]], Table]
"""From the numbers of the givens (base units) and the reading, with the words that stand for
numbers, to a table."""
Drawn: TypeAlias = Callable[[PlayedGivens, Mapping[str, str], Callable[..., str]], Iterable[Step]]
"""From the same, and the texts of the sheet by name, to steps; those named ASIDE are shown on
demand."""


class ModelledProblem(Problem):
    """A problem type whose sheet speaks over the table of a *model*."""

    model: ClassVar[Model]
    over: ClassVar[type[Problem]]  # the same sheet, in which the results are given
    asides: ClassVar[Mapping[str, Derived]]  # results for tables and sentences alone
    drawn: ClassVar[Drawn | None]  # what the model shows of its play, if it does
    when: ClassVar[Formula | None]  # of which shapes it is played; None: of all

    @classmethod
    def is_played(cls, shape: Shape) -> bool:
        return cls.when is None or bool(cls.when.evaluate(cls(shape)))


@dataclass(frozen=True)
class Tabled:
    """What is *stated*, the *table* that it comes to, the givens that the model *read*, and whether
    all that the sheet refuses is *tested*, or only what is about givens alone."""

    stated: Stated
    table: Table
    read: set[str]
    tested: bool

    @cached_property
    def over(self) -> Stated:
        """The question over the table, as if that were stated."""
        problem, measured = self.stated.problem, dict[str, tuple[Measured, ...]]()
        lengths = [*self.stated.shape.lengths]
        assert issubclass(problem, ModelledProblem)
        for name, quantity in problem.over.givens.items():
            value, unit = self.table.get(name), quantity.unit
            if quantity.free:
                value = Sym(quantity.letter)
            if name in self.stated.measured:
                measured[name] = self.stated.measured[name]
            elif isinstance(value, tuple):
                if len(value) <= KEPT and None not in value:
                    measured[name] = tuple(Measured(one, unit, True, "") for one in value)
                    lengths.append((name, len(value)))
            elif value is not None:  # a formula stands for itself in all that is made of it
                measured[name] = (Measured(cast(Number, value), unit, True, ""),)
        columns = (name for name in measured if name not in self.stated.measured)
        counts = ((name, self.table.get(name)) for name in problem.sheet.counts)
        shape = self.stated.shape._replace(
            counts=tuple((name, tuple(map(int, x))) for name, x in counts if isinstance(x, tuple)),
            lengths=tuple(lengths),
            stated=(*self.stated.shape.stated, *columns),
        )
        return replace(self.stated, problem=problem.over, shape=shape, measured=measured)

    def drawn(self, over: Problem) -> Iterable[Step]:
        """What the model shows of its play, in the words of the sheet *over* its table."""
        problem = self.stated.problem
        assert issubclass(problem, ModelledProblem)
        if problem.drawn is None:
            return ()
        return problem.drawn(self.stated.values, _reading(self.stated), over.text)

    @property
    def formulas(self) -> Mapping[str, Expr]:
        """What stays a formula, by letter."""
        declared = self.over.problem.quantities
        return {declared[n].letter: x for n, x in self.table.items() if isinstance(x, Expr)}

    def counted(
        self, problem: type[ModelledProblem], used: Collection[str]
    ) -> Iterator[Define | DefineEach]:
        """A step for each result of the type, and for asides that are *used* in formulas; not for
        columns that are long, or in a table."""
        tables = shaped(self.over.problem, self.over.shape).tables()
        beside = {name for one in tables for name in one.columns}
        for name in problem.sheet.results:
            quantity, value = problem.quantities.get(name), self.table.get(name)
            if name in used:
                quantity = problem.asides.get(name, quantity)
            if not isinstance(quantity, Derived) or isinstance(value, Expr):
                continue  # a formula is drawn
            if value is None and name != problem.answer:
                continue
            if not isinstance(value, tuple):
                yield defined(quantity, value)
            elif name not in beside and len(value) <= ROWS:
                pairs = zip(value, quantity.lettered(len(value)), strict=True)
                rows = tuple(defined(quantity, one, symbol=letter) for one, letter in pairs)
                yield DefineEach(name, quantity.title, quantity.why, rows)


def tabled(stated: Stated) -> Tabled:
    """Have the model of *stated* play it; BadValue where the sheet, or the model, refuses it."""
    problem = stated.problem
    assert issubclass(problem, ModelledProblem)
    tested = _refuse(stated)
    values = stated.values
    given = LateValues({name: partial(values.__getitem__, name) for name in values})
    table = problem.model(cast(PlayedGivens, given), _reading(stated))
    return Tabled(stated, table, {*given.known}, tested)


def _reading(stated: Stated) -> dict[str, str]:
    """The options that are chosen, and the words that stand for numbers."""
    return dict(stated.shape.reading) | dict(stated.shape.words)


def _refuse(stated: Stated) -> bool:
    """BadValue where the givens fail a condition of the sheet that is about them alone; whether
    all are."""
    made = shaped(stated.problem, stated.shape)
    letters = [one for one, (q, _) in made.origin.items() if q.name in stated.measured]
    known, tested = dict(zip(letters, stated.numbers(), strict=True)), True
    for condition in made.conditions():
        if not {*symbols(condition.relation)} <= {*known}:
            tested = False
        elif not evaluate(condition.relation, known):
            raise refusal(condition, made, stated, known)
    return tested


def modelled(sheet: Sheet, path: Path) -> type[ModelledProblem]:
    """The problem type of a *sheet* of ours that names a model, which stands beside it."""
    shown = {name: one for name, one in sheet.quantities.items() if name not in sheet.asides}
    given: dict[str, Given | Derived] = {n: _given(sheet.quantities[n]) for n in sheet.results}
    stated = replace(sheet, quantities=sheet.quantities | given)
    over = declared_as(stated, Problem, symbolic=False)
    name, test = sheet.heads["model"].parted(" if ")
    when = Formula(test) if test else None
    module = import_module(f"ddcalc.types.{path.parent.name}.{name.words}")
    return declared_as(
        replace(sheet, quantities=shown), ModelledProblem,
        symbolic=when is not None, over=over, model=staticmethod(module.table), when=when,
        asides={name: sheet.quantities[name] for name in sheet.asides},
        drawn=staticmethod(module.steps) if hasattr(module, "steps") else None,
    )  # fmt: skip


def _given(result: Given | Derived) -> Given:
    """A result as something that is stated."""
    many = isinstance(result, Derived) and result.many
    return Given(
        result.name, result.letter, result.title, result.unit, first=result.first, bare=True,
        many="list" if many else "one", optional=True,
    )  # fmt: skip
