"""A solved question of which answers are marked: its values, its steps, and its equations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ddcalc.ask.find.answer import Found
from ddcalc.ask.mark.chain import Base, Chain, chain
from ddcalc.ask.mark.misread import Misread, misread
from ddcalc.ask.mark.otherwise import Otherwise, otherwise
from ddcalc.ask.mark.slip import Pieces, Suspect
from ddcalc.ask.solve import Derivation, Result
from ddcalc.formula.expression import Cases, Expr, Number, Sym, symbols
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import Unit
from ddcalc.problem.plan import is_large
from ddcalc.problem.quantity import Quantity
from ddcalc.problem.steps import Compare, State, Step

Places: TypeAlias = Mapping[str, tuple[int, Step]]


@dataclass(frozen=True, slots=True)
class Target:
    """What a student has answered: a quantity, or the member *at* (from 1) of one that is a list.

    *value* is the right one, in base units.
    """

    quantity: Quantity
    letter: str
    value: Number
    at: int | None = None

    @property
    def name(self) -> str:
        return self.quantity.name

    @property
    def unit(self) -> Unit:
        return self.quantity.unit


@dataclass(frozen=True, slots=True)
class Two:
    """Two slips together, what *one* and the *other* did, and the *value* that they lead to."""

    one: Pieces
    other: Pieces
    value: Number


@dataclass(slots=True)
class Pair:
    """Two slips that may have happened: *near* their value (a float), which *two* works out."""

    near: float
    two: Callable[[], Two | None]


class Question:
    """What marks need of a solved question; the same one serves every student."""

    def __init__(self, solved: Derivation) -> None:
        self.solved = solved
        self.problem = solved.problem
        self.suspects: dict[str, list[Suspect]] = {}  # by letter of what is asked
        self.pairs: dict[str, list[Pair]] = {}
        self._under: dict[tuple[str, str], Question] = {}

    @cached_property
    def results(self) -> Mapping[str, Result | tuple[Result, ...]]:
        """What can be answered, by name; of a given that is found, the end of its solutions."""
        solved = self.solved
        if not isinstance(solved, Found):
            return solved.quantities
        return {**solved.quantities, solved.end.name: solved.end}

    @property
    def _is_open(self) -> bool:
        """Whether a given was to be found and has no value, so that nothing follows from it."""
        return isinstance(self.solved, Found) and self.solved.at is None

    @cached_property
    def chain(self) -> Chain | None:
        """The equations; None where there are none, or too many, or nothing follows from them."""
        shape = self.solved.stated.shape
        if self.solved.stated.is_played or is_large(shape):
            return None
        if self._is_open:
            return None
        return chain(self.problem, shape)

    @cached_property
    def known(self) -> dict[str, Number | None]:
        """The values of givens and derived quantities by letter, where they are numbers."""
        found: dict[str, Number | None] = {}
        for told in self.solved.quantities.values():
            for each in told if isinstance(told, tuple) else (told,):
                if not isinstance(each.value, Expr):
                    found[each.symbol] = None if each.value is None else plain(each.value)
        return found

    @cached_property
    def base(self) -> Base | None:
        """The numbers of the equations."""
        return None if self.chain is None else self.chain.base(self.known)

    @cached_property
    def otherwise(self) -> tuple[Otherwise, ...]:
        """The question under every other reading that admits it."""
        return () if self._is_open else tuple(otherwise(self.solved.stated))

    def under(self, other: Otherwise) -> Question:
        """The question under another reading."""
        key = other.choice, other.option
        if key not in self._under:
            self._under[key] = Question(Derivation(other.stated))
        return self._under[key]

    @cached_property
    def misread(self) -> tuple[Misread, ...]:
        """Every given with its unit mistaken, in each way."""
        return () if self._is_open else tuple(misread(self.solved.stated))

    @cached_property
    def places(self) -> Places:
        """The number in the explanation and the step by name of quantity."""
        told: dict[str, tuple[int, Step]] = {}
        number = 0
        for step in self.solved.steps:
            if isinstance(step, State | Compare):
                continue
            number += 1
            told.setdefault(getattr(step, "name", ""), (number, step))
        return told

    def forget(self) -> None:
        """Give back the memory that searching for slips has taken."""
        self.suspects.clear()
        self.pairs.clear()
        self._under.clear()

    def number(self, name: str) -> int | None:
        """The number of the step that derives quantity *name*."""
        return self.places[name][0] if name in self.places else None

    def reason(self, name: str) -> str:
        """Why quantity *name* is what it is, as its step says; empty where that says nothing."""
        return self.places[name][1].why if name in self.places else ""

    def titled(self, letter: str) -> str:
        """What *letter* stands for, as part of a sentence."""
        quantity = self._quantity(letter)
        return "" if quantity is None else quantity.called

    def counts(self, letter: str) -> Pieces:
        """That the quantity of *letter* counts: its step, its reason, and the case that holds."""
        quantity = self._quantity(letter)
        if quantity is None or not (why := self.reason(quantity.name)):
            return ()
        told: Pieces = (f"Step {self.number(quantity.name)}: ", why)
        for test in self._cases(letter):
            told = (*told, ", as ", test, self._from(test))
        return told

    def _cases(self, letter: str) -> Iterator[Expr]:
        """The test on which the value of *letter* rests, if it is one."""
        for line in self.chain.lines if self.chain else ():
            if line.symbol == letter and isinstance(line.formula, Cases):
                yield line.formula.cases[0].test

    def _from(self, test: Expr) -> str:
        numbers = [self.number(q.name) for s in symbols(test) if (q := self._quantity(s))]
        told = sorted({number for number in numbers if number})
        return f" (step {' and '.join(map(str, told))})" if told else ""

    def _quantity(self, letter: str) -> Quantity | None:
        if letter in self._letters:
            return self._letters[letter]
        return self._letters.get(letter.rpartition("_")[0])

    @cached_property
    def _letters(self) -> dict[str, Quantity]:
        return {quantity.letter: quantity for quantity in self.problem.quantities.values()}

    def named(self, expr: Expr) -> Pieces:
        """*expr*, and what it stands for where it is one letter."""
        title = self.titled(expr.name) if isinstance(expr, Sym) else ""
        return (expr, f" ({title})") if title else (expr,)
