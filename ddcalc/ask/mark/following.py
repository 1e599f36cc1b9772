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
from typing import NamedTuple

from ddcalc.ask.mark.exercise import Exercise, worth
from ddcalc.ask.mark.grading import Mark, Piece, Pieces, Slip
from ddcalc.ask.mark.judge import NAMED, StatedAnswer, StatedAnswers, judged
from ddcalc.ask.mark.suspects import hits, suspects
from ddcalc.ask.mark.written import Answer, Written
from ddcalc.ask.solve import Result, singles
from ddcalc.errors import BadFile, BadValue, DdcalcError
from ddcalc.formula.expression import Expr, Number, Sym
from ddcalc.numbers.amounts import amount_text, in_unit
from ddcalc.numbers.display import equal
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import ONE
from ddcalc.problem.earlier import FromPart, stands_on
from ddcalc.problem.quantity import Derived, Given, Quantity

FACTORS = (2, Fraction(1, 2))  # by which a result is changed to see whether another one rests on it
BETTER = {"wrong": ("right", "rounded", "unit"), "unit": ("right", "rounded")}


class OwnResult(NamedTuple):
    """What a result that is worth *right* is to a student (base units): as he *stated* it, and
    *exact*, before it was rounded or given a wrong unit, as far as that is known; it comes of what
    he *said*."""

    right: Number
    exact: Number
    stated: Number
    said: tuple[Pieces, ...]


Own = Mapping[str, OwnResult]
"""Results of earlier parts by name (``a.total``), of this one by letter."""


Way = Mapping[str, Number]
"""Numbers instead of results, which are called so, too."""


class World(NamedTuple):
    """The exercise as *theirs*, by *own* results of a student's: with numbers *instead* of the
    right ones."""

    own: Own
    instead: Way
    theirs: Exercise


@dataclass(slots=True)
class _Part:
    """A part with its *right* exercise, and *theirs*, as a student went on from his results of
    earlier parts (*before*); what he stated in his *own* numbers here, by letter, and the numbers
    and formulas that he has *instead* of the right ones."""

    name: str
    right: Exercise
    theirs: Exercise
    before: Own = field(default_factory=dict)
    marks: dict[str, Mark] = field(default_factory=dict)
    own: dict[str, OwnResult] = field(default_factory=dict)
    instead: dict[str, Expr | Number] = field(default_factory=dict)
    error: DdcalcError | None = None  # why it does not follow from these

    def result(self, name: str) -> OwnResult | None:
        """What the result called *name* is to the student in later parts; None where it is right.

        Raises a DdcalcError where that is out of range, or cannot be worked out.
        """
        quantity = self.right.problem.quantities[name]
        said = {
            letter: tuple((f"({self.name}): ", *words) for words in own.said)
            for letter, own in self.own.items()
        }
        if (own := self.own.get(quantity.letter)) is not None:
            if _is_beyond(quantity, own.stated):
                text = f"your ({self.name}), {amount_text(own.stated, quantity.unit)},"
                raise BadFile(f"{text} is out of range")
            return own._replace(said=said[quantity.letter])
        if name in self.marks and self.marks[name].verdict == "right":
            return None
        if self.error is not None:
            raise self.error
        right, exact = _number(self.right, name), _number(self.theirs.by(self.instead), name)
        wrong = [said[letter] for letter, own in self.own.items() if own.exact != own.right]
        behind = wrong or [own.said for own in self.before.values()]
        return None if exact == right else OwnResult(right, exact, exact, sum(behind, ()))

    def mark(self, name: str, stated: StatedAnswer) -> Mark:
        """The mark of what is *stated* for the quantity called *name*."""
        here, judging = self._own_here(name), self.right
        mark = judged(self.right, name, stated)
        if mark.verdict in BETTER:
            mark, judging = self._followed(mark, stated, {**self.before, **here})
        else:
            mark = self._besides(mark, here)
        slip = mark.slips[0] if mark.slips and mark.sure else None
        if mark.verdict == "wrong":
            if not mark.slips:
                mark = self._not_followed(mark)
            self.instead |= slip.instead if slip else {}
        for one in singles(self.right.results[name]) if mark.own else ():
            if (own := mark.own.get(one.symbol)) and isinstance(one.value, Number):
                exact = worth(judging.results, name, one.symbol)
                if mark.verdict == "wrong" or not isinstance(exact, Number):
                    exact = slip.value if slip and not mark.at else own.value
                self.instead[one.symbol] = exact = plain(exact)
                words = (Sym(one.symbol), equal("", own.marked))
                self.own[one.symbol] = OwnResult(plain(one.value), exact, own.value, (words,))
        self.marks[name] = mark
        return mark

    def _own_here(self, name: str) -> Own:
        """The results stated here on which the one called *name* rests, by letter."""
        asked = {one.symbol for one in singles(self.right.results[name])}
        needed = self.right.plan.rests_on(*asked) - asked if self.right.plan else ()
        return {letter: own for letter, own in self.own.items() if letter in needed}

    def _followed(self, mark: Mark, stated: StatedAnswer, own: Own) -> tuple[Mark, Exercise]:
        """The *mark* of what is wrong by the student's *own* results: it follows from these, or a
        slip in what follows leads there; and the exercise by which it is judged."""
        worlds = [*self._worlds(mark.name, own)]
        for world in worlds:
            other = judged(world.theirs, mark.name, stated, search=False)
            if other.verdict not in BETTER[mark.verdict]:
                continue
            source, mark = ("from ", *_says(world)), replace(mark, brief=(), slips=())
            if trivial := self._trivial(world, mark.name):
                return said(replace(mark, verdict="wrong"), *source, f", but {trivial}"), self.right
            self._take(world)
            mark = replace(mark, verdict="follows", follows=True, sure=True, line=None)
            if other.verdict == "unit":
                mark = replace(mark, verdict="unit", brief=other.brief)
            else:
                source = ("right ", *source)
            return said(mark, *source), world.theirs
        for world in worlds if not (mark.slips or mark.brief) else ():
            other = judged(world.theirs, mark.name, stated)
            if other.slips:
                self._take(world)
                mark = replace(mark, slips=other.slips, sure=other.sure, follows=True)
                mark = said(replace(mark, brief=other.brief), "from ", *_says(world))
                break
        return mark, self.right

    def _worlds(self, name: str, own: Own) -> Iterator[World]:
        """Each way in which the student may have gone on to the quantity called *name*: his numbers
        count wherever they occur, or those of this part in its own formula only."""
        for way in _ways(own):
            mine = {one: own[one] for one in way}
            here = any("." not in one for one in way)
            for instead in (way, self.right.once(way, name)) if here else (way,):
                try:
                    theirs = self.right.by(instead)
                    if name not in theirs.results:
                        raise BadValue(name, "has no value")
                    yield World(mine, instead, theirs)
                except DdcalcError as error:
                    self.error = self.error or error

    def _take(self, world: World) -> None:
        """The student went on in this way."""
        earlier = {one: x for one, x in world.instead.items() if "." in one}
        self.theirs, self.error = self.right.by(earlier), None

    def _besides(self, mark: Mark, here: Own) -> Mark:
        """The *mark* of what is right, though it is not what follows from wrong results *here*."""
        own = {letter: one for letter, one in here.items() if one.exact != one.right}
        instead = {letter: one.stated for letter, one in own.items()}
        theirs = self.right.by(instead)
        result = theirs.results.get(mark.name, mark.right)
        if isinstance(result, tuple) or result == mark.right:
            return mark
        assert isinstance(result.value, Number)
        words = _says(World(own, instead, theirs))
        value = in_unit(result.value, result.unit).marked
        more: Pieces = ("though by ", *words, f" it would be {value}")
        return replace(mark, brief=(*mark.brief, ", ", *more) if mark.brief else more)

    def _not_followed(self, mark: Mark) -> Mark:
        """The *mark* of what nothing explains, with what kept it from being followed."""
        if self.theirs is not self.right and not self.theirs.numbers(mark.name):
            self.error = BadFile("by your results nothing does it")
        return mark if self.error is None else said(mark, f"not followed: {self.error}")

    def _trivial(self, world: World, name: str) -> str:
        """Why it is no merit that the result called *name* follows in a wrong *world*; empty where
        it is."""
        quantity, worth = self.right.problem.quantities[name], world.theirs.numbers(name)
        for value in worth:
            if not value or (value == 1 and quantity.unit.dimension == ONE):
                return f"it is trivial then: {value}"
            if _is_beyond(quantity, value):
                return "that is out of range"
        is_tried = False
        for one in world.own if worth else ():
            for factor in FACTORS:
                with suppress(DdcalcError):
                    moved = {one: plain(world.instead[one] * factor)}
                    other = self.right.by({**world.instead, **moved})
                    is_tried = True
                    if other.numbers(name) != worth:
                        return ""
        return "any such result leads to it" if is_tried else ""


class Following:
    """The parts of a question that one student has answered, in their order."""

    def __init__(self) -> None:
        self._parts: dict[str, _Part] = {}
        self._slips: dict[object, str] = {}  # where each was made first

    def marks(self, exercise: Exercise, stated: StatedAnswers, name: str = "") -> Iterator[Mark]:
        """The marks of what is *stated* in a question, or in the part called *name*, which stands
        on those marked before it."""
        part = self._parts[name] = _Part(name, exercise, exercise)
        try:
            part.before = dict(self._own(exercise))
            part.theirs = exercise.by(next(_ways(part.before), {}))
        except DdcalcError as error:
            part.error = error
        for one in exercise.results:
            if one in stated:
                mark = self._slip_before(part, part.mark(one, stated[one]), stated[one][0])
                part.marks[one] = self._same_slip(name, mark)
        yield from part.marks.values()

    def _own(self, exercise: Exercise) -> Iterator[tuple[str, OwnResult]]:
        """The results of earlier parts on which *exercise* stands that are not the right ones."""
        for result in stands_on(exercise.problem):
            name, _, quantity = result.partition(".")
            own = self._parts[name].result(quantity) if name in self._parts else None
            if own is not None:
                yield result, own

    def _slip_before(self, part: _Part, mark: Mark, answer: Answer) -> Mark:
        """The *mark* of what nothing else explains, by a slip in a result of an earlier part that
        was not handed in."""
        unit, is_open = mark.unit, mark.verdict == "wrong" and not (mark.slips or mark.brief)
        if not is_open or not isinstance(answer, Written) or unit is None:
            return mark
        for given in part.right.problem.givens.values():
            result = given.result if isinstance(given, FromPart) else ""
            name, _, quantity = result.partition(".")
            earlier = self._parts.get(name)
            if earlier is None or quantity in earlier.marks:
                continue
            made = list[Slip]()
            asked = earlier.theirs.results.get(quantity)
            if not isinstance(asked, Result) or not isinstance(asked.value, Number):
                continue
            for slip in suspects(earlier.theirs, quantity, asked.symbol):
                with suppress(DdcalcError):
                    theirs = part.theirs.by({given.letter: slip.value})
                    made += (replace(slip, value=value) for value in theirs.numbers(mark.name))
            if slips := hits(made, answer, unit):
                mark = replace(mark, slips=tuple(slips), sure=answer.digits >= NAMED)
                return said(mark, f"a slip in ({name}), which is not answered")
        return mark

    def _same_slip(self, part: str, mark: Mark) -> Mark:
        """The *mark*; a slip that an earlier part has too counts there."""
        slips = [slip for slip in mark.slips if slip.wrong and mark.sure]
        if mark.verdict != "wrong":
            return mark
        for slip in slips:
            where = self._slips.get((slip.kind, slip.wrong), part)
            if where != part:
                same = replace(mark, verdict="follows", slips=(slip,))
                return said(same, f"the same slip as in ({where})")
        self._slips |= {(slip.kind, slip.wrong): part for slip in slips}
        return mark


def said(mark: Mark, *more: Piece) -> Mark:
    """The *mark* with *more* said of the answer."""
    return replace(mark, brief=(*mark.brief, "; ", *more) if mark.brief else more)


def _ways(own: Own) -> Iterator[Way]:
    """The values of results with which a student may have gone on: before he rounded, as he stated
    them, the wrong ones alone, or one alone."""
    ways: list[Way] = [
        {name: one.exact for name, one in own.items() if one.exact != one.right},
        {name: one.stated for name, one in own.items()},
        {name: one.stated for name, one in own.items() if one.exact != one.right},
        *({name: one.stated} for name, one in own.items()),
    ]
    yield from (way for i, way in enumerate(ways) if way and way not in ways[:i])


def _says(world: World) -> Pieces:
    """The student's own results in a *world*."""
    words: Pieces = ()
    for one in dict.fromkeys(one for own in world.own.values() for one in own.said):
        words = (*words, " and " if words else "your ", *one)
    return words


def _is_beyond(quantity: Quantity, value: Number) -> bool:
    """Whether *quantity* cannot have that *value*."""
    if not isinstance(quantity, Derived | Given):
        return False
    least, most = quantity.least, quantity.most
    return (least is not None and value < least) or (most is not None and value > most)


def _number(exercise: Exercise, name: str) -> Number:
    """The number that the result called *name* is; BadFile where by a student's results it is
    none."""
    for number in exercise.numbers(name):
        return number
    raise BadFile("by your results nothing does it")
