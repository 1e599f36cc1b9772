"""Versions of an exam: the first one has the first variant of each question, and so on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.mark.exercise import MET, met
from ddcalc.ask.mark.grading import AS_USUAL
from ddcalc.ask.mark.written import Allowed
from ddcalc.ask.solve import Derivation, Result, Results, Text, first, singles, texts_of
from ddcalc.files.answers import asks_whether
from ddcalc.files.batch import Solved
from ddcalc.files.drawn import DrawnQuestion
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.amounts import fitting
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.units import BARE, PERCENT, SHARE, Unit
from ddcalc.problem.said.steps import Value

LONGEST: Final = 64  # characters of an id
MOST: Final[int] = 10**35  # parts of a number that can be read again with all its decimals


@dataclass(frozen=True)
class ExamItem:
    """A variant in an exam: its *base*, the number of its *version*, and itself *done*."""

    base: DrawnQuestion
    version: int
    done: Solved

    @property
    def id(self) -> str:
        """A name that no other item has, made from that of the base."""
        end = f"-{self.version}"
        return self.base.name[: LONGEST - len(end)] + end

    @cached_property
    def parts(self) -> list[ExamPart]:
        """Its parts; of a question without any, itself."""
        return [ExamPart(self, i, one) for i, one in enumerate(self.done.each)]

    @cached_property
    def ways(self) -> dict[str, set[str]]:
        """In which ways its parts, and their cases, read each choice."""
        ways: dict[str, set[str]] = {}
        for case in (case for part in self.parts for case in part.done.cases):
            for one in case.assumptions:
                ways.setdefault(one.choice, set()).add(one.says)
        return ways

    @property
    def points(self) -> Number | None:
        """What it is worth, where that is stated."""
        worth = [point for part in self.parts for point in part.worth]
        return None if all(one == AS_USUAL.points for one in worth) else sum(worth)


@dataclass(frozen=True)
class ExamPart:
    """A part of an *item*, or all of it: what comes of it *done*; *number* is its place, from 0."""

    item: ExamItem
    number: int
    done: Solved

    @property
    def name(self) -> str:
        """Its id; empty where it is the whole question."""
        return (self.done.question.id or "") if self.item.done.parts else ""

    @property
    def solved(self) -> Derivation:
        """Its first case, solved."""
        return self.done.cases[0]

    @property
    def texts(self) -> dict[str, Text]:
        """What it states, as in a file."""
        return texts_of(self.solved.stated)

    @cached_property
    def results(self) -> list[Results]:
        """What is asked for, in the order of derivation."""
        return self.asked(self.solved)

    def asked(self, case: Derivation) -> list[Results]:
        """The same of another *case*; last whether limits are met."""
        limits = self.done.of_case(self.done.cases.index(case), self.done.limits)
        verdict = [met(all(one.agrees for one in limits))] if limits else []
        if asks_whether(case, limits):
            return [*verdict]
        if isinstance(case, Inversion):
            return [case.answer, *verdict]
        names = {*case.stated.shape.wanted} or {case.answer.name}
        return [*_results(case, names), *verdict]

    def expected(self, case: Derivation) -> list[Results]:
        """What is asked for and what else the base expects, in the order of derivation; what is too
        long to be read from a file is left out."""
        asked = [one for one in self.asked(case) if first(one).name != MET]
        expected = self.item.base.parts[self.number].question.expect
        names = {first(result).name for result in asked}
        more = {key.replace("-", "_") for key in expected} - names
        found = asked if isinstance(case, Inversion) else ()
        known = (*found, *_results(case, more if found else names | more))

        def is_short(x: Value) -> bool:
            if x is None or isinstance(x, Expr | Approximate):
                return True
            return max(abs(x.numerator), x.denominator) < MOST

        return [one for one in known if all(is_short(x.value) for x in singles(one))]

    def allowed(self, result: Results) -> Allowed:
        """How far *result* may be off."""
        return self.item.base.allowed[self.number].get(first(result).name, Allowed())

    def unit(self, result: Results) -> Unit:
        """The unit in which *result* is asked for: that of the sheet, or the usual one; where a
        number without a unit would say nothing, the one in which it is shown."""
        usual, value = first(result).unit, first(result).value
        if (wanted := self.allowed(result).unit) is not None:
            return wanted
        if usual == SHARE:
            return PERCENT
        if not isinstance(result, Result) or value is None or isinstance(value, Expr):
            return usual
        return usual if usual.dimension in BARE else fitting(value, usual)

    @property
    def worth(self) -> list[Number]:
        """What each of its results is worth."""
        return [self.allowed(result).credit.points for result in self.results]


Version = tuple[ExamItem, ...]


def versions(bases: Sequence[DrawnQuestion]) -> Iterator[Version]:
    """As many versions as the base with the fewest variants has, each with all questions; each is
    made when it is asked for, so that what its pages need does not stay."""
    for place in range(min(map(len, bases), default=0)):
        yield tuple(ExamItem(base, place + 1, base.version(place)) for base in bases)


def _results(case: Derivation, names: Set[str]) -> Iterator[Results]:
    known = case.quantities
    return (known[name] for name in case.values if name in names and name in known)
