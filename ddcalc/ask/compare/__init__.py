"""Compare: two questions side by side, what differs between them, and which change did it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from ddcalc.ask.compare.attribution import MOST, Attribution, attributed
from ddcalc.ask.solve import Derivation, Result, all_texts, singles, texts_of
from ddcalc.errors import BadValue, DdcalcError
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.amounts import amount
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.number import plain
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import Stated, Texts, read

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
    """A quantity of both questions."""

    first: Result
    second: Result

    @property
    def difference(self) -> Number | None:
        """The second value less the first; None unless both are numbers."""
        first, second = _number(self.first), _number(self.second)
        return None if first is None or second is None else second - first

    @property
    def ratio(self) -> Number | None:
        """The second value over the first; None where that is no number."""
        first, second = _number(self.first), _number(self.second)
        return None if not first or second is None else ratio(second, first)


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
        return tuple(self._pairs(given=False))

    @cached_property
    def givens(self) -> tuple[QuantityPair, ...]:
        """Every given that both state, in the order of declaration."""
        return tuple(self._pairs(given=True))

    @cached_property
    def attribution(self) -> Attribution[StatedChange] | None:
        """By how much each change moved the answer; None where there is no difference to share."""
        if not self.alike or not self.changes or self.answer.difference is None:
            return None
        most = MOST_PLAYED if self.first.working.dear else MOST
        return attributed(self.changes, self._answer_with, most)

    def _pairs(self, given: bool) -> Iterator[QuantityPair]:
        """What both have of givens, or of what is derived; lists of one length, unless long."""
        for name, results in self.first.quantities.items():
            mine, others = singles(results), singles(self.second.quantities.get(name, ()))
            is_given = isinstance(self.first.problem.quantities[name], Given)
            if is_given != given or not len(mine) == len(others) <= LISTED:
                continue
            pairs = map(QuantityPair, mine, others)
            yield from (p for p in pairs if p.first.unit.dimension == p.second.unit.dimension)

    def _answer_with(self, made: Collection[StatedChange]) -> Number | None:
        """The answer with some changes *made*; None where these questions have none."""
        names = {name for change in made for name in change.names}
        first, second = (all_texts(side.stated) for side in (self.first, self.second))
        kept = {name: text for name, text in first.items() if name not in names}
        taken = {name: text for name, text in second.items() if name in names}
        try:
            answer = Derivation(read(self.first.problem, {**kept, **taken})).answer
        except DdcalcError:  # also where one change needs what another one states
            return None
        return _number(answer) if answer.name == self.first.answer.name else None


def _number(result: Result) -> Number | None:
    value = result.value
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
    shown = [amount(one.value, one.unit, stated=True).marked for one in members[:SHOWN]]
    words = ", ".join(shown) + (f", … ({len(members)})" if len(members) > SHOWN else "")
    if name in stated.filled:
        return f"{words} ({stated.filled[name].preset.name})"
    return words if name in stated.said else f"{words} (usual)"
