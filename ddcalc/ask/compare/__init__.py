"""Compare: two questions side by side, what differs between them, and which change did it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from ddcalc.ask.compare.attribution import MOST, Attribution, attributed
from ddcalc.ask.solve import Derivation, Result, texts_of
from ddcalc.errors import UNANSWERED, BadValue
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Number, symbols
from ddcalc.numbers.amounts import amount
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.number import plain
from ddcalc.problem.problem import Shape
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import Stated, Texts, read
from ddcalc.problem.steps import Value

MOST_PLAYED = 4  # changes up to which all orders are averaged, where each takes a play
LISTED = 8  # members of a list up to which each is compared
SHOWN = 4  # values of a list that are written out


def against(base: Derivation, changed: Texts) -> Derivation:
    """The question of *base* with what *changed* states instead, solved.

    Raises DdcalcError (Several, where more than one thing is wrong).
    """
    named = {name.replace("-", "_"): text for name, text in changed.items()}
    return Derivation(read(base.problem, {**texts_of(base.stated), **named}))


@dataclass(frozen=True, slots=True)
class StatedChange:
    """Givens or choices *names* that change together, *before* and *after* in words."""

    names: tuple[str, ...]
    before: str
    after: str

    @property
    def label(self) -> str:
        """The names as one: ``starts and speeds``."""
        return " and ".join(self.names)


@dataclass(frozen=True, slots=True)
class QuantityPair:
    """A quantity of both questions; a list that is too long to compare has no values."""

    first: Result
    second: Result

    @property
    def difference(self) -> Number | None:
        """The second value less the first; None unless both are numbers."""
        numbers = self._numbers
        return None if numbers is None else numbers[1] - numbers[0]

    @property
    def ratio(self) -> Number | None:
        """The second value over the first; None where that is no number."""
        numbers = self._numbers
        return None if numbers is None or not numbers[0] else ratio(numbers[1], numbers[0])

    @property
    def _numbers(self) -> tuple[Number, Number] | None:
        first, second = _number(self.first.value), _number(self.second.value)
        return None if first is None or second is None else (first, second)


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
    def answer(self) -> QuantityPair:
        """Both answers."""
        return QuantityPair(self.first.answer, self.second.answer)

    @cached_property
    def changes(self) -> tuple[StatedChange, ...]:
        """What is stated differently, in the order of declaration; empty for two types.

        Lists that must be equally long are one change.
        """
        if self.first.problem is not self.second.problem:
            return ()
        return tuple(_changes(self.first.stated, self.second.stated))

    @cached_property
    def rows(self) -> tuple[QuantityPair, ...]:
        """Every derived quantity that both have, in the order of derivation."""
        return tuple(self._rows(given=False))

    @cached_property
    def givens(self) -> tuple[QuantityPair, ...]:
        """Every given that both state, in the order of declaration."""
        return tuple(self._rows(given=True))

    @cached_property
    def attribution(self) -> Attribution[StatedChange] | None:
        """By how much each change moved the answer; None where there is no difference to share."""
        if not self.alike or not self.changes or self.answer.difference is None:
            return None
        most = MOST_PLAYED if self.first.working.dear else MOST
        return attributed(self.changes, self._answer_with, most)

    @cached_property
    def by_step(self) -> Attribution[str] | None:
        """By how much each letter of the answer's own formula moved the answer.

        None unless both answers are worked out by that same formula.
        """
        formulas = [_last_formula(side) for side in (self.first, self.second)]
        formula = formulas[0]
        if not self.alike or formula is None or formula != formulas[1]:
            return None
        first, second = self.first.working.letters(), self.second.working.letters()
        moved = [name for name in dict.fromkeys(symbols(formula)) if first[name] != second[name]]
        if any(known[name] is None for name in moved for known in (first, second)):
            return None

        def worth(taken: Collection[str]) -> Number | None:
            known = {**first, **{name: second[name] for name in taken}}
            try:
                return _number(evaluate(formula, known))
            except ArithmeticError:
                return None

        return attributed(moved, worth) if moved else None

    def _rows(self, given: bool) -> Iterator[QuantityPair]:
        others = self.second.quantities
        for name, mine in self.first.quantities.items():
            other = others.get(name)
            if other is None or isinstance(self.first.problem.quantities[name], Given) != given:
                continue
            if isinstance(mine, tuple) and isinstance(other, tuple):
                if len(mine) == len(other) <= LISTED:
                    yield from map(QuantityPair, mine, other)
            elif isinstance(mine, tuple) or isinstance(other, tuple):
                continue
            elif mine.unit.dimension == other.unit.dimension:
                yield QuantityPair(mine, other)

    def _answer_with(self, made: Collection[StatedChange]) -> Number | None:
        """The answer with some changes *made*; None where these questions have none."""
        names = {name for change in made for name in change.names}
        stated = _mixed(self.first.stated, self.second.stated, names)
        known = {*stated.measured, *dict(stated.shape.words)}
        if not all(known & {*group} for group in stated.problem(stated.shape).needs()):
            return None
        try:
            answer = Derivation(stated).answer
        except UNANSWERED:
            return None
        return _number(answer.value) if answer.name == self.first.answer.name else None


def _last_formula(side: Derivation) -> Expr | None:
    """The formula of the answer; None where there is none."""
    plan = side.working.plan
    if plan is None:
        return None
    return plan.needed(side.problem.quantities[side.answer.name].letter)[-1].formula


def _number(value: Value) -> Number | None:
    return None if value is None or isinstance(value, Expr) else plain(value)


def _changes(first: Stated, second: Stated) -> Iterator[StatedChange]:
    together: dict[str, list[str]] = {}  # lists of the same things whose lengths differ are one
    for name, given in first.problem.givens.items():
        if _value(first, name) == _value(second, name):
            continue
        longer = dict(first.shape.lengths).get(name) != dict(second.shape.lengths).get(name)
        together.setdefault(given.of if longer and given.of else f"given {name}", []).append(name)
    before, after = (dict(side.shape.reading) for side in (first, second))
    choices = [[name] for name in first.problem.choices if before[name] != after[name]]
    for names in [*together.values(), *choices]:
        words = [", ".join(_words(side, name) for name in names) for side in (first, second)]
        yield StatedChange(tuple(names), words[0], words[1])


def _mixed(first: Stated, second: Stated, taken: Collection[str]) -> Stated:
    """The question *first*, but with all *taken* names as *second* states them."""
    givens, choices = first.problem.givens, first.problem.choices
    sides = {name: second if name in taken else first for name in (*givens, *choices)}
    shape = Shape(
        tuple((name, dict(sides[name].shape.reading)[name]) for name in choices),
        tuple(pair for name in givens for pair in sides[name].shape.lengths if pair[0] == name),
        tuple(name for name in givens if name in sides[name].shape.stated),
        tuple(pair for name in givens for pair in sides[name].shape.words if pair[0] == name),
    )
    measured = {n: sides[n].measured[n] for n in givens if n in sides[n].measured}
    said = frozenset(name for name, side in sides.items() if name in side.said)
    filled = {n: side.filled[n] for n, side in sides.items() if n in side.filled}
    return Stated(first.problem, shape, measured, said, filled=filled)


def _value(stated: Stated, name: str) -> str | Number | tuple[Number, ...] | None:
    """What is stated of given *name*: a word, a number (base units), or a list of them."""
    measured = stated.measured.get(name)
    if measured is None:
        return dict(stated.shape.words).get(name)
    return tuple(m.value for m in measured) if isinstance(measured, tuple) else measured.value


def _words(stated: Stated, name: str) -> str:
    if name in stated.problem.choices:
        return dict(stated.shape.reading)[name].replace("_", "-")
    measured = stated.measured.get(name)
    if measured is None:
        return dict(stated.shape.words).get(name, "not stated")
    members = measured if isinstance(measured, tuple) else (measured,)
    words = ", ".join(
        amount(member.value, member.unit, stated=True).marked for member in members[:SHOWN]
    )
    if len(members) > SHOWN:
        words += f", … ({len(members)})"
    if name in stated.filled:
        return f"{words} ({stated.filled[name].preset.name})"
    return words if name in stated.said else f"{words} (usual)"
