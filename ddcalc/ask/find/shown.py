"""What a search shows: tables of what was compared at numbers or options, and both sides of the
relations at the answer and beside it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from ddcalc.ask.find.inverse import InverseQuestion, Relation, holds
from ddcalc.ask.find.outcome import SearchOutcome
from ddcalc.formula.expression import Expr, Known, Number, Rel, Sym
from ddcalc.formula.letters import letter
from ddcalc.numbers.amounts import amount, together
from ddcalc.numbers.display import equal
from ddcalc.numbers.units import TIME, Unit
from ddcalc.problem.quantity import Choice, Quantity
from ddcalc.problem.stated_formulas import is_side
from ddcalc.problem.steps import BOUND, Compare, PutIn, Table

NEXT: Final = 3  # numbers on each side of what is least that its table shows
Side = tuple[Expr, Mapping[str, PutIn], Unit]  # a formula, its numbers, the unit of its value


def table(
    question: InverseQuestion,
    title: str,
    why: str,
    values: Mapping[Any, Known],
    names: Collection[str],
    marks: Mapping[Any, str],
) -> Table:
    """The *values* of quantities *names* at numbers or options of the unknown, with what *marks*
    say of these."""
    unknown, quantities = question.unknown, question.stated.problem.quantities
    listed = [quantities[name] for name in dict.fromkeys(names) if name != unknown.name]
    if isinstance(unknown, Choice):
        head = (unknown.name, *(one.name for one in listed))
        places = [x.replace("_", "-") for x in values]
    else:
        head = (letter(unknown.letter), *map(called, listed))
        places = column([*values], unknown.unit)
    columns = [places]
    for one in listed:
        cells = iter(column([there.get(one.name) for there in values.values() if there], one.unit))
        columns.append([next(cells) if there else "" for there in values.values()])
    rows = tuple(zip(*columns, (marks[x] for x in values), strict=True))
    return Table(title, why, (*head, ""), rows, abreast=not isinstance(unknown, Choice))


def called(quantity: Quantity) -> str:
    """The letter of *quantity*; the words of a side of a relation."""
    return quantity.title if is_side(quantity.name) else letter(quantity.letter)


def column(values: Sequence[Number | None], unit: Unit) -> list[str]:
    """The *values* in one unit, if all are readable in it."""
    shown = iter(together([value for value in values if value is not None], unit))
    return ["no value" if value is None else next(shown).marked for value in values]


def comparisons(
    question: InverseQuestion,
    at: Number,
    outcome: SearchOutcome,
    side: Callable[[Relation, Number], Side] | None = None,
) -> Iterator[Compare]:
    """The relations where the unknown is worth *at*, and those that fail just beside the *outcome*;
    of left sides their values, or formulas with their numbers and unit if *side* gives these."""
    unknown = question.given
    for x in dict.fromkeys((at, *outcome.beside)):
        compared = outcome.compared(x)
        for relation in question.relations:
            left, right = relation.sides(compared)
            if left is None or right is None or relation.extreme or relation.name == unknown.name:
                continue
            true = holds(relation.op, left, right)
            if true and x != at:
                continue
            plain: Side = Sym(relation.letter), {}, question.compared[relation.name].unit
            formula, numbers, unit = plain if side is None else side(relation, x)
            stated = relation.other is None and relation.bound.unit.dimension == TIME
            unit = relation.bound.unit if stated else unit
            yield Compare(
                title=equal(letter(unknown.letter), amount(x, unknown.unit).marked),
                why="holds" if true else "does not hold",
                relation=Rel(relation.op, formula, Sym(BOUND)),
                symbol=unknown.letter,
                at=x,
                numbers={**numbers, BOUND: amount(right, unit, stated=stated)},
                left=left,
                right=right,
                unit=unit,
                holds=true,
            )
