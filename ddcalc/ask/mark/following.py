"""The answers of one student in their order: what follows rightly from his own results, of the same
question or of earlier parts, and which slip was made before.

A question is worked out again with the student's results in the place of the right ones, and each
answer that is not right is judged by that. What he did not state follows from what he did.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from ddcalc.ask.mark.exercise import MET, NOTHING, Exercise, worth
from ddcalc.ask.mark.grading import Mark, Piece, Pieces, Verdict
from ddcalc.ask.mark.judge import StatedAnswer, StatedAnswers, failing, judged
from ddcalc.ask.solve import first, singles
from ddcalc.errors import BadFile, DdcalcError
from ddcalc.formula.expression import Expr, Fun, Number, Sym
from ddcalc.numbers.amounts import amount_text, in_unit
from ddcalc.numbers.display import equal
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import ONE
from ddcalc.problem.earlier import stands_on

FACTORS: tuple[Number, ...] = (2, Fraction(1, 2))  # of a result on which another one may rest
BETTER = {"wrong": ("right", "rounded", "unit"), "unit": ("right", "rounded")}


class OwnResult(NamedTuple):
    """What a result that is worth *right* is to a student (base units): as he *stated* it, and
    *exact*, before it was rounded or given a wrong unit, as far as that is known; it comes of what
    he *said*, each in a part; nothing is wrong with it where it is only *rounded*."""

    right: Number
    exact: Number
    stated: Number
    said: tuple[tuple[str, Pieces], ...]
    rounded: bool = False


Own = Mapping[str, OwnResult]
"""Results of earlier parts by name (``a.total``), of this one by letter."""


class World(NamedTuple):
    """The exercise as *theirs*, by a student's *own* results: numbers *instead* of right ones."""

    own: Own
    instead: Mapping[str, Number]
    theirs: Exercise


@dataclass(slots=True)
class _Part:
    """A part with its *right* exercise, and *theirs*, as a student went on from his results of
    earlier parts (*before*); what he stated in his *own* numbers here, by letter, and the numbers
    and formulas that he has *instead* of the right ones."""

    name: str
    right: Exercise
    theirs: Exercise
    before: dict[str, OwnResult] = field(default_factory=dict)
    marks: dict[str, Mark] = field(default_factory=dict)
    own: dict[str, OwnResult] = field(default_factory=dict)
    instead: dict[str, Expr | Number] = field(default_factory=dict)
    error: DdcalcError | None = None  # why it does not follow from these

    def result(self, name: str) -> OwnResult | None:
        """What the result called *name* is to the student in later parts; None where it is right.

        Raises a DdcalcError where that is out of range, or cannot be worked out.
        """
        quantity = self.right.problem.quantities[name]
        if (own := self.own.get(quantity.letter)) is not None:
            if not self.right.admits(name, own.stated):
                text = f"your ({own.said[0][0]}), {amount_text(own.stated, quantity.unit)},"
                raise BadFile(f"{text} is out of range")
            return own
        if name in self.marks and self.marks[name].verdict == "right":
            return None
        if self.error is not None:
            raise self.error
        right, theirs = self.right.numbers(name), self.theirs.by(self.instead).numbers(name)
        if not theirs:
            raise BadFile(NOTHING)
        wrong = [own for own in self.own.values() if own.exact != own.right]
        said = sum((own.said for own in wrong or self.before.values()), ())
        return None if theirs == right else OwnResult(right[0], theirs[0], theirs[0], said)

    def mark(self, name: str, stated: StatedAnswer) -> Mark:
        """The mark of what is *stated* for the quantity called *name*."""
        plan, compared = self.right.plan, self.right.compared if name == MET else [name]
        asked = {one.symbol for x in compared for one in singles(self.right.results[x])}
        needed = (plan.rests_on(*asked) if plan else asked) - (set() if name == MET else asked)
        here = {letter: own for letter, own in self.own.items() if letter in needed}
        mark, theirs = judged(self.right, name, stated), self.right
        if mark.verdict in BETTER:
            mark, theirs = self._followed(mark, stated, {**self.before, **here})
        else:
            mark = self._besides(mark, here)
        slip = mark.slips[0] if mark.slips and mark.sure else None
        if mark.verdict == "wrong":
            is_lost = name != MET and not self.theirs.numbers(name)
            if not mark.slips and self.theirs is not self.right and is_lost:
                self.error = BadFile(NOTHING)
            if not mark.slips and not mark.brief and self.error is not None:
                mark = said(mark, f"not followed: {self.error}")
            mark = mark if mark.slips else failing(self.right, mark, stated)
            self.instead |= slip.instead if slip else {}
        for letter in set() if name == MET else asked:
            self.own.pop(letter, None)
        for letter, own in mark.own.items():
            right, exact = worth(mark.right, letter), worth(theirs.result(name), letter)
            if mark.verdict == "wrong":
                exact = slip.value if slip and not mark.at else own.value
            if isinstance(right, Number) and isinstance(exact, Number):
                self.instead[letter] = exact = plain(exact)
                words, is_rounded = (Sym(letter), equal("", own.marked)), mark.verdict == "rounded"
                says = ((self.name, words),)
                self.own[letter] = OwnResult(plain(right), exact, own.value, says, is_rounded)
        self.marks[name] = mark
        return mark

    def _followed(self, mark: Mark, stated: StatedAnswer, own: Own) -> tuple[Mark, Exercise]:
        """The *mark* of what is wrong by the student's *own* results: it follows from these, or a
        slip in what follows leads there; and the exercise by which it is judged."""
        worlds = [*self._worlds(mark.name, own)]
        for world in worlds:
            other = judged(world.theirs, mark.name, stated, search=False)
            if other.verdict not in BETTER[mark.verdict]:
                continue
            source, mark = ("from ", *self._says(world.own)), replace(mark, brief=(), slips=())
            if trivial := self._trivial(world, other, stated):
                return said(replace(mark, verdict="wrong"), *source, f", but {trivial}"), self.right
            self._take(world)
            is_slip = not all(one.rounded for one in world.own.values())
            verdict: Verdict = "follows" if is_slip else "rounded"
            mark = replace(mark, verdict=verdict, follows=is_slip, sure=True, line=None)
            if other.verdict == "unit":
                mark = replace(mark, verdict="unit", brief=other.brief)
            else:
                source = ("right ", *source)
            return said(mark, *source), world.theirs if is_slip else self.right
        for world in worlds if not (mark.slips or mark.brief) else ():
            other = judged(world.theirs, mark.name, stated)
            if other.slips:
                self._take(world)
                mark = replace(mark, slips=other.slips, sure=other.sure, follows=True)
                mark = said(replace(mark, brief=other.brief), "from ", *self._says(world.own))
                break
        return mark, self.right

    def _worlds(self, name: str, own: Own) -> Iterator[World]:
        """Each way in which the student may have gone on to the quantity called *name*: his numbers
        count wherever they occur, or those of this part in its own formula only."""
        for way in _ways(own):
            here = any("." not in one for one in way)
            for instead in (way, self.right.once(way, name)) if here else (way,):
                try:
                    theirs = self.right.by(instead)
                    theirs.result(name)
                    yield World({one: own[one] for one in way}, instead, theirs)
                except DdcalcError as error:
                    self.error = self.error or error

    def _take(self, world: World) -> None:
        """The student went on in this way."""
        earlier = {one: x for one, x in world.instead.items() if "." in one}
        self.theirs, self.error = self.right.by(earlier), None

    def _besides(self, mark: Mark, here: Own) -> Mark:
        """The *mark* of what is right, though it is not what follows from wrong results *here*."""
        own = {letter: one for letter, one in here.items() if one.exact != one.right}
        theirs = self.right.by({letter: one.stated for letter, one in own.items()})
        result, numbers = mark.right, theirs.numbers(mark.name)
        if isinstance(result, tuple) or (mark.name != MET and not numbers):
            return mark
        other = theirs.result(mark.name)
        if other == result:
            return mark
        value = in_unit(numbers[0], result.unit).marked if numbers else other
        return said(mark, "though by ", *self._says(own), f" it would be {value}")

    def _trivial(self, world: World, mark: Mark, stated: StatedAnswer) -> str:
        """Why it is no merit that what is *stated* has that *mark* in a wrong *world*; empty where
        it is."""
        name, rounded = mark.name, [own.value for own in mark.own.values()]
        for one in self.right.compared if name == MET else [name]:
            quantity, worth = self.right.problem.quantities[one], world.theirs.numbers(one)
            for value in [*worth, *rounded] if worth != self.right.numbers(one) else ():
                if not value or (value == 1 and quantity.unit.dimension == ONE):
                    return f"it is trivial then: {value}"
                if not self.right.admits(one, value):
                    return "that is out of range"
        formulas = [line.formula for line in self.right.lines(name)]
        if name == MET or any(isinstance(x, Fun) and x.name == "argmax" for x in formulas):
            return ""  # the right results lead to another choice
        same = list[bool]()
        for one, factor in product(world.own, FACTORS):
            instead = {**world.instead, one: plain(world.instead[one] * factor)}
            with suppress(DdcalcError):
                other = judged(self.right.by(instead), name, stated, search=False)
                same.append(other.verdict in BETTER["wrong"])
        return "half or twice that leads there too" if same and all(same) else ""

    def _says(self, own: Own) -> Pieces:
        """The student's *own* results."""
        words: Pieces = ()
        for part, one in dict.fromkeys(one for result in own.values() for one in result.said):
            where = f"({part}): " if part != self.name else ""
            words = (*words, " and " if words else "your ", where, *one)
        return words


class Following:
    """The parts of a question that one student has answered, in their order."""

    def __init__(self) -> None:
        self._parts: dict[str, _Part] = {}
        self._slips: dict[object, tuple[str, Mark]] = {}  # in which part each was made first

    def marks(self, exercise: Exercise, stated: StatedAnswers, name: str = "") -> Iterator[Mark]:
        """The marks of what is *stated* in a question, or in its part *name*, part after part."""
        part = self._parts[name] = _Part(name, exercise, exercise)
        try:
            for result in stands_on(exercise.problem):
                earlier, _, quantity = result.partition(".")
                own = self._parts[earlier].result(quantity) if earlier in self._parts else None
                part.before |= {} if own is None else {result: own}
            part.theirs = exercise.by(next(_ways(part.before), {}))
            part.own = dict(self._alike(exercise))
        except DdcalcError as error:
            part.error = error
        part.instead = {letter: own.exact for letter, own in part.own.items()}
        for one in exercise.results:
            if one in stated:
                part.marks[one] = self._same_slip(name, part.mark(one, stated[one]))
        yield from part.marks.values()

    def _alike(self, exercise: Exercise) -> Iterator[tuple[str, OwnResult]]:
        """By letter, the student's own results of earlier parts that ask the same as *exercise*, so
        that they are also those of this one."""
        stated, kind = exercise.solved.stated, exercise.problem.slug
        for earlier in [*self._parts.values()][:-1]:
            right, other = earlier.right, earlier.right.solved.stated
            pairs = ((x, other.measured.get(n, x)) for n, x in stated.measured.items())
            is_alike = other.shape.reading == stated.shape.reading and all(a == b for a, b in pairs)
            for x, one in earlier.own.items() if is_alike and right.problem.slug == kind else ():
                if exercise.known.get(x) == one.right:
                    yield x, earlier.result(right.letters[x].name) or one

    def _same_slip(self, part: str, mark: Mark) -> Mark:
        """The *mark*; a slip that an earlier answer has too counts there."""
        slips = [slip for slip in mark.slips if slip.wrong and mark.verdict == "wrong"]
        for slip in slips:
            where, before = self._slips.get((slip.kind, slip.wrong), (part, mark))
            if before is not mark and (before.sure or mark.sure):
                same = replace(mark, verdict="follows", slips=(slip,), sure=True)
                other = f"({where})" if where != part else Sym(first(before.right).symbol)
                return said(same, "the same slip as in ", other)
        self._slips = {(slip.kind, slip.wrong): (part, mark) for slip in slips} | self._slips
        return mark


def said(mark: Mark, *more: Piece) -> Mark:
    """The *mark* with *more* said of the answer."""
    return replace(mark, brief=(*mark.brief, "; ", *more) if mark.brief else more)


def _ways(own: Own) -> Iterator[Mapping[str, Number]]:
    """The values of results with which a student may have gone on: before he rounded, as he stated
    them, the wrong ones alone, or one alone."""
    ways: list[Mapping[str, Number]] = [
        {name: one.exact for name, one in own.items() if one.exact != one.right},
        {name: one.stated for name, one in own.items()},
        {name: one.stated for name, one in own.items() if one.exact != one.right},
        *({name: one.stated} for name, one in own.items()),
    ]
    yield from (way for i, way in enumerate(ways) if way and way not in ways[:i])
