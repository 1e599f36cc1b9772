"""Versions of an exam: the first one has the first variant of each question, and so on. A question
of a file in other numbers: what several parts share is drawn once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.mark.exercise import MET, met
from ddcalc.ask.mark.grading import AS_USUAL
from ddcalc.ask.mark.written import Allowed
from ddcalc.ask.solve import Derivation, Result, Results, Text, first, singles, texts_of
from ddcalc.ask.variants.draw import Dial, Drawn
from ddcalc.ask.variants.search import (
    Likeness,
    OfStated,
    Tried,
    Variants,
    VariantSearch,
    VariantsWanted,
    places,
)
from ddcalc.boundary.nodes import Node, Scalar
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadValue
from ddcalc.files.answer_key import node
from ddcalc.files.answers import asks_whether
from ddcalc.files.batch import Solved, solved_again
from ddcalc.files.filed_problem import FiledProblem
from ddcalc.files.keys import keys_of
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.amounts import fitting
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.units import BARE, PERCENT, SHARE, Measured, Unit
from ddcalc.problem.earlier import FromPart
from ddcalc.problem.stated import Stated, filled_in

LONGEST: Final = 64  # characters of an id
DIGITS: Final = 35  # of a number that can be read again with all its decimals
DRAWS: Final = 400  # for one version
SOLVED: Final = 30_000  # cases worked out for all of them
SURELY: Final = 2  # draws that a version takes, at the least
Entry = tuple[Scalar, Node]
Numbers = Mapping[int, Entry]  # entries instead of those that are given, by their identity


class DrawnQuestion(VariantSearch[Numbers]):
    """The question that is *solved*, whose numbers may change: each that is given once, however
    many parts have it. A draw serves if every part is answered; those as clean as the base, in the
    same cases, go first.

    Raises UnknownName for what is no given, BadValue where so many are surely too many.
    """

    def __init__(self, done: Solved, wanted: VariantsWanted) -> None:
        super().__init__(wanted)
        self.done, self.name, self.most = done, done.question.id or "", (DRAWS, SOLVED)
        self.parts = done.parts or [done]
        cases = sum(len(part.cases) for part in self.parts)
        if wanted.count * cases * SURELY > SOLVED:
            most = SOLVED // (cases * SURELY)
            reason = f"versions of {cases} answers are too many; at most {most} are drawn"
            raise BadValue(str(wanted.count), reason).about("count")
        stated = {id(entry): (entry, dial) for part in self.parts for entry, dial in dials(part)}
        entries = {dial: entry for entry, dial in stated.values()}
        self.free = self.chosen([*entries], {dial.given.name for dial in entries})
        self.entries = [entries[dial] for dial in self.free]
        self.like = [[_Like(case, wanted) for case in part.cases] for part in self.parts]
        self.verdicts = [[limit.agrees for limit in part.limits] for part in self.parts]
        self.called = [one.called for row in self.like for one in row]
        self.mine = tuple(str(case.answer.value) for part in self.parts for case in part.cases)

    def drawn(self, values: Mapping[int, Drawn]) -> tuple[Numbers, Hashable]:
        numbers, key = dict[int, Entry](), list[Number]()
        for i, (dial, entry) in enumerate(zip(self.free, self.entries, strict=True)):
            name, at = entry
            now = values.get(i, dial.measured)
            its = (now,) if isinstance(now, Measured) else now
            written: list[Node] = [Scalar(one.text, at.line, at.column) for one in its]
            listed = Listed(written, at.line, at.column)
            numbers[id(entry)] = name, written[0] if isinstance(now, Measured) else listed
            key += [one.value for one in its]
        return numbers, tuple(key)

    def outcome(self, question: Numbers) -> Tried:
        results, is_strict = list[str](), True
        again = solved_again(self.done, question)
        for part, row, verdicts in zip(again, self.like, self.verdicts, strict=True):
            if not part.answered or len(part.cases) != len(row):
                return (), False
            for case, like in zip(part.cases, row, strict=True):
                if (case.answer.value is None) != like.is_none:
                    return (), False
                is_strict = is_strict and like.is_alike(case)
                results.append(str(case.answer.value))
            is_strict = is_strict and verdicts == [limit.agrees for limit in part.limits]
        alike = [*map(results.index, results)] == [*map(self.mine.index, self.mine)]
        return (tuple(results), is_strict) if alike else ((), False)

    def made(self, question: Numbers) -> Solved:
        """The question in the numbers that were drawn."""
        parts = [*solved_again(self.done, question)]
        if not self.done.parts:
            return parts[0]
        head = self.done.question.restated(question)
        head.parts = [part.question for part in parts]
        return Solved(head, parts=parts)


class _Like:
    """Whether another case is like *case*."""

    def __init__(self, case: Derivation, wanted: VariantsWanted) -> None:
        answer = case.answer
        self.is_none, self.most = answer.value is None, places(answer.value, answer.unit)
        self.called = case.problem.quantities[answer.name].called
        self.like: Likeness | None = None
        if not isinstance(case, Inversion):
            self.like = Likeness(case.working, case.stated, replace(wanted, results=()))

    def is_alike(self, case: Derivation) -> bool:
        if self.like is not None:
            tried = self.like.outcome(case.working)
            return tried is not None and bool(tried[0])
        ends = places(case.answer.value, case.answer.unit)
        return self.most is None or (ends is not None and ends <= self.most)


def dials(part: Solved) -> list[tuple[Entry, Dial]]:
    """The entries of a *part* that state numbers, with what these may become; a given with a value
    for each case changes like a list."""
    free = []
    for key, entry in part.question.given.items():
        name, texts = key.replace("-", "_"), entry[1]
        stated = [case.stated.measured.get(name) for case in part.cases]
        given, find = part.cases[0].problem.givens.get(name), part.question.find
        if find is not None and find.text.replace("-", "_") == name:
            continue  # it is sought
        if given is None or isinstance(given, FromPart):
            continue
        if isinstance(texts, Listed) and not all(isinstance(x, Scalar) for x in texts.items):
            continue  # rows of numbers stay
        measured = stated[0]
        if isinstance(texts, Listed) and isinstance(measured, Measured):
            measured = tuple(one for one in stated if isinstance(one, Measured))
        if measured is None:
            continue
        dial = Dial(given, measured)
        if dial.is_free:
            free.append((entry, dial))
    return free


def varying(done: Solved) -> list[str]:
    """The names of the givens that may change."""
    if done.derivation is not None and not is_own(done):
        stated = done.derivation.stated
        return [name for name in stated.measured if name in stated.said]
    return [dial.given.name for part in done.parts or [done] for _, dial in dials(part)]


def is_own(done: Solved) -> bool:
    """Whether a problem asks more than its type: something sought, a limit, steps or formulas."""
    solved, question = done.derivation, done.question
    sought = question.find is not None or question.limit is not None
    return sought or solved is None or solved.problem is not question.problem


def in_numbers(base: Solved, stated: Stated) -> Solved:
    """A problem, with what it adds to its type in a call, as it is *stated* in other numbers."""
    texts, _ = filled_in(stated.problem, texts_of(stated))
    stands = {**texts, **stated.problem.stated_so}
    given = {name: (Scalar(name), node(text)) for name, text in stands.items()}
    own = stated.problem.own_steps
    steps = {f"{name} = {rule}": (Scalar(name), node(why)) for name, rule, why in own}
    solved, question = Derivation(stated), replace(base.question, given=given, steps=steps)
    question.expect, question.claimed, question.marking = {}, {}, {}
    question.title = question.title if question.text else ""
    question.quantity = node([*stated.shape.wanted]) if stated.shape.wanted else None
    return Solved(question, solved, [solved])


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
