"""Versions of an exam: the first one has the first variant of each question, and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.mark.grading import AS_USUAL
from ddcalc.ask.mark.written import Allowed
from ddcalc.ask.solve import Derivation, Result, Results, Text, first, singles, texts_of
from ddcalc.ask.variants.search import OfStated, Variants, VariantsWanted
from ddcalc.files.batch import Solved
from ddcalc.files.drawn import DrawnQuestion, in_numbers, is_own
from ddcalc.files.filed_problem import FiledProblem
from ddcalc.files.keys import keys_of
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.amounts import fitting
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.units import BARE, PERCENT, SHARE, Unit
from ddcalc.problem.stated import Stated

LONGEST = 64  # characters of an id
DIGITS = 35  # of a number that can be read again with all its decimals


@dataclass(frozen=True)
class ExamQuestion:
    """A question called *name*, solved in its own numbers (the *base*), with its *variants*; each
    of these is *made* a solved question when it is asked for."""

    name: str
    base: Solved
    variants: Variants[Any] = field(default_factory=Variants)
    made: Callable[[Any], Solved] | None = None

    def drawn(
        self, wanted: VariantsWanted, step: Callable[[], None] = lambda: None
    ) -> ExamQuestion:
        """The same with the variants that are *wanted*. Raises what :func:`variants` does."""
        if self.base.derivation is not None and not is_own(self.base):
            names = [key.replace("-", "_") for key in self.base.question.expect]
            search = OfStated(self.base.derivation.stated, replace(wanted, results=names))
            return replace(self, variants=search.run(step), made=partial(in_numbers, self.base))
        drawn = DrawnQuestion(self.base, wanted)
        return replace(self, variants=drawn.run(step), made=drawn.made)

    def version(self, place: int) -> Solved:
        """Its variant at a *place*, from 0."""
        assert self.made is not None
        return self.made(self.variants.questions[place])

    @cached_property
    def allowed(self) -> list[Mapping[str, Allowed]]:
        """How far the results of each part may be off, and what each is worth."""
        keys = [key for its in keys_of(self.base).values() for key in its]
        known = {id(key.source): key.requirements.allowed for key in keys}
        return [known.get(id(part.question), {}) for part in self.base.parts or [self.base]]


def of_stated(name: str, base: Stated) -> ExamQuestion:
    """The question called *name* that no file states, but *base*."""
    written = FiledProblem("", 0, id=name, kind=base.problem.slug, problem=base.problem)
    solved = Derivation(base)
    return ExamQuestion(name, Solved(written, solved, [solved]))


@dataclass(frozen=True)
class ExamItem:
    """A variant in an exam: its *base*, the number of its *version*, and itself *done*."""

    base: ExamQuestion
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
        mine, its = (one.parts or [one] for one in (self.done, self.base.base))
        return [
            ExamPart(self, i, part, base)
            for i, (part, base) in enumerate(zip(mine, its, strict=True))
        ]

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
    """A part of an *item*, or all of it: what comes of it *done*, and of the same part of the
    *base*; *number* is its place, from 0."""

    item: ExamItem
    number: int
    done: Solved
    base: Solved

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
        """The same of another *case*."""
        if isinstance(case, Inversion):
            return [case.answer]
        return [*_results(case, {*case.stated.shape.wanted} or {case.answer.name})]

    def expected(self, case: Derivation) -> list[Results]:
        """What is asked for and what else the base expects, in the order of derivation; what is too
        long to be read from a file is left out."""
        asked = self.asked(case)
        names = {first(result).name for result in asked}
        more = {key.replace("-", "_") for key in self.base.question.expect} - names
        found = asked if isinstance(case, Inversion) else ()
        known = (*found, *_results(case, more if found else names | more))
        most = 10**DIGITS
        return [
            result
            for result in known
            if all(
                one.value is None
                or isinstance(one.value, Expr | Approximate)
                or max(abs(one.value.numerator), one.value.denominator) < most
                for one in singles(result)
            )
        ]

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


def versions(bases: Sequence[ExamQuestion]) -> Iterator[Version]:
    """As many versions as the base with the fewest variants has, each with all questions; each is
    made when it is asked for, so that what its pages need does not stay."""
    for place in range(min((len(base.variants.questions) for base in bases), default=0)):
        yield tuple(ExamItem(base, place + 1, base.version(place)) for base in bases)


def _results(case: Derivation, names: Set[str]) -> Iterator[Results]:
    known = case.quantities
    return (known[name] for name in case.values if name in names and name in known)
