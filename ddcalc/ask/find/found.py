"""What a search came to, as a solved question: the answer is the value of the unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from ddcalc.ask.closed import ClosedForm
from ddcalc.ask.find.answer import Kind
from ddcalc.ask.find.asked import Asked
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.report import Report
from ddcalc.ask.shares import Share
from ddcalc.ask.solve import Assumption, Derivation, Reading, Result
from ddcalc.ask.unused import Unused, idle, unused
from ddcalc.formula.algebraic import Edge, Root, close_to
from ddcalc.formula.letters import letter
from ddcalc.numbers.approximate import SURE, Approximate
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import COUNT, Unit, fitting
from ddcalc.problem.quantity import Given
from ddcalc.problem.steps import State, Step, Value

DIGITS = 50  # of an irrational end


@dataclass(frozen=True, slots=True)
class Other:
    """What comes of another *reading*, and how it *says* that in a unit."""

    reading: Reading
    says: Callable[[Unit], str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a question, whatever the way to it.

    *solutions* are in order; of a choice there are *options* instead. The answer is the *end* of
    them that *kind* tells, though it may just not be a solution. *says* tells it in a unit, *proof*
    why there are no others; *complete* is False where that is not known. *steps* and *others*,
    other readings, are made when they are asked for.
    """

    value: Value
    says: Callable[[Unit], str]
    proof: str
    steps: Callable[[], Iterable[Step]]
    solutions: tuple[Piece, ...] = ()
    options: tuple[str, ...] = ()
    kind: Kind = "only"
    end: Edge | None = None
    complete: bool = True
    others: Callable[[], Iterable[Other]] = tuple


class Found(Derivation):
    """A question of which one given is the unknown: what was *asked*, and its *outcome*.

    All other quantities are worth what they are *at* its value; None where it has no value.
    """

    def __init__(self, asked: Asked, outcome: Outcome, at: Derivation | None) -> None:
        self.asked, self.outcome, self.at = asked, outcome, at
        self.stated = asked.stated if at is None else at.stated
        self.problem = asked.stated.problem
        self.values = {} if at is None else at.values

    @property
    def answer(self) -> Result:
        """The unknown with its value, None where there is none."""
        unknown = self.asked.unknown
        if isinstance(unknown, Given):
            return Result(unknown.name, unknown.letter, unknown.unit, self.outcome.value)
        return Result(unknown.name, unknown.name, COUNT, self.outcome.value)

    @property
    def end(self) -> Result:
        """The answer; where it has no value, the end of the solutions if they have one.

        An irrational end is rounded. One that is no number may just not be a solution.
        """
        answer, end = self.answer, self.outcome.end
        if answer.value is not None or end is None or (self.is_any and not self.is_reached):
            return answer
        value = Approximate(close_to(end, DIGITS), SURE) if isinstance(end, Root) else end
        return replace(answer, value=value)

    @property
    def is_reached(self) -> bool:
        """Whether the end of the solutions is one itself."""
        end = self.outcome.end
        return end is not None and any(end in piece for piece in self.outcome.solutions)

    @property
    def is_any(self) -> bool:
        """Whether each solution is an answer: all numbers do it, or those that make both sides of
        an equation equal; not only the least or the greatest of them."""
        equal = any(relation.op == "==" for relation in self.asked.relations)
        return equal or self.outcome.kind == "always"

    def is_solution(self, value: Number) -> bool:
        """Whether *value* is one of the solutions that were found."""
        pieces = self.outcome.solutions
        return any(value in piece for piece in pieces if not piece.whole or isinstance(value, int))

    @cached_property
    def quantities(self) -> Mapping[str, Result | tuple[Result, ...]]:
        """Givens and derived quantities by name; the givens alone where there is no value."""
        known = {} if self.at is None else dict(self.at.quantities)
        if self.at is None:
            for step in self._stated():
                if step.written is not None and not step.many:
                    value = step.written[0].value
                    known[step.name] = Result(step.name, step.symbol, step.unit, value)
        return {**known, self.answer.name: self.answer}

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """What is stated, then how the unknown follows, and what follows from it."""
        return (*self._stated(), *self.outcome.steps())

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """The answers with one choice changed at a time, those that differ."""
        return tuple(other.reading for other in self._others)

    @cached_property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The choices that shaped the answer, and those that the question made itself."""
        if self.stated.is_played:
            told = () if self.at is None else self.at.assumptions
            return tuple(each for each in told if each.choice != self.asked.unknown.name)
        told = self._assumed({reading.choice for reading in self.readings})
        return tuple(each for each in told if each.choice != self.asked.unknown.name)

    @cached_property
    def unused(self) -> tuple[Unused, ...]:
        """What the question states that does not count; not known of a play without a value."""
        if self.at is not None:
            told = self.at.unused
        else:
            told = () if self.stated.is_played else unused(self.stated)
        return tuple(each for each in told if each.name != self.asked.unknown.name)

    @property
    def idle(self) -> Set[str]:
        """Usual values on which nothing rests; not known of a play without a value."""
        if self.at is not None:
            return self.at.idle
        return set() if self.stated.is_played else idle(self.stated)

    @property
    def shares(self) -> tuple[Share, ...]:
        """None: the unknown is no time that goes somewhere."""
        return ()

    @property
    def closed_form(self) -> ClosedForm | None:
        """None: the steps show the formula where there is one."""
        return None

    @property
    def title(self) -> str:
        """The question in a sentence."""
        unknown = self.asked.unknown
        told = " and ".join(relation.text for relation in self.asked.relations)
        if isinstance(unknown, Given):
            return f"Which {letter(unknown.letter)} ({unknown.title}) makes {told}?"
        return f"Which {unknown.name} ({unknown.title}) makes {told}?"

    def says(self, unit: Unit | None = None) -> str:
        """The answer and all solutions in a line; amounts in *unit*, else in one that fits."""
        return self.outcome.says(unit or self._fitting)

    def report(self, unit: Unit | None = None) -> Report:
        """What is to be told, whatever the format; amounts in *unit* if one is given."""
        return Report(self.title, self.steps, self.says(unit), tuple(self._remarks(unit)))

    def _remarks(self, unit: Unit | None) -> Iterator[tuple[str, str]]:
        yield "Proved" if self.outcome.complete else "Tried", self.outcome.proof
        if told := [each.remark for each in self.assumptions]:
            yield "Read as", "; ".join(told)
        told_in = unit or self._fitting
        if others := [f"{each.reading.says}: {each.says(told_in)}" for each in self._others]:
            yield "Otherwise", "; ".join(others)

    @property
    def _fitting(self) -> Unit:
        """The unknown's own unit, but GB rather than very many bytes."""
        own, value = self.answer.unit, self.outcome.value
        return fitting(value, own) if isinstance(value, int | Fraction) else own

    @cached_property
    def _others(self) -> tuple[Other, ...]:
        return tuple(self.outcome.others())

    def _stated(self) -> list[State]:
        """The statements without what stands in for the unknown."""
        unknown = self.asked.unknown.name
        return [step for step in self._givens() if step.name != unknown]
