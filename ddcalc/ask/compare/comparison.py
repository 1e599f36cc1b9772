"""Two solved questions side by side: what is stated differently, what follows, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from ddcalc.ask.compare.attribution import MOST, Attribution, attributed
from ddcalc.ask.compare.changes import Change, changes, is_complete, mixed
from ddcalc.ask.solve import Derivation, Result
from ddcalc.errors import BadValue, NoAnswer, OverLimit
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Number, symbols
from ddcalc.numbers.approximate import ratio
from ddcalc.numbers.number import plain
from ddcalc.problem.plan import Line, plan
from ddcalc.problem.quantity import Given
from ddcalc.problem.steps import Value

PLAYED = 4  # changes of a played question up to which all orders are averaged
LISTED = 8  # members of a list up to which each is compared


@dataclass(frozen=True, slots=True)
class Row:
    """A quantity of both questions; a list that is too long to compare has no values."""

    first: Result
    second: Result

    @property
    def difference(self) -> Number | None:
        """The second value less the first; None unless both are numbers."""
        pair = _numbers(self.first.value, self.second.value)
        return None if pair is None else pair[1] - pair[0]

    @property
    def ratio(self) -> Number | None:
        """The second value over the first; None where that is no number."""
        pair = _numbers(self.first.value, self.second.value)
        return None if pair is None or not pair[0] else ratio(pair[1], pair[0])


class Comparison:
    """The *second* question compared with the *first*, each under its name.

    Raises BadValue where the answers do not measure the same.
    """

    def __init__(self, first: Derivation, second: Derivation, names: tuple[str, str]) -> None:
        self.first, self.second, self.names = first, second, names
        mine, other = first.answer.unit.dimension, second.answer.unit.dimension
        if mine != other:
            reason = f"answers with {other}, {names[0]} with {mine}; they cannot be compared"
            raise BadValue(names[1], reason)

    @property
    def alike(self) -> bool:
        """Whether both are of one type, and ask for the same quantity."""
        same = self.first.problem is self.second.problem
        return same and self.first.answer.name == self.second.answer.name

    @property
    def answer(self) -> Row:
        """Both answers."""
        return Row(self.first.answer, self.second.answer)

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What is stated differently; empty for two types."""
        if self.first.problem is not self.second.problem:
            return ()
        return changes(self.first.stated, self.second.stated)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Every derived quantity that both have, in the order of derivation."""
        return tuple(self._rows(given=False))

    @cached_property
    def givens(self) -> tuple[Row, ...]:
        """Every given that both state, in the order of declaration."""
        return tuple(self._rows(given=True))

    @cached_property
    def attribution(self) -> Attribution[Change] | None:
        """By how much each change moved the answer; None where there is no difference to share."""
        if not self.alike or not self.changes or self.answer.difference is None:
            return None
        most = PLAYED if self.first.stated.is_played else MOST
        return attributed(self.changes, self._answer_with, most)

    @cached_property
    def by_step(self) -> Attribution[str] | None:
        """By how much each letter of the answer's own formula moved the answer.

        None unless both answers are worked out by that same formula.
        """
        line = self._last_line()
        if line is None:
            return None
        first, second = (self._letters(side) for side in (self.first, self.second))
        moved = [
            name for name in dict.fromkeys(symbols(line.formula)) if first[name] != second[name]
        ]
        if any(known[name] is None for name in moved for known in (first, second)):
            return None

        def worth(taken: Collection[str]) -> Number | None:
            known = {**first, **{name: second[name] for name in taken}}
            try:
                found: Number | None = evaluate(line.formula, known)
            except ArithmeticError:
                return None
            return None if found is None else plain(found)

        return attributed(moved, worth) if moved else None

    def _rows(self, given: bool) -> Iterator[Row]:
        others = self.second.quantities
        for name, mine in self.first.quantities.items():
            other = others.get(name)
            if other is None or isinstance(self.first.problem.quantities[name], Given) != given:
                continue
            if isinstance(mine, tuple) and isinstance(other, tuple):
                if len(mine) == len(other) <= LISTED:
                    yield from map(Row, mine, other)
            elif isinstance(mine, Result) and isinstance(other, Result) and _alike(mine, other):
                yield Row(mine, other)

    def _answer_with(self, made: Collection[Change]) -> Number | None:
        """The answer with some changes *made*; None where these questions have none."""
        names = {name for change in made for name in change.names}
        stated = mixed(self.first.stated, self.second.stated, names)
        if not is_complete(stated):
            return None
        try:
            answer = Derivation(stated).answer
        except (BadValue, NoAnswer, OverLimit):
            return None
        value = answer.value
        if answer.name != self.first.answer.name or value is None or isinstance(value, Expr):
            return None
        return plain(value)

    def _last_line(self) -> Line | None:
        if not self.alike or any(side.stated.is_played for side in (self.first, self.second)):
            return None
        lines = []
        for side in (self.first, self.second):
            made = plan(side.problem, side.stated.shape)
            lines.append(made.needed(made.problem.quantities[side.answer.name].letter)[-1])
        return lines[0] if lines[0].formula == lines[1].formula else None

    def _letters(self, side: Derivation) -> dict[str, Number | None]:
        return plan(side.problem, side.stated.shape).letters(side.stated, side.values)


def _numbers(first: Value, second: Value) -> tuple[Number, Number] | None:
    if first is None or second is None or isinstance(first, Expr) or isinstance(second, Expr):
        return None
    return plain(first), plain(second)


def _alike(first: Result, second: Result) -> bool:
    return first.unit.dimension == second.unit.dimension
