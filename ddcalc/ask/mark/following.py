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

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.grading import Mark, Piece, Pieces, Slip, StudentResult
from ddcalc.ask.mark.judge import NAMED, StatedAnswer, StatedAnswers, judged
from ddcalc.ask.mark.suspects import hits, suspects
from ddcalc.ask.mark.written import Answer, Written
from ddcalc.ask.solve import singles
from ddcalc.errors import BadFile, DdcalcError
from ddcalc.formula.expression import Expr, Number, Sym
from ddcalc.numbers.amounts import amount_text, in_unit
from ddcalc.numbers.display import equal
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import ONE
from ddcalc.problem.earlier import FromPart
from ddcalc.problem.quantity import Derived, Given, Quantity

FACTORS = (2, Fraction(1, 2))  # by which a result is changed to see whether another one rests on it
BETTER = {"wrong": ("right", "rounded", "unit"), "unit": ("right", "rounded")}

Way = Mapping[str, Number]
"""Numbers instead of results: of earlier parts by name (``a.total``), of this one by letter."""


class OwnResult(NamedTuple):
    """What a result that is worth *right* is to a student (base units): as he *stated* it, and
    *exact*, before it was rounded or given a wrong unit, as far as that is known; it comes of what
    he *said*."""

    right: Number
    exact: Number
    stated: Number
    said: tuple[Pieces, ...]


Own = Mapping[str, OwnResult]


@dataclass(slots=True)
class _Part:
    """The *exercise* as a student went on with it, which is the *right* one unless it stands on
    results of his (*before*); what he *stated* here, by letter, and the numbers and formulas that
    he has *instead* of the right ones."""

    name: str
    right: Exercise
    exercise: Exercise
    before: Own = field(default_factory=dict)
    marks: dict[str, Mark] = field(default_factory=dict)
    stated: dict[str, StudentResult] = field(default_factory=dict)
    instead: dict[str, Expr | Number] = field(default_factory=dict)
    error: DdcalcError | None = None  # why it does not follow from these

    def own(self, name: str) -> OwnResult | None:
        """What the result called *name* is to the student in later parts; None where it is right.

        Raises a DdcalcError where that is out of range, or cannot be worked out.
        """
        right, quantity = _number(self.right, name), self.right.problem.quantities[name]
        said = {k: _said(k, one, f"({self.name}): ") for k, one in self.stated.items()}
        if (own := self.stated.get(quantity.letter)) is not None:
            if _is_beyond(quantity, own.value):
                text = f"your ({self.name}), {amount_text(own.value, own.unit)},"
                raise BadFile(f"{text} is out of range")
            exact = self._exact(name, quantity.letter)
            return OwnResult(right, exact, own.value, (said[quantity.letter],))
        if name in self.marks and self.marks[name].verdict == "right":
            return None
        if self.error is not None:
            raise self.error
        exact = self._exact(name, quantity.letter)
        wrong = tuple(said[k] for k, one in self.stated.items() if one.wrong)
        behind = wrong or tuple(one for own in self.before.values() for one in own.said)
        return None if exact == right else OwnResult(right, exact, exact, behind)

    def _own_here(self, name: str) -> Own:
        """The results stated here on which the one called *name* rests, by letter."""
        chain = self.right.chain
        if not self.stated or chain is None:
            return {}
        asked = {one.symbol for one in singles(self.right.results[name])}
        needed = chain.rests_on(asked) - asked
        return {
            k: OwnResult(right, self._exact(name, k), own.value, (_said(k, own),))
            for k, own in self.stated.items()
            if k in needed and (right := chain.known.get(k)) is not None
        }

    def _exact(self, name: str, letter: str) -> Number:
        """What *letter*, on which the result called *name* rests, comes to by what is stated here,
        and by the slips behind it."""
        theirs = self.exercise.by(self.instead, name)
        value = theirs.chain.known.get(letter) if theirs.chain else self.instead.get(letter)
        return value if isinstance(value, Number) else _number(theirs, name)

    # The mark of an answer

    def mark(self, name: str, stated: StatedAnswer) -> Mark:
        """The mark of what is *stated* for the quantity called *name*."""
        mark, here = judged(self.right, name, stated), self._own_here(name)
        if mark.verdict in BETTER:
            mark = self._followed(mark, stated, {**self.before, **here})
        else:
            mark = self._besides(mark, here)
        if mark.verdict == "wrong" and not mark.slips:
            if self.exercise is not self.right and not self.exercise.numbers(name):
                self.error = BadFile("by your results nothing does it")
            if self.error is not None:
                mark = said(mark, f"not followed: {self.error}")
        if mark.verdict == "wrong":
            slip = mark.slips[0] if mark.slips and mark.sure else None
            self.instead |= slip.instead if slip else {}
            for letter, own in mark.own.items():
                self.instead[letter] = slip.value if slip and not mark.at else own.value
        self.stated |= mark.own
        self.marks[name] = mark
        return mark

    def _followed(self, mark: Mark, stated: StatedAnswer, own: Own) -> Mark:
        """The *mark* of what is wrong by the student's *own* results: it follows from these, or a
        slip in what follows leads there."""
        worlds = [*self._worlds(mark.name, own)]
        for way, theirs, once in worlds:
            other = judged(theirs, mark.name, stated, search=False)
            if other.verdict not in BETTER[mark.verdict]:
                continue
            source, mark = ("from ", *_says(own, way)), replace(mark, brief=(), slips=())
            if trivial := self._trivial(theirs, way, mark.name, once):
                return said(replace(mark, verdict="wrong"), *source, f", but {trivial}")
            self._take(way)
            mark = replace(mark, verdict="follows", follows=True, sure=True, line=None)
            if other.verdict == "unit":
                return said(replace(mark, verdict="unit", brief=other.brief), *source)
            return said(mark, "right ", *source)
        for way, theirs, _ in worlds if not (mark.slips or mark.brief) else ():
            other = judged(theirs, mark.name, stated)
            if other.slips:
                self._take(way)
                mark = replace(mark, slips=other.slips, sure=other.sure, follows=True)
                return said(replace(mark, brief=other.brief), "from ", *_says(own, way))
        return mark

    def _worlds(self, name: str, own: Own) -> Iterator[tuple[Way, Exercise, bool]]:
        """Each way in which the student may have gone on to the quantity called *name*."""
        for way in _ways(own):
            for once in (False,) if all("." in one for one in way) else (False, True):
                try:
                    theirs = self.right.by(way, name, once=once)
                except DdcalcError as error:
                    self.error = self.error or error
                    continue
                if name in theirs.results:
                    yield way, theirs, once

    def _take(self, way: Way) -> None:
        """The student went on in this *way*."""
        self.exercise = self.right.by({one: x for one, x in way.items() if "." in one})
        self.error = None

    def _besides(self, mark: Mark, here: Own) -> Mark:
        """The *mark* of what is right, though it is not what follows from wrong results *here*."""
        way = {one: own.stated for one, own in here.items() if self.stated[one].wrong}
        with suppress(DdcalcError):
            result = self.right.by(way, mark.name).results[mark.name]
            if not isinstance(result, tuple) and result != mark.right:
                assert isinstance(result.value, Number)
                value = in_unit(result.value, result.unit).marked
                more = ("though by ", *_says(here, way), f" it would be {value}")
                return replace(mark, brief=(*mark.brief, ", ", *more) if mark.brief else more)
        return mark

    def _trivial(self, theirs: Exercise, way: Way, name: str, once: bool) -> str:
        """Why it is no merit that the result called *name* follows from a wrong *way*; empty where
        it is."""
        quantity, worth = self.right.problem.quantities[name], theirs.numbers(name)
        for value in worth:
            if not value or (value == 1 and quantity.unit.dimension == ONE):
                return f"it is trivial then: {value}"
            if _is_beyond(quantity, value):
                return "that is out of range"
        is_tried = False
        for one, value in way.items() if worth else ():
            for factor in FACTORS:
                with suppress(DdcalcError):
                    other = self.right.by({**way, one: plain(value * factor)}, name, once=once)
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
            part.exercise = exercise.by(next(_ways(part.before), {}))
        except DdcalcError as error:
            part.error = error
        for one in exercise.results:
            if one in stated:
                mark = self._slip_before(part, part.mark(one, stated[one]), stated[one][0])
                part.marks[one] = self._same_slip(name, mark)
        yield from part.marks.values()

    def _own(self, exercise: Exercise) -> Iterator[tuple[str, OwnResult]]:
        """The results of earlier parts on which *exercise* stands that are not the right ones."""
        for result in exercise.stands_on:
            name, _, quantity = result.partition(".")
            own = self._parts[name].own(quantity) if name in self._parts else None
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
            if (
                earlier is None
                or quantity in earlier.marks
                or not earlier.exercise.numbers(quantity)
            ):
                continue
            made = list[Slip]()
            is_number = earlier.exercise.numbers(quantity)
            for slip in suspects(earlier.exercise, quantity) if is_number else ():
                with suppress(DdcalcError):
                    theirs = part.exercise.by({given.letter: slip.value}, mark.name)
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


def _said(letter: str, own: StudentResult, part: str = "") -> Pieces:
    """What a student stated for a *letter*, of a *part* if it is another one."""
    return (part, Sym(letter), equal("", in_unit(own.value, own.unit).marked))


def _says(own: Own, way: Way) -> Pieces:
    """The student's *own* results in a *way*."""
    words: Pieces = ()
    for one in dict.fromkeys(one for name in way for one in own[name].said):
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
