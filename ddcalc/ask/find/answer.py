"""An inverse question answered: what follows at the answer, and what is reported of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import takewhile

from ddcalc.ask.find import wording
from ddcalc.ask.find.inverse import InverseQuestion
from ddcalc.ask.find.outcome import Outcome
from ddcalc.ask.solve import Assumption, Derivation, Reading, Result, Results, looked_up
from ddcalc.ask.unused import Unused
from ddcalc.formula.expression import Number, Sym
from ddcalc.numbers.amounts import fitting
from ddcalc.numbers.units import COUNT, Unit
from ddcalc.problem.quantity import Given
from ddcalc.problem.said.speaker import Filled
from ddcalc.problem.said.steps import Define, State, Step, Value


class Inversion(Derivation):
    """An inverse *question* answered: the *outcome* of the search, and what follows *at* it, or
    None where there is no answer."""

    def __init__(self, question: InverseQuestion, outcome: Outcome) -> None:
        super().__init__((outcome.at or question).stated, outcome)
        self.question, self.outcome = question, outcome

    @property
    def at(self) -> Derivation | None:
        return self.outcome.at

    @property
    def answer(self) -> Result:
        """The unknown with its value, rounded if irrational; None where there is none."""
        unknown, options = self.question.unknown, self.outcome.options
        if isinstance(unknown, Given):
            return Result(unknown.name, unknown.letter, unknown.unit, self.outcome.near)
        value: Value = Sym(options[0]) if len(options) == 1 else None
        return Result(unknown.name, unknown.name, COUNT, value)

    @property
    def end(self) -> Result:
        """The answer; where it has no value, the end of the solutions if they have one, rounded if
        it is irrational."""
        answer = self.answer
        if answer.value is not None or (self.is_any and not self.outcome.reached):
            return answer
        return replace(answer, value=self.outcome.number)

    @property
    def is_any(self) -> bool:
        """Whether each solution is an answer: all numbers do it, or those that make both sides of
        an equation equal; not only the least or the greatest of them."""
        return self.outcome.kind == "always" or "==" in {x.op for x in self.question.relations}

    def is_solution(self, value: Number) -> bool:
        """Whether *value* is one of the solutions."""
        pieces = self.outcome.solutions
        return any(value in one and not (one.whole and value % one.whole) for one in pieces)

    @cached_property
    def quantities(self) -> Mapping[str, Results]:
        """Givens and derived quantities by name; where there is no value those alone that do not
        rest on it."""
        known = dict(self.at.quantities) if self.at else {}
        own = {name for name, _, _ in self.problem.own_steps}
        for step in () if self.at else (*self._givens(), *self.outcome.fixed(own)):
            if isinstance(step, State) and step.written is not None and not step.many:
                value = step.written[0].value
                known[step.name] = Result(step.name, step.symbol, step.unit, value)
            elif isinstance(step, Define) and isinstance(step.value, Number):
                known[step.name] = Result(step.name, step.symbol, step.unit, step.value)
        return {**known, self.answer.name: self.answer}

    @property
    def told(self) -> Mapping[str, Results]:
        """The same, with the end of the solutions where that is just none."""
        return {**self.quantities, self.answer.name: self.end}

    @property
    def readings(self) -> tuple[Reading, ...]:
        """None: each of them would be a search of its own."""
        return ()

    @cached_property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The choices that shaped the answer, and those that the question made itself."""
        return tuple(one for one in super().assumptions if one.choice != self.answer.name)

    @cached_property
    def unused(self) -> tuple[Unused, ...]:
        """What the question states that does not count; not known of a play without a value."""
        sides = {one.other.name for one in self.question.relations if one.other}
        return tuple(one for one in super().unused if one.name not in {self.answer.name, *sides})

    @property
    def essential(self) -> Set[str] | None:
        """The quantities on which what is compared rests; None where all are shown."""
        if self.at is None or (asked := self.at.essential) is None:
            return None
        return asked | self.at.commentary().basis(names=self.question.compared.keys())

    @property
    def title(self) -> str:
        """The question in a sentence."""
        return wording.title(self.question)

    def says(self, unit: Unit | None = None) -> str:
        """Which values there are in a sentence, amounts in *unit*, else in one that fits."""
        return wording.sentence(self.outcome.question, self.outcome, unit or self._fitting)

    def sentence(self, unit: Unit | None = None, told: Collection[str] = ()) -> Filled:
        """The answer in a sentence, and what else is asked but not *told*; amounts in *unit*."""
        said = self.says(unit)
        if self.at is None or self.outcome.kind == "always":
            return (said,)
        beside = self.at.commentary()
        is_told = ": then " in said or "; with " in said
        said_so = {x.name for x in self.question.bounds if is_told and x.op != "=="}
        extreme, wanted = self.question.extreme, self.at.stated.shape.wanted
        said_so |= {extreme.name} if extreme and extreme.name in wanted else set()
        more = beside.concluded({self.answer.name, *told, *said_so})
        head, apart, worth = said.removesuffix(".").rpartition(": ")
        if extreme and (worth in "".join(map(str, more)) or extreme.name in told):
            said = f"{head}{'.' * bool(apart)}"  # which is said again
        return (said, " ", *more) if more else (said,)

    def shown_steps(self, everything: bool = False, names: Collection[str] = ()) -> Iterator[Step]:
        """The steps to the answer; of what other types come to before anything rests on the unknown
        only that, unless *everything* is wanted. At last what else those of the *names* rest on."""
        kinds, own = State | Define, self.answer.name
        before = [*takewhile(lambda x: isinstance(x, kinds) and x.name != own, self.steps)]
        if everything or self.at is None or len(before) == len(self.steps):
            yield from self.steps
            return
        types, known = self.at.commentary().looked_up, {getattr(x, "name", "") for x in before}
        wanted = {*self.question.compared, *self.stated.shape.wanted}
        kept = self.at.commentary().basis(names=wanted, but=types.keys() & known) | self.stated.said
        yield from (looked_up(x, types) for x in before if getattr(x, "name", "") in kept)
        yield from self.steps[len(before) :]
        basis = self.at.commentary().basis(names=names) if names else frozenset()
        basis -= {getattr(x, "name", "") for x in self.steps}
        yield from (x for x in self.at.needed_steps(names) if getattr(x, "name", "") in basis)

    @property
    def _fitting(self) -> Unit:
        """The unknown's own unit, but GB rather than very many bytes."""
        unit, value = self.answer.unit, self.end.value
        return fitting(value, unit) if isinstance(value, int | Fraction) else unit

    def _givens(self) -> list[State]:
        unknown = self.question.unknown.name
        return [replace(one, said=True) for one in super()._givens() if one.name != unknown]
