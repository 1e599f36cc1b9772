"""The parts of a question by one student's own results: what follows rightly from these, and which
slip was made before.

A part is solved again with the student's results in the place of the right ones, and marked by
that. What he did not state is worked out again from what he did.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.grading import Mark
from ddcalc.ask.mark.judge import Earlier, StatedAnswers, StudentResult, marks
from ddcalc.ask.mark.slip import MeasuredValue, Piece, Pieces
from ddcalc.ask.solve import Results, singles
from ddcalc.errors import BadFile, BadValue, DdcalcError
from ddcalc.formula.expression import Number, Sym
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import ONE
from ddcalc.problem.quantity import Derived, Given, Quantity

FACTORS = (2, Fraction(1, 2))  # by which a result is changed to see whether another one rests on it
RIGHT = ("right", "rounded", "follows", "unit")

Roots = Mapping[tuple[str, str], StudentResult]
"""The student's own results, by part and letter, from which something follows."""


@dataclass(frozen=True, slots=True)
class OwnResult:
    """What a result of a part, which is worth *right*, is to a student (base units): as it was
    *stated*, and what that was before it was rounded, as far as is known (*exact*)."""

    right: Number
    stated: Number
    exact: Number
    wrong: bool
    roots: Roots


@dataclass(slots=True)
class _Part:
    """An *exercise* as a student went on with it, whose *right* one is another one where it stands
    on wrong results of his, the *roots*; *stated* are his results here, by letter."""

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
        if mark is not None and mark.verdict == "right":
            return None
        quantity = self.right.problem.quantities[name]
        stated = self.stated.get(quantity.letter)
        if stated is None:
            if self.error is not None:
                raise self.error
            value = self._worked_out(quantity)
            return None if value == right else OwnResult(right, value, value, True, self._roots)
        if _is_beyond(quantity, stated.value):
            text = f"your ({self.name}), {amount_text(stated.value, stated.unit)},"
            raise BadFile(f"{text} is out of range")
        assert mark is not None
        exact, wrong = stated.value, mark.verdict != "rounded"
        if not wrong:
            exact = right
        elif mark.verdict == "follows" or (mark.slips and mark.sure):
            exact = mark.slips[0].value if mark.slips else self._worked_out(quantity, but=True)
        roots = {(self.name, quantity.letter): stated}
        return OwnResult(right, stated.value, exact, wrong, roots)

    @property
    def _roots(self) -> Roots:
        wrong = {(self.name, one): own for one, own in self.stated.items() if own.wrong}
        return wrong or self.roots

    def _worked_out(self, quantity: Quantity, *, but: bool = False) -> Number:
        """What *quantity* comes to by all results that are stated here, *but* for its own, and by
        the slip that leads to them."""
        chain, letter = self.exercise.chain, quantity.letter
        if chain is not None:
            stated = {one: own.value for one, own in self.stated.items() if own.wrong}
            if but:
                stated.pop(letter)
            slips = (m.slips[0] for m in self.marks.values() if m.slips and m.sure and not but)
            instead = {k: rule for slip in slips for k, rule in slip.instead.items()}
            made = chain.again({**instead, **stated}, chain.rests_on(letter))
            if made is not None and (value := made.known[letter]) is not None:
                return value
        return _number(self.exercise.results[quantity.name], quantity.name)


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
        own: dict[str, OwnResult] = {}
        try:
            for result in exercise.stands_on:
                if (one := self._own(result)) is not None:
                    own[result] = one
                    part.roots = {**part.roots, **one.roots}
            if own:
                self._follow(part, own, stated)
        except DdcalcError as error:
            part.error = error
        if part.error is not None:
            _say_error(part)
        self._same_slips(part)
        yield from part.marks.values()

    def _own(self, result: str) -> OwnResult | None:
        name, _, quantity = result.partition(".")
        return self._parts[name].own(quantity) if name in self._parts else None

    def _follow(self, part: _Part, own: Mapping[str, OwnResult], stated: StatedAnswers) -> None:
        """Mark what is wrong in *part* by the student's *own* results of those before it."""
        theirs: Exercise | None = None
        for values in _ways(own):
            try:
                again = part.right.again(values)
            except DdcalcError as error:
                part.error = part.error or error
                continue
            theirs = theirs or again
            if _has_wrong(part) and _marked_by(part, again, values, stated):
                theirs = again
                break
        if theirs is None:
            return
        part.exercise, part.error = theirs, None
        if any(
            mark.verdict == "wrong" and not _numbers(theirs.results[name])
            for name, mark in part.marks.items()
        ):
            part.error = BadFile("by your results nothing does it")
        if not any(mark.verdict == "wrong" and not mark.slips for mark in part.marks.values()):
            return
        for mark in marks(theirs, stated):
            before = part.marks[mark.name]
            if mark.slips and before.verdict == "wrong" and not before.slips and not before.brief:
                brief = _from(part, *(("; ", *mark.brief) if mark.brief else ()))
                found = replace(before, brief=brief, slips=mark.slips, sure=mark.sure)
                part.marks[mark.name] = replace(found, follows=True)

    def _same_slips(self, part: _Part) -> None:
        """A slip that an earlier part has too counts there."""
        for name, mark in part.marks.items():
            slips = [slip for slip in mark.slips if slip.wrong and mark.sure]
            if mark.verdict != "wrong" or not slips:
                continue
            where = (self._slips.get((slip.kind, slip.wrong)) for slip in slips)
            both = [
                (s, at) for s, at in zip(slips, where, strict=True) if at not in (None, part.name)
            ]
            for slip, at in both[:1]:
                brief = (*mark.brief, "; " if mark.brief else "", f"the same slip as in ({at})")
                same = replace(mark, verdict="follows", brief=brief, slips=(slip,))
                part.marks[name] = same
            if not both:
                self._slips.update(dict.fromkeys(((s.kind, s.wrong) for s in slips), part.name))


def _ways(own: Mapping[str, OwnResult]) -> Iterator[dict[str, Number]]:
    """The values of results with which a student may have gone on: as he stated all, as they were
    before he rounded, the wrong ones alone, or one alone."""
    ways = [
        {name: one.stated for name, one in own.items()},
        {name: one.exact for name, one in own.items()},
        {name: one.stated if one.wrong else one.right for name, one in own.items()},
        *({n: x.stated if n == name else x.right for n, x in own.items()} for name in own),
    ]
    right = {name: one.right for name, one in own.items()}
    for i, way in enumerate(ways):
        if way != right and way not in ways[:i]:
            yield way


def _has_wrong(part: _Part) -> bool:
    return any(mark.verdict in ("wrong", "unit") for mark in part.marks.values())


def _marked_by(
    part: _Part, again: Exercise, values: Mapping[str, Number], stated: StatedAnswers
) -> bool:
    """Mark what is wrong in *part* by what follows *again* from other *values*; whether something
    does."""
    found = False
    for mark in marks(again, stated, search=False):
        before = part.marks[mark.name]
        is_better = before.verdict == "wrong" and mark.verdict in RIGHT
        if not is_better and (before.verdict != "unit" or mark.verdict not in RIGHT[:-1]):
            continue
        if trivial := _trivial(part.right, again, values, mark.name):
            brief = _from(part, f", but {trivial}")
            part.marks[mark.name] = replace(before, verdict="wrong", brief=brief, slips=())
            continue
        unit, more = mark.verdict == "unit", ("; ", *mark.brief) if mark.verdict == "unit" else ()
        part.marks[mark.name] = replace(
            before, verdict="unit" if unit else "follows", brief=_from(part, *more, right=True),
            slips=(), sure=True, follows=True,
        )  # fmt: skip
        found = True
    return found


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
    numbers = _numbers(results)
    if not numbers:
        raise BadValue(name, "has no value")
    return numbers[0]


def _from(part: _Part, *more: Piece, right: bool = False) -> Pieces:
    """That something comes from the student's own results of earlier parts."""
    words: Pieces = ("right from your " if right else "from your ",)
    for i, ((name, letter), own) in enumerate(part.roots.items()):
        value = MeasuredValue(own.value, own.unit)
        words = (*words, " and " if i else "", f"({name}): ", Sym(letter), " = ", value)
    return (*words, *more)


def _say_error(part: _Part) -> None:
    """Say of what is wrong in *part* that it was not followed, and why."""
    for name, mark in part.marks.items():
        if mark.verdict == "wrong" and not mark.slips:
            why = f"not followed: {part.error}"
            brief = (*mark.brief, "; ", why) if mark.brief else (why,)
            part.marks[name] = replace(mark, brief=brief)
