"""The parts of a question by one student's own results: what follows rightly from these, and which
slip was made before.

A part is solved again with the student's results in the place of the right ones, and marked by
that. What he did not state is worked out again from what he did.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.grading import Mark
from ddcalc.ask.mark.judge import Earlier, StatedAnswers, StudentResult, marks, spelt_out
from ddcalc.ask.mark.slip import Piece, Pieces
from ddcalc.ask.solve import Results, singles
from ddcalc.errors import BadFile, BadValue, DdcalcError
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import ONE
from ddcalc.problem.quantity import Derived, Given, Quantity

FACTORS = (2, Fraction(1, 2))  # by which a result is changed to see whether another one rests on it
BETTER = {"wrong": ("right", "rounded", "follows", "unit"), "unit": ("right", "rounded", "follows")}

Roots = Mapping[tuple[str, str], StudentResult]
"""The student's own results, by part and letter, from which something follows."""


@dataclass(frozen=True, slots=True)
class OwnResult:
    """What a result of a part, which is worth *right*, is to a student (base units): as he *stated*
    it, and *exact*, before it was rounded or given a wrong unit, as far as that is known."""

    right: Number
    exact: Number
    stated: Number
    roots: Roots


@dataclass(slots=True)
class _Part:
    """The *exercise* as a student went on with it, which is the *right* one unless it stands on
    results of his, the *roots*; *stated* are his own here, by letter."""

    name: str
    right: Exercise
    exercise: Exercise
    marks: dict[str, Mark]
    stated: Earlier
    roots: Roots = field(default_factory=dict)
    error: DdcalcError | None = None  # why it does not follow from these

    def own(self, name: str) -> OwnResult | None:
        """What the result called *name* is to the student; None where it is the right one.

        Raises a DdcalcError where that is out of range, or cannot be worked out.
        """
        right, mark = _number(self.right.results[name], name), self.marks.get(name)
        quantity = self.right.problem.quantities[name]
        stated = self.stated.get(quantity.letter)
        if mark is None or stated is None:
            if mark is not None and mark.verdict == "right":
                return None
            if self.error is not None:
                raise self.error
            wrong = self._roots(own for own in self.stated.values() if own.wrong)
            value = self._worked_out(quantity)
            return None if value == right else OwnResult(right, value, value, wrong or self.roots)
        if _is_beyond(quantity, stated.value):
            text = f"your ({self.name}), {amount_text(stated.value, stated.unit)},"
            raise BadFile(f"{text} is out of range")
        exact = stated.value
        if mark.slips and mark.sure:
            exact = mark.slips[0].value
        elif mark.follows or mark.verdict == "follows":
            exact = self._worked_out(quantity)
        elif mark.verdict != "wrong":
            exact = right
        return OwnResult(right, exact, stated.value, self._roots([stated]))

    def _roots(self, some: Iterable[StudentResult]) -> Roots:
        return {(self.name, one.letter): replace(one, part=self.name) for one in some}

    def _worked_out(self, quantity: Quantity) -> Number:
        """What *quantity* comes to by all else that is stated here, and by the slips behind it."""
        chain, letter = self.exercise.chain, quantity.letter
        if chain is not None:
            slips = (mark.slips[0] for mark in self.marks.values() if mark.slips and mark.sure)
            instead = {one: rule for slip in slips for one, rule in slip.instead.items()}
            stated = (one for one, own in self.stated.items() if own.wrong and one != letter)
            instead |= {one: self.stated[one].value for one in stated}
            made = chain.again(instead, chain.rests_on(letter))
            if made is not None and (value := made.known[letter]) is not None:
                return value
        return _number(self.exercise.results[quantity.name], quantity.name)

    def say(self, name: str, *more: Piece, **changes: object) -> None:
        """Say *more* of the answer called *name*, with *changes* to its mark."""
        mark = self.marks[name]
        brief = (*mark.brief, "; ", *more) if mark.brief else more
        self.marks[name] = replace(mark, brief=brief, **changes)  # type: ignore[arg-type]

    def says_from(self) -> Pieces:
        """The student's own results of earlier parts."""
        return ("from your ", *spelt_out(self.roots.values()))


class Following:
    """The parts of a question that one student has answered, in their order."""

    def __init__(self) -> None:
        self._parts: dict[str, _Part] = {}
        self._slips: dict[object, str] = {}  # where each was made first

    def marks(self, name: str, exercise: Exercise, stated: StatedAnswers) -> Iterator[Mark]:
        """The marks of what is *stated* in the part called *name*, which stands on those marked
        before it."""
        earlier: Earlier = {}
        made = {mark.name: mark for mark in marks(exercise, stated, earlier)}
        part = self._parts[name] = _Part(name, exercise, exercise, made, earlier)
        try:
            if own := dict(self._own(part)):
                _follow(part, own, stated)
        except DdcalcError as error:
            part.error = error
        for one, mark in made.items():
            if part.error is not None and mark.verdict == "wrong" and not mark.slips:
                part.say(one, f"not followed: {part.error}")
            self._same_slip(part, mark)
        yield from made.values()

    def _own(self, part: _Part) -> Iterator[tuple[str, OwnResult]]:
        """The results of earlier parts on which *part* stands that are not the right ones."""
        for result in part.exercise.stands_on:
            name, _, quantity = result.partition(".")
            own = self._parts[name].own(quantity) if name in self._parts else None
            if own is not None:
                part.roots = {**part.roots, **own.roots}
                yield result, own

    def _same_slip(self, part: _Part, mark: Mark) -> None:
        """A slip that an earlier part has too counts there."""
        slips = [slip for slip in mark.slips if slip.wrong and mark.sure]
        if mark.verdict != "wrong":
            return
        for slip in slips:
            where = self._slips.get((slip.kind, slip.wrong), part.name)
            if where != part.name:
                words = f"the same slip as in ({where})"
                part.say(mark.name, words, verdict="follows", slips=(slip,))
                return
        self._slips |= {(slip.kind, slip.wrong): part.name for slip in slips}


def _follow(part: _Part, own: Mapping[str, OwnResult], stated: StatedAnswers) -> None:
    """Mark what is wrong in *part* by the student's *own* results of those before it."""
    theirs: list[Exercise] = []
    for values in _ways(own):
        try:
            again = part.right.again(values)
        except DdcalcError as error:
            part.error = part.error or error
            continue
        theirs.append(again)
        if _marked_by(part, again, values, stated):
            theirs = [again]
            break
    for again in theirs:
        part.exercise, part.error = theirs[0], None
        if _explained_by(part, again, stated):
            part.exercise = again
            break
    for name, result in part.exercise.results.items() if theirs else ():
        if name in part.marks and part.marks[name].verdict == "wrong" and not _numbers(result):
            part.error = BadFile("by your results nothing does it")


def _ways(own: Mapping[str, OwnResult]) -> Iterator[dict[str, Number]]:
    """The values of results with which a student may have gone on: before he rounded, as he stated
    them, the wrong ones alone, or one alone."""
    right = {name: one.right for name, one in own.items()}
    ways = [
        {name: one.exact for name, one in own.items()},
        {name: one.stated for name, one in own.items()},
        {n: one.right if one.exact == one.right else one.stated for n, one in own.items()},
        *(right | {name: one.stated} for name, one in own.items()),
    ]
    yield from (way for i, way in enumerate(ways) if way not in (right, *ways[:i]))


def _marked_by(
    part: _Part, again: Exercise, values: Mapping[str, Number], stated: StatedAnswers
) -> bool:
    """Mark what is wrong in *part* by what follows *again* from other *values*; whether something
    does, or nothing is wrong."""
    if not any(mark.verdict in BETTER for mark in part.marks.values()):
        return True
    found = False
    for mark in marks(again, stated, search=False):
        before = part.marks[mark.name]
        if mark.verdict not in BETTER.get(before.verdict, ()):
            continue
        part.marks[mark.name] = replace(before, verdict="wrong", brief=(), slips=())
        if trivial := _trivial(part.right, again, values, mark.name):
            part.say(mark.name, *part.says_from(), f", but {trivial}")
            continue
        found, follows = True, mark.verdict != "unit"
        words: Pieces = ("right ",) if follows else (*mark.brief, "; ")
        changes = {"verdict": "follows" if follows else "unit", "follows": True, "sure": True}
        part.say(mark.name, *words, *part.says_from(), line=None, **changes)
    return found


def _explained_by(part: _Part, again: Exercise, stated: StatedAnswers) -> bool:
    """Explain what is wrong in *part* by a slip in what follows *again*; whether one is found, or
    nothing is left to explain."""
    found = True
    for mark in marks(again, stated) if any(map(_is_open, part.marks.values())) else ():
        if _is_open(part.marks[mark.name]):
            found = bool(mark.slips)
            if found:
                words = (*mark.brief, "; ") if mark.brief else ()
                changes = {"slips": mark.slips, "sure": mark.sure, "follows": True}
                part.say(mark.name, *words, *part.says_from(), **changes)
    return found


def _is_open(mark: Mark) -> bool:
    return mark.verdict == "wrong" and not mark.slips and not mark.brief


def _trivial(right: Exercise, again: Exercise, values: Mapping[str, Number], name: str) -> str:
    """Why it is no merit that the result called *name* follows *again* from wrong *values*; empty
    where it is."""
    quantity, worth = right.problem.quantities[name], _numbers(again.results[name])
    for value in worth:
        if not value or (value == 1 and quantity.unit.dimension == ONE):
            return f"it is trivial then: {value}"
        if _is_beyond(quantity, value):
            return "that is out of range"
    is_tried = False
    for one, value in values.items() if worth else ():
        for factor in FACTORS:
            try:
                other = right.again({**values, one: plain(value * factor)})
            except DdcalcError:
                continue
            is_tried = True
            if _numbers(other.results[name]) != worth:
                return ""
    return "any such result leads to it" if is_tried else ""


def _is_beyond(quantity: Quantity, value: Number) -> bool:
    """Whether *quantity* cannot have that *value*."""
    if not isinstance(quantity, Derived | Given):
        return False
    least, most = quantity.least, quantity.most
    return (least is not None and value < least) or (most is not None and value > most)


def _numbers(results: Results) -> list[Number]:
    """The values of *results* that are numbers."""
    return [one.value for one in singles(results) if isinstance(one.value, Number)]


def _number(results: Results, name: str) -> Number:
    for number in _numbers(results):
        return number
    raise BadValue(name, "has no value")
